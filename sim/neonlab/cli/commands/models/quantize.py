"""Implement `neonlab quantize`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.shared import IsaOption, JsonOption, console, print_json
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.network.graph import Array
    from neonlab.network.quantize.convert import Scheme
    from neonlab.network.quantize.emulate import Emulated
    from neonlab.network.quantize.judge import Accuracy
    from neonlab.network.quantize.study import Study


def quantize(
    model: Annotated[Path, typer.Argument(metavar="MODEL.onnx", help="A model in float32.")],
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="FILE.npz|FOLDER",
            help="Samples: an array for each input, whose first axis counts them; or a folder with a file for each.",
        ),
    ],
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="The right class of each sample, one whole number a line."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="Ranges by `min-max`, `ema`, `percentile` or `kl` alone."),
    ] = None,
    per: Annotated[
        str | None,
        typer.Option("--per", metavar="channel|tensor", help="Scales of weights for each channel or tensor alone."),
    ] = None,
    weights: Annotated[
        int | None, typer.Option("--weights", metavar="127|63", help="Weights from -N to N alone, as kernels want it.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.onnx", help="Write the quantized model to this file.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="FILE.md", help="Write the tables to FILE.md, in Markdown.")
    ] = None,
    isa_name: IsaOption = None,
    json: JsonOption = False,
) -> int:
    """Quantize a float network to int8, and show what that costs in accuracy and signal to noise.

    The first half of the samples calibrates. All figures are of the other half. Every way to choose ranges and scales
    is tried; the model that is kept has the greatest ratio of signal to noise at its output for the first half. Then
    the other half runs on emulated kernels, each value compared with reference arithmetic.
    """
    from neonlab.host.input_file import read_input
    from neonlab.host.output_file import write_whole
    from neonlab.network.open import MOST_BYTES
    from neonlab.network.quantize.float_model import prepare, read_float
    from neonlab.network.quantize.samples import read_labels, read_samples
    from neonlab.network.quantize.study import judging, steps_of, study
    from neonlab.report.json.quantize import quantize_json
    from neonlab.report.quantize.markdown import study_markdown
    from neonlab.report.quantize.terminal import print_study
    from neonlab.report.quantize.words import emulated_lines

    schemes = _schemes(method, per, weights)
    if into is not None and into.suffix != ".md":
        raise InputError(f"--into {into}: give a name that ends in .md")
    progress.begin("reading the model")
    held = read_float(model, read_input(model, MOST_BYTES))
    samples = read_samples(data, {one.name: len(one.shape) for one in held.inputs})
    right = read_labels(labels, len(samples)) if labels is not None else None
    prepared = prepare(model, held, samples[0])
    advance = progress.begin("quantizing", steps_of(len(samples), len(schemes)), "samples and schemes")
    found = study(prepared, samples, right, schemes, advance)
    if output is not None:
        write_whole(output, found.model)
    written = str(output) if output is not None else ""
    judges = judging(samples)
    emulated, refusal = _emulated(found, judges, isa_name)
    accuracies = _accuracies(emulated, prepared.outputs[0], None if right is None else right[-len(judges) :])
    lines = [f"no kernels ran: {refusal}"] if emulated is None else list(emulated_lines(emulated, *accuracies))
    if into is not None:
        write_whole(into, study_markdown(found, written, lines).encode())
    if json:
        print_json("quantize", **quantize_json(found, written, emulated, refusal, accuracies))
    else:
        print_study(console(), found, written, lines)
    return 1 if emulated is not None and emulated.wrong else 0


def _schemes(method: str | None, per: str | None, limit: int | None) -> list[Scheme]:
    """Return the schemes that are asked for.  Raises InputError for a name or a limit that there is not."""
    from neonlab.network.quantize.convert import GRANULARITIES, LIMITS, schemes
    from neonlab.network.quantize.ranges import METHODS

    known: tuple[tuple[str, object, Sequence[object]], ...] = (
        ("--method", method, list(METHODS)),
        ("--per", per, GRANULARITIES),
        ("--weights", limit, LIMITS),
    )
    for option, given, choices in known:
        if given is not None and given not in choices:
            raise InputError(f"{option} {given}: give one of {', '.join(map(str, choices))}")
    return schemes(method, per, limit)


def _emulated(
    found: Study, samples: Sequence[Mapping[str, Array]], isa_name: str | None
) -> tuple[Emulated | None, str]:
    """Return the run on emulated kernels; None and the reason where the network has a node that the lab cannot run."""
    from neonlab.isa.model.isa import Isa, isa_named
    from neonlab.lab.repository.library import open_beside_shipped
    from neonlab.network.formats.onnx import read_onnx
    from neonlab.network.passes.every import apply_passes
    from neonlab.network.quantize.emulate import emulate

    isa = isa_named(isa_name) if isa_name is not None else Isa.A64
    try:
        shapes = {name: values.shape for name, values in samples[0].items()}
        graph = apply_passes(read_onnx(found.name, found.model, shapes)).graph
    except InputError as error:
        return None, str(error)
    advance = progress.begin("running", len(graph.nodes) + len(samples), "layers and samples")
    return emulate(graph, open_beside_shipped(), isa, samples, advance), ""


def _accuracies(
    emulated: Emulated | None, output: str, labels: Array | None
) -> tuple[Accuracy | None, Accuracy | None]:
    """Return the accuracy of the reference and of the kernels; None for what did not run, and without labels."""
    from neonlab.network.quantize.judge import Accuracy, scores_of

    if emulated is None or labels is None:
        return None, None
    return (
        Accuracy.of(scores_of(emulated.reference, output), labels),
        Accuracy.of(scores_of(emulated.kernels, output), labels),
    )
