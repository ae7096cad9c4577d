"""Write verdicts, profiles and comparisons as HTML fragments, as a notebook shows them below their cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from neonlab.lab.compare.figures import Change
from neonlab.report.band_words import band_text, basis_line
from neonlab.report.comparison_words import difference_lines, loop_figures, loop_names, with_share
from neonlab.report.flat_loop import flat_rows, flat_title
from neonlab.report.pipeline_svg import pipeline_svg
from neonlab.report.terminal.loop import at_lines
from neonlab.report.verdict_words import accepted_lines, mood_of, remark_of, word_of
from neonlab.report.wait_words import label_words, wait_words

if TYPE_CHECKING:
    from neonlab.lab.compare.comparison import Comparison, Group
    from neonlab.measure.counts import Counts
    from neonlab.measure.loop.hints.hint import Hint
    from neonlab.measure.loop.report import LoopReport
    from neonlab.measure.profile import Profile
    from neonlab.measure.run_cycles import RunCycles
    from neonlab.verify.coverage import NotRun
    from neonlab.verify.verdict import Failure, Verdict

_HOT_LINES = 10
_COLOURS = {"good": "#1f7a3f", "fair": "#8a6100", "bad": "#b3261e"}
_RIGHT = ' style="text-align:right"'


def verdict_html(verdict: Verdict) -> str:
    """Return the status, the number of cases, and each kind of failure with its place."""
    remark = f"; {escape(remark_of(verdict))}" if remark_of(verdict) else ""
    parts = [
        f'<p><b style="color:{_COLOURS[mood_of(verdict)]}">{word_of(verdict)}</b> '
        f"<code>{escape(verdict.kernel)}</code>: {verdict.cases:,} cases, {verdict.failed:,} failed{_ranges(verdict)}"
        f"{remark}</p>"
    ]
    parts += [f"<p>{quoted(told)}</p>" for told in accepted_lines(verdict)]
    if verdict.advice and verdict.faultless:
        parts.append(f"<p>{quoted(verdict.advice)}</p>")
    if verdict.unseen is not None:
        parts.append(not_run_html(verdict.unseen))
    parts += [failure_html(failure) for failure in verdict.failures]
    return _fragment(parts)


def not_run_html(not_run: NotRun) -> str:
    """Return the lines of code that no case ran."""
    lines = "".join(f"<li><code>{escape(line)}</code></li>" for line in not_run.lines)
    return f"<details><summary>{not_run}: they are unchecked</summary><ul>{lines}</ul></details>"


def _ranges(verdict: Verdict) -> str:
    return f", {escape(verdict.ranges.words)}" if verdict.ranges is not None and verdict.ranges.words else ""


def failure_html(failure: Failure) -> str:
    """Return the fault or mismatch of one case, its place, and its explanation."""
    lines = []
    if failure.fault is not None:
        lines.append(failure.fault.message)
        lines += [f"breaks {failure.fault.clause}"] if failure.fault.clause else []
    if failure.mismatch is not None:
        wrong = failure.mismatch
        index = ", ".join(f"{axis} {value}" for axis, value in wrong.index)
        lines.append(f"{wrong.output}[{index}] = {wrong.got}, expected {wrong.expected}")
        lines.append(f"{wrong.wrong:,} of {wrong.total:,} elements wrong; {wrong.map_title}")
        lines += [f"  {row}" for row in wrong.map]
    if failure.where:
        lines.insert(0, failure.where)
    if failure.explanation is not None:
        lines += [f"smallest case that fails the same way: {failure.explanation.shape}"]
        lines += [f"  {line}" for line in (*failure.explanation.inputs, *failure.explanation.text)]
    head = (
        f"<b>{escape(failure.identifier)}</b> at {escape(str(failure.shape or ''))}, pattern {escape(failure.pattern)}"
    )
    return f"<p>{head}, seed {failure.seed}</p><pre>{escape(chr(10).join(lines))}</pre>"


def profile_html(profile: Profile) -> str:
    """Return counts, cycles if a core was modelled, and the hot loop with its pipeline picture."""
    head = f"<code>{escape(profile.kernel)}</code> at {escape(str(profile.shape))}"
    head += f", {profile.macs:,} MACs" if profile.macs else ""
    parts = [f"<p>{head}</p>", _counts(profile, profile.counts)]
    if profile.cycles is not None:
        parts.append(_cycles(profile, profile.cycles))
    if profile.loops:
        parts.append(loops_html(profile.kernel, profile.loops))
    else:
        parts.append(_hot_lines(profile.counts))
    return _fragment(parts)


def _counts(profile: Profile, counts: Counts) -> str:
    rows = [
        ("instructions", counts.instructions, profile.instructions_per_mac),
        ("bytes loaded", counts.loaded_bytes, profile.loaded_per_mac),
        ("bytes stored", counts.stored_bytes, profile.stored_per_mac),
    ]
    neon = f"{counts.neon_registers} of {counts.neon_registers_available}"
    general = f"{counts.general_registers} of {counts.general_registers_available}"
    registers = [("NEON registers", neon), ("general registers", general)]
    if not profile.macs:
        return _table(("", "counted"), [*((name, f"{count:,}") for name, count, _ in rows), *registers])
    rated = [(name, f"{count:,}", f"{rate:.4f}") for name, count, rate in rows]
    return _table(("", "counted", "per MAC"), [*rated, *((*row, "–") for row in registers)])


def _cycles(profile: Profile, cycles: RunCycles) -> str:
    rate = f", {profile.macs_per_cycle:.2f} MACs per cycle" if profile.macs else ""
    band = f" ({band_text(cycles.band, cycles.cycles)})" if cycles.band is not None else ""
    head = f"{cycles.cycles:,} cycles{band} on {escape(cycles.core)}, {cycles.state} (estimate of a model){rate}"
    causes = sorted(cycles.causes.items(), key=lambda item: (-item[1], item[0]))
    rows = [(cause, f"{count:,}", f"{count / cycles.cycles:.1%}") for cause, count in causes if count]
    model = f"<p>the model: {escape(cycles.model_error)}</p>"
    basis = f"<p>80 % band: {escape(basis_line(cycles.core))}</p>"
    return f"<p>{head}</p>{model}{basis}" + _table(("cause", "cycles", "share"), rows)


def loops_html(kernel: str, loops: Sequence[LoopReport], picture: Callable[[LoopReport], str] | None = None) -> str:
    """Return the hot loop with its cycles, its main limit, hints and `picture`; other loops are folded."""
    hottest, *others = [_loop(kernel, loop, picture or _pipeline) for loop in loops]
    folded = []
    for loop, told in zip(loops[1:], others, strict=True):
        title = f"other loop, {escape(loop.place(kernel))}: {loop.share:.0%} of the cycles"
        folded.append(f"<details><summary>{title}</summary>{told}</details>")
    return "".join([hottest, *folded])


def _pipeline(loop: LoopReport) -> str:
    return f'<div style="max-height:30em;overflow:auto">{pipeline_svg(loop)}</div>'


def _loop(kernel: str, loop: LoopReport, picture: Callable[[LoopReport], str]) -> str:
    head = (
        f"hot loop, {loop.place(kernel)}: {loop.iterations:,} iterations, {loop.share:.0%} of the cycles, "
        f"{loop.cycles:.4g} cycles and {loop.instructions} instructions per iteration"
    )
    hints = "".join(f"<li>{quoted(_told(loop, hint))}{_gain(hint.before, hint.after)}</li>" for hint in loop.hints)
    remarks = f"<ul>{hints}</ul>" if hints else ""
    waits = f"<p>{quoted(wait_words(loop))}</p>" if wait_words(loop) else ""
    return f"<p>{escape(head)}</p><p>{quoted(loop.attack)}</p>{waits}{remarks}{picture(loop)}{_flat(loop)}"


def _flat(loop: LoopReport) -> str:
    """Return the loop as it executes, folded."""
    rows = [(f"{row.cycles:.2f}", row.label, row.instruction, row.ports, row.waits) for row in flat_rows(loop)]
    table = _table(("cycles", "line", "instruction", "ports", "waited for"), rows)
    files = f'<p class="dim">{escape(label_words(loop))}</p>' if label_words(loop) else ""
    return f'<details class="flat"><summary>{escape(flat_title(loop))}</summary>{files}{table}</details>'


def quoted(text: str) -> str:
    """Return the text as HTML, with text between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _told(loop: LoopReport, hint: Hint) -> str:
    return f"{at_lines(loop, hint)}: {hint.text}" if hint.places else hint.text


