"""Cost one call of a kernel on a core, in this process or as a unit of work of another."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from neonlab.host.closing import Closing
from neonlab.lab.call_profiles import CallProfiles
from neonlab.lab.parallel.pool import KernelHandle
from neonlab.lab.parallel.unit import unit
from neonlab.lab.repository.library import Kernel
from neonlab.measure.options import MemoryOptions
from neonlab.network.graph import Array
from neonlab.network.run.cost import Cost
from neonlab.verify.verdict import Failure


class CallCosts(Closing):
    """Cost calls of kernels, one after another; the machine of a kernel is kept between its calls."""

    def __init__(self) -> None:
        self._profiles = CallProfiles()

    def of(self, kernel: Kernel, memory: MemoryOptions, arguments: Mapping[str, Array | int]) -> Cost | Failure:
        """Return what a call with these arguments costs, or its fault.  Raises InputError as a Caller does."""
        found = self._profiles.of(kernel, memory, arguments)
        if isinstance(found, Failure):
            return found
        counts, cycles = found.counts, found.cycles
        cost = Cost(counts.instructions, counts.loaded_bytes, counts.stored_bytes)
        if cycles is None:
            return cost
        bounds = cycles.bounds
        bound = max(bounds.ports, bounds.dispatch, bounds.dependencies, bounds.memory)
        floor = max(found.macs / cycles.peak, bounds.memory) if found.macs and cycles.peak else 0.0
        return cost + Cost(0, 0, 0, cycles.cycles, floor, bound, {bounds.largest: cycles.cycles})

    def close(self) -> None:
        """Free the machines."""
        self._profiles.close()


@functools.cache
def _costs() -> CallCosts:
    """Return those of this process, which units of work share."""
    return CallCosts()


@functools.cache
def _opened(handle: KernelHandle) -> Kernel:
    return handle.open()


@unit
def cost_of_call(handle: KernelHandle, memory: MemoryOptions, arguments: Mapping[str, Array | int]) -> Cost | Failure:
    """Return what a call costs, or its fault."""
    return _costs().of(_opened(handle), memory, arguments)
