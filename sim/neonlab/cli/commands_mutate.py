"""`neonlab mutate`: which slips of the pen in a kernel would go unnoticed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli.shared import JobsOption, JsonOption, console, find_kernels, print_json, progress

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.mutants import MutantsOfKernel

_REVIEWED = Path("tests", "verify", "mutants_equivalent.toml")


def mutate(
    kernels: Annotated[list[str] | None, typer.Argument(metavar="[KERNEL|FILE.S]...", show_default=False)] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Try so many of each kernel, at random.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of what --limit picks.")] = 1,
    reviewed: Annotated[
        Path | None,
        typer.Option("--reviewed", help=f"Table of mutants known to be harmless; {_REVIEWED} of the repository."),
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder whose mutants.md and mutants.json to bring up to date.")
    ] = None,
    jobs: JobsOption = None,
    json: JsonOption = False,
) -> int:
    """Change one instruction of a kernel at a time, and list the changes that no case of `check` notices."""
    from neonlab.errors import InputError
    from neonlab.library import find_root
    from neonlab.mutants import judge_all
    from neonlab.mutants import mutants as mutants_to_try
    from neonlab.verify.mutation_equivalence import read_reviewed
    from neonlab.workers import Workers

    if reviewed is not None and not reviewed.is_file():
        raise InputError(f"{reviewed}: no such file")
    table = read_reviewed(reviewed or find_root() / _REVIEWED)
    work = [(kernel, *mutants_to_try(kernel, limit, seed)) for kernel in find_kernels(kernels or ())]
    total = sum(len(tried) for _, _, tried in work)
    with Workers(jobs) as workers, progress("mutating", total, quiet=json) as advance:
        results = judge_all(workers, work, table, advance)
    if into is not None:
        _write(into, results, seed)
    if json:
        print_json("mutate", seed=seed, kernels=[result.to_json() for result in results])
    else:
        _print(console(), results)
    return 1 if any(result.survivors for result in results) else 0


def _print(out: Console, results: list[MutantsOfKernel]) -> None:
    from neonlab.report.mutants import score_text

    for result in results:
        tried = f"{len(result.judged)} of {result.made}" if len(result.judged) < result.made else str(result.made)
        figures = f"{result.killed} killed, {sum(result.reasons.values())} equivalent, {len(result.survivors)} survived"
        out.print(f"{result.kernel}: {tried} mutants: {figures}: {score_text(result.score)}", markup=False)
        for mutant in result.survivors:
            out.print(f"  line {mutant.line}, {mutant.slip}: {mutant.original}  ->  {mutant.mutant}", markup=False)


def _write(folder: Path, results: list[MutantsOfKernel], seed: int) -> None:
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.errors import InputError
    from neonlab.library import find_root, open_library
    from neonlab.report.mutants import json_document, markdown_document, merged

    known = [kernel.title for kernel in open_library(find_root()).kernels]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
    documents = merged(folder / "mutants.json", [result.to_json() for result in results], known)
    write_whole(folder / "mutants.json", json_document(documents, seed).encode())
    write_whole(folder / "mutants.md", markdown_document(documents).encode())
