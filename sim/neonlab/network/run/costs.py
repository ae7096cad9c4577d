"""Model what calls of kernels cost on a core, each kind of call once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neonlab.emulate.guest.buffer import distinct_buffers
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.errors import InputError
from neonlab.host.closing import Closing
from neonlab.lab.cache.results import Results
from neonlab.lab.caller import Caller
from neonlab.lab.function import FaultError
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.profile import CallProfiler, cold_buffers
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import COUNTS_ALONE, MemoryOptions
from neonlab.measure.shape import Shape
from neonlab.network.graph import Array
from neonlab.verify.cases.case import CaseName
from neonlab.verify.memory.placement import place_measured
from neonlab.verify.verdict import Failure


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls do and take: instructions and bytes exactly, cycles by the model of a core.

    `floor` are the cycles that their multiply-accumulates need at least on the core's multipliers, or their lines from
    memory, where that is more; 0 without multiply-accumulates.  `bound` are those of the largest lower bound of the
    model for the same instructions: ports, dispatch, dependencies or memory.  `limits` are the names of these bounds
    with the cycles of the calls that they limit.
    """

    instructions: int = 0
    loaded: int = 0
    stored: int = 0
    cycles: int = 0
    floor: float = 0.0
    bound: float = 0.0
    limits: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Cost) -> Cost:
        limits = dict(self.limits)
        for name, cycles in other.limits.items():
            limits[name] = limits.get(name, 0) + cycles
        return Cost(
            self.instructions + other.instructions,
            self.loaded + other.loaded,
            self.stored + other.stored,
            self.cycles + other.cycles,
            self.floor + other.floor,
            self.bound + other.bound,
            limits,
        )


class CostModel(Closing):
    """Cost calls of kernels on `core`, or without one their instructions alone.  Each shape of a call is run once.

    Weights are in no cache when a call begins, because the rest of the network ran in between; all else is warm.
    `results` keeps what was found: a call with the same data costs the same until the kernel or the lab changes.
    """

    #: The kind of what is kept.
    KIND = "cost"

    def __init__(self, core: ModelledCore | None, results: Results | None = None) -> None:
        self.core, self._results = core, results
        self._known: dict[tuple[str, tuple[int, ...]], Cost] = {}
        self._caller = Caller(watched=False)
        self._profilers: dict[str, CallProfiler] = {}

    def cost(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> Cost:
        """Return the cost of one call.  Raises FaultError where it faults."""
        passed, numbers, budget = self._caller.arguments(kernel, arguments)
        key = kernel.title, tuple(numbers.values())
        if key not in self._known:
            self._known[key] = self._kept(kernel, passed, numbers, budget)
        return self._known[key]

    def _kept(self, kernel: Kernel, passed: Sequence[Passed], numbers: Mapping[str, int], budget: int) -> Cost:
        if self._results is None:
            return self._measured(kernel, passed, numbers, budget)
        core = None if self.core is None else self.core.name
        asked = [self._results.question(self.KIND, kernel, core, list(numbers.values()), _hash_of(passed))]
        [found] = self._results.answers(asked, self.KIND)
        if not isinstance(found, Cost):
            since = time.monotonic()
            found = self._measured(kernel, passed, numbers, budget)
            self._results.keep(asked[0], found, time.monotonic() - since)
        return found

    def _measured(self, kernel: Kernel, passed: Sequence[Passed], numbers: Mapping[str, int], budget: int) -> Cost:
        contract = kernel.contract
        placed = place_measured(contract, passed)

        def call(machine: Machine) -> Run | Fault:
            return machine.call(
                contract.name, placed, contract.signature, float_abi=contract.float_abi, step_budget=budget
            )

        macs = contract.macs.evaluate(numbers) if contract.macs is not None else 0
        name = CaseName(Shape(tuple(numbers), tuple(numbers.values())), "random", 0)
        if kernel.title not in self._profilers:
            self._profilers[kernel.title] = CallProfiler(kernel, kernel_program(kernel), self._memory(kernel))
        found = self._profilers[kernel.title].profile(call, name, macs)
        if isinstance(found, Failure):
            assert found.fault is not None
            raise FaultError(found.fault)
        counts, cycles = found.counts, found.cycles
        cost = Cost(counts.instructions, counts.loaded_bytes, counts.stored_bytes)
        if cycles is None:
            return cost
        bounds = cycles.bounds
        bound = max(bounds.ports, bounds.dispatch, bounds.dependencies, bounds.memory)
        floor = max(macs / cycles.peak, bounds.memory) if macs and cycles.peak else 0.0
        return cost + Cost(0, 0, 0, cycles.cycles, floor, bound, {bounds.largest: cycles.cycles})

    def close(self) -> None:
        """Free the machines."""
        for profiler in self._profilers.values():
            profiler.close()
        self._profilers.clear()

    def _memory(self, kernel: Kernel) -> MemoryOptions:
        if self.core is None:
            return COUNTS_ALONE
        try:
            cold_buffers(kernel)
        except InputError:
            return MemoryOptions(self.core, warm=True)
        return MemoryOptions(self.core, cold_weights=True)


def _hash_of(passed: Sequence[Passed]) -> str:
    """Return a hash of the contents of buffers: what a kernel costs may depend on them."""
    digest = hashlib.blake2b(digest_size=16)
    for buffer in distinct_buffers(passed):
        digest.update(f"{buffer.name} {buffer.size} ".encode())
        digest.update(buffer.contents().tobytes())
    return digest.hexdigest()
