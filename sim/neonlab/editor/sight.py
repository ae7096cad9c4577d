"""Render a session for the editor and its panels: marks at lines, and fragments of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from neonlab.editor.included import included_html
from neonlab.editor.scratch import Scratch
from neonlab.lab.compare.figures import Change, Figures, core_of, label_of
from neonlab.lab.watch.reading import Reading
from neonlab.lab.watch.session import Session
from neonlab.measure.loop.report import LoopLine, LoopReport
from neonlab.measure.profile import Profile
from neonlab.report.band_words import range_text
from neonlab.report.comparison_words import mood_of_change, step_text
from neonlab.report.notebook import failure_html, loops_html, not_run_html, quoted
from neonlab.report.page.render import pipeline_fragment
from neonlab.report.page.source_listing import Listing, listings
from neonlab.report.verdict_words import accepted_lines, mood_of, remark_of, word_so_far
from neonlab.report.wait_words import brief_place, wait_words
from neonlab.verify.verdict import Failure, Verdict


@dataclass(frozen=True, slots=True)
class Remark:
    """A fault at a line (from 1; 0 if it is not in this file), with a word and a sentence for it."""

    line: int
    word: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Heat:
    """The cost of one line on a core: `heat` from 0 to 9, which is the most expensive; `words` give the stalls.

    With `inside`, `cycles` are those of all that the line brings in, by a macro or an include.
    """

    line: int
    executions: int
    cycles: int
    words: str
    heat: int
    inside: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the values for the page's script."""
        if self.inside:
            told = f"all that this line brings in: {self.cycles:,} cycles"
            return {"line": self.line, "cycles": f"Σ{_short(self.cycles)}", "heat": self.heat, "told": told}
        causes = f"; waited: {self.words}" if self.words else ""
        told = f"executed {self.executions:,} times, {self.cycles:,} cycles{causes}"
        return {"line": self.line, "cycles": _short(self.cycles), "heat": self.heat, "told": told}


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks at the lines of one `text`; heat by core."""

    text: str
    remarks: tuple[Remark, ...]
    heat: Mapping[str, tuple[Heat, ...]]


@dataclass(frozen=True, slots=True)
class Sight:
    """Everything to show for `path` with `text`: HTML, by core if it is about one; empty until known.

    `loops` holds the hot loop and the lines of included files, by core.  `beside` holds the marks of included files
    that are open.  `waits` says what the hot loop waits for, by core.
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
    beside: Mapping[Path, Marks] = field(default_factory=dict)
    waits: Mapping[str, str] = field(default_factory=dict)

    def marks(self, path: Path) -> Marks | None:
        """Return the marks in the text of `path`; None if it is not one of these files."""
        return Marks(self.text, self.remarks, self.heat) if path == self.path else self.beside.get(path)

    @staticmethod
    def of_nothing(path: Path, text: str) -> Sight:
        """Return the sight of a text of which nothing is known yet."""
        told = '<p class="dim">assembling it and running the first cases …</p>'
        return Sight(path, text, "", "", (), told, "", {}, {}, False)

    @staticmethod
    def of_problem(path: Path, text: str, problem: str, beside: Mapping[Path, str] = MappingProxyType({})) -> Sight:
        """Return the sight of a text that cannot be tried."""
        told = {}
        for other, theirs in beside.items():
            remark = _problem_at(other, problem)
            told[other] = Marks(theirs, (remark,) if remark.line else (), {})
        return Sight(path, text, *_of_problem(path, text, problem), "", {}, {}, True, beside=told)


def sight_of(session: Session, scratch: Scratch, beside: Mapping[Path, str], text: str) -> Sight:
    """Return the sight of `session`, for a `text` and the included texts `beside` it, as assembled in `scratch`."""
    latest, path = session.latest, session.path
    if latest.problem is not None:
        return Sight.of_problem(path, text, scratch.real(latest.problem), beside)
    verdict = latest.verdict
    if verdict is None:
        return Sight.of_nothing(path, text)
    word, state = word_so_far(verdict, latest.planned), mood_of(verdict)
    profiles = latest.layer or latest.tile
    listed = _listed(scratch.path, profiles)
    loops = {
        one.cycles.core: scratch.real(
            _loops(one, scratch) + included_html(listed, one.cycles.core, lambda file: _is_held(file, scratch))
        )
        for one in latest.layer
        if one.cycles is not None
    }
    waits = {
        one.cycles.core: scratch.real(_waits(one.loops[0], scratch))
        for one in profiles
        if one.cycles is not None and one.loops
    }
    remarks = tuple(_remark(failure, scratch.path) for failure in verdict.failures)
    told = scratch.real(_verdict(verdict, latest, state, scratch))
    marks = {other: _marks(verdict, listed, scratch.of(other), theirs) for other, theirs in beside.items()}
    heat, tables = _heat(listed, scratch.path), _tables(session)
    cores = tuple(core.name for core in session.cores)
    return Sight(path, text, word, state, remarks, told, tables, heat, loops, latest.complete, cores, marks, waits)


