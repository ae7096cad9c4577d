"""Search with CP-SAT for the fewest cycles of a loop in several stages, with its temporary values in other registers.

`SteadyModel` keeps the registers of a loop, and has two stages.  Here an iteration may be spread over more rounds, and
values get any register that the loop may use.  One has a single register, so it lives for one round at most, and no
more of them live at a time than there are registers.  What is found is an order to be judged on the core's model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neonlab.errors import InputError
from neonlab.isa.model.instruction import AccessKind
from neonlab.isa.model.isa import Isa, Register
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.optimize.loop.code import LoopCode, made_steps
from neonlab.optimize.loop.dependence import edges_of, places_of
from neonlab.optimize.schedule.limits import Limits, Wait, limits_of
from neonlab.optimize.schedule.renaming import limit_of, pool_of
from neonlab.optimize.schedule.steady import Answer, SteadyModel, issued_in_turn
from neonlab.optimize.schedule.values import Value, apart_of, registers_apart, renumbered, values_of

_FRAME = "stack"  # the buffer, as `provenance` has it
_ALLOCATION = 20.0  # of CP-SAT's deterministic time


@dataclass(frozen=True, slots=True)
class Life:
    """One register of a temporary value: the instruction that sets it, and those that use it behind that."""

    first: int
    uses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """Hold the answer of a search: the order of a round, and the stage of each instruction, if there is one."""

    answer: Answer
    sequence: tuple[int, ...] = ()
    stages: tuple[int, ...] = ()
    work: float = 0.0


class StagedModel(SteadyModel):
    """The CP-SAT model of schedules of `cycles` cycles a round in so many stages, with `room` registers for `lives`.

    `late` is the stage of each instruction.  Without `room`, values live for one round at most all the same.
    """

    def __init__(self, limits: Limits, cycles: int, stages: int, lives: Sequence[Life], room: int | None) -> None:
        self._stages = stages
        super().__init__(limits, (), cycles)
        self._live(lives, room)

    def staged(self, work: float, seed: int, go_on: Callable[[], bool]) -> Staged:
        """Search for a schedule, with so much work at most; `go_on` is asked again and again, and may end it."""
        answer, starts, stages, used = self.solved(work, seed, go_on)
        if answer is not Answer.FOUND:
            return Staged(answer, work=used)
        return Staged(answer, issued_in_turn(self._limits, starts, stages), tuple(stages), used)

    def _stage(self) -> Any:
        return self.model.new_int_var(0, self._stages - 1, "")

    def _order(self, control: Sequence[int]) -> None:
        """Keep the order of what depends on each other, over all rounds."""
        for edge in self._limits.edges:
            if edge.earlier != edge.later:
                self._behind(edge.earlier, edge.later, edge.distance, self.starts, self.starts, 0)

    def _wait(self, wait: Wait) -> None:
        """Let an instruction wait for another, over all rounds."""
        if wait.later == self._limits.count:
            super()._wait(wait)
            return
        before = self.works if wait.from_work else self.starts
        behind = self.works if wait.to_work else self.starts
        self._behind(wait.earlier, wait.later, wait.distance, before, behind, wait.cycles)

    def _behind(
        self, one: int, other: int, distance: int, before: Sequence[Any], behind: Sequence[Any], cycles: int
    ) -> None:
        rounds = distance + self.late[other] - self.late[one] if one != other else distance
        self.model.add(behind[other] + rounds * self._cycles >= before[one] + cycles)

    def _live(self, lives: Sequence[Life], room: int | None) -> None:
        """Let each value end before the next of its kind begins, and no more live than there are registers."""
        model, intervals = self.model, []
        for life in lives:
            begin = self.starts[life.first]
            length = model.new_int_var(0 if life.uses else 1, self._cycles, "")
            for at in life.uses:
                since = self.starts[at] - begin + (self.late[at] - self.late[life.first]) * self._cycles
                model.add(length >= since)
            for back in (0, self._cycles):
                end = model.new_int_var(-self._cycles, 2 * self._cycles, "")
                intervals.append(model.new_interval_var(begin - back, length, end, ""))
        if room is not None:
            model.add_cumulative(intervals, [1] * len(intervals), room)


def lives_of(values: Sequence[Value]) -> list[Life]:
    """Return what holds each register of the values, in the order of the values."""
    found = []
    for value in values:
        for register in value.registers:
            places = sorted({use.at for use in value.uses if use.register == register})
            found.append(Life(places[0], tuple(places[1:])))
    return found


def limits_renamed(code: LoopCode, core: PipelineCore) -> Limits | None:
    """Return the conditions for orders of a loop whose temporary values may be in other registers."""
    limits = limits_of(code, core)
    if limits is None:
        return None
    apart = registers_apart(code)
    return replace(limits, edges=tuple(edges_of([step.instruction for step in code.body], places_of(code), apart)))


def in_registers(code: LoopCode, sequence: Sequence[int], stages: Sequence[int]) -> LoopCode | None:
    """Return the body of a round in its order, its values in registers of their own; None where there are too few."""
    values, apart = values_of(code), apart_of(code)
    starts = _allocated(code, values, sequence, stages)
    if starts is None:
        return None
    numbers: dict[tuple[int, bool], dict[int, int]] = {}
    for value, start in zip(values, starts, strict=True):
        for use in value.uses:
            numbers.setdefault((use.at, use.apart), {})[use.register] = start + use.register - value.registers[0]
    texts = [
        renumbered(step, code.isa, at in apart, numbers.get((at, True), {}), numbers.get((at, False), {}))
        for at, step in enumerate(code.body)
    ]
    try:
        made = made_steps(code.isa, texts)
    except InputError:
        return None
    body = [replace(step, comment=code.body[at].comment) for at, step in enumerate(made)]
    return replace(code, body=tuple(body[at] for at in sequence))


def _allocated(
    code: LoopCode, values: Sequence[Value], sequence: Sequence[int], stages: Sequence[int]
) -> list[int] | None:
    """Return the first register of each value, so that no two that live at a time share one; None for none."""
    from ortools.sat.python import cp_model

    count, pool = len(sequence), pool_of(code, values)
    place = {at: stages[at] * count + here for here, at in enumerate(sequence)}
    model: Any = cp_model.CpModel()
    firsts, held = [], []
    for value in values:
        size = len(value.registers)
        aligned = 2 if code.isa is Isa.A32 and size > 1 else 1
        most = limit_of(code, value)
        may = [
            start
            for start in sorted(pool)
            if start % aligned == value.registers[0] % aligned
            and all(start + more in pool for more in range(size))
            and start + size <= most
        ]
        if not may:
            return None
        firsts.append(model.new_int_var_from_domain(cp_model.Domain.from_values(may), ""))
        for more, life in enumerate(lives_of([value])):
            begin = place[life.first]
            length = max([place[at] - begin for at in life.uses], default=1)
            held.append((firsts[-1] + more, begin % count, length))
    across, along = [], []
    for register, begin, length in held:
        for shift in (0, count):
            along.append(model.new_fixed_size_interval_var(begin - shift, length, ""))
            across.append(model.new_fixed_size_interval_var(register, 1, ""))
    model.add_no_overlap_2d(along, across)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = _ALLOCATION
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return [int(solver.value(one)) for one in firsts]


def straightened(code: LoopCode) -> LoopCode:
    """Return the loop with what it computes for its next iteration moved to the front of that.

    Vector registers that an iteration leaves to the next, and that hold no sum, are then temporary values.
    """
    body = code.body
    reads = [set(step.instruction.reads) for step in body]
    writes = [set(step.instruction.writes) for step in body]
    crossing = {register for register in code.kept if register.file == "vector" and _crosses(reads, writes, register)}
    ahead: set[int] = set()
    wanted = set(crossing)
    for at in reversed(range(len(body))):
        made = {one for one in writes[at] if one.file == "vector"}
        if made & wanted:
            ahead.add(at)
            wanted |= {one for one in reads[at] if one.file == "vector"}
            wanted -= made - reads[at]
    order = [*sorted(ahead), *(at for at in range(len(body)) if at not in ahead)]
    straight = replace(code, body=tuple(body[at] for at in order), kept=code.kept - crossing)
    return replace(straight, buffers=_told_apart(code, ahead))


def _told_apart(code: LoopCode, ahead: set[int]) -> Mapping[Register, frozenset[str]]:
    """Return the buffers of a loop's accesses, where all its loads are made ahead, before the stores, or of the frame.

    Then nothing that is loaded was stored by the iteration before, though it be unknown where the stores go.
    """
    kinds = [{access.kind for access in step.instruction.accesses} for step in code.body]
    loads = {at for at, of in enumerate(kinds) if AccessKind.LOAD in of}
    stores = {at for at, of in enumerate(kinds) if AccessKind.STORE in of}
    if not loads or not stores:
        return code.buffers
    frame = all(places_of(code)[at] == {_FRAME} for at in loads)  # which no argument points into
    if not frame and (loads - ahead or max(loads) > min(stores)):
        return code.buffers
    bases = {access.base for at in stores for access in code.body[at].instruction.accesses if access.base is not None}
    if bases & {access.base for at in loads for access in code.body[at].instruction.accesses}:
        return code.buffers
    return {**code.buffers, **dict.fromkeys(bases, frozenset({"stored to"}))}


def _crosses(reads: Sequence[set[Register]], writes: Sequence[set[Register]], register: Register) -> bool:
    """Tell whether a register is read before it is written, and is set anew in the iteration."""
    first = next((at for at in range(len(reads)) if register in reads[at] | writes[at]), None)
    if first is None or register not in reads[first]:
        return False
    return any(register in writes[at] and register not in reads[at] for at in range(first, len(reads)))
