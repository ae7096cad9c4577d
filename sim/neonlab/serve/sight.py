"""A session as the editor and the panels beside it show it: what stands at which line, and fragments of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from neonlab.figures import COUNTED, Change, Figures
from neonlab.measure.profile import Profile
from neonlab.reading import Reading
from neonlab.report.comparison_text import percent
from neonlab.report.notebook import failure_html, loops_html, not_run_html
from neonlab.report.page.listing import Listing, listings
from neonlab.report.page.render import pipeline_fragment
from neonlab.serve.included import included_html
from neonlab.serve.scratch import Scratch
from neonlab.verify.verdict import Failure, Verdict
from neonlab.watching import Session

_RANGES = {"safe": ", no input in range wraps", "undecided": ", ranges not decided"}


@dataclass(frozen=True, slots=True)
class Remark:
    """Something wrong at a line (from 1; 0 where it is at none of this file): a word for it, and a sentence."""

    line: int
    word: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Heat:
    """What one line cost on a core: `heat` from 0 to 9, which is the costliest; `words` say what it waited for."""

    line: int
    executions: int
    cycles: int
    words: str
    heat: int

    def to_json(self) -> dict[str, Any]:
        """As the page's script takes it."""
        causes = f"; waited: {self.words}" if self.words else ""
        told = f"executed {self.executions:,} times, {self.cycles:,} cycles{causes}"
        return {"line": self.line, "cycles": _short(self.cycles), "heat": self.heat, "told": told}


@dataclass(frozen=True, slots=True)
class Sight:
    """What there is to show of `path` with `text` in it.  HTML by core where it is of one; empty until it is known.

    `loops` are of the hot loop, and of the lines of included files.
    """

    path: Path
    text: str
    word: str
    state: str
    remarks: tuple[Remark, ...]
    verdict: str
    figures: str
    heat: Mapping[str, tuple[Heat, ...]]
    loops: Mapping[str, str]
    complete: bool
    cores: tuple[str, ...] = ()

    @staticmethod
    def of_problem(path: Path, text: str, problem: str) -> Sight:
        """Of a text that cannot be tried."""
        return Sight(path, text, *_of_problem(path, problem), "", {}, {}, True)


def sight_of(session: Session, scratch: Scratch) -> Sight:
    """What `session` shows, of a text that was read in `scratch`; `text` is left to the caller."""
    latest, path = session.latest, session.path
    if latest.problem is not None:
        return Sight.of_problem(path, "", scratch.real(latest.problem))
    verdict = latest.verdict
    if verdict is None:
        return Sight(path, "", "", "", (), "", "", {}, {}, False)
    word, state = _word(verdict)
    profiles = latest.layer or latest.tile
    listed = _listed(scratch.path, profiles)
    loops = {
        one.cycles.core: scratch.real(_loops(one, scratch) + included_html(listed, one.cycles.core))
        for one in latest.layer
        if one.cycles is not None
    }
    remarks = tuple(_remark(failure, scratch) for failure in verdict.failures)
    told = scratch.real(_verdict(verdict, latest, state, remarks))
    heat, tables = _heat(listed), _tables(session)
    return Sight(path, "", word, state, remarks, told, tables, heat, loops, latest.complete, session.cores)


def _loops(profile: Profile, scratch: Scratch) -> str:
    """The loops, with pictures whose rows lead to the lines of the text."""
    if not profile.loops:
        return ""
    shown = loops_html(profile.kernel, profile.loops, lambda loop: pipeline_fragment(loop, str(scratch.path)))
    return f'<div class="tells">{shown}<p class="told" role="status"></p></div>'


def _of_problem(path: Path, problem: str) -> tuple[str, str, tuple[Remark, ...], str]:
    found = re.search(rf"{re.escape(str(path))}:(\d+)", problem)
    first = problem.split("\n", 1)[0]
    sentence = re.sub(r"^\S+?:\d+(?::\d+)?: (?:error: )?", "", first)
    remark = Remark(int(found[1]) if found else 0, "error", sentence)
    told = escape(problem.replace(f"{path.parent}/", ""))
    shown = f'<p><b class="bad">cannot be tried</b></p>{_way_to(remark)}<pre>{told}</pre>'
    return "cannot be tried", "bad", (remark,), shown


def _word(verdict: Verdict) -> tuple[str, str]:
    if not verdict.passed:
        return "WRONG", "bad"
    return ("exact", "good") if verdict.has_reference else ("ran", "fair")