def _marks(verdict: Verdict, listed: Sequence[Listing], path: Path, text: str) -> Marks:
    """Return the marks in an included file."""
    remarks = [_remark(failure, path) for failure in verdict.failures]
    return Marks(text, tuple(remark for remark in remarks if remark.line), _heat(listed, path))


def _waits(loop: LoopReport, scratch: Scratch) -> str:
    """Return what the loop waits for, with links to the lines."""
    ways: list[str] = []

    def place(line: LoopLine) -> str:
        held = line.line and _is_held(Path(line.path), scratch)
        ways.append(_way(line.path, line.line) if held else escape(brief_place(line)))
        return f"\0{len(ways) - 1}\0"

    words = quoted(wait_words(loop, place))
    for number, way in enumerate(ways):
        words = words.replace(f"\0{number}\0", way)
    return f"<p><b>The loop</b> on {escape(loop.core)}: {words[:1].lower()}{words[1:]}</p>" if words else ""


def _is_held(path: Path, scratch: Scratch) -> bool:
    """Tell whether the file is in the repository, so that it can be edited."""
    return scratch.holds(Path(scratch.real(str(path))))


def _loops(profile: Profile, scratch: Scratch) -> str:
    """Return the loops, with pictures whose rows link to their lines."""
    if not profile.loops:
        return ""
    ways = {line.path: line.path for loop in profile.loops for line in loop.lines if _is_held(Path(line.path), scratch)}
    shown = loops_html(profile.kernel, profile.loops, lambda loop: pipeline_fragment(loop, ways))
    return f'<div class="tells">{shown}<p class="told" role="status"></p></div>'


def _problem_at(path: Path, problem: str) -> Remark:
    """Return the problem as a remark in the file; at line 0 if it is in another."""
    found = re.search(rf"{re.escape(str(path))}:(\d+)", problem)
    sentence = re.sub(r"^(?:error: )?\S+?:\d+(?::\d+)?: (?:error: )?", "", problem.split("\n", 1)[0])
    return Remark(int(found[1]) if found else 0, "error", sentence)


def _taking_in(name: str, text: str) -> int:
    """Return the line (from 1) that includes a file, or whose contract extends it; 0 if none does."""
    taken = re.compile(rf'\s*(?:#\s*include|\.include|extends\s*=)\s*"(?:[^"]*/)?{re.escape(name)}"')
    return next((number for number, line in enumerate(text.split("\n"), 1) if taken.match(line)), 0)


def _of_problem(path: Path, text: str, problem: str) -> tuple[str, str, tuple[Remark, ...], str]:
    remark = _problem_at(path, problem)
    place = re.match(r"(?:error: )?(/\S+?):(\d+)", problem)
    if place and not remark.line:  # in another file: told where this one takes it in
        other = Path(place[1]).name
        remark = replace(remark, line=_taking_in(other, text), sentence=f"{other}:{place[2]}: {remark.sentence}")
    way = _way(place[1], int(place[2])) if place else _way(str(path), remark.line)
    told = escape(problem.replace(f"{path.parent}/", ""))
    return "cannot be tried", "bad", (remark,), f'<p><b class="bad">cannot be tried</b></p>{way}<pre>{told}</pre>'


def _remark(failure: Failure, path: Path) -> Remark:
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
    # For a fault inside a macro of another file, take the line that called it.
    places = [failure.where, *reversed(trail)]
    line = next((number for place in places if (number := _line_in(place, path))), 0)
    return Remark(line, failure.identifier, f"{sentence}; shape {failure.shape}, pattern {failure.pattern}")


