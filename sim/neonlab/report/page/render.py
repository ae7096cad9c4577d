"""Render pages as text: one self-contained file for each kernel, and the index of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.measure.cores.bands import NO_DIFFERENCE, is_blurred
from neonlab.measure.cores.errors import error_sentence
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.profile import Profile
from neonlab.report.band_words import basis_line, range_text, ratio_line
from neonlab.report.flat_loop import flat_rows, flat_title
from neonlab.report.page import charts, pipeline_picture
from neonlab.report.page.environment import asset, environment
from neonlab.report.page.forms_page import LEGEND, PLACE, forms_script
from neonlab.report.page.gather import KernelPage
from neonlab.report.page.index import IndexRow, rows_in
from neonlab.report.page.optimized import optimized_loops
from neonlab.report.page.since import since_of
from neonlab.report.page.source_listing import Listing, listings
from neonlab.report.terminal.loop import at_lines
from neonlab.report.wait_words import wait_words

REGISTER_CELL, REGISTER_ROW = 7, 11
_ROWS_OF_ALL = 3000  # most rows of all pictures of a page together, to keep it small


def page_name(title: str) -> str:
    """Return the file name of a kernel's page: `armv8/name` becomes `armv8_name.html`."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in title) + ".html"


def kernel_page(page: KernelPage) -> str:
    """Return the whole page of one kernel."""
    title = page.kernel.title
    cores: list[dict[str, Any]] = []
    for name, profile in page.profiles.items():
        core = ModelledCore.named(name)
        numbers = {one: number for number, one in enumerate(sorted({*page.variants[name], *page.curves[name]}), 1)}
        cores.append(
            {
                "name": name,
                "model": core,
                "title": core.chip.title,
                "error": error_sentence(name),
                "basis": basis_line(name),
                "ratios": ratio_line((name,)),
                "profile": profile,
                "variants": page.variants[name],
                "numbers": numbers,
                "roofline": charts.roofline(page.variants[name], title, core, numbers),
                "curves": charts.cycles_over_layers(page.curves[name], title, numbers),
                "loops": _loop_parts(page, profile),
            }
        )
    listed = listings(page.kernel.path, page.profiles)
    costs = {name: [listing.costs.get(name, ()) for listing in listed] for name in page.profiles}
    first = next(iter(page.profiles.values()), None)
    return _template("kernel.html.j2").render(
        page=page,
        title=title,
        since=since_of(page.since) if page.since is not None else None,
        optimized=optimized_loops(page.kernel, page.optimized),
        cores=cores,
        counts=first.counts if first else None,
        profile=first,
        listings=listed,
        linked=max(listed, key=lambda one: len(one.hot)),  # the file whose lines the remarks name
        costs=Markup(json.dumps(costs, separators=(",", ":")).replace("<", "\\u003c")),
        contract=page.kernel.contract,
        row=Markup(IndexRow.of(page).within()),
    )


def index_page(
    rows: Sequence[tuple[IndexRow, str]], cores: Sequence[str], findings: Sequence[str] = (), *, forms: bool = False
) -> str:
    """Return a table of the kernels with links to their pages; `cores` come first, then others that were used.

    With `forms` it links to the page of instruction forms beside it.
    """
    cores = list(dict.fromkeys([*cores, *(core for row, _ in rows for core in row.cycles)]))
    cores = [core for core in cores if any(core in row.cycles for row, _ in rows)]
    return _template("index.html.j2").render(
        rows=rows, cores=cores, findings=findings, forms=forms, script=asset("index.js")
    )


def forms_html() -> str:
    """Return the page of instruction forms, which needs no other file."""
    legend = LEGEND.replace("*", "")
    return _template("forms.html.j2").render(legend=legend, place=Markup(PLACE), forms=Markup(forms_script()))


