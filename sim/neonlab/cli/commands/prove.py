"""Implement `neonlab prove`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.kept import NoCacheOption, say_found
from neonlab.cli.options import takes_given
from neonlab.cli.shared import (
    JobsOption,
    JsonOption,
    KernelsArgument,
    SeedOption,
    ShapeOption,
    console,
    find_kernels,
    print_json,
    shapes_asked,
)
from neonlab.cli.spread import ALONE, Spread, takes_spread
from neonlab.contract.options import Given
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.lab.repository.library import Kernel
    from neonlab.measure.shape import Shape
    from neonlab.prove.proof import Proof


@takes_given
@takes_spread
def prove(
    kernels: KernelsArgument = None,
    shape: ShapeOption = None,
    tails: Annotated[
        bool, typer.Option("--tails", help="Prove the small shapes that `check` tries; the default.")
    ] = False,
    layers: Annotated[bool, typer.Option("--layers", help="Prove the layers of real networks.")] = False,
    every: Annotated[
        str,
        typer.Option(
            "--every",
            metavar="SIZE",
            help="Prove every value of this size in steps of a block from each --shape on, too.",
        ),
    ] = "",
    witnesses: Annotated[
        Path | None,
        typer.Option(
            "--witnesses",
            metavar="FOLDER",
            help="Save inputs that refute in FOLDER; the default is .neonlab/witnesses of the repository.",
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FOLDER",
            help="Update proofs.md and proofs.json in FOLDER, with --tails, --layers, or a --shape that is a layer.",
        ),
    ] = None,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    no_cache: NoCacheOption = False,
    json: JsonOption = False,
    given: Given | None = None,
    spread: Spread = ALONE,
) -> int:
    """Prove kernels equal to their references for every input that their contracts allow.

    At a fixed shape a kernel takes one path. Along it every lane is an expression over the elements of the inputs, and
    so is each result of the reference; equal expressions are equal for all inputs. A kernel is `proved`, `refuted` by
    inputs that were run, or `not proved`, with the instruction and the reason. Inputs that refute are saved, and the
    line `again` runs them.

    Layers have too many products to write them out. There sums are compared by their values at two random points of a
    field, and the result is `proved with error below 2^-50`: a bound on the chance that different sums pass for equal.

    With `--every in_channels` a kernel is proved for all numbers of passes of its hot loop: for every number of input
    channels that is a multiple of what the loop takes away from that of the shape, up to the greatest.

    Some inputs are held at the values of one case, such as the limits of a clamp. The result names them.
    """
    from neonlab.lab.parallel.profiles import code_digests
    from neonlab.lab.parallel.proofs import explain_proofs, prove_all, prove_all_sizes
    from neonlab.lab.run.plan import shapes_to_prove
    from neonlab.report.terminal.proof import print_proofs

    _refuse_options(bool(shape), tails, layers, bool(every), into is not None)
    _make_folders(into, witnesses)
    found = find_kernels(kernels or (), given)
    _refuse_size(found, every)
    with spread.working(jobs, not no_cache) as workers:
        wanted = shapes_asked(found, shape, "planning the shapes")
        work = [(kernel, shapes_to_prove(kernel, shapes, layers=layers)) for kernel, shapes in wanted]
        work = [(kernel, shapes) for kernel, shapes in work if shapes]
        if not work:
            raise InputError("no kernel has a shape to prove: give one with --shape")
        if into is not None and shape:
            _refuse_other_shapes(work)
        advance = progress.begin("proving", sum(len(shapes) for _, shapes in work), "shapes")
        proofs = prove_all(workers, work, seed=seed, advance=advance)
        if every:
            advance = progress.begin("proving every size", sum(len(shapes) for _, shapes in work), "shapes")
            proofs = prove_all_sizes(workers, work, every, proofs, seed=seed, advance=advance)
        tried = [kernel for kernel, _ in work]
        progress.begin("explaining failures" if any(proof.failures for proof in proofs) else "gathering proofs")
        proofs = explain_proofs(workers, tried, proofs)
        say_found(workers.results, "proofs._prove", "proofs")
        if spread.shard:
            return spread.write(workers)
        digests = code_digests(workers, tried) if into is not None else []
    proofs = _saved(tried, proofs, witnesses)
    if into is not None:
        _write(into, proofs, digests, "tails" if tails else "layers", seed)
    if json:
        print_json("prove", seed=seed, proofs=[proof.to_json() for proof in proofs])
    else:
        print_proofs(console(), proofs)
    return 0 if all(proof.is_complete for proof in proofs) else 1


def _refuse_options(shape: bool, tails: bool, layers: bool, every: bool, into: bool) -> None:
    """Raise InputError for options that do not go together."""
    if shape + tails + layers > 1:
        raise InputError("--shape, --tails and --layers exclude each other: give one of them")
    if every and not shape:
        raise InputError("--every needs --shape: it has the other sizes, and where the size begins")
    if into and not (tails or layers or shape):
        raise InputError("--into needs --tails, --layers or --shape: the table has a place for these")


def _refuse_size(kernels: list[Kernel], size: str) -> None:
    """Raise InputError unless each kernel has the size that --every names, if it names one."""
    from neonlab.lab.run.prove import refuse_size

    for kernel in kernels if size else ():
        refuse_size(kernel, size)


def _saved(kernels: list[Kernel], proofs: list[Proof], folder: Path | None) -> list[Proof]:
    """Return the proofs with their witnesses saved.  Raises InputError where a folder that was named does not serve."""
    from neonlab.lab.parallel.proofs import save_witnesses

    try:
        return save_witnesses(kernels, proofs, folder)
    except InputError as error:
        if folder is not None:
            raise
        progress.clear()
        print(f"neonlab: the inputs that refute are not saved: {error}", file=sys.stderr)
        return proofs


def _refuse_other_shapes(work: list[tuple[Kernel, list[Shape]]]) -> None:
    """Raise InputError if a shape is no layer of its kernel's operator: the table has no place for it."""
    from neonlab.lab.run.plan import layers_of

    for kernel, shapes in work:
        layers = layers_of(kernel)
        for shape in shapes:
            if shape not in layers:
                known = ", ".join(map(str, layers)) or "none"
                raise InputError(f"--into: {shape} is no layer of {kernel.title}: its layers are {known}")


def _make_folders(into: Path | None, witnesses: Path | None) -> None:
    """Make the folders that were named.  Raises InputError if one cannot be made."""
    from neonlab.host.output_file import make_folder
    from neonlab.lab.run.saved import make_ignored_folder

    if witnesses is not None:
        make_ignored_folder(witnesses)
    if into is not None:
        make_folder(into)


def _write(folder: Path, proofs: list[Proof], digests: list[str], part: str, seed: int) -> None:
    """Update both documents in `folder`; `digests` are those of the kernels' code."""
    from neonlab.host.output_file import write_whole
    from neonlab.lab.repository.library import find_root, open_library
    from neonlab.report.tables.proofs import json_document, markdown_document, merged, record_of

    records = [record_of(proof, digest, part) for proof, digest in zip(proofs, digests, strict=True)]
    known = [kernel.title for kernel in open_library(find_root()).kernels]
    documents = merged(folder / "proofs.json", records, known)
    write_whole(folder / "proofs.json", json_document(documents, seed).encode())
    write_whole(folder / "proofs.md", markdown_document(documents, known).encode())
