"""Write whole functions measured on silicon beside the models, for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from neonlab import __version__
from neonlab.lab.silicon.table import USED, FunctionTable
from neonlab.lab.silicon.truth import FunctionFigure, Summary, summaries
from neonlab.measure.cores.bands import band_of
from neonlab.report.band_words import basis_line, range_text

_ABOUT = """\
# Whole functions measured on silicon

Written by `neonlab cores --functions TABLE --into reports`. Each function runs on random data, warm (one of many calls
back to back) unless stated otherwise. The table compares the cycles of the core's model with measured cycles.
Cycles are for one unit of work: two calls of different size are run, and the difference of their cycles is divided by
the difference of their units, so that the fixed cost of a call does not count. Where a range was measured, the model
is compared with its middle. No figure of a model is fitted to one function; a core's file says what was inferred from
several.

Rows that adjusted the models are marked `c`, for calibration. Every error of the summary (number, median, 90th
percentile, bias) comes from the other rows alone; where there are none, it is empty. Rows that were measured on other
code than is there now are called stale, and count in no error.

llvm-mca's column is for the same loop, where a unit consists only of iterations of one loop. It uses the model that
LLVM 19 has for that core, or substitutes for it, and ignores caches, mispredicted branches and addresses.
"""


_CALIBRATION = (
    "Calibration: these functions were used to adjust the models. Their differences are not the models' error, and no "
    "error is computed from them; cores.md has that error, on functions not used to adjust them."
)
_SOME = (
    "Rows marked `c` were used to adjust the models: they count in no error. The differences of the others are the "
    "models' error."
)
_BLIND = "These functions were not used to adjust the models: the differences are the models' error."
_NOT_SAID = (
    "The table does not say whether the models were adjusted with these functions (`calibration`): the differences "
    "are the models' error only if they were not."
)


#: Columns of a name beside its figures; a longer one stands on a line of its own.
_NAME, _LINE = 28, 78


def _meaning(table: FunctionTable) -> str:
    """Return what a difference between model and measurement means for these functions."""
    if table.calibration is False and any(one.used for one in table.functions):
        return _SOME
    return {True: _CALIBRATION, False: _BLIND, None: _NOT_SAID}[table.calibration]


def _heading(table: FunctionTable) -> str:
    return "median error" if table.calibration is False else "median difference"


def functions_json(figures: Sequence[FunctionFigure], table: FunctionTable) -> dict[str, Any]:
    """Return `functions` of `neonlab cores --functions --json`."""
    return {
        "calibration": table.calibration,
        "summaries": [_summary_json(one) for one in summaries(figures)],
        "figures": [_figure_json(one) for one in figures],
    }


def _summary_json(one: Summary) -> dict[str, Any]:
    both = None
    if one.both is not None:
        loops, ours, theirs = one.both
        both = {"loops": loops, "median_error": round(ours, 4), "llvm_mca_median_error": round(theirs, 4)}
    return {
        "title": one.title,
        "figures": one.figures,
        "used": one.used,
        "within_5_percent": one.within_5,
        "within_10_percent": one.within_10,
        "within_measured_range": one.in_range,
        "median_error": _rounded(one.spread.median if one.spread is not None else None),
        "p90_error": _rounded(one.spread.p90 if one.spread is not None else None),
        "bias": _rounded(one.spread.bias if one.spread is not None else None),
        "llvm_mca": both,
    }


def _figure_json(one: FunctionFigure) -> dict[str, Any]:
    return {
        "function": one.name,
        "file": one.file,
        "isa": one.isa,
        "core": one.core,
        "unit": one.unit,
        "used": USED if one.used else None,
        "measured": [one.measured.lowest, one.measured.highest],
        "modelled": _rounded(one.modelled),
        "band": _band_json(one),
        "error": _rounded(one.error if one.modelled is not None else None),
        "llvm_mca": _rounded(one.mca),
        "unknown_mnemonics": list(one.unknown),
        "stale": one.stale,
        "reason": one.reason,
        "source": one.source,
    }


def _band_json(one: FunctionFigure) -> dict[str, Any] | None:
    band = band_of(one.core)
    return None if band is None or one.modelled is None else band.to_json(one.modelled, 4)


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 4)


def function_lines(figures: Sequence[FunctionFigure], table: FunctionTable) -> Iterator[str]:
    """Yield the lines for the terminal, in at most 80 columns: by core a line per function, then the summaries."""
    for core in sorted({one.core for one in figures}):
        yield f"{core:<{_NAME + 2}}   measured modelled   80 % band  ratio  unit"
        rows = [figure for figure in figures if figure.core == core]
        for one in rows:
            yield from _figure_lines(one)
        if any(one.modelled is not None for one in rows):
            yield from textwrap.wrap(f"80 % band, {basis_line(core)}", 80, subsequent_indent="  ")
    if any(one.used for one in figures):
        yield "c adjusted the models (calibration): counts in no error"
    stale = sum(one.stale for one in figures)
    if stale:
        yield f"{stale} of {len(figures)} figures are stale, measured on other code: they count in no error"
    if any(one.unknown for one in figures):
        yield "* executes forms that the core's table does not have; these were timed as other forms"
    if all(one.modelled is None for one in figures):
        return
    yield ""
    yield from textwrap.wrap(_meaning(table), 80)
    yield f"{'':<16}figures  {_heading(table):>17}  90th p.    bias  within 5 %  10 %"
    for line in summaries(figures):
        if line.spread is None:
            yield f"{line.title:<16}{0:>7}  {line.used} rows, all calibration"
            continue
        medians = f"{line.spread.median:>17.1%} {line.spread.p90:>8.1%} {line.spread.bias:>+7.1%}"
        yield f"{line.title:<16}{line.figures:>7}  {medians} {line.within_5:>11} {line.within_10:>5}"
        if line.both is not None:
            loops, ours, theirs = line.both
            yield f"{'':<16}{loops:>7}  {ours:>17.1%}  llvm-mca on these loops: {theirs:.1%}"


def _figure_lines(one: FunctionFigure) -> Iterator[str]:
    name = one.name
    if len(name) > _NAME:
        yield f"  {name if len(name) <= _LINE else name[: _LINE - 1] + '…'}"
        name = ""
    start = f"  {name:<{_NAME}} {one.measured!s:>10}"
    if one.modelled is None:
        yield f"{start} {_without(one)}:"
        yield from textwrap.wrap(one.reason, 74, initial_indent="      ", subsequent_indent="      ")
        return
    band, ratio = range_text(one.core, one.modelled, fractions=True), one.modelled / one.measured.middle
    mark = (" c" if one.used else "") + (" *" if one.unknown else "")
    yield f"{start} {_cycles(one.modelled):>8} {band:>11} {ratio:>6.2f}  {one.unit}{mark}"


def _without(one: FunctionFigure) -> str:
    return "stale" if one.stale else "not run"


def _cycles(figure: float) -> str:
    return f"{figure:.0f}" if figure >= 1000 else f"{figure:.3g}"


def functions_document(figures: Sequence[FunctionFigure], table: FunctionTable) -> str:
    """Return the text of reports/functions.json."""
    document = {"command": "cores", "neonlab": __version__, "functions": functions_json(figures, table)}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def functions_markdown(figures: Sequence[FunctionFigure], table: FunctionTable) -> str:
    """Return the text of reports/functions.md."""
    lines = [_ABOUT, *textwrap.wrap(_meaning(table), 120), ""]
    if table.about:
        lines += [table.about, ""]
    lines += ["## Summary", ""]
    lines += [
        f"| | calibration | figures | {_heading(table)} | 90th percentile | bias | within 5 % | within 10 % | loops "
        "| model | llvm-mca |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in summaries(figures):
        spread = one.spread
        cells = [f"{one.used}", f"{one.figures}"]
        cells += (
            ["", "", ""] if spread is None else [f"{spread.median:.1%}", f"{spread.p90:.1%}", f"{spread.bias:+.1%}"]
        )
        cells += ["", ""] if spread is None else [f"{one.within_5}", f"{one.within_10}"]
        cells += (
            [f"{one.both[0]}", f"{one.both[1]:.1%}", f"{one.both[2]:.1%}"] if one.both is not None else ["", "", ""]
        )
        lines.append(f"| {one.title} | {' | '.join(cells)} |")
    lines += ["", f"The last three columns: {_heading(table)}s where llvm-mca has a figure too.", ""]
    for core in sorted({one.core for one in figures}):
        rows = [figure for figure in figures if figure.core == core]
        lines += [f"## {core}", ""]
        if any(row.modelled is not None for row in rows):
            lines += [f"80 % band, {basis_line(core)}.", ""]
        lines += ["| function | used | unit | measured | modelled | 80 % band | ratio | llvm-mca | source |"]
        lines += ["|---|---|---|---:|---:|---:|---:|---:|---|", *map(_row, rows), ""]
    unknown = sorted({(one.core, form) for one in figures for form in one.unknown})
    if unknown:
        lines += ["## Forms that a core's table does not have", ""]
        for core in sorted({core for core, _ in unknown}):
            lines.append(f"- {core}: {'; '.join(f'`{form}`' for name, form in unknown if name == core)}")
    return "\n".join(lines).rstrip() + "\n"


def _row(one: FunctionFigure) -> str:
    used = "c" if one.used else ""
    if one.modelled is None:
        return (
            f"| {one.name} | {used} | {one.unit} | {one.measured} | {_without(one)}: {_cell(one.reason)} | | "
            f"| | {_cell(one.source)} |"
        )
    ratio = one.modelled / one.measured.middle
    mca = "" if one.mca is None else f"{one.mca / one.measured.middle:.2f}"
    mark = "\\*" if one.unknown else ""
    return (
        f"| {one.name}{mark} | {used} | {one.unit} | {one.measured} | {_cycles(one.modelled)} "
        f"| {range_text(one.core, one.modelled, fractions=True)} | {ratio:.2f} | {mca} | {_cell(one.source)} |"
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
