"""`neonlab report`: tables of the whole library, and a page for each kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli.shared import JobsOption, JsonOption, console, find_kernels, progress
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.library import Kernel, Library


def report(
    kernel: Annotated[
        list[str] | None, typer.Argument(metavar="[KERNEL]...", help="Pages of these alone, and no tables.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder to write; reports/ of the repository, else here.")
    ] = None,
    embed: Annotated[
        Path | None, typer.Option("--embed", help="A Markdown file whose marked table to refresh.")
    ] = None,
    core: Annotated[
        list[str] | None, typer.Option("--core", metavar="CORE", help="A core for the pages to show; repeatable.")
    ] = None,
    pages: Annotated[bool, typer.Option(help="Write a page for each kernel too, which takes longer.")] = True,
    jobs: JobsOption = None,
    json: JsonOption = False,
) -> int:
    """Check and profile every kernel on the layers of real networks: tables, and an HTML page for each kernel.

    The tables go to reports/, the pages to reports/pages/: each one file, which opens with no network.
    """
    from neonlab.library import find_root, open_library, own_root
    from neonlab.measure.core import load_core
    from neonlab.report.page.gather import CORES

    library = open_library(find_root())
    folder = into or (own_root() or Path.cwd()) / "reports"  # never among the files of the lab as installed
    cores = tuple(core or CORES)
    for name in cores:
        load_core(name)
    wanted = find_kernels(kernel) if kernel else list(library.kernels)
    if kernel and embed is not None:
        raise InputError("--embed: the table is of the whole library: leave the names of kernels out")
    if kernel and not pages:
        raise InputError("--no-pages: nothing is left to write about the kernels named")
    right = True
    if not kernel:
        right = _tables(library, folder, embed, jobs, json)
    if pages:
        right = _pages(wanted, cores, folder / "pages", jobs, json, keep=bool(kernel)) and right
    return 0 if right else 1


def _tables(library: Library, folder: Path, embed: Path | None, jobs: int | None, json: bool) -> bool:
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.report.goals import read_goals
    from neonlab.report.ladder import costs_of, ladder_document, read_ladders, work_of_ladders
    from neonlab.report.systems import run_systems, systems_document, work_of_systems
    from neonlab.report.variants import (
        TABLE_MARKER,
        embed_table,
        json_document,
        markdown_document,
        readme_table,
        rows_of,
        work_of,
    )
    from neonlab.workers import Workers, check_all, profile_all

    checks, profiles = work_of(library)
    ladders, goals = read_ladders(library), read_goals(library)
    total = sum(len(cases) for _, cases in checks) + len(profiles) + work_of_ladders(ladders) + work_of_systems(library)
    with Workers(jobs) as workers, progress("reporting", total, quiet=json) as advance:
        verdicts = check_all(workers, checks, advance=advance)
        counted = profile_all(workers, profiles, advance=advance)
        costs = costs_of(workers, ladders, advance)
        systems = run_systems(library, advance)
    rows = rows_of(checks, verdicts, profiles, counted)
    _make(folder)
    markdown, document = markdown_document(rows), json_document(rows)
    write_whole(folder / "variants.md", markdown.encode())
    write_whole(folder / "variants.json", document.encode())
    if ladders:
        write_whole(folder / "ladder.md", ladder_document(ladders, costs, rows, goals).encode())
    if systems:
        write_whole(folder / "systems.md", systems_document(systems).encode())
    if embed is not None:
        write_whole(embed, embed_table(embed, TABLE_MARKER, readme_table(rows)).encode())
    if json:
        print(document, end="")
    else:
        console().print(f"{len(rows)} rows in {folder / 'variants.md'} and variants.json", markup=False)
    return all(verdict.passed for verdict in verdicts) and all(one.exact for one in systems)


def _pages(
    kernels: Sequence[Kernel], cores: Sequence[str], folder: Path, jobs: int | None, json: bool, *, keep: bool
) -> bool:
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.plan import plan_cases
    from neonlab.report.page.gather import pages_of, work_of_pages
    from neonlab.report.page.render import write_pages
    from neonlab.workers import Workers, check_all, profile_all

    work = work_of_pages(kernels, cores)
    cases = [(kernel, plan_cases(kernel)) for kernel in kernels]
    total = sum(len(names) for _, names in cases) + len(work)
    with Workers(jobs) as workers, progress("pages", total, quiet=json) as advance:
        verdicts = check_all(workers, cases, advance=advance)
        profiled = []
        for memory in dict.fromkeys(one.memory for one in work):
            same = [(one.kernel, one.shape) for one in work if one.memory == memory]
            profiled += profile_all(workers, same, memory=memory, advance=advance)
    ordered = [one for memory in dict.fromkeys(one.memory for one in work) for one in work if one.memory == memory]
    found = pages_of(ordered, profiled, {verdict.kernel: verdict for verdict in verdicts})
    _make(folder)
    for path, contents in write_pages(found, cores, folder, keep=keep).items():
        write_whole(path, contents)
    if not json:
        console().print(f"{len(found)} pages: {folder / 'index.html'}", markup=False)
    return all(verdict.passed for verdict in verdicts)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
