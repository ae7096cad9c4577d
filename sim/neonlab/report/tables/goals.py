"""Write the goals of each level's kernels on each core in cycles per multiply-accumulate, and what ours take.

The goals are those of `kernels/ladder.toml`; every figure beside them is modelled here.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import profile_each
from neonlab.lab.repository.kernel_name import KernelName
from neonlab.lab.repository.library import Kernel, Library
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.table_hash import tables_hash
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape

#: Depths of calls; the median of their differences is the cost of a loop, without what happens once in one of them.
DEPTHS = (512, 768, 1024, 1280)
_LEAST = 1e-6  # by which a figure of the file may be rounded
_OLDER = "†"
_SHAPES = {"matmul": "{0}x{1}x{depth}", "conv1x1": "1x{0}x{depth}x{1}"}  # of one tile, by operator

Call = tuple[Kernel, Shape, MemoryOptions]


@dataclass(frozen=True, slots=True)
class Peer:
    """Hold what the best kernel of others takes on a core: cycles per MAC, whose and which it is.

    `tables` is the hash of the core's tables that it was costed with.
    """

    cycles: float
    kernel: str
    tables: str


@dataclass(frozen=True, slots=True)
class Goal:
    """Cycles per MAC to `reach` on each core, by its name, with the best of `kernels`."""

    level: str
    operands: str
    reach: Mapping[str, Peer]
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """Hold a goal on one core and what the best kernel takes there, in cycles per MAC.

    `bound` is what the ports of the core need for the instructions of its loop, in whatever order.  `macs` are those of
    an iteration of the loop.
    """

    level: str
    operands: str
    core: str
    goal: Peer
    kernel: str
    cycles: float
    bound: float
    macs: int

    @property
    def is_met(self) -> bool:
        """Tell whether the kernel takes no more than the goal."""
        return self.cycles <= self.goal.cycles + _LEAST

    @property
    def is_older(self) -> bool:
        """Tell whether the core's tables have changed since the goal was costed."""
        return self.goal.tables != tables_hash(self.core)

    @property
    def word(self) -> str:
        """Return whether the goal is met, and else by how many cycles of an iteration the kernel is above it."""
        if self.is_met:
            return "yes"
        over = (self.cycles - self.goal.cycles) * self.macs
        return f"no: {over:.2g} of {self.cycles * self.macs:.4g} cycles above"


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
    known = {kernel.title: kernel for kernel in library.kernels}
    goals = []
    for entry in table.get("goal", ()):
        try:
            level, operands, reach, titles = (entry[key] for key in ("level", "operands", "reach", "kernels"))
            figures = {
                str(core): Peer(float(one["cycles"]), str(one["of"]), str(one["tables"])) for core, one in reach.items()
            }
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InputError(f"{path}: a goal cannot be read: {error}") from None
        if strange := set(entry) - {"level", "operands", "reach", "kernels"}:
            raise InputError(f"{path}: a goal has no key {', '.join(sorted(strange))}")
        for title in titles:
            if title not in known:
                raise InputError(f"{path}: no kernel `{title}`")
        kernels = tuple(known[title] for title in titles)
        _refuse(path, figures, kernels)
        goals.append(Goal(level, operands, figures, kernels))
    return tuple(goals)


def _refuse(path: Path, reach: Mapping[str, Peer], kernels: Sequence[Kernel]) -> None:
    """Raise InputError where a goal has a core without a model, or a kernel that it cannot be measured with."""
    if not kernels or not reach:
        raise InputError(f"{path}: a goal needs `kernels` and cores to `reach`")
    for name in reach:
        try:
            core = ModelledCore.named(name, cycles=True)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        for kernel in kernels:
            refusal = core.refusal(kernel.isa, kernel.contract.features)
            if refusal is not None:
                raise InputError(f"{path}: {kernel.title} does not run on {name}: {refusal}")
    for kernel in kernels:
        if kernel.operator is None or kernel.operator.name not in _SHAPES:
            raise InputError(f"{path}: {kernel.title} has no depth: a goal is for {' and '.join(_SHAPES)}")


