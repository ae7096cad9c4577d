"""Choose the case at whose shape the ranges of lanes are analysed, by what the cases of a kernel execute.

The analysis follows one path, and a lane that is not on it is not judged.  So the case is taken that executes most of
the code, and of several the shortest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neonlab.verify.cases.case import CaseName
from neonlab.verify.coverage import Extent

#: Most bytes of code that a call may execute to be followed, and most where every case executes more.
_FOLLOWED, _FOLLOWED_AT_MOST = 32_000, 320_000


@dataclass(frozen=True, slots=True)
class Reach:
    """A case, and how much code its call executes."""

    name: CaseName
    extent: Extent

    @property
    def _rank(self) -> tuple[bool, int, int]:
        """The less, the better: code that is left out by a call that is short enough, else the length of the call."""
        long = self.extent.executed > _FOLLOWED
        return long, 0 if long else -self.extent.different, self.extent.executed


def furthest(cases: Iterable[Reach | None]) -> Reach | None:
    """Return the case to analyse ranges at, the first of equal ones; None where each takes too long."""
    short = [one for one in cases if one is not None and one.extent.executed <= _FOLLOWED_AT_MOST]
    return min(short, key=lambda one: one._rank, default=None)
