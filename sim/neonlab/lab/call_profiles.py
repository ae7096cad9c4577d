"""Profile calls of kernels with arrays by argument name, again and again: each kernel has one machine for that."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.errors import InputError
from neonlab.host.closing import Closing
from neonlab.lab.caller import Caller
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.profile import CallProfiler, cold_buffers
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import COUNTS_ALONE, MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Array, CaseName
from neonlab.verify.memory.placement import place_measured
from neonlab.verify.verdict import Failure

#: Kernels whose machines are kept between calls.
_MOST_KEPT = 64


class CallProfiles(Closing):
    """Profile calls of kernels, one after another; the machine of a kernel is kept between its calls.

    A context manager; `close` frees the machines.
    """

    def __init__(self) -> None:
        self._caller = Caller(watched=False)
        self._profilers: OrderedDict[tuple[str, MemoryOptions], CallProfiler] = OrderedDict()

    def of(self, kernel: Kernel, memory: MemoryOptions, arguments: Mapping[str, Array | int]) -> Profile | Failure:
        """Return the profile of a call with these arguments, or its fault.  Raises InputError as a Caller does."""
        contract = kernel.contract
        passed, numbers, budget = self._caller.arguments(kernel, arguments)
        placed = place_measured(contract, passed)

        def call(machine: Machine) -> Run | Fault:
            return machine.call(
                contract.name, placed, contract.signature, float_abi=contract.float_abi, step_budget=budget
            )

        macs = contract.macs.evaluate(numbers) if contract.macs is not None else 0
        name = CaseName(Shape(tuple(numbers), tuple(numbers.values())), "random", 0)
        return self._profiler(kernel, memory).profile(call, name, macs)

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


def memory_in_a_network(kernel: Kernel, core: ModelledCore | None) -> MemoryOptions:
    """Return how calls between those of other layers find the caches of `core`: weights in none, all else warm.

    Without a core, instructions and bytes alone are counted.
    """
    if core is None:
        return COUNTS_ALONE
    try:
        cold_buffers(kernel)
    except InputError:
        return MemoryOptions(core, warm=True)
    return MemoryOptions(core, cold_weights=True)
