"""Implement `neonlab mutate`: find slips in a kernel that checks would not notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neonlab.cli import progress
from neonlab.cli.kept import NoCacheOption, say_found
from neonlab.cli.shared import (
    JobsOption,
    JsonOption,
    KernelsArgument,
    ShapeOption,
    console,
    find_kernels,
    print_json,
    shapes_asked,
)
from neonlab.cli.spread import ALONE, Spread, takes_spread
from neonlab.errors import InputError
from neonlab.host.input_file import is_file, no_file

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.lab.parallel.mutants import MutantsOfKernel
    from neonlab.lab.parallel.pool import Workers
    from neonlab.verify.mutation.mutants import Mutant

#: Open mutants that are printed of one kernel.
_MOST_OPEN = 8
_REVIEWED = Path("tests", "verify", "mutants_equivalent.toml")


@takes_spread
def mutate(
    kernels: KernelsArgument = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Try N mutants of each kernel, chosen at random."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The seed of the choice of --limit.")] = 1,
    reviewed: Annotated[
        Path | None,
        typer.Option(
            "--reviewed",
            metavar="FILE",
            help=f"A table of mutants known to be harmless; the default is {_REVIEWED} of the repository.",
        ),
    ] = None,
    prove: Annotated[
        bool,
        typer.Option("--prove", help="Prove the mutants that no check notices: `different`, `equal` or `open`."),
    ] = False,
    recorded: Annotated[
        bool,
        typer.Option(
            "--recorded",
            help="With --prove --into: check none, and prove those that mutants.json has as harmless by review.",
        ),
    ] = False,
    shape: ShapeOption = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FOLDER", help="Update mutants.md and mutants.json in FOLDER."),
    ] = None,
    jobs: JobsOption = None,
    no_cache: NoCacheOption = False,
    json: JsonOption = False,
    spread: Spread = ALONE,
) -> int:
    """Change one instruction of a kernel at a time, and list the changes that `neonlab check` does not notice.

    With --prove these are compared with the kernel for all inputs. A mutant is `different` if inputs were found, and
    run, for which it fails: a case is missing. It is `equal` if its results are those of the kernel for every input
    that the contract allows, at the shapes tried, and else `open`. The shapes are those of --shape, or else a few small
    ones that run all of the code.

    With --recorded nothing is checked again: the mutants that a report of --into has as harmless by review are proved.
    """
    from neonlab.lab.parallel.mutants import judge_all, prove_undetected
    from neonlab.lab.parallel.mutants import mutants as mutants_to_try
    from neonlab.lab.repository.library import find_root
    from neonlab.lab.run.mutant_proofs import Fate
    from neonlab.verify.mutation.equivalence import read_reviewed

    if recorded:
        if not prove or into is None or shape or limit is not None or json:
            raise InputError("--recorded takes --prove, --into FOLDER, kernels and --jobs, and no other option")
        spread.refuse("--recorded", "proves what one report has")
        with spread.working(jobs, not no_cache) as workers:
            return _prove_recorded(kernels or (), into, workers, seed)
    if shape and not prove:
        raise InputError("--shape says where to prove mutants: give --prove too")
    if reviewed is not None and not is_file(reviewed):
        raise no_file(reviewed)
    table = read_reviewed(reviewed or find_root() / _REVIEWED)
    found = find_kernels(kernels or ())
    with spread.working(jobs, not no_cache) as workers:
        wanted = shapes_asked(found, shape, "planning the shapes") if prove else []
        progress.begin("making mutants")
        work = [(kernel, *mutants_to_try(kernel, limit, seed)) for kernel in found]
        advance = progress.begin("judging", sum(len(tried) for _, _, tried in work), "mutants")
        results = judge_all(workers, work, table, advance)
        if prove:
            advance = progress.begin("proving", sum(len(result.undetected) for result in results), "mutants")
            results = prove_undetected(workers, wanted, results, advance)
        say_found(workers.results, "mutants._judge", "groups of mutants")
        if spread.shard:
            return spread.write(workers)
    if into is not None:
        _write(into, [result.to_json() for result in results], seed)
    if json:
        print_json("mutate", seed=seed, kernels=[result.to_json() for result in results])
    else:
        print_results(console(), results)
    return 1 if any(result.survivors or result.of(Fate.DIFFERENT) for result in results) else 0


def print_results(out: Console, results: list[MutantsOfKernel]) -> None:
    """Print a line for each kernel, the mutants that survive, and what was proved of those that no check notices."""
    from neonlab.report.tables.mutants import score_text

    for result in results:
        tried = f"{len(result.judged)} of {result.made}" if len(result.judged) < result.made else str(result.made)
        figures = f"{result.killed} killed, {sum(result.reasons.values())} equivalent, {len(result.survivors)} survived"
        out.print(f"{result.kernel}: {tried} mutants: {figures}: {score_text(result.score)}", markup=False)
        for mutant in result.survivors:
            out.print(f"  {_line(mutant)}", markup=False)
        if result.proofs is not None:
            _print_proofs(out, result)


def _print_proofs(out: Console, result: MutantsOfKernel) -> None:
    """Print what was shown of the mutants that no check notices, each different one, and the first that are open."""
    from rich.text import Text

    from neonlab.lab.run.mutant_proofs import Fate
    from neonlab.report.terminal.verdict import shown_path

    proofs = result.proofs or {}
    counts = ", ".join(f"{len(result.of(fate))} {fate.value}" for fate in Fate)
    shapes = len({shape for proof in proofs.values() for shape in proof.shapes})
    tried = f"at {shapes} shape{'s' * (shapes != 1)}"
    out.print(f"  the {len(proofs)} that no check notices, proved {tried}: {counts}", markup=False)
    held = sorted({name for proof in proofs.values() for name in proof.held})
    if held:
        out.print(f"  with {', '.join(held)} as drawn, not as any value", markup=False)
    for mutant in result.of(Fate.DIFFERENT):
        failure = proofs[mutant].failure
        shown = f": {failure.identifier} at {failure.shape}" if failure is not None else ""
        out.print(Text(f"    different{shown}: a case is missing: {_line(mutant)}", "bold red"))
        if failure is not None and failure.saved:
            out.print(f"      saved as {shown_path(failure.saved)}", markup=False)
    some = result.of(Fate.OPEN)
    for mutant in some[:_MOST_OPEN]:
        out.print(f"    open: {_line(mutant)}: {proofs[mutant].reason}", markup=False)
    if len(some) > _MOST_OPEN:
        out.print(f"    and {len(some) - _MOST_OPEN} more open; --json has them all", markup=False)


def _line(mutant: Mutant) -> str:
    return f"line {mutant.line}, {mutant.slip}: {mutant.original}  ->  {mutant.mutant}"


def _prove_recorded(names: Sequence[str], folder: Path, workers: Workers, seed: int) -> int:
    """Prove the reviewed mutants of a report, and write it with what was shown."""
    from neonlab.lab.parallel.recorded import prove_recorded
    from neonlab.lab.run.mutant_proofs import Fate
    from neonlab.report.tables.records import records_by_kernel

    records = records_by_kernel(folder / "mutants.json", "mutate")
    work = [(kernel, records[kernel.title]) for kernel in find_kernels(names) if kernel.title in records]
    if not work:
        raise InputError(f"{folder / 'mutants.json'} has none of these kernels: run `neonlab mutate --into` first")
    progress.begin("making mutants")
    results = prove_recorded(workers, work, lambda total: progress.begin("proving", total, "mutants"))
    _write(folder, [result.record for result in results], seed)
    for result in results:
        counts = ", ".join(f"{result.counts.get(fate, 0)} {fate.value}" for fate in Fate)
        gone = f"; the kernel has {result.gone} of the reviewed ones no more" if result.gone else ""
        console().print(f"{result.kernel}: {counts}{gone}", markup=False)
    return 1 if any(result.counts.get(Fate.DIFFERENT) for result in results) else 0


def _write(folder: Path, results: Sequence[Mapping[str, Any]], seed: int) -> None:
    from neonlab.host.output_file import make_folder, write_whole
    from neonlab.lab.repository.library import find_root, open_library
    from neonlab.report.tables.mutants import json_document, markdown_document, merged

    known = [kernel.title for kernel in open_library(find_root()).kernels]
    make_folder(folder)
    documents = merged(folder / "mutants.json", results, known)
    write_whole(folder / "mutants.json", json_document(documents, seed).encode())
    write_whole(folder / "mutants.md", markdown_document(documents).encode())