def _gain(before: float | None, after: float | None) -> str:
    return f": {before:.4g} → {after:.4g} cycles per iteration" if before is not None and after is not None else ""


def _hot_lines(counts: Counts) -> str:
    hot = sorted(counts.lines, key=lambda line: (-line.executions, line.path, line.line))[:_HOT_LINES]
    return _table(("executions", "line", "text"), [(f"{one.executions:,}", str(one.line), one.text) for one in hot])


def comparison_html(comparison: Comparison) -> str:
    """Return a table for each shape, and the differences of the hot loops."""
    against = f" against {comparison.revision}" if comparison.revision is not None else ""
    parts = [f"<p>kernels{escape(against)}</p>"] if against else []
    parts += [_group(group, comparison.cores) for group in comparison.groups]
    for difference in comparison.loops:
        parts.append(f"<p>{escape(loop_names(difference))}<br>{escape(loop_figures(difference))}</p>")
        parts.append(f"<pre>{''.join(_coloured(line) for line in difference_lines(difference))}</pre>")
    return _fragment(parts)


def _group(group: Group, cores: Sequence[str]) -> str:
    base = group.reference.figures.named() if group.reference and group.reference.figures else {}
    names = ["instructions", "loaded_bytes", "stored_bytes", *(f"cycles {core}" for core in cores)]
    headings = ["instructions", "bytes loaded", "bytes stored", *(f"cycles, {core}" for core in cores)]
    rows = []
    for side in group.sides:
        named = side.figures.named() if side.figures is not None else {}
        cells = []
        for name in names:
            count, first = named.get(name), base.get(name)
            cells.append("" if count is None else with_share(Change(name, first or count, count)))
        word = "no" if side.wrong else "yes" if side.exact else "unchecked" if side.unchecked else ""
        rows.append((side.name, word, *cells))
    return f"<p>{escape(str(group.shape))}</p>" + _table(("kernel", "exact", *headings), rows)


def _coloured(line: str) -> str:
    colour = {"-": "#b3261e", "+": "#1f7a3f"}.get(line[:1])
    text = escape(line)
    return f'<span style="color:{colour}">{text}</span>\n' if colour else f"{text}\n"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    body = "".join(f"<tr>{''.join(_cell(text) for text in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    return f"<td{_RIGHT if text[:1].isdigit() or text == '–' else ''}>{escape(text)}</td>"


def _fragment(parts: Iterable[str]) -> str:
    return f'<div class="neonlab">{"".join(parts)}</div>'


#: Keyed by class name, for `neonlab.host.display`.
RENDERERS = {"Verdict": verdict_html, "Profile": profile_html, "Comparison": comparison_html}
