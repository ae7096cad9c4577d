"""Implement `neonlab report`: tables of the whole library, and a page for each kernel."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_kernels
from neonlab.cli.kept import NoCacheOption, say_found
from neonlab.cli.shared import JobsOption, JsonOption, console, core_option, find_kernels
from neonlab.cli.spread import ALONE, Spread, takes_spread
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.repository.library import Kernel, Library
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.measure.profile import Profile
    from neonlab.report.page.gather import KernelPage, Work
    from neonlab.verify.verdict import Failure, Verdict

#: Mean seconds of one process for a kernel on a layer, a call on the model of a core, a page, and one of few pages.
_LAYER, _CALL, _PAGE, _FEW_PAGES = 0.2, 0.17, 30.0, 8.0


@dataclass(frozen=True, slots=True)
class _ReportTables:
    """The results of the tables: whether all is right, the cheapest kernel of each level, and five sentences."""

    right: bool
    best: tuple[Kernel, ...]
    findings: tuple[str, ...]


@takes_spread
def report(
    kernel: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KERNEL",
            help="Write the pages of these kernels only, and no tables.",
            autocompletion=complete_kernels,
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FOLDER",
            help="Write to FOLDER; the default is reports/ of the repository, or of the current folder.",
        ),
    ] = None,
    embed: Annotated[
        Path | None, typer.Option("--embed", metavar="FILE", help="Refresh the marked table of this Markdown file.")
    ] = None,
    core: Annotated[list[str] | None, core_option("Show this core on the pages. Repeatable.")] = None,
    pages: Annotated[bool, typer.Option(help="Write a page for each kernel too, which takes longer.")] = True,
    few_pages: Annotated[
        bool,
        typer.Option("--few-pages", help="Write the page of the cheapest kernel of each level only."),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="REV", help="Show on the pages of KERNEL what has changed since REV of git."),
    ] = None,
    jobs: JobsOption = None,
    no_cache: NoCacheOption = False,
    json: JsonOption = False,
    spread: Spread = ALONE,
) -> int:
    """Check and profile every kernel on the layers of real networks: tables, and an HTML page for each kernel.

    The tables go to reports/, the pages to reports/pages/: each one file, which opens with no network.
    """
    from neonlab.lab.repository.library import find_root, open_library, reports_folder
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.report.page.gather import CORES

    library = open_library(find_root())
    folder = into or reports_folder()
    cores = tuple(map(ModelledCore.named, core or (CORES[1:2] if few_pages else CORES)))
    wanted = find_kernels(kernel) if kernel else list(library.kernels)
    if kernel and embed is not None:
        raise InputError("--embed: the table covers the whole library: leave out the names of kernels")
    if kernel and not pages:
        raise InputError("--no-pages: named kernels only get pages: leave out --no-pages or the names")
    if few_pages and (kernel or not pages):
        raise InputError("--few-pages chooses the pages to write: leave out the names of kernels and --no-pages")
    if against is not None and not kernel:
        raise InputError("--against: name the kernels whose pages are to show what has changed")
    if against is not None:
        spread.refuse("--against", "compares on this machine")
    if few_pages:
        spread.refuse("--few-pages", "chooses the pages by all of the tables")
    with spread.working(jobs, not no_cache) as workers:
        if spread.shard:
            _find_part(workers, None if kernel else library, wanted if pages else (), cores)
            return spread.write(workers)
        if kernel:
            right = _pages(workers, wanted, cores, folder / "pages", json, keep=True, against=against)
            say_found(workers.results, "profiles._profile", "profiles")
            return 0 if right else 1
        tables = _tables(workers, library, folder, embed, json, pages=None if not pages else few_pages)
        right = tables.right
        if pages:
            chosen = list(tables.best) if few_pages else wanted
            found = tables.findings
            right = _pages(workers, chosen, cores, folder / "pages", json, few=few_pages, findings=found) and right
        say_found(workers.results, "layers._see", "kernels on layers")
    if not json:
        _print_findings(tables.findings, folder / "pages" / "index.html" if pages else folder / "variants.md")
    return 0 if right else 1


def _find_part(
    workers: Workers, library: Library | None, kernels: Sequence[Kernel], cores: Sequence[ModelledCore]
) -> None:
    """Find what belongs to this shard of what the tables of the library, if there is one, and the pages need."""
    from neonlab.lab.parallel.profiles import profile_each
    from neonlab.report.tables.goals import calls_of_goals, read_goals
    from neonlab.report.tables.ladder import calls_of, read_ladders
    from neonlab.report.tables.layers import see_layers, work_of_layers
    from neonlab.report.tables.loops.bounds import calls_of_bounds, read_asked

    if library is not None:
        work = work_of_layers(library)
        calls = [*calls_of(read_ladders(library)), *calls_of_goals(read_goals(library))]
        calls += calls_of_bounds(library, read_asked(library))
        see_layers(workers, work, progress.begin("checking and counting", len(work), "kernels on layers"))
        profile_each(workers, calls, advance=progress.begin("modelling cores", len(calls), "calls"))
    if kernels:
        _work_for_pages(workers, kernels, cores)


def _tables(
    workers: Workers, library: Library, folder: Path, embed: Path | None, json: bool, *, pages: bool | None
) -> _ReportTables:
    """Write the tables; `pages` tells which pages follow: None for none, True for a few, False for all."""
    from neonlab.host.output_file import make_folder, write_whole
    from neonlab.report.tables.findings import best_of_levels, findings
    from neonlab.report.tables.goals import calls_of_goals, reach_goals, read_goals
    from neonlab.report.tables.ladder import CORES, calls_of, costs_of, ladder_document, read_ladders
    from neonlab.report.tables.layers import see_layers, work_of_layers
    from neonlab.report.tables.loops.bounds import bounded_loops, calls_of_bounds, read_asked
    from neonlab.report.tables.systems import run_systems, systems_document, work_of_systems
    from neonlab.report.tables.variants import (
        TABLE_MARKER,
        embed_table,
        json_document,
        markdown_document,
        readme_table,
        rows_of,
    )

    work, ladders, goals = work_of_layers(library), read_ladders(library), read_goals(library)
    asked = read_asked(library)
    calls, deep, runs = len(calls_of(ladders)), len(calls_of_goals(goals)), work_of_systems(library)
    beside = len(calls_of_bounds(library, asked))
    _announce(len(library.kernels), len(work), calls + deep + beside, runs, pages, workers.jobs or 1)
    seen = see_layers(workers, work, progress.begin("checking and counting", len(work), "kernels on layers"))
    costs = costs_of(workers, ladders, progress.begin("modelling cores", calls, "calls"))
    reached = reach_goals(workers, goals, progress.begin("modelling loops", deep, "calls"))
    bounds = bounded_loops(workers, library, asked, progress.begin("modelling bounds", beside, "calls"))
    systems = run_systems(library, progress.begin("running systems", runs, "runs"))
    progress.begin("writing tables")
    rows = rows_of(work, seen)
    make_folder(folder)
    markdown, document = markdown_document(rows), json_document(rows)
    write_whole(folder / "variants.md", markdown.encode())
    write_whole(folder / "variants.json", document.encode())
    if ladders:
        write_whole(folder / "ladder.md", ladder_document(ladders, costs, rows, reached, bounds).encode())
    if systems:
        write_whole(folder / "systems.md", systems_document(systems).encode())
    _mark_older_loops(library, folder)
    if embed is not None:
        write_whole(embed, embed_table(embed, TABLE_MARKER, readme_table(rows)).encode())
    if json:
        progress.clear()
        print(document, end="")
    else:
        console().print(f"{len(rows)} rows in {folder / 'variants.md'} and variants.json", markup=False)
    best = {row.kernel for row in best_of_levels(library.kernels, rows).values()}
    return _ReportTables(
        all(row.exact for row in rows) and all(one.exact for one in systems),
        tuple(kernel for kernel in library.kernels if kernel.title in best),
        findings(library.kernels, rows, reached, systems, CORES),
    )


def _mark_older_loops(library: Library, folder: Path) -> None:
    """Write optimize.md again, if `neonlab optimize` has written it, with marks at rows of code that has changed."""
    from neonlab.host.output_file import write_whole
    from neonlab.report.tables.loops.optimizations import markdown_document
    from neonlab.report.tables.loops.rows import older_rows, rows_in

    rows = rows_in(folder / "optimize.json")
    if rows:
        write_whole(folder / "optimize.md", markdown_document(rows, older_rows(rows, library.kernels)).encode())


def _announce(kernels: int, layers: int, calls: int, runs: int, pages: bool | None, jobs: int) -> None:
    """Print the planned work on standard error, with an estimate of its time."""
    after = {None: "", True: ", pages of a few kernels", False: f", {kernels} pages"}[pages]
    seconds = layers * _LAYER + calls * _CALL + {None: 0.0, True: 6 * _FEW_PAGES, False: kernels * _PAGE}[pages]
    minutes = max(1, round(seconds / jobs / 60))
    progress.say(
        f"report: {kernels} kernels on {layers} layers, {calls} calls on modelled cores, "
        f"{runs} runs of systems{after}: about {minutes} minute{'s' * (minutes != 1)} with {jobs} processes"
    )


def _print_findings(findings: Sequence[str], page: Path) -> None:
    out = console()
    for text in findings:
        for line in textwrap.wrap(text, 78, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False):
            out.print(line, markup=False)
    out.print(f"open {page}", markup=False)


def _work_for_pages(
    workers: Workers, kernels: Sequence[Kernel], cores: Sequence[ModelledCore], *, few: bool = False
) -> tuple[list[Work], list[Profile | Failure], list[Verdict]]:
    """Return the calls for the pages of the kernels, the profile of each, and the verdict on each kernel."""
    from neonlab.lab.parallel.plans import plan_and_check
    from neonlab.lab.parallel.profiles import profile_each
    from neonlab.report.page.gather import work_of_pages

    progress.begin("pages: planning")
    work = work_of_pages(kernels, cores, on_layers=not few)
    verdicts = plan_and_check(workers, [(kernel, ()) for kernel in kernels], partial(progress.begin, "pages: checking"))
    advance = progress.begin("pages: profiling", len(work), "calls")
    profiled = profile_each(workers, [(one.kernel, one.shape, one.memory) for one in work], advance=advance)
    return work, profiled, verdicts


def _compared(workers: Workers, pages: Sequence[KernelPage], revision: str) -> list[KernelPage]:
    """Return the pages with what has changed in each kernel, on the page's shape, since a git revision."""
    from dataclasses import replace

    from neonlab.lab.regression.revisions import compare_pairs, pair_up
    from neonlab.lab.repository.library import find_root
    from neonlab.lab.repository.revision import tree_at
    from neonlab.measure.cores.modelled import ModelledCore

    told = progress.begin(f"pages: comparing with {revision}", len(pages), "pages")
    root, compared = find_root(), []
    with tree_at(revision, pages[0].kernel.path.parent) as tree:
        for page in pages:
            pairs, cores = pair_up(tree, root, [page.kernel]), [ModelledCore.named(core) for core in page.profiles]
            since = compare_pairs(workers, pairs, tree, shapes=[str(page.shape)], cores=cores, every=True)
            compared.append(replace(page, since=since))
            told(1)
    return compared