def _line_in(place: str, path: Path) -> int:
    found = re.match(r"(.*?):(\d+)", place)
    return int(found[2]) if found and Path(found[1]).resolve() == path else 0


def _verdict(verdict: Verdict, latest: Reading, state: str, scratch: Scratch) -> str:
    word = word_so_far(verdict, latest.planned)
    ranges = f", {escape(verdict.ranges.words)}" if verdict.ranges is not None and verdict.ranges.words else ""
    failed = f", {verdict.failed:,} failed" if verdict.failed else ""
    seconds = f"; first answer after {latest.seconds:.2f} s" if latest.seconds else ""
    cases = f"{verdict.cases:,} of {latest.planned:,} cases{failed}{ranges}{seconds}"
    head = f'<p><b class="{state}">{word}</b> <span class="dim">{cases}</span></p>'
    head += "".join(f"<p>{escape(told)}</p>" for told in accepted_lines(verdict))
    if remark_of(verdict):
        head += f"<p>{escape(remark_of(verdict))}{escape(f'; {verdict.advice}') if verdict.advice else ''}</p>"
    if latest.unmeasured:
        head += f'<p class="fair">no counts and cycles: {escape(latest.unmeasured)}</p>'
    if verdict.not_run is not None:
        head += not_run_html(verdict.not_run)
    return head + "".join(f"{_ways(failure, scratch)}{failure_html(failure)}" for failure in verdict.failures)


def _ways(failure: Failure, scratch: Scratch) -> str:
    """Return links to the line in the kernel's file and to that in the included file."""
    found = re.match(r"(.*?):(\d+)", failure.where)
    ways = [_way(str(scratch.path), _remark(failure, scratch.path).line)]
    if found and _is_held(Path(found[1]), scratch):
        ways.append(_way(found[1], int(found[2])))
    return " ".join(dict.fromkeys(way for way in ways if way))


def _way(path: str, line: int) -> str:
    """Return a link that opens the line in an editor; empty for line 0."""
    if not line:
        return ""
    named = f"{Path(path).name}:{line}"
    return (
        f'<button type="button" class="neonlab-goto" data-path="{escape(path)}" data-line="{line}">{escape(named)}'
        "</button>"
    )


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
        label = label_of(name)
        cells = "".join(_change(changes, name) for _, changes in since)
        band = range_text(core_of(name), count)
        shown = f'{count:,}<br><span class="dim" title="80 % band">{escape(band)}</span>' if band else f"{count:,}"
        rows.append(f"<tr><td>{escape(label)}</td><td class=number>{shown}</td>{cells}</tr>")
    head = f"<thead><tr><th>{escape(title)}</th>{headings}</tr></thead>"
    return f'<div class="scroll"><table class="figures">{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _change(changes: Sequence[Change], name: str) -> str:
    found = next((change for change in changes if change.name == name), None)
    if found is None:
        return "<td></td>"
    if not found.difference:
        return '<td class="number dim">=</td>'
    return f'<td class="number {mood_of_change(found)}">{step_text(found)}</td>'


def _listed(path: Path, profiles: Sequence[Profile]) -> tuple[Listing, ...]:
    return listings(path, {profile.cycles.core: profile for profile in profiles if profile.cycles is not None})


def _heat(listed: Sequence[Listing], path: Path) -> dict[str, tuple[Heat, ...]]:
    found = next((listing for listing in listed if listing.path == path.resolve()), None)
    if found is None:
        return {}
    heat: dict[str, tuple[Heat, ...]] = {}
    for core in dict.fromkeys((*found.costs, *found.inside)):
        own = {one.line: one for one in _lines(found.lines, found.costs.get(core, ()))}
        inside = found.inside.get(core, {})
        more = [Heat(line, 0, cycles, "", 0, inside=True) for line, cycles in inside.items() if line not in own]
        heat[core] = tuple(sorted((*own.values(), *more), key=lambda one: one.line))
    return heat


def _lines(lines: Sequence[Any], costs: Sequence[tuple[int, int, str, int]]) -> Iterator[Heat]:
    for line in lines:
        if line.executions and costs:
            cycles, _, words, heat = costs[line.cost]
            yield Heat(line.number, line.executions, cycles, words, heat)


def _short(count: int) -> str:
    """Return a count in at most four characters."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 10 * size else f"{count // size}{unit}"
    return str(count)
