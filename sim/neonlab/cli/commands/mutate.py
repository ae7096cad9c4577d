"""Implement `neonlab mutate`: find slips in a kernel that checks would not notice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.shared import JobsOption, JsonOption, KernelsArgument, console, find_kernels, print_json
from neonlab.host.input_file import is_file, no_file

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.lab.parallel.mutants import MutantsOfKernel

_REVIEWED = Path("tests", "verify", "mutants_equivalent.toml")


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
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FOLDER", help="Update mutants.md and mutants.json in FOLDER."),
    ] = None,
    jobs: JobsOption = None,
    json: JsonOption = False,
) -> int:
    """Change one instruction of a kernel at a time, and list the changes that `neonlab check` does not notice."""
    from neonlab.lab.parallel.mutants import judge_all
    from neonlab.lab.parallel.mutants import mutants as mutants_to_try
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.repository.library import find_root
    from neonlab.verify.mutation.equivalence import read_reviewed

    if reviewed is not None and not is_file(reviewed):
        raise no_file(reviewed)
    table = read_reviewed(reviewed or find_root() / _REVIEWED)
    progress.begin("making mutants")
    work = [(kernel, *mutants_to_try(kernel, limit, seed)) for kernel in find_kernels(kernels or ())]
    total = sum(len(tried) for _, _, tried in work)
    advance = progress.begin("judging", total, "mutants")
    with Workers(jobs) as workers:
        results = judge_all(workers, work, table, advance)
    if into is not None:
        _write(into, results, seed)
    if json:
        print_json("mutate", seed=seed, kernels=[result.to_json() for result in results])
    else:
        _print(console(), results)
    return 1 if any(result.survivors for result in results) else 0


def _print(out: Console, results: list[MutantsOfKernel]) -> None:
    from neonlab.report.tables.mutants import score_text

    for result in results:
        tried = f"{len(result.judged)} of {result.made}" if len(result.judged) < result.made else str(result.made)
        figures = f"{result.killed} killed, {sum(result.reasons.values())} equivalent, {len(result.survivors)} survived"
        out.print(f"{result.kernel}: {tried} mutants: {figures}: {score_text(result.score)}", markup=False)
        for mutant in result.survivors:
            out.print(f"  line {mutant.line}, {mutant.slip}: {mutant.original}  ->  {mutant.mutant}", markup=False)


def _write(folder: Path, results: list[MutantsOfKernel], seed: int) -> None:
    from neonlab.errors import InputError
    from neonlab.host.output_file import write_whole
    from neonlab.lab.repository.library import find_root, open_library
    from neonlab.report.tables.mutants import json_document, markdown_document, merged

    known = [kernel.title for kernel in open_library(find_root()).kernels]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot create the folder: {error.strerror}") from None
    documents = merged(folder / "mutants.json", [result.to_json() for result in results], known)
    write_whole(folder / "mutants.json", json_document(documents, seed).encode())
    write_whole(folder / "mutants.md", markdown_document(documents).encode())