def _loop_parts(page: KernelPage, profile: Profile) -> list[dict[str, Any]]:
    program = kernel_program(page.kernel) if profile.loops else None
    most = _ROWS_OF_ALL // sum(len(one.loops) for one in page.profiles.values()) if profile.loops else 0
    found = []
    for report in profile.loops:
        assert program is not None
        rows = pipeline_picture.register_rows(report, program)
        found.append(
            {
                "report": report,
                "place": report.place(page.kernel.name),
                "picture": pipeline_picture.pipeline_picture(report, min(most, pipeline_picture.ROWS)),
                "registers": rows,
                "waits": wait_words(report),
                "flat": list(flat_rows(report)),
                "flat_title": flat_title(report),
                "register_paths": pipeline_picture.register_paths(rows, REGISTER_CELL, REGISTER_ROW),
            }
        )
    return found


def pipeline_fragment(report: LoopReport, ways: Mapping[str, str]) -> str:
    """Return the pipeline picture alone, to embed in another page; `ways` maps files to the paths that rows carry."""
    picture = pipeline_picture.pipeline_picture(report)
    module: Any = _template("pipeline.html.j2").module
    return str(module.pipeline(picture, pipeline_picture, report.core, ways))


def pipeline_assets() -> tuple[str, str]:
    """Return style sheet and script of pipeline pictures; the style uses the page's colours."""
    return str(asset("pipeline.css")), str(asset("pipeline.js"))


def _template(name: str) -> jinja2.Template:
    templates = environment()
    templates.globals["ranged"] = range_text
    templates.globals["told"] = lambda core, one, other: not is_blurred(core, one, other)
    templates.globals["no_difference"] = NO_DIFFERENCE
    templates.filters["at_lines"] = lambda hint, loop: at_lines(loop, hint)
    templates.tests["listed_in"] = lambda hint, listing: Path(hint.places[0].path).resolve() == listing.path
    templates.filters["bound"] = lambda value: f"{int(value):,}" if float(value).is_integer() else f"{value:g}"
    templates.filters["inside"] = _inside
    templates.filters["quoted"] = _quoted
    templates.globals.update(
        script=asset("page.js"),
        pipeline_style=asset("pipeline.css"),
        pipeline_script=asset("pipeline.js"),
        chart=charts,
        picture=pipeline_picture,
        register_cell=REGISTER_CELL,
        register_row=REGISTER_ROW,
    )
    return templates.get_template(name)


def _inside(listing: Listing) -> tuple[Mapping[int, int], dict[int, str]]:
    """Return the cycles that lines bring in: of the first core, and of all cores as JSON."""
    lines = {line for found in listing.inside.values() for line in found}
    by_core = {line: {core: found.get(line, 0) for core, found in listing.inside.items()} for line in sorted(lines)}
    first = {line: next(iter(cycles.values())) for line, cycles in by_core.items()}
    return first, {line: json.dumps(cycles, separators=(",", ":")) for line, cycles in by_core.items()}


def _quoted(text: str) -> Markup:
    """Return the text as HTML, with text between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def write_pages(
    pages: Sequence[KernelPage],
    cores: Sequence[str],
    folder: Path,
    *,
    keep: bool = False,
    findings: Sequence[str] = (),
    forms: bool = False,
    advance: Callable[[int], None] = lambda _: None,
) -> dict[Path, bytes]:
    """Return the contents of all pages by path; `advance` is called for each page that is done.

    With `forms`, the page of instruction forms is one of them, and the index links to it.  The index also lists the
    other pages in the folder, if they are to `keep`, and the `findings` of a report above them.
    """
    found = {}
    for page in pages:
        found[folder / page_name(page.kernel.title)] = kernel_page(page).encode()
        advance(1)
    rows = [(IndexRow.of(page), page_name(page.kernel.title)) for page in pages]
    others = list(rows_in(folder, found)) if keep else []
    if others:
        rows = sorted([*rows, *others], key=lambda row: row[0].title)
    if forms:
        found[folder / "forms.html"] = forms_html().encode()
    linked = forms or (keep and (folder / "forms.html").is_file())
    return {**found, folder / "index.html": index_page(rows, cores, findings, forms=linked).encode()}