def _remark(failure: Failure, scratch: Scratch) -> Remark:
    trail: Sequence[str] = ()
    if failure.fault is not None:
        sentence = failure.fault.message
        trail = failure.fault.source.trail if failure.fault.source is not None else ()
    else:
        wrong = failure.mismatch
        assert wrong is not None
        index = ", ".join(f"{axis} {value}" for axis, value in wrong.index)
        sentence = f"{wrong.output}[{index}] = {wrong.got}, expected {wrong.expected}"
        sentence += "" if wrong.writer is not None else "; never written"
        trail = wrong.writer.trail if wrong.writer is not None else ()
    # Inside a macro of another file, the line that called it.
    places = [failure.where, *reversed(trail)]
    line = next((number for place in places if (number := _line_in(place, scratch.path))), 0)
    return Remark(line, failure.identifier, f"{sentence}; shape {failure.shape}, pattern {failure.pattern}")


def _line_in(place: str, path: Path) -> int:
    found = re.match(r"(.*?):(\d+)", place)
    return int(found[2]) if found and Path(found[1]).resolve() == path else 0


def _verdict(verdict: Verdict, latest: Reading, state: str, remarks: Sequence[Remark]) -> str:
    word, _ = _word(verdict)
    ranges = _RANGES.get(verdict.ranges.status, "") if verdict.ranges is not None else ""
    failed = f", {verdict.failed:,} failed" if verdict.failed else ""
    seconds = f", {latest.seconds:.2f} s" if latest.seconds else ""
    cases = f"{verdict.cases:,} of {latest.planned:,} cases{failed}{ranges}{seconds}"
    head = f'<p><b class="{state}">{word}</b> <span class="dim">{cases}</span></p>'
    if verdict.not_run is not None:
        head += not_run_html(verdict.not_run)
    told = zip(remarks, verdict.failures, strict=True)
    return head + "".join(f"{_way_to(remark)}{failure_html(failure)}" for remark, failure in told)


def _way_to(remark: Remark) -> str:
    """What leads the editor to the line."""
    if not remark.line:
        return ""
    return f'<button type="button" class="neonlab-goto" data-line="{remark.line}">line {remark.line}</button>'


def _tables(session: Session) -> str:
    latest = session.latest
    parts = []
    for name, shape, figures, layer in (
        ("layer", session.shape, latest.layer_figures, True),
        ("tile", session.tile, latest.tile_figures, False),
    ):
        if figures is not None:
            parts.append(_table(session, f"{name} {shape}", figures, layer=layer))
    return "".join(parts)


def _table(session: Session, title: str, figures: Figures, *, layer: bool) -> str:
    since = [("since the last save", session.changes(session.saved, layer=layer))]
    if session.committed is not None:
        since.append((f"since {session.commit}", session.changes(session.committed, layer=layer)))
    headings = "".join(f"<th class=number>{escape(text)}</th>" for text in ("now", *(heading for heading, _ in since)))
    rows = []
    for name, count in figures.named().items():
        label = COUNTED.get(name, name.replace("cycles ", "cycles, "))
        cells = "".join(_change(changes, name) for _, changes in since)
        rows.append(f"<tr><td>{escape(label)}</td><td class=number>{count:,}</td>{cells}</tr>")
    head = f"<thead><tr><th>{escape(title)}</th>{headings}</tr></thead>"
    return f'<div class="scroll"><table class="figures">{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _change(changes: Sequence[Change], name: str) -> str:
    found = next((change for change in changes if change.name == name), None)
    if found is None:
        return "<td></td>"
    if not found.difference:
        return '<td class="number dim">=</td>'
    state = "good" if found.difference < 0 else "bad"
    shown = f"{found.difference:+,} ({percent(found.relative)})".replace("-", "−")
    return f'<td class="number {state}">{shown}</td>'


def _listed(path: Path, profiles: Sequence[Profile]) -> tuple[Listing, ...]:
    return listings(path, {profile.cycles.core: profile for profile in profiles if profile.cycles is not None})


def _heat(listed: Sequence[Listing]) -> dict[str, tuple[Heat, ...]]:
    main = next(listing for listing in listed if listing.is_main)
    return {core: tuple(_lines(main.lines, costs)) for core, costs in main.costs.items()}


def _lines(lines: Sequence[Any], costs: Sequence[tuple[int, int, str, int]]) -> Iterator[Heat]:
    for line in lines:
        if line.executions:
            cycles, _, words, heat = costs[line.cost]
            yield Heat(line.number, line.executions, cycles, words, heat)


def _short(count: int) -> str:
    """Four characters at most."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 10 * size else f"{count // size}{unit}"
    return str(count)
