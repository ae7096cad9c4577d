"""Implement `neonlab network`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_cores
from neonlab.cli.kept import NoCacheOption, say_found
from neonlab.cli.shared import IsaOption, JobsOption, JsonOption, SeedOption, console, print_json
from neonlab.cli.spread import ALONE, Spread, takes_spread
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.isa.model.isa import Isa
    from neonlab.lab.parallel.pool import Workers
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.network.graph import Array, Graph
    from neonlab.network.run.earlier import Comparison
    from neonlab.network.run.network import NetworkRun

AgainstOption = Annotated[
    Path | None,
    typer.Option(
        "--against",
        metavar="FILE.json",
        help="Show what changed since an earlier run, whose --json this is: another revision, another core.",
    ),
]
DrawOption = Annotated[
    bool,
    typer.Option(
        "--draw-weights",
        help="Draw the weights of an ncnn .param that has no .bin: what its layers cost does not depend on them.",
    ),
]
#: The kind of what is kept of a network.
_COSTS = "call_cost.cost_of_call"
#: The core whose costs decide where none is named.
_CORES = {"armv7": "cortex-a7", "armv8": "cortex-a53"}


@takes_spread
def network(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A quantized model: .tflite, .onnx, or ncnn's .param.")
    ],
    core: Annotated[
        str | None,
        typer.Option(
            "--core",
            metavar="CORE",
            help="Choose kernels for this core, and estimate their cycles there; the default is cortex-a53, for armv7 "
            "cortex-a7.",
            autocompletion=complete_cores,
        ),
    ] = None,
    mhz: Annotated[
        float | None, typer.Option("--mhz", metavar="N", help="The core's clock, to show milliseconds.")
    ] = None,
    input_: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE.npz", help="An array for each tensor by name; the default is random."),
    ] = None,
    isa_name: IsaOption = None,
    inferences: Annotated[
        int, typer.Option("--inferences", metavar="N", min=1, max=1000, help="Run N inferences, one after another.")
    ] = 1,
    arithmetic: Annotated[
        str,
        typer.Option(
            "--arithmetic",
            metavar="NAME",
            help="Whose results a .tflite has: `reference` (TFLite's, the default) or `xnnpack`.",
        ),
    ] = "",
    draw: DrawOption = False,
    unwatched: Annotated[
        bool, typer.Option("--unwatched", help="Run faster, without watching every access and register.")
    ] = False,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FILE", help="Write the tables to a file: a page in .html, or Markdown in .md."),
    ] = None,
    against: AgainstOption = None,
    jobs: JobsOption = None,
    no_cache: NoCacheOption = False,
    seed: SeedOption = 1,
    json: JsonOption = False,
    spread: Spread = ALONE,
) -> int:
    """Run a quantized network layer by layer on emulated kernels, and show what each layer costs.

    Each layer runs on the kernels of the library that are cheapest on the core, by its model. Every tensor is compared
    with reference arithmetic, bit by bit. What no kernel computes runs on this computer, and is listed.

    What calls cost is found side by side, and can be found in shards or on a cluster; inferences run one after another.
    """
    from neonlab.host.output_file import write_whole
    from neonlab.network.inputs import read_inputs
    from neonlab.network.open import open_network
    from neonlab.network.passes.every import apply_passes
    from neonlab.network.reference.inference import drawn
    from neonlab.network.run.earlier import compare_with, read_earlier
    from neonlab.report.json.network import network_json

    if mhz is not None and not 0 < mhz <= 100_000:
        raise InputError(f"--mhz {mhz:g}: give the clock in MHz, such as 1400")
    if into is not None and into.suffix not in (".html", ".md"):
        raise InputError(f"--into {into}: give a name that ends in .html or .md")
    progress.begin("reading the model")
    earlier = read_earlier(against) if against is not None else None
    given = read_inputs(input_) if input_ is not None else None
    shapes = {name: values.shape for name, values in given.items()} if given is not None else {}
    passed = apply_passes(open_network(model, arithmetic, shapes, seed if draw else None))
    graph = passed.graph
    isa, modelled = _target(isa_name, core)
    inputs = [given or drawn(graph, seed + number) for number in range(inferences)]
    with spread.working(jobs, not no_cache) as workers:
        if spread.shard:
            _cost(graph, isa, modelled, inputs[0], workers)
            return spread.write(workers)
        run = _run(graph, isa, modelled, inputs, not unwatched, workers)
    compared = compare_with(run, earlier) if earlier is not None else None
    if into is not None:
        write_whole(into, _page(into, run, mhz, passed.notes, compared).encode())
    if json:
        print_json("network", **network_json(run, mhz, passed.notes, compared))
    else:
        _print(run, mhz, passed.notes, compared)
    return 1 if run.wrong else 0


def _cost(graph: Graph, isa: Isa, core: ModelledCore, given: dict[str, Array], workers: Workers) -> None:
    from neonlab.lab.repository.library import open_beside_shipped
    from neonlab.network.run.network import cost_calls

    cost_calls(
        graph, open_beside_shipped(), isa, core, given, workers, progress.begin("costing", len(graph.nodes), "layers")
    )
    say_found(workers.results, _COSTS, "costs of calls")


def _run(
    graph: Graph, isa: Isa, core: ModelledCore, inputs: list[dict[str, Array]], watched: bool, workers: Workers
) -> NetworkRun:
    from neonlab.lab.repository.library import open_beside_shipped
    from neonlab.network.run.network import run_network

    advance = progress.begin("running", len(graph.nodes) + len(inputs), "layers and inferences")
    run = run_network(graph, open_beside_shipped(), isa, core, inputs, watched=watched, workers=workers, done=advance)
    say_found(workers.results, _COSTS, "costs of calls")
    return run


def _page(into: Path, run: NetworkRun, mhz: float | None, notes: Sequence[str], compared: Comparison | None) -> str:
    from neonlab.report.network.comparison import comparison_lines
    from neonlab.report.network.markdown import network_markdown
    from neonlab.report.network.page import network_page

    lines = list(comparison_lines(compared)) if compared is not None else []
    if into.suffix == ".html":
        return network_page(run, mhz, notes, lines)
    block = "\n".join(["", "```text", *lines, "```", ""]) if lines else ""
    return network_markdown(run, mhz, notes) + block


def _print(run: NetworkRun, mhz: float | None, notes: Sequence[str], compared: Comparison | None) -> None:
    from neonlab.report.network.comparison import comparison_lines
    from neonlab.report.network.terminal import print_network

    out = console()
    print_network(out, run, mhz, notes)
    for line in comparison_lines(compared) if compared is not None else ():
        out.print(line, markup=False, highlight=False)


def _target(isa_name: str | None, core: str | None) -> tuple[Isa, ModelledCore]:
    """Return the instruction set and the core.  Raises InputError for a core that does not have it."""
    from neonlab.contract.options import ARCHITECTURES
    from neonlab.isa.model.isa import Isa, isa_named
    from neonlab.measure.cores.modelled import ModelledCore

    if core is None:
        isa = isa_named(isa_name) if isa_name is not None else Isa.A64
        return isa, ModelledCore.named(_CORES[ARCHITECTURES[isa]], cycles=True)
    modelled = ModelledCore.named(core, cycles=True)
    if isa_name is None:
        return next(one for one in (Isa.A64, Isa.A32) if modelled.refusal(one, frozenset()) is None), modelled
    isa = isa_named(isa_name)
    refusal = modelled.refusal(isa, frozenset())
    if refusal is not None:
        raise InputError(refusal)
    return isa, modelled
