"""Model what calls of kernels cost on a core, each kind of call once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.errors import InputError
from neonlab.lab.caller import Caller
from neonlab.lab.function import FaultError
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.profile import cold_buffers, profile_call
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


class CostModel:
    """Cost calls of kernels on `core`, or without one their instructions alone.  Each shape of a call is run once.

    Weights are in no cache when a call begins, because the rest of the network ran in between; all else is warm.
    """

    def __init__(self, core: ModelledCore | None) -> None:
        self.core = core
        self._known: dict[tuple[str, tuple[int, ...]], Cost] = {}
        self._caller = Caller(watched=False)

    def cost(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> Cost:
        """Return the cost of one call.  Raises FaultError where it faults."""
        passed, numbers, budget = self._caller.arguments(kernel, arguments)
        key = kernel.title, tuple(numbers.values())
        if key not in self._known:
            contract = kernel.contract
            placed = place_measured(contract, passed)

            def call(machine: Machine) -> Run | Fault:
                return machine.call(
                    contract.name, placed, contract.signature, float_abi=contract.float_abi, step_budget=budget
                )

            macs = contract.macs.evaluate(numbers) if contract.macs is not None else 0
            name = CaseName(Shape(tuple(numbers), tuple(numbers.values())), "random", 0)
            memory = self._memory(kernel)
            found = profile_call(kernel, kernel_program(kernel), call, name, macs=macs, memory=memory)
            if isinstance(found, Failure):
                assert found.fault is not None
                raise FaultError(found.fault)
            counts, cycles = found.counts, found.cycles
            cost = Cost(counts.instructions, counts.loaded_bytes, counts.stored_bytes)
            if cycles is not None:
                bounds = cycles.bounds
                bound = max(bounds.ports, bounds.dispatch, bounds.dependencies, bounds.memory)
                floor = max(macs / cycles.peak, bounds.memory) if macs and cycles.peak else 0.0
                cost += Cost(0, 0, 0, cycles.cycles, floor, bound, {bounds.largest: cycles.cycles})
            self._known[key] = cost
        return self._known[key]

    def _memory(self, kernel: Kernel) -> MemoryOptions:
        if self.core is None:
            return COUNTS_ALONE
        try:
            cold_buffers(kernel)
        except InputError:
            return MemoryOptions(self.core, warm=True)
        return MemoryOptions(self.core, cold_weights=True)