def _pages(
    workers: Workers,
    kernels: Sequence[Kernel],
    cores: Sequence[ModelledCore],
    folder: Path,
    json: bool,
    *,
    keep: bool = False,
    few: bool = False,
    findings: Sequence[str] = (),
    against: str | None = None,
) -> bool:
    from neonlab.host.output_file import make_folder, write_whole
    from neonlab.lab.repository.library import reports_folder
    from neonlab.report.page.gather import pages_of
    from neonlab.report.page.render import write_pages
    from neonlab.report.tables.loops.rows import rows_of_kernels

    optimized = rows_of_kernels(reports_folder() / "optimize.json", kernels)
    work, profiled, verdicts = _work_for_pages(workers, kernels, cores, few=few)
    found = pages_of(work, profiled, {verdict.kernel: verdict for verdict in verdicts}, optimized)
    if against is not None:
        found = _compared(workers, found, against)
    advance = progress.begin("pages: writing", len(kernels), "pages")
    make_folder(folder)
    names = [core.name for core in cores]
    written = write_pages(found, names, folder, keep=keep, findings=findings, forms=not keep, advance=advance)
    for path, contents in written.items():
        write_whole(path, contents)
    if not json:
        console().print(f"{len(found)} pages: {folder / 'index.html'}", markup=False)
    return all(verdict.passed for verdict in verdicts)
