"""Choose how many units of work a worker of a cluster gets at once: short ones of a kernel go together.

A message takes the scheduler and the command longer than a short unit takes a worker.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from neonlab.lab.cluster.turns import Turns

#: Seconds that units sent together may take, and the most of them.
BUNDLE_SECONDS, BUNDLE_MOST = 1.0, 64
#: So many bundles for each worker are cut from what is left, so that all workers end together.
_PARTS = 2


@dataclass(slots=True)
class _Spent:
    """The seconds of the units of a kernel that have ended."""

    seconds: float = 0.0
    units: int = 0


@dataclass(slots=True)
class Bundles:
    """The units that are left, in turns.

    `kernels` has the kernel of each unit, and `seconds` how long each took before.  Where that is None, the mean of the
    units of its kernel that have ended is taken; until one has, units go alone.  `workers` counts the workers.
    """

    turns: Turns
    kernels: Sequence[Hashable]
    seconds: Sequence[float | None]
    workers: Callable[[], int]
    _spent: dict[Hashable, _Spent] = field(default_factory=dict)
    _alone: set[int] = field(default_factory=set)
    _suspects: deque[int] = field(default_factory=deque)

    @property
    def left(self) -> int:
        """Return how many units are left."""
        return self.turns.left + len(self._suspects)

    @property
    def is_alone(self) -> bool:
        """Tell whether the next unit must be the only one that runs anywhere: its end then is its own doing."""
        return not self.turns.left

    def take(self, prepared: Hashable | None = None) -> list[int]:
        """Return the next units, of one kernel, for a worker that has prepared for one.  There must be one left."""
        if not self.turns.left:
            return [self._suspects.popleft()]
        found = [self.turns.take(prepared)]
        kernel = self.kernels[found[0]]
        most = min(BUNDLE_MOST, self.turns.left // (_PARTS * max(1, self.workers())))
        whole = self._expected(found[0])
        while whole is not None and len(found) < most:
            following = self.turns.following(kernel)
            after = None if following is None else self._expected(following)
            if after is None or whole + after > BUNDLE_SECONDS:
                break
            found.append(self.turns.take(kernel))
            whole += after
        return found

    def ended(self, unit: int, seconds: float | None) -> None:
        """Note that a unit has its result, and how long it took, if it did not die."""
        self._end_turn(unit)
        if seconds is not None:
            spent = self._spent.setdefault(self.kernels[unit], _Spent())
            spent.seconds += seconds
            spent.units += 1

    def put_back(self, units: Iterable[int]) -> None:
        """Put back units whose results were lost."""
        for unit in units:
            self._end_turn(unit)
            if unit in self._alone:
                self._suspects.append(unit)
            else:
                self.turns.put_back(unit)

    def suspect(self, units: Sequence[int]) -> bool:
        """Put back units whose workers ended, which others there may have done: each runs alone when all others ended.

        Return False for a unit that ran alone: it is what ended them.
        """
        if set(units) <= self._alone:
            return False
        for unit in units:
            self.turns.ended(unit)
        self._alone.update(units)
        self._suspects.extend(units)
        return True

    def _end_turn(self, unit: int) -> None:
        if unit not in self._alone:
            self.turns.ended(unit)

    def _expected(self, unit: int) -> float | None:
        """Return how long a unit will take; None where that is not known."""
        known = self.seconds[unit]
        if known is not None:
            return known
        spent = self._spent.get(self.kernels[unit])
        return None if spent is None else spent.seconds / spent.units
