"""Cost one call of a kernel on a core, in this process or as a unit of work of another."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Mapping

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.host.closing import Closing
from neonlab.lab.caller import Caller
from neonlab.lab.parallel.pool import KernelHandle
from neonlab.lab.parallel.unit import unit
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.profile import CallProfiler
from neonlab.measure.options import MemoryOptions
from neonlab.measure.shape import Shape
from neonlab.network.graph import Array
from neonlab.network.run.cost import Cost
from neonlab.verify.cases.case import CaseName
from neonlab.verify.memory.placement import place_measured
from neonlab.verify.verdict import Failure

#: Kernels whose machines are kept between calls.
_MOST_KEPT = 64


class CallCosts(Closing):
    """Cost calls of kernels, one after another; the machine of a kernel is kept between its calls."""

    def __init__(self) -> None:
        self._caller = Caller(watched=False)
        self._profilers: OrderedDict[tuple[str, MemoryOptions], CallProfiler] = OrderedDict()

    def of(self, kernel: Kernel, memory: MemoryOptions, arguments: Mapping[str, Array | int]) -> Cost | Failure:
        """Return what a call with these arguments costs, or its fault.  Raises InputError as a Caller does."""
        contract = kernel.contract
        passed, numbers, budget = self._caller.arguments(kernel, arguments)
        placed = place_measured(contract, passed)

        def call(machine: Machine) -> Run | Fault:
            return machine.call(
                contract.name, placed, contract.signature, float_abi=contract.float_abi, step_budget=budget
            )

        macs = contract.macs.evaluate(numbers) if contract.macs is not None else 0
        name = CaseName(Shape(tuple(numbers), tuple(numbers.values())), "random", 0)
        found = self._profiler(kernel, memory).profile(call, name, macs)
        if isinstance(found, Failure):
            return found
        counts, cycles = found.counts, found.cycles
        cost = Cost(counts.instructions, counts.loaded_bytes, counts.stored_bytes)
        if cycles is None:
            return cost
        bounds = cycles.bounds
        bound = max(bounds.ports, bounds.dispatch, bounds.dependencies, bounds.memory)
        floor = max(macs / cycles.peak, bounds.memory) if macs and cycles.peak else 0.0
        return cost + Cost(0, 0, 0, cycles.cycles, floor, bound, {bounds.largest: cycles.cycles})

    def _profiler(self, kernel: Kernel, memory: MemoryOptions) -> CallProfiler:
        key = kernel.title, memory
        if key not in self._profilers:
            self._profilers[key] = CallProfiler(kernel, kernel_program(kernel), memory)
        self._profilers.move_to_end(key)
        while len(self._profilers) > _MOST_KEPT:
            self._profilers.popitem(last=False)[1].close()
        return self._profilers[key]

    def close(self) -> None:
        """Free the machines."""
        for profiler in self._profilers.values():
            profiler.close()
        self._profilers.clear()
        self._caller.close()


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
