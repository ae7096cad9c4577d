"""Search for a cheap order of a loop: moves of single instructions, tried on the core's model, by simulated annealing.

A move that costs no more is kept.  One that costs more is kept by a chance that falls as the search goes on.  The
result depends on the seed and the number of steps alone.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neonlab.optimize.schedule.order import Order

_HOT, _COLD = 1.0, 0.05  # parts of the cycles that a step may cost more, as a temperature, of _SCALE
_SCALE = 0.015  # of the loop's cycles
_NEAR = 12  # places that most moves go
_AHEAD = 0.25  # of the moves try the other stage
_FAR = 0.3  # of the moves go to any place
_EPSILON = 1e-9
_LOOKS = 64  # steps between two calls that say how far the search is


@dataclass(frozen=True, slots=True)
class Found:
    """The cheapest order of a search: its cycles an iteration, and which instructions run an iteration ahead."""

    cycles: float
    sequence: tuple[int, ...]
    ahead: tuple[int, ...]

    @property
    def straight(self) -> tuple[int, ...]:
        """Return the order of one iteration by itself: what runs ahead, then the rest."""
        first = frozenset(self.ahead)
        return (*self.ahead, *(one for one in self.sequence if one not in first))


class Search:
    """Searches orders of one loop from where `order` stands; `cost` returns the cycles of a sequence."""

    def __init__(self, order: Order, cost: Callable[[Sequence[int]], float], bound: float, seed: int) -> None:
        self._order, self._cost, self._bound = order, cost, bound
        self._random = random.Random(seed)
        self.now = cost(order.sequence)
        self.best = self._found(self.now)

    def run(self, steps: int, advance: Callable[[int, float], bool]) -> Found:
        """Try so many moves; `advance` is told how many were made and the best cycles, and may end the search."""
        scale = _SCALE * self.best.cycles
        made = told = 0
        while made < steps and self.best.cycles > self._bound + _EPSILON:
            self._try(scale * _HOT * (_COLD / _HOT) ** (made / steps))
            made += 1
            if made - told == _LOOKS:
                told = made
                if not advance(_LOOKS, self.best.cycles):
                    break
        if made > told:
            advance(made - told, self.best.cycles)
        self._order.put(self.best.sequence, self.best.ahead)
        self.now = self.best.cycles
        return self.best

    def _try(self, heat: float) -> None:
        order, chance = self._order, self._random
        one = chance.randrange(len(order.sequence))
        moves = self._moves(one)
        if not moves:
            return
        undone = [order.move(*move) for move in moves]
        cycles = self._cost(order.sequence)
        worse = cycles - self.now
        if worse <= _EPSILON or chance.random() < math.exp(-worse / heat):
            self.now = cycles
            if cycles < self.best.cycles - _EPSILON and order.is_whole:
                self.best = self._found(cycles)
            return
        for move in reversed(undone):
            order.move(*move)

    def _moves(self, one: int) -> list[tuple[int, int, int]]:
        """Return the move of an instruction to a place and stage drawn at random; none where it cannot be moved."""
        order, chance = self._order, self._random
        stage = order.stage[one]
        if chance.random() < _AHEAD:
            stage = 1 - stage
        if not self._may(one, stage):
            return []
        low, high = order.room(one, stage)
        here = order.place[one]
        if chance.random() >= _FAR and stage == order.stage[one]:
            low, high = max(low, here - _NEAR), min(high, here + _NEAR)
        if low > high or (low == high == here and stage == order.stage[one]):
            return []
        return [(one, chance.randint(low, high), stage)]

    def _may(self, one: int, stage: int) -> bool:
        """Tell whether an instruction may change to a stage: what decides about the next iteration runs ahead first."""
        order = self._order
        if stage == order.stage[one]:
            return True
        if stage == 0:
            return one in order.control or all(order.stage[other] == 0 for other in order.control)
        if one not in order.control:
            return True
        return all(order.stage[other] == 1 for other in range(len(order.stage)) if other not in order.control)

    def _found(self, cycles: float) -> Found:
        return Found(cycles, tuple(self._order.sequence), tuple(self._order.ahead))
