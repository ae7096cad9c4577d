"""Compare two hot loops line by line, with the cost of each line; those of unlike structure side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from neonlab.measure.loop.report import LoopLine, LoopReport
from neonlab.measure.shape import Shape

#: Share of the instructions that must be of the same form in the same order for a difference to tell anything.
LEAST_SHARED = 0.5


@dataclass(frozen=True, slots=True)
class LineCost:
    """One instruction of an iteration, and the cycles attributed to it.

    The cycles of all lines add up to those of the iteration.
    """

    line: int
    text: str
    cycles: float


@dataclass(frozen=True, slots=True)
class LoopRow:
    """A line of one loop and its counterpart in the other, None where it has none.

    Counterparts have the same text, or at least the same form (mnemonic and arrangement).
    """

    before: LineCost | None
    after: LineCost | None

    @property
    def same(self) -> bool:
        """Tell whether both loops have the line with the same text."""
        return self.before is not None and self.after is not None and self.before.text == self.after.text


@dataclass(frozen=True, slots=True)
class LoopDifference:
    """The difference of two hot loops: `before` and `after` name the kernels.

    `cycles_...` and `macs_...` are of one iteration each.  `shared` is the share of instructions that have the same
    form at the same place.  `rows` is empty where that is too small to call the structure the same; then `beside` has
    the instructions of each loop as they execute, and else it has none.
    """

    core: str
    shape: Shape
    before: str
    after: str
    cycles_before: float
    cycles_after: float
    macs_before: int
    macs_after: int
    instructions_before: int
    instructions_after: int
    shared: float
    rows: tuple[LoopRow, ...]
    beside: tuple[tuple[LineCost, ...], tuple[LineCost, ...]] = ((), ())

    @property
    def changed(self) -> bool:
        """Tell whether any instruction differs."""
        return not self.rows or not all(row.same for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        rounded = {"cycles_before": round(self.cycles_before, 3), "cycles_after": round(self.cycles_after, 3)}
        return {
            **asdict(self),
            "shape": str(self.shape),
            **rounded,
            "shared": round(self.shared, 4),
            "rows": [{"before": _cost_json(row.before), "after": _cost_json(row.after)} for row in self.rows],
            "beside": {
                side: [_cost_json(one) for one in costs]
                for side, costs in zip(("before", "after"), self.beside, strict=True)
            },
        }


def _cost_json(cost: LineCost | None) -> dict[str, Any] | None:
    return None if cost is None else {**asdict(cost), "cycles": round(cost.cycles, 3)}


def loop_difference(before: LoopReport, after: LoopReport, shape: Shape, names: tuple[str, str]) -> LoopDifference:
    """Return the difference between the hot loops of two kernels, called `names`, on the same core and shape."""
    rows, shared = _align(before, after)
    alike = shared >= LEAST_SHARED
    return LoopDifference(
        core=after.core,
        shape=shape,
        before=names[0],
        after=names[1],
        cycles_before=before.cycles,
        cycles_after=after.cycles,
        macs_before=before.macs,
        macs_after=after.macs,
        instructions_before=before.instructions,
        instructions_after=after.instructions,
        shared=shared,
        rows=rows if alike else (),
        beside=((), ()) if alike else (executed(before), executed(after)),
    )


def executed(report: LoopReport) -> tuple[LineCost, ...]:
    """Return the instructions of an iteration as they execute, with registers as they are encoded."""
    return tuple(LineCost(one.line, one.instruction, sum(one.stalled.values())) for one in report.lines)


def line_costs(report: LoopReport) -> tuple[LineCost, ...]:
    """Return the cycles of each instruction of an iteration.

    An address that the iteration passes several times shares its cycles equally among the passes.
    """
    times = Counter(line.address for line in report.lines)
    return tuple(
        LineCost(line.line, line.text, sum(line.stalled.values()) / times[line.address]) for line in report.lines
    )


def _align(before: LoopReport, after: LoopReport) -> tuple[tuple[LoopRow, ...], float]:
    left, right = line_costs(before), line_costs(after)
    rows: list[LoopRow] = []
    alike = 0
    for same, (a, b), (c, d) in _blocks([line.text for line in before.lines], [line.text for line in after.lines]):
        if same:
            rows += [LoopRow(*pair) for pair in zip(left[a:b], right[c:d], strict=True)]
            alike += b - a
            continue
        for paired, (e, f), (g, h) in _blocks(_forms(before.lines[a:b]), _forms(after.lines[c:d])):
            if paired:
                rows += [LoopRow(*p) for p in zip(left[a + e : a + f], right[c + g : c + h], strict=True)]
                alike += f - e
            else:
                rows += [LoopRow(one, None) for one in left[a + e : a + f]]
                rows += [LoopRow(None, one) for one in right[c + g : c + h]]
    return tuple(rows), alike / max(len(left), len(right), 1)


def _forms(lines: Sequence[LoopLine]) -> list[str]:
    return [line.form for line in lines]


def _blocks(left: Sequence[str], right: Sequence[str]) -> list[tuple[bool, tuple[int, int], tuple[int, int]]]:
    """Return the blocks of the two sequences, each with whether it is equal in both."""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return [(tag == "equal", (a, b), (c, d)) for tag, a, b, c, d in matcher.get_opcodes()]
