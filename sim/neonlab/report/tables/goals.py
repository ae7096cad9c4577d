"""Write the goal of each level's kernels in instructions per multiply-accumulate, and what they need.

The goals are those of `kernels/ladder.toml`; every figure beside them is counted.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.isa.model.instruction import InstructionClass
from neonlab.lab.repository.library import Library
from neonlab.report.tables.variants import VariantRow

#: Share by which a whole layer may exceed the goal of its hot loop.
MARGIN = 0.10
#: Instructions that every order of the same work needs: all but counters, pointer arithmetic and branches.
_WORK = (
    InstructionClass.NEON_MULTIPLY_ACCUMULATE,
    InstructionClass.NEON_OTHER,
    InstructionClass.LOAD,
    InstructionClass.STORE,
)


@dataclass(frozen=True, slots=True)
class Goal:
    """Instructions per MAC: `floor` of the multiplies alone, `reach` for the hot loop of the first of `kernels`.

    The other kernels are for layers where they need fewer.  `bound` says why a layer above the goal cannot reach it.
    """

    level: str
    operands: str
    floor: float
    reach: float
    kernels: tuple[str, ...]
    bound: str = ""

    @property
    def limit(self) -> float:
        """Return the most that a whole layer may need."""
        return self.reach * (1 + MARGIN)


def ladder_file(library: Library) -> tuple[Path, dict[str, Any] | None]:
    """Return the path of `kernels/ladder.toml` and its contents; None if there is no such file.  Raises InputError."""
    path = library.root / "kernels" / "ladder.toml"
    if not path.exists():
        return path, None
    text = read_input_text(path)
    try:
        return path, tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None


def read_goals(library: Library) -> tuple[Goal, ...]:
    """Return the goals of `kernels/ladder.toml`; none if there is no such file.  Raises InputError."""
    path, table = ladder_file(library)
    if table is None:
        return ()
    known = {kernel.title for kernel in library.kernels}
    try:
        goals = tuple(Goal(**{**entry, "kernels": tuple(entry["kernels"])}) for entry in table.get("goal", ()))
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: a goal has no key {error}") from None
    for goal in goals:
        for title in goal.kernels:
            if title not in known:
                raise InputError(f"{path}: no kernel `{title}`")
    return goals


def goal_lines(goals: Sequence[Goal], rows: Sequence[VariantRow]) -> Iterator[str]:
    """Yield the section of reports/ladder.md; nothing if there are no goals."""
    if not goals:
        return
    yield from ("", "## Goals", "")
    yield "The goal of each level, in instructions per multiply-accumulate, for the hot loop of its best kernel."
    yield f"A whole layer, without packing, may need {MARGIN:.0%} more."
    yield from ("", "| level | operands | floor | goal | hot loop | kernel |", "|---|---|---:|---:|---:|---|")
    for goal in goals:
        hot = next((r.hot_loop for r in rows if r.kernel == goal.kernels[0] and r.hot_loop is not None), None)
        figure = "" if hot is None else _bold_above(hot.instructions_per_mac, goal.reach)
        yield (f"| {goal.level} | {goal.operands} | {goal.floor:g} | {goal.reach:g} | {figure} | `{goal.kernels[0]}` |")
    yield ""
    yield "Each layer with the kernel that needs the fewest instructions: the one above, or one for few input channels."
    yield "The latter read rows in place, and count for packed operands too. Bold: above the goal and its margin."
    yield ""
    yield "| layer | " + " | ".join(f"{goal.level}, {goal.operands}" for goal in goals) + " |"
    yield "|---|" + "---:|" * len(goals)
    layers = dict.fromkeys(row.layer for row in rows if row.kernel in {goal.kernels[0] for goal in goals})
    above: list[str] = []
    for layer in layers:
        cells = []
        for goal in goals:
            best = best_row(goal, layer, rows)
            if best is None or best.profile is None:
                cells.append("")
                continue
            cells.append(_bold_above(best.profile.instructions_per_mac, goal.limit))
            if best.profile.instructions_per_mac > goal.limit:
                above.append(_shortfall(goal, best))
        yield f"| {layer} | " + " | ".join(cells) + " |"
    if above:
        yield ""
        yield from above


def best_row(goal: Goal, layer: str, rows: Sequence[VariantRow]) -> VariantRow | None:
    """Return the goal's kernel with the fewest instructions on the layer; None if none of them ran on it."""
    ran = [row for row in rows if row.layer == layer and row.kernel in goal.kernels and row.profile is not None]
    return min(ran, key=lambda row: row.profile.instructions_per_mac if row.profile else 0.0, default=None)


def _bold_above(figure: float, most: float) -> str:
    return f"**{figure:.4f}**" if figure > most else f"{figure:.4f}"


def _shortfall(goal: Goal, row: VariantRow) -> str:
    assert row.profile is not None
    work = sum(row.profile.counts.by_class.get(kind.value, 0) for kind in _WORK) / row.profile.macs
    return (
        f"- `{row.kernel}` on {row.layer}: {row.profile.instructions_per_mac:.4f}; the limit is {goal.limit:.4f}. "
        f"Without branches and integer instructions it would be {work:.4f}. {goal.bound}".rstrip()
    )
