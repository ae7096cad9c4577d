"""Write figures, their changes and the differences of hot loops as text, wherever a comparison is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from neonlab.lab.compare.figures import Change
from neonlab.measure.cores.bands import NO_DIFFERENCE
from neonlab.measure.loop.difference import LineCost, LoopDifference, LoopRow
from neonlab.report.band_words import range_text
from neonlab.report.flat_loop import cycles_text

if TYPE_CHECKING:
    from neonlab.lab.compare.comparison import Comparison

#: Least change in cycles: the model may attribute one cycle to either of two adjacent lines.
_EQUAL = 1.05
_CONTEXT = 2  # lines shown around a difference


def change_text(change: Change) -> str:
    """Return the change as text: `6,120,978 → 5,626,634 (−8.1 %)`, or `5,626,634 (=)`.

    Cycles have their range behind them, `5,626,634 (−8.1 %; 5.1–6.2 M)`, and a difference inside the band of ratios is
    called so.
    """
    band = range_text(change.core, change.after)
    more = f"; {band}" if band else ""
    if not change.difference:
        return f"{change.after:,} (={more})"
    return f"{change.before:,} → {change.after:,} ({share_text(change)}{more})"


def mood_of_change(change: Change) -> str:
    """Return the mood of a change, for its colour: `good` for less, `bad` for more, `dim` where nothing is told."""
    return "dim" if not change.told else "good" if change.difference < 0 else "bad"


def share_text(change: Change) -> str:
    """Return the change as a share, and that the model cannot tell it where it cannot."""
    return percent(change.relative) + ("" if change.told else f", {NO_DIFFERENCE}")


def step_text(change: Change) -> str:
    """Return the increase, with its share, or that the model cannot tell it: `−494,344 (−8.1 %)`."""
    more = f" ({percent(change.relative)})" if change.told else f", {NO_DIFFERENCE}"
    return f"{change.difference:+,}{more}".replace("-", "−")


def with_share(change: Change) -> str:
    """Return the figure after the change, with the change as a share, and the range of cycles."""
    words = [share_text(change)] if change.difference else []
    band = range_text(change.core, change.after)
    words += [band] if band else []
    return f"{change.after:,} ({'; '.join(words)})" if words else f"{change.after:,}"


def percent(share: float) -> str:
    """Return a share as text, with enough digits not to show 0: `+8.1 %`, `−0.04 %`."""
    size = abs(100 * share)
    digits = next((d for d in (1, 2, 3) if round(size, d)), 4)
    return f"{'−' if share < 0 else '+'}{size:.{digits}f} %"


def compiled_by(comparison: Comparison) -> Iterator[str]:
    """Yield for each side that was compiled by which compiler, with version and flags: `x.c@gcc: by gcc 12.2.0 -O2`."""
    sides = (side for group in comparison.groups for side in group.sides)
    yield from dict.fromkeys(f"{side.name}: compiled by {side.compiler}" for side in sides if side.compiler)


def loop_names(difference: LoopDifference) -> str:
    """Return the heading of a difference between two loops."""
    return f"hot loops on {difference.core}, {difference.shape}: − {difference.before}, + {difference.after}"


def loop_figures(difference: LoopDifference) -> str:
    """Return instructions, cycles and MACs per cycle of an iteration of each loop, as text."""
    d = difference
    text = f"{d.instructions_before} → {d.instructions_after} instructions"
    text += f", {d.cycles_before:.4g} → {d.cycles_after:.4g} cycles per iteration"
    if d.macs_before and d.macs_after and d.cycles_before and d.cycles_after:
        text += f", {d.macs_before / d.cycles_before:.3g} → {d.macs_after / d.cycles_after:.3g} MACs per cycle"
    return text


def difference_lines(difference: LoopDifference, most: int = 16, width: int = 78) -> Iterator[str]:
    """Yield the loops line by line: mark, line, cycles before and after, text.

    Long unchanged stretches are shortened.  Loops of unlike structure stand side by side, as they execute, `most` of
    their instructions, in `width` characters.
    """
    if not difference.rows:
        yield f"the loops differ in structure: {difference.shared:.0%} of the instructions correspond"
        yield from _side_by_side(difference, most, width)
        return
    if all(row.same and not _moved(row) for row in difference.rows):
        yield "the same instructions, none of which costs more or less than before"
        return
    yield "    line  before   after"
    for quiet, group in groupby(difference.rows, key=lambda row: row.same and not _moved(row)):
        rows = list(group)
        if not quiet or len(rows) <= 2 * _CONTEXT + 1:
            yield from (line for row in rows for line in _row_lines(row))
            continue
        yield from (line for row in rows[:_CONTEXT] for line in _row_lines(row))
        hidden = rows[_CONTEXT:-_CONTEXT]
        before, after = _cost(row.before for row in hidden), _cost(row.after for row in hidden)
        yield f"          {before:6.2f}  {after:6.2f}    … {len(hidden)} unchanged lines"
        yield from (line for row in rows[-_CONTEXT:] for line in _row_lines(row))


def _side_by_side(difference: LoopDifference, most: int, width: int) -> Iterator[str]:
    column = width // 2
    digits = max([4, *(len(str(one.line)) for side in difference.beside for one in side)])
    head = f"cycles {'line':>{digits}} "
    yield f"{head + 'before':<{column}}{head}after"
    for pair in list(zip_longest(*difference.beside))[:most]:
        before, after = (_executed(one, digits, column - 1) for one in pair)
        yield f"{before:<{column}}{after}".rstrip()
    left = [max(0, len(side) - most) for side in difference.beside]
    if any(left):
        yield f"… {left[0]} and {left[1]} more: `neonlab profile --loop` shows a loop whole"


def _executed(cost: LineCost | None, digits: int, width: int) -> str:
    if cost is None:
        return ""
    start = f"{cycles_text(cost.cycles)} {cost.line:>{digits}} "
    return start + _fitted(cost.text, width - len(start))


def _fitted(text: str, width: int) -> str:
    """Return an instruction in `width` characters: blanks between operands go first, and what is cut ends in `…`."""
    if len(text) > width:
        text = text.replace(", ", ",")
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _moved(row: LoopRow) -> bool:
    return row.before is not None and row.after is not None and abs(row.before.cycles - row.after.cycles) >= _EQUAL


def _cost(costs: Iterable[LineCost | None]) -> float:
    return sum(cost.cycles for cost in costs if cost is not None)


def _row_lines(row: LoopRow) -> Iterator[str]:
    before, after = row.before, row.after
    if row.same and before is not None and after is not None:
        yield f"  {after.line:6}  {before.cycles:6.2f}  {after.cycles:6.2f}    {after.text}"
        return
    if before is not None:
        yield f"- {before.line:6}  {before.cycles:6.2f}  {'':6}    {before.text}"
    if after is not None:
        yield f"+ {after.line:6}  {'':6}  {after.cycles:6.2f}    {after.text}"
