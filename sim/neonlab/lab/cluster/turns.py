"""Choose which unit of work a worker of a cluster gets next: one of the kernel that it has prepared, where one is left.

To prepare for a kernel takes as long as some mutants of it, so workers keep to their kernels; those without one help at
the kernel with most work left for each of its workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Kernel:
    """The units of a kernel that are left, their weight, and how many of its units run."""

    left: deque[int] = field(default_factory=deque)
    weight: float = 0.0
    running: int = 0


class Turns:
    """The units that are left, by kernel.

    `kernels` has the kernel of each unit, and `seconds` how long each took before, None where that is not known; such a
    unit counts as much as the mean of the others.
    """

    def __init__(self, kernels: Sequence[Hashable], seconds: Sequence[float | None]) -> None:
        known = [one for one in seconds if one is not None]
        mean = (sum(known) / len(known) if known else 0.0) or 1.0
        self._kernel_of = kernels
        self._weights = [mean if one is None else max(one, 1e-6) for one in seconds]
        self._kernels: dict[Hashable, _Kernel] = {kernel: _Kernel() for kernel in kernels}
        for unit in sorted(range(len(kernels)), key=lambda one: (-self._weights[one], one)):
            self._add(unit)
        self.left = len(kernels)

    def take(self, prepared: Hashable | None = None) -> int:
        """Return the next unit, for a worker that has prepared for a kernel.  There must be one left."""
        one = self._kernels.get(prepared)
        if one is None or not one.left:
            one = max((k for k in self._kernels.values() if k.left), key=lambda k: k.weight / (k.running + 1))
        unit = one.left.popleft()
        one.weight -= self._weights[unit]
        one.running += 1
        self.left -= 1
        return unit

    def following(self, kernel: Hashable) -> int | None:
        """Return what `take` would return to a worker that has prepared for this kernel; None if none of it is left."""
        left = self._kernels[kernel].left
        return left[0] if left else None

    def ended(self, unit: int) -> None:
        """Note that a unit that was taken runs no more."""
        self._kernels[self._kernel_of[unit]].running -= 1

    def put_back(self, unit: int) -> None:
        """Put back a unit that ended without a result."""
        self._add(unit)
        self.left += 1

    def _add(self, unit: int) -> None:
        one = self._kernels[self._kernel_of[unit]]
        one.left.append(unit)
        one.weight += self._weights[unit]