def calls_of_goals(goals: Sequence[Goal]) -> list[Call]:
    """Return the calls that `reach_goals` profiles: each kernel on each core at each of DEPTHS."""
    return [call for goal in goals for core in goal.reach for kernel in goal.kernels for call in _calls(kernel, core)]


def _calls(kernel: Kernel, core: str) -> Iterator[Call]:
    """Yield calls of one tile, warm, at each of DEPTHS; of the last, with the loop."""
    assert kernel.operator is not None, "a kernel without an operator was refused"
    tile = KernelName.parse(kernel.name).tile
    for depth in DEPTHS:
        shape = parse_shape(kernel, _SHAPES[kernel.operator.name].format(*tile, depth=depth))
        yield kernel, shape, MemoryOptions(core, warm=True, loop=depth == DEPTHS[-1])


def reach_goals(
    workers: Workers, goals: Sequence[Goal], advance: Callable[[int], None] = lambda _: None
) -> tuple[Reached, ...]:
    """Return what the best kernel of each goal takes on each of its cores.  Raises InputError if one does not run."""
    calls = calls_of_goals(goals)
    outcomes = iter(zip(calls, profile_each(workers, calls, advance=advance), strict=True))
    found = []
    for goal in goals:
        for core, figure in goal.reach.items():
            tried = [_reached(goal, core, figure, [next(outcomes) for _ in DEPTHS]) for _ in goal.kernels]
            found.append(min(tried, key=lambda one: one.cycles))
    return tuple(found)


def _reached(goal: Goal, core: str, figure: Peer, calls: Sequence[tuple[Call, object]]) -> Reached:
    kernel, shape, _ = calls[-1][0]
    found = [one for _, one in calls if isinstance(one, Profile) and one.cycles is not None]
    loop = found[-1].loop if found else None
    if len(found) < len(calls) or loop is None or not loop.macs:
        raise InputError(f"{kernel.title}: has no loop that could be measured on {shape}, on {core}")
    cycles = median(_between(less, more) for less, more in itertools.pairwise(found))
    return Reached(
        goal.level, goal.operands, core, figure, kernel.title, cycles, loop.bounds.ports / loop.macs, loop.macs
    )


def _between(less: Profile, more: Profile) -> float:
    """Return the cycles per MAC that the deeper call has more."""
    assert less.cycles is not None and more.cycles is not None, "the core has a pipeline model"
    return (more.cycles.cycles - less.cycles.cycles) / (more.macs - less.macs)


def goal_lines(reached: Sequence[Reached]) -> Iterator[str]:
    """Yield the section of reports/ladder.md; nothing if there are no goals."""
    if not reached:
        return
    yield from ("", "## Goals", "")
    yield from (
        "Goals are cycles per multiply-accumulate of the hot loop: those of the best public kernel of exact int8",
        "products known on each core, costed with the same models. Goals and *cycles* are measured alike, as warm",
        f"calls at depths of {', '.join(map(str, DEPTHS))}: the median of the differences, per MAC between.",
        "Ours are calls of one tile.",
        "*bound*: what the ports of the core need for the instructions of this kernel's loop, in whatever order.",
        "*met*: where it is not, how many cycles of an iteration of the loop the kernel is above the goal.",
    )
    yield from ("", "| level | operands | core | of others | goal | kernel | cycles | bound | met |")
    yield "|---|---|---|---|---:|---|---:|---:|---|"
    for one in reached:
        cycles = f"{one.cycles:.5f}" if one.is_met else f"**{one.cycles:.5f}**"
        goal = f"{one.goal.cycles:.5f}" + f" {_OLDER}" * one.is_older
        yield (
            f"| {one.level} | {one.operands} | {one.core} | {one.goal.kernel} | {goal} | `{one.kernel}` | {cycles} "
            f"| {one.bound:.5f} | {one.word} |"
        )
    yield from ("", f"{met_words(reached)}. Bold: above the goal.")
    if any(one.is_older for one in reached):
        yield f"{_OLDER}: costed before the last change of the core's tables."


def met_words(reached: Sequence[Reached]) -> str:
    """Return how many goals are met."""
    return f"{sum(one.is_met for one in reached)} of {len(reached)} goals are met"
