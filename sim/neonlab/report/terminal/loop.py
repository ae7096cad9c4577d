"""Print the hot loop to a terminal of 80 columns: in short, and drawn cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.console import Console

from neonlab.report.terminal.flat_loop import flat_lines
from neonlab.report.wait_words import wait_words

if TYPE_CHECKING:
    from neonlab.measure.loop.critical_path import Link
    from neonlab.measure.loop.hints.hint import Hint
    from neonlab.measure.loop.report import LoopLine, LoopReport
    from neonlab.measure.loop.timeline import TimelineRow

_WIDTH = 80
_HINTS = 3
_SHOWN = 0.05  # cycles
_LEAD = 6  # cycles shown before the first execution in a panel that is too wide
_TEXT = 26  # columns for the statement beside the timeline
_LEGEND = "D dispatched  = waits  e executes  E done  R retires"


def print_loops(
    out: Console, kernel: str, reports: Sequence[LoopReport], *, whole: bool = False, flat: bool = False,
    optimized: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Print for the hottest loop its place, the cost of an iteration, the reason and the first hints; others in short.

    With `whole`, print everything and the timeline.  With `flat`, print the hottest loop as it executes.  `optimized`
    is what `neonlab optimize` found for the hottest, as `neonlab.report.tables.loops` keeps it.
    """
    lines: list[str] = []
    for number, report in enumerate(reports):
        if number and not whole:
            lines += brief_lines(kernel, report)
            continue
        title = "other loop" if number else "hot loop"
        lines += [*summary_lines(kernel, report, title), *hint_lines(report, len(report.hints) if whole else _HINTS)]
        if optimized is not None and not number:
            lines += _optimized_lines(report, optimized)
        if flat and not number:
            lines += flat_lines(report)
        if whole:
            lines += [*port_lines(report), *path_lines(report), *timeline_lines(report)]
    for line in lines:
        out.print(line, markup=False)


def brief_lines(kernel: str, report: LoopReport) -> Iterator[str]:
    """Yield the lines on a loop beside the hottest: place, share, and what to improve first."""
    share = f"{report.iterations:,} iterations, {100 * report.share:.0f} % of the cycles"
    at_best = f"{report.cycles:.4g} cycles per iteration at best"
    yield from _wrapped(f"other loop, {report.place(kernel)}: {share}, {at_best}; --timeline shows more", 2)
    yield from _wrapped(report.attack, 4)


def summary_lines(kernel: str, report: LoopReport, title: str = "hot loop") -> Iterator[str]:
    """Yield the loop, its figures per iteration, its bounds, and what to improve first."""
    usual = "" if report.always else ", its most frequent path"
    share = f"{report.iterations:,} iterations, {100 * report.share:.0f} % of the cycles"
    yield from _wrapped(f"{title}, {report.place(kernel)}{usual}: {share}", 2)
    missed = f", {report.missed:.3g} for misses" if report.missed >= _SHOWN else ""
    yield f"    per iteration  {report.cycles:8.4g} cycles at best, {report.cycles_in_run:.4g} in this run{missed}"
    filled = 100 * report.slots / report.slots_available if report.slots_available else 0.0
    yield (
        f"    instructions   {report.instructions:8} ({report.instructions / report.cycles:.2f} per cycle), "
        f"{report.slots} issue slots, {filled:.0f} % of all"
    )
    if report.macs:
        yield (
            f"    MACs           {report.macs:8} ({report.macs_per_cycle:.3g} per cycle; peak "
            f"{report.peak:.3g} with {report.peak_form})"
        )
    bounds = ", ".join(f"{name} {cycles:.4g}" for name, cycles in report.bounds.to_json().items())
    yield from _wrapped(f"lower bounds   {bounds} cycles", 4)
    yield from _wrapped(report.attack, 4)
    if waits := wait_words(report, lambda line: f"line {report.label(line)}"):
        yield from _wrapped(waits, 4)
    unknown = [line for line in report.lines if not line.known]
    if unknown:
        yield from _wrapped(f"Not in the core's table, timed as usual for their class: {_listed(report, unknown)}", 4)


def hint_lines(report: LoopReport, most: int) -> Iterator[str]:
    """Yield hints, the one that saves most first."""
    for hint in report.hints[:most]:
        gain = ""
        if hint.before is not None and hint.after is not None:
            gain = f": {hint.before:.4g} → {hint.after:.4g} cycles per iteration"
        where = at_lines(report, hint)
        full = "; --json lists the new order" if hint.kind == "another-order" else ""  # too long to be printed
        yield from _wrapped(f"* {where}{': ' if where else ''}{hint.text}{gain}{full}", 4)
    left = len(report.hints) - most
    if left > 0:
        yield f"    * {left} more: --timeline shows them"


def _optimized_lines(report: LoopReport, found: Mapping[str, Any]) -> list[str]:
    """Return the line on a cheaper loop; none where the core's model says another cost of this one than it did then."""
    before, after = found["before"]["cycles"], found["after"]["cycles"]
    if abs(before - report.cycles) > _SHOWN:
        return []
    command = f"`neonlab optimize {found['kernel']} --core {found['core']}`"
    return _wrapped(f"* {command} finds {after:.4g} instead of {before:.4g} cycles per iteration, {found['status']}", 4)


