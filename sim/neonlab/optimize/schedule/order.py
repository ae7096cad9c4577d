"""Hold an order of a loop's instructions in which some run an iteration ahead, and say where each may stand.

In a software-pipelined loop, an instruction of stage 0 belongs to the next iteration already: it runs while those of
stage 1 finish this one.  An edge from one instruction to another of the iteration `distance` later is kept if the
second stands behind the first, or runs in a later round of the loop anyhow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neonlab.optimize.loop.dependence import Edge


class Order:
    """A legal order, which is changed by moving one instruction at a time.

    `sequence` has the instructions by place, `stage` is 0 for each that runs an iteration ahead.  Where `control` is
    not empty, instructions run ahead only if all in it do: they decide whether there is another iteration.
    """

    def __init__(self, count: int, edges: Iterable[Edge], control: Iterable[int]) -> None:
        self.sequence = list(range(count))
        self.place = list(range(count))
        self.stage = [1] * count
        self.control = frozenset(control)
        self._before: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self._behind: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for edge in edges:
            if edge.earlier != edge.later:
                self._before[edge.later].append((edge.earlier, edge.distance))
                self._behind[edge.earlier].append((edge.later, edge.distance))

    @property
    def ahead(self) -> list[int]:
        """Return the instructions that run an iteration ahead, in order."""
        return [one for one in self.sequence if self.stage[one] == 0]

    def room(self, one: int, stage: int) -> tuple[int, int]:
        """Return the first and last place where an instruction may stand in a stage; none if the first is greater.

        Places are those after it has been taken out.
        """
        low, high = 0, len(self.sequence) - 1
        here = self.place[one]
        for other, distance in self._before[one]:
            apart = distance + stage - self.stage[other]
            if apart < 0:
                return 1, 0
            if apart == 0:
                at = self.place[other]
                low = max(low, at + 1 if at < here else at)
        for other, distance in self._behind[one]:
            apart = distance + self.stage[other] - stage
            if apart < 0:
                return 1, 0
            if apart == 0:
                at = self.place[other]
                high = min(high, at if at < here else at - 1)
        return low, high

    def move(self, one: int, place: int, stage: int) -> tuple[int, int, int]:
        """Move an instruction; return what moves it back."""
        here, was = self.place[one], self.stage[one]
        self.sequence.pop(here)
        self.sequence.insert(place, one)
        for at in range(min(here, place), max(here, place) + 1):
            self.place[self.sequence[at]] = at
        self.stage[one] = stage
        return one, here, was

    def put(self, sequence: Sequence[int], ahead: Iterable[int] = ()) -> None:
        """Take another order as it is, which must be legal."""
        self.sequence = list(sequence)
        for at, one in enumerate(self.sequence):
            self.place[one] = at
        first = frozenset(ahead)
        self.stage = [0 if one in first else 1 for one in range(len(self.sequence))]

    @property
    def is_legal(self) -> bool:
        """Tell whether every edge is kept, and whether the order is whole."""
        for later, earlier in enumerate(self._before):
            for other, distance in earlier:
                apart = distance + self.stage[later] - self.stage[other]
                if apart < 0 or (apart == 0 and self.place[other] > self.place[later]):
                    return False
        return self.is_whole

    @property
    def is_whole(self) -> bool:
        """Tell whether what decides about another iteration runs ahead, if anything does."""
        return 0 not in self.stage or all(self.stage[one] == 0 for one in self.control)
