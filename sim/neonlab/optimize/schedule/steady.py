"""Search with CP-SAT, of OR-tools, for an order of a loop that takes a given number of cycles in every iteration.

The search is a modulo schedule in two stages: the cycle of each instruction within an iteration, whether it runs one
ahead, and where there is a queue, when its work begins.  Its conditions are `Limits`, which every order meets that the
core's model runs so.  Where they leave no schedule, no order takes so many cycles each iteration.  Where they leave
one, its order is to be judged on the model, which has more conditions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

from neonlab.optimize.schedule.limits import Limit, Limits, Taken, Wait

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_POLL = 0.2  # seconds between two questions whether to go on


class Answer(Enum):
    """Say whether there are schedules of so many cycles; OPEN where the search ended before it knew."""

    FOUND = auto()
    NONE = auto()
    OPEN = auto()


@dataclass(frozen=True, slots=True)
class Schedule:
    """Hold the answer of a search, an order if there is one, and what the search took of its work."""

    answer: Answer
    sequence: tuple[int, ...] = ()
    ahead: tuple[int, ...] = ()
    work: float = 0.0


class SteadyModel:
    """The CP-SAT model of schedules of a loop of `cycles` cycles an iteration.

    `starts` are the cycles of issue, `works` those in which work begins, counted from the first of an iteration, and
    `late` says of each instruction that it does not run ahead.  The branch is the last instruction.
    """

    def __init__(self, limits: Limits, control: Sequence[int], cycles: int) -> None:
        from ortools.sat.python import cp_model

        self._limits, self._cycles = limits, cycles
        self.model: Any = cp_model.CpModel()
        rounds = -(-limits.queue // max(1, len(limits.queued)))
        #: So many NEON instructions later, one is issued that waits until this one has begun.
        self._reach = cycles * rounds
        self.starts = [self._cycle(cycles - 1) for _ in range(limits.count)]
        self.late = [self._stage() for _ in range(limits.count)]
        self.works = [
            self._cycle(cycles - 1 + self._reach) if at in limits.queued else start
            for at, start in enumerate(self.starts)
        ]
        self.starts.append(self.model.new_constant(cycles - 1))
        self.works.append(self.starts[-1])
        self._order(control)
        for wait in limits.waits:
            self._wait(wait)
        for limit in limits.limits:
            self._limit(limit)
        if limits.queued:
            self._queue()

    def solve(self, work: float, seed: int, go_on: Callable[[], bool]) -> Schedule:
        """Search for a schedule, with so much work at most; `go_on` is asked again and again, and may end it.

        The outcome depends on the model, the work and the seed alone, unless the search is ended.
        """
        answer, starts, late, used = self.solved(work, seed, go_on)
        if answer is not Answer.FOUND:
            return Schedule(answer, work=used)
        sequence = issued_in_turn(self._limits, starts, late)
        return Schedule(answer, sequence, tuple(one for one in sequence if not late[one]), used)

    def solved(
        self, work: float, seed: int, go_on: Callable[[], bool]
    ) -> tuple[Answer, list[int], list[int], float]:  # fmt: skip
        """Return the answer, the cycles of issue and the stages, empty where there are none, and the work it took."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.interleave_search = True
        solver.parameters.random_seed = seed
        solver.parameters.max_deterministic_time = work
        solver.parameters.catch_sigint_signal = False
        status = _while_asked(solver, self.model, go_on)
        used = float(solver.response_proto.deterministic_time)
        if status == cp_model.INFEASIBLE:
            return Answer.NONE, [], [], used
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer.OPEN, [], [], used
        found = [[int(solver.value(one)) for one in several] for several in (self.starts, self.late)]
        return Answer.FOUND, found[0], found[1], used

    def _stage(self) -> Any:
        return self.model.new_bool_var("")

    def _cycle(self, last: int) -> Any:
        return self.model.new_int_var(0, last, "")

    def _order(self, control: Sequence[int]) -> None:
        """Keep the order of what depends on each other, where both run in the same round of the loop."""
        for edge in self._limits.edges:
            one, other = edge.earlier, edge.later
            if one == other:
                continue
            if edge.distance == 0:
                self.model.add_implication(self.late[one], self.late[other])
            self._apart(one, other, edge.distance, self.starts[other] >= self.starts[one])
        for one in control:  # what decides about the next iteration runs ahead if anything does
            for other in range(self._limits.count):
                if other != one:
                    self.model.add_implication(self.late[one], self.late[other])

    def _apart(self, one: int, other: int, distance: int, kept: Any) -> None:
        """Demand `kept` where both instructions run in the same round, the second `distance` iterations later."""
        if distance:
            self.model.add(kept).only_enforce_if(self.late[one], ~self.late[other])
        else:
            self.model.add(kept).only_enforce_if(self.late[one])
            self.model.add(kept).only_enforce_if(~self.late[other])

    def _wait(self, wait: Wait) -> None:
        """Let an instruction wait for another, in the same round of the loop or the next."""
        one, other = wait.earlier, wait.later
        before = (self.works if wait.from_work else self.starts)[one] + wait.cycles
        behind = (self.works if wait.to_work else self.starts)[other]
        if other == self._limits.count:  # the branch reads what this round wrote
            self.model.add(behind >= before)
            return
        if one != other:
            self._apart(one, other, wait.distance, behind >= before)
        self.model.add(behind + self._cycles >= before)

    def _limit(self, limit: Limit) -> None:
        """Keep what is taken in each cycle within its limit, with what instructions of earlier rounds still take."""
        intervals, amounts = [], []
        for one in limit.taken:
            begin = (self.works if one.of_work else self.starts)[one.at]
            for back in range(self._rounds(one)):
                start = begin + (one.after - back * self._cycles)
                intervals.append(self.model.new_fixed_size_interval_var(start, one.cycles, ""))
                amounts.append(one.amount)
        if sum(amounts) > limit.most:
            self.model.add_cumulative(intervals, amounts, limit.most)

    def _rounds(self, one: Taken) -> int:
        """Return in how many rounds of the loop an instruction may take something."""
        end = self._cycles - 1 + one.after + one.cycles + (self._reach if one.of_work else 0)
        return -(-end // self._cycles)

    def _queue(self) -> None:
        """Let NEON instructions wait in their queue, and begin in turn, and loads wait until they have."""
        model, queued = self.model, sorted(self._limits.queued)
        waiting, intervals = [], []
        for at in queued:
            start, work = self.starts[at], self.works[at]
            length = self._cycle(self._reach)
            model.add(length == work - start)
            for back in range(self._reach // self._cycles + 1):
                shift = back * self._cycles
                intervals.append(model.new_interval_var(start - shift, length, work - shift, ""))
            if self._limits.behind:
                begun, behind = self._cycle(self._cycles + self._reach), self._cycle(self._cycles + self._reach)
                model.add_max_equality(begun, [work, start + 1])
                model.add(behind == begun - start - 1)
                waiting.append(model.new_interval_var(start + 1, behind, begun, ""))
        model.add_cumulative(intervals, [1] * len(intervals), self._limits.queue)
        loads = [
            model.new_fixed_size_interval_var(self.starts[at] + shift, 1, "")
            for at in sorted(self._limits.behind)
            for shift in (0, self._cycles)
        ]
        if loads:  # where one begins, nothing waits
            most = len(queued)
            model.add_cumulative([*waiting, *loads], [1] * len(waiting) + [most] * len(loads), most)
        for place, one in enumerate(queued):
            for other in queued[place + 1 :]:
                first = model.new_bool_var("")
                for times in (self.starts, self.works):
                    model.add(times[one] <= times[other]).only_enforce_if(first)
                    model.add(times[other] <= times[one]).only_enforce_if(~first)
        last, begin = self._cycle(self._cycles + self._reach), self._cycle(self._cycles + self._reach)
        model.add_max_equality(last, [self.works[at] for at in queued])
        model.add_min_equality(begin, [self.works[at] for at in queued])
        model.add(last - begin <= self._cycles)


def _while_asked(solver: cp_model.CpSolver, model: Any, go_on: Callable[[], bool]) -> Any:
    """Solve in a thread of its own, so that this one sees Ctrl-C and can end it; return the status."""
    statuses: list[Any] = []
    thread = threading.Thread(target=lambda: statuses.append(solver.solve(model)), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_POLL)
            if thread.is_alive() and not go_on():
                solver.stop_search()
    finally:
        while thread.is_alive():
            solver.stop_search()
            thread.join(_POLL)
    return statuses[0]


def issued_in_turn(limits: Limits, starts: Sequence[int], late: Sequence[int]) -> tuple[int, ...]:
    """Return the instructions by the cycles in which they are issued, and as they depend on each other."""
    before: dict[int, set[int]] = {at: set() for at in range(limits.count)}
    for edge in limits.edges:
        if edge.earlier != edge.later and edge.distance + late[edge.later] == late[edge.earlier]:
            before[edge.later].add(edge.earlier)
    first = limits.first
    sorter = TopologicalSorter(before)
    sorter.prepare()
    ready, order = list(sorter.get_ready()), []
    while ready:
        one = min(ready, key=lambda at: (starts[at], at not in first, late[at], at))
        ready.remove(one)
        order.append(one)
        sorter.done(one)
        ready += sorter.get_ready()
    return tuple(order)