def at_lines(report: LoopReport, hint: Hint) -> str:
    """Return `line 84`, or `lines 84, 86-88`; empty for a hint without lines."""
    if not hint.places:
        return ""
    return f"line{'s' if len(hint.places) > 1 else ''} {', '.join(report.labels(hint.places))}"


def _wrapped(text: str, indent: int) -> list[str]:
    return wrap(text, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2), break_on_hyphens=False)


def _listed(report: LoopReport, lines: Sequence[LoopLine]) -> str:
    firsts = {line.form: line for line in reversed(lines)}
    forms = dict.fromkeys(line.form for line in lines)
    return ", ".join(f"{form} (line {report.label(firsts[form])})" for form in forms)


def port_lines(report: LoopReport) -> Iterator[str]:
    """Yield a bar for each port and for the slots."""
    yield "  busy, % of cycles"
    slots = report.slots / report.slots_available if report.slots_available else 0.0
    for name, share in (*report.occupancy.items(), ("slots", slots)):
        if share >= 0.005:
            yield f"    {name:<6}{100 * share:6.1f}  {'#' * round(50 * share)}"


def path_lines(report: LoopReport) -> Iterator[str]:
    """Yield the links of the critical path; consecutive links of the same kind share a line."""
    path = report.path
    plural = "s" if path.iterations != 1 else ""
    yield f"  critical path through {path.iterations} iteration{plural}: {path.cycles} cycles"
    yield "    cycles  line    waits for"
    for kind, group in groupby(path.links, key=lambda link: (link.kind, link.kind in ("result", "branch") and link)):
        links = list(group)
        line = report.lines[links[-1].instruction]
        cycles = sum(link.cycles for link in links)
        text = f"    {cycles:6}  {report.label(line):<6}  {_why(kind[0], links)}"
        shown = f"{text}: {line.text}" if len(links) == 1 else text
        yield shown if len(shown) <= _WIDTH else shown[: _WIDTH - 1] + "…"


def _why(kind: str, links: Sequence[Link]) -> str:
    through = ", ".join(dict.fromkeys(link.through for link in links if link.through))
    if kind == "result":
        return through
    if kind == "port":
        return f"port {through}" + (f", {len(links)} instructions in a row" if len(links) > 1 else "")
    if kind == "dispatch":
        return f"dispatch in order, {len(links)} instructions" if len(links) > 1 else through or "dispatch in order"
    return {
        "window": f"a free entry of the {through}",
        "branch": f"branch {through}".strip(),
        "execution": "its execution",
    }[kind]


def timeline_lines(report: LoopReport) -> Iterator[str]:
    """Yield panels of rows, each starting at the cycle of its first instruction; marks outside are cut."""
    widest = max((len(_index(row)) for row in report.timeline), default=0)
    number = max((len(report.label(line)) for line in report.lines), default=0)
    room = _WIDTH - widest - number - _TEXT - 3
    yield "  two iterations: " + _LEGEND
    rows = list(report.timeline)
    while rows:
        first = rows[0]
        start = first.start if _done(first) - first.start < room // 2 else _begun(first) - _LEAD
        panel = []
        while rows and start <= _begun(rows[0]) and _done(rows[0]) < start + room - 1:
            panel.append(rows.pop(0))
        if not panel:  # wider than a panel
            panel.append(rows.pop(0))
        yield " " * (widest + 1) + _ruler(start, room)
        for row in panel:
            line = report.lines[row.instruction]
            text = line.text if len(line.text) <= _TEXT else line.text[: _TEXT - 1] + "…"
            yield f"{_index(row):<{widest}} {_cut(row, start, room)} {report.label(line):>{number}} {text}".rstrip()


def _index(row: TimelineRow) -> str:
    return f"[{row.iteration},{row.instruction}]"


def _begun(row: TimelineRow) -> int:
    """Return the cycle of the first mark that must be visible: the start of execution."""
    at = row.marks.find("e")
    return row.start + (at if at >= 0 else row.marks.index("E"))


def _done(row: TimelineRow) -> int:
    return row.start + row.marks.index("E")


def _ruler(start: int, room: int) -> str:
    marks = [" "] * (room + 8)
    for cycle in range(start, start + room):
        if cycle % 10 == 0:
            marks[cycle - start : cycle - start + len(str(cycle))] = str(cycle)
    return "".join(marks).rstrip()


def _cut(row: TimelineRow, start: int, room: int) -> str:
    cells = [" "] * room
    for at, letter in enumerate(row.marks, row.start - start):
        if 0 <= at < room:
            cells[at] = letter
    for cycle in range(room):
        if cells[cycle] == " " and (start + cycle) % 5 == 0:
            cells[cycle] = "."
    if row.start < start:
        cells[0] = "<"
    if row.end > start + room:
        cells[-1] = ">"
    return "".join(cells)
