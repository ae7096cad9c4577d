"""Tell when the cycles of calls back to back have settled, and of how many calls the mean is to be taken."""

from __future__ import annotations

from collections.abc import Sequence

#: Warm calls: the least, those with equal cycles that end them, the most, and the cycles after which there are no more.
_CALLS_AT_LEAST, _SETTLED, _CALLS_AT_MOST, _CYCLES_AT_MOST = 24, 3, 64, 1 << 20
#: The least cycles: calls of a few cycles fill a window of instructions, and the queues at ports, only one by one.
_CYCLES_AT_LEAST = 2048
#: The most calls whose cycles differ in turn, over and over; of so many the mean is taken where none of them recur.
_IN_TURN = 8


class Settling:
    """The cycles of calls so far; with `calls`, each figure is that of so many calls together."""

    def __init__(self, calls: int = 0) -> None:
        self._calls, self._times, self._spent, self._over = calls, list[int](), 0, False
        together = max(1, calls)
        self._least = max(2, -(-_CALLS_AT_LEAST // together))
        self._most, self._fewest = max(self._least, _CALLS_AT_MOST // together), 0 if calls else _CYCLES_AT_LEAST

    def add(self, cycles: int) -> None:
        """Add the cycles of one more call."""
        self._times.append(cycles)
        self._spent += cycles
        settled = len(self._times) >= max(self._least, _SETTLED) and len(set(self._times[-_SETTLED:])) == 1
        enough = self._spent >= self._fewest or not self._spent  # 0 without a pipeline
        if self._spent >= _CYCLES_AT_MOST or (settled and enough):
            self._over = True

    @property
    def over(self) -> bool:
        """Tell whether there need be no more calls, but those of `turn`."""
        return self._over or (len(self._times) >= self._most and self._spent >= self._fewest)

    @property
    def turn(self) -> int:
        """Return of how many calls to come the mean is to be taken; 0 where the last call stands for all."""
        differ = len(set(self._times[-_SETTLED:])) > 1
        return _turn(self._times) if differ and self._spent < _CYCLES_AT_MOST and not self._calls else 0

    @property
    def last(self) -> int:
        """Return the cycles of the last call."""
        return self._times[-1]


def _turn(times: Sequence[int]) -> int:
    """Return after how many calls the cycles recur; _IN_TURN if they do not."""
    for turn in range(1, _IN_TURN):
        seen = times[-_SETTLED * turn :]
        if all(now == before for now, before in zip(seen[turn:], seen, strict=False)):
            return turn
    return _IN_TURN
