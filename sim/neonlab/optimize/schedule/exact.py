"""Look for an order of a loop that takes fewer cycles than the best so far by CP-SAT, or show that there is none.

Numbers of cycles an iteration are asked for one by one: from the fewest that the loop can take up while there is no
schedule, which moves the bound, and then down from the best order so far while one comes of it.  What is found is taken
if it is a legal order, and takes fewer cycles on the model of the core.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.schedule.limits import fewest_cycles, limits_of
from neonlab.optimize.schedule.order import Order
from neonlab.optimize.schedule.search import Found
from neonlab.optimize.schedule.steady import Answer, Schedule, SteadyModel

#: Instructions of the longest loop that is tried: on a core with a queue of NEON instructions, where longer ones were
#: never finished, and on others.
_MOST_QUEUED, _MOST = 32, 240
_STEPS = 1000  # orders that take about as long as a unit of CP-SAT's deterministic time
_PART = 0.25  # of the work goes to one number of cycles at most
_SEEDS = 4  # schedules of a number of cycles that are judged at most
_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Exact:
    """Hold what CP-SAT says of a loop: a cheaper order, if it found one, and the steps that it took.

    No order that takes the same cycles in every iteration of the body takes fewer than `bound`; 0 if none is known.
    """

    found: Found | None = None
    bound: float = 0.0
    steps: int = 0
    costed: int = 0


def is_installed() -> bool:
    """Tell whether OR-tools is there."""
    return importlib.util.find_spec("ortools") is not None


def may_be_tried(code: LoopCode, core: PipelineCore) -> bool:
    """Tell whether a loop is small enough, and its core one that issues in order."""
    return core.in_order and len(code.body) <= (_MOST_QUEUED if core.queue else _MOST)


class ExactSearch:
    """Searches orders of one loop, whose `order` is legal and takes `cycles` for the body as `cost` returns them."""

    def __init__(
        self, code: LoopCode, core: PipelineCore, order: Order, cycles: float,
        cost: Callable[[Sequence[int]], float], seed: int,
    ) -> None:  # fmt: skip
        self._order, self._cost, self._seed = order, cost, seed
        self._limits = limits_of(code, core)
        self._least = math.ceil(fewest_cycles(code, core) * code.times - _EPSILON)
        self._best, self._costed = cycles, 0
        self._found: Found | None = None

    def run(self, steps: int, advance: Callable[[int, float], bool]) -> Exact:
        """Search for so many steps' time; `advance` is told of them and of the best cycles, and may end the search."""
        if self._limits is None:
            return Exact()
        self._left, self._stopped = steps / _STEPS, False
        low = max(self._least, 1)
        while low < self._best - _EPSILON and self._asked(low, self._left * _PART, advance) is Answer.NONE:
            low += 1
        while low <= (at := math.ceil(self._best - _EPSILON) - 1):
            answer = self._asked(at, self._left / 2 if at > low else self._left, advance)
            if answer is Answer.NONE and at == low:
                low += 1
            if math.ceil(self._best - _EPSILON) > at:  # no cheaper order came of it
                break
        used = round((steps / _STEPS - max(self._left, 0.0)) * _STEPS)
        advance(used, self._best)
        return Exact(self._found, float(low), used, self._costed)

    def _asked(self, cycles: int, part: float, advance: Callable[[int, float], bool]) -> Answer:
        """Ask for a schedule of so many cycles, with a part of the work, and take its order if it is cheaper."""
        if self._limits is None or self._stopped or self._left <= 0:
            return Answer.OPEN

        def go_on() -> bool:
            self._stopped = self._stopped or not advance(0, self._best)
            return not self._stopped

        model = SteadyModel(self._limits, sorted(self._order.control), cycles)
        for seed in range(self._seed, self._seed + _SEEDS):
            schedule = model.solve(min(part, self._left), seed, go_on)
            self._left -= schedule.work
            if schedule.answer is not Answer.FOUND or self.take(schedule) or self._left <= 0:
                break  # else another schedule may be one of the model's too
        return schedule.answer

    def take(self, schedule: Schedule) -> bool:
        """Take a schedule's order if it is legal and cheaper on the model of the core; tell whether it was."""
        order = self._order
        before, ahead = list(order.sequence), order.ahead
        order.put(schedule.sequence, schedule.ahead)
        if order.is_legal:
            self._costed += 1
            cycles = self._cost(schedule.sequence)
            if cycles < self._best - _EPSILON:
                self._best, self._found = cycles, Found(cycles, schedule.sequence, schedule.ahead)
                return True
        order.put(before, ahead)
        return False
