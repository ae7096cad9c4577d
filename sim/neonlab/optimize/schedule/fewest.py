"""Find the fewest cycles of a loop in a number of stages, by CP-SAT, and an order that takes them on the core's model.

Numbers of cycles are asked for one by one, from the fewest that ports and issue allow.  One without a schedule is below
every order; one for which the search ends before it knows leaves open whether there is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.schedule.limits import Limits, fewest_cycles
from neonlab.optimize.schedule.renaming import pool_of
from neonlab.optimize.schedule.stages import Life, StagedModel, in_registers, limits_renamed, lives_of, straightened
from neonlab.optimize.schedule.steady import Answer
from neonlab.optimize.schedule.values import values_of

_SEEDS = 3  # schedules of a number of cycles that are put into registers and costed at most
_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Fewest:
    """Hold what is known of the orders of a loop in `stages` stages, with its values in registers of their own.

    None takes fewer than `least` cycles each iteration, by the limits that every order meets.  `by_registers` says that
    one would, were there more registers.  `cycles` are those of the best order found, on the model of the core, and
    `body` its instructions; 0 and none where no schedule came to an order.
    """

    stages: int
    least: int
    by_registers: bool
    cycles: float
    body: tuple[str, ...]


def fewest_in_stages(
    code: LoopCode, core: PipelineCore, stages: int, most: float, work: float, seed: int = 1,
    go_on: Callable[[], bool] = lambda: True,
) -> Fewest | None:  # fmt: skip
    """Return the fewest cycles below `most`, with so much work for each number; None where no limits are known.

    `work` is CP-SAT's deterministic time, so the outcome depends on the arguments alone.
    """
    straight = straightened(code)
    limits = limits_renamed(straight, core)
    if limits is None or code.times != 1:
        return None
    values = values_of(straight)
    lives, room = lives_of(values), len(pool_of(straight, values))
    least = max(1, math.ceil(fewest_cycles(code, core) - _EPSILON))
    best, proved = 0.0, True
    body: tuple[str, ...] = ()
    for cycles in range(least, math.ceil(most - _EPSILON)):
        model = StagedModel(limits, cycles, stages, lives, room)
        answer, made = _ordered(straight, model, core, cycles, work, seed, go_on)
        proved = proved and answer is Answer.NONE
        least = cycles + 1 if proved else least
        if made is not None and (not best or made[0] < best):
            best, body = made
        if best and best <= cycles + _EPSILON:
            break
    return Fewest(stages, least, _more_would_do(limits, lives, least - 1, stages, work, seed, go_on), best, body)


def _ordered(
    code: LoopCode, model: StagedModel, core: PipelineCore, cycles: int, work: float, seed: int,
    go_on: Callable[[], bool],
) -> tuple[Answer, tuple[float, tuple[str, ...]] | None]:  # fmt: skip
    """Return whether there is a schedule, and the cycles and instructions of the cheapest order that came of some."""
    best: tuple[float, tuple[str, ...]] | None = None
    answer = Answer.OPEN
    for number in range(seed, seed + _SEEDS):
        found = model.staged(work, number, go_on)
        answer = found.answer if number == seed else answer
        made = in_registers(code, found.sequence, found.stages) if found.answer is Answer.FOUND else None
        if found.answer is not Answer.FOUND:
            break
        if made is not None:
            cost = steady_cycles(made.instructions, core)
            if best is None or cost < best[0]:
                best = cost, tuple(step.text for step in made.body)
            if cost <= cycles + _EPSILON:
                break
    return answer, best


def _more_would_do(
    limits: Limits, lives: Sequence[Life], cycles: int, stages: int, work: float, seed: int, go_on: Callable[[], bool]
) -> bool:
    """Tell whether there is a schedule of so many cycles without a limit on registers."""
    if cycles < 1:
        return False
    return StagedModel(limits, cycles, stages, lives, None).staged(work, seed, go_on).answer is Answer.FOUND
