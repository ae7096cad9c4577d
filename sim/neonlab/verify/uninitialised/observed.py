"""Run one call on watched machines: its setting, the addresses of everything, and its observable effects."""

from __future__ import annotations

import contextlib
import enum
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.address_space import HOME, PAGE, AddressSpace, code_elsewhere, elsewhere
from neonlab.emulate.guest.buffer import Buffer, changed_buffers, distinct_buffers
from neonlab.emulate.guest.noise import Noise
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.last_writer import LastWriterProbe
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.machine import Machine
from neonlab.emulate.probe import Probe
from neonlab.emulate.run import Fault, Run
from neonlab.emulate.trace import Trace, TraceProbe
from neonlab.errors import InputError
from neonlab.verify.abi.lost_return import lost_return
from neonlab.verify.abi.obligations import clause_of
from neonlab.verify.cases.call_arguments import known_integers
from neonlab.verify.memory.placement import place_arguments
from neonlab.verify.memory.sanitizer import SanitizerProbe, stack_bytes_for


class ObservedPart(enum.Enum):
    """A thing that may lie elsewhere; the value is text that follows "when" in a sentence."""

    STACK = "the stack is at another address"
    CALLER = "the caller is at another address"
    THREAD = "another thread makes the call"
    CODE = "the kernel's code is at another address"
    ORDER = "the buffers are in another order, at other distances"
    ALIGNMENT = "the buffers are at other addresses modulo 4096"
    SIGNING = "the CPU signs pointers"


#: Displacement of moved code from the start of its page, so that its low bits change as far as alignment allows.
_DISPLACEMENT = 0xA54


@dataclass(frozen=True, eq=False)
class Observed:
    """The effects of one call that must not depend on uninitialised data.

    `outputs` holds the bytes that the contract says are written, `before` their contents when the call began.
    `returned` is the returned value; for a pointer into a buffer it is the buffer and the offset.
    """

    outcome: Run | Fault
    returned: str
    fault: Fault | None
    outputs: dict[str, npt.NDArray[np.uint8]]
    before: dict[str, npt.NDArray[np.uint8]]
    path: tuple[int, bytes]  # hash of all accesses in order, and the executions of each instruction
    steps: int

    def differs_in_result(self, other: Observed) -> bool:
        """Tell whether the fault, the returned value or a written output byte differs."""
        if (self.fault is None) != (other.fault is None):
            return True
        if self.fault is not None and other.fault is not None:
            return (self.fault.kind, self.fault.address) != (other.fault.kind, other.fault.address)
        if self.returned != other.returned:
            return True
        return any(self.changed(other, name).any() for name in self.outputs)

    def changed(self, other: Observed, name: str) -> npt.NDArray[np.bool_]:
        """Return a mask of the bytes of an output that differ, without those that both calls left unchanged."""
        ours, theirs = self.outputs[name], other.outputs[name]
        untouched = (ours == self.before[name]) & (theirs == other.before[name])
        changed: npt.NDArray[np.bool_] = (ours != theirs) & ~untouched
        return changed

    def untouched(self, other: Observed) -> dict[str, npt.NDArray[np.int64]]:
        """Return the offsets of output bytes that differ as before the calls: unwritten, or written unchanged."""
        found = {}
        for name, ours in self.outputs.items():
            theirs = other.outputs[name]
            same = (ours == self.before[name]) & (theirs == other.before[name]) & (ours != theirs)
            if same.any():
                found[name] = np.flatnonzero(same)
        return found


@dataclass(frozen=True, eq=False)
class Setting:
    """Everything that a call is given: the arguments, and the contents of what no caller sets."""

    passed: tuple[Passed, ...]
    noise: Noise
    contract: Contract
    moved: frozenset[ObservedPart] = frozenset()  # parts at other addresses
    after: Setting | None = None  # the kernel's own data keeps the contents that this call left
    #: Selects the arrangement of what is moved; of `place_arguments` if ALIGNMENT is, else buffers are aligned to 64.
    turn: int = 1

    @functools.cached_property
    def arguments(self) -> Sequence[Passed]:
        """Return the arguments with their buffers placed."""
        if ObservedPart.ALIGNMENT in self.moved:
            return place_arguments(self.contract, self.passed, self.turn, among=PAGE)

        def place(buffer: Buffer) -> Buffer:
            argument = self.contract.by_name.get(buffer.name)
            if argument is None:
                return buffer
            return buffer.at(max(64, argument.align), 0, argument.under_read, argument.over_read)

        return changed_buffers(self.passed, place)


def integers_in(contract: Contract, arguments: Sequence[Passed]) -> dict[str, int]:
    """Return the integers that sizes depend on, by name."""
    return known_integers(contract, arguments)


def _written(
    contract: Contract, arguments: Sequence[Passed], of: Mapping[str, npt.NDArray[Any]]
) -> dict[str, npt.NDArray[np.uint8]]:
    """Return the bytes of each output, by name; gaps between rows are zero."""
    integers, found = integers_in(contract, arguments), {}
    for value in distinct_buffers(arguments):
        argument = contract.by_name.get(value.name)
        if argument is not None and argument.write is not None and value.name in of:
            held = np.ascontiguousarray(of[value.name]).reshape(-1).view(np.uint8)
            block = argument.block(integers)
            if isinstance(block.written, slice):
                found[value.name] = held[block.written]
            else:
                found[value.name] = np.where(block.written_mask(), held, np.uint8(0))
    return found


class World:
    """One kernel on a watched machine, with the parts `moved` elsewhere; each call's Setting places the buffers.

    `turn` selects one of the other arrangements.
    """

    def __init__(
        self, program: Program, contract: Contract, moved: frozenset[ObservedPart] = frozenset(), turn: int = 0
    ) -> None:
        other = elsewhere(program.isa, turn)
        buffers = other if ObservedPart.ORDER in moved else HOME
        self.space = AddressSpace(
            other.stack_top if ObservedPart.STACK in moved else HOME.stack_top,
            other.return_address if ObservedPart.CALLER in moved else HOME.return_address,
            buffers.reverse,
            buffers.buffers_after,
            other.thread_pointer if ObservedPart.THREAD in moved else HOME.thread_pointer,
            buffers.boundary,
            buffers.scatters,
            ObservedPart.SIGNING in moved and other.signs,
        )
        self.program = _linked_elsewhere(program) if ObservedPart.CODE in moved else program
        self.contract = contract
        self._stack_bytes = stack_bytes_for(contract)
        self._meter = BlockMeter(self.program)
        self._memory = SanitizerProbe(self.program, contract, space=self.space)
        self._machine = self._on(self._meter, self._memory)

    def _on(self, *probes: Probe) -> Machine:
        return Machine(self.program, probes=probes, stack_bytes=self._stack_bytes, space=self.space)

    def _call(self, machine: Machine, setting: Setting, seed: int, step_budget: int) -> Run | Fault:
        return machine.call(
            self.contract.name,
            setting.arguments,
            self.contract.signature,
            float_abi=self.contract.float_abi,
            step_budget=step_budget,
            seed=seed,
            noise=setting.noise,
            keep_data=setting.after is not None,
        )

    def _call_before(self, machine: Machine, setting: Setting, seed: int, step_budget: int) -> None:
        """Make the calls that come before one, the earliest first."""
        if setting.after is not None:
            self._call_before(machine, setting.after, seed, step_budget)
            self._call(machine, setting.after, seed, step_budget)

    def observed(self, setting: Setting, seed: int, step_budget: int) -> Observed:
        """Make one call and return its effects."""
        self._memory.integers = integers_in(self.contract, setting.arguments)
        self._call_before(self._machine, setting, seed, step_budget)
        return self._seen(setting, self._call(self._machine, setting, seed, step_budget), seed)

    def repeated(self, setting: Setting, calls: int, seed: int, step_budget: int) -> Iterator[tuple[Setting, Observed]]:
        """Make so many equal calls in a row, each after the one before it; yield the setting and effects of each."""
        self._memory.integers = integers_in(self.contract, setting.arguments)
        again = setting
        for _ in range(calls):
            yield again, self._seen(again, self._call(self._machine, again, seed, step_budget), seed)
            again = replace(setting, after=again)

    def _seen(self, setting: Setting, outcome: Run | Fault, seed: int) -> Observed:
        """Return the effects of the last call."""
        fault = self._memory.collect(seed)
        if fault is not None:
            fault = self._machine.at_caller(fault)
        elif isinstance(outcome, Fault):
            fault = outcome
        given = {buffer.name: buffer.contents() for buffer in distinct_buffers(setting.arguments)}
        before = _written(self.contract, setting.arguments, given)
        outputs = _written(self.contract, setting.arguments, outcome.outputs if isinstance(outcome, Run) else {})
        path = self._memory.access_hash, self._meter.executions().tobytes()
        returned = self._returned(setting, outcome) if isinstance(outcome, Run) else ""
        return Observed(outcome, returned, fault, outputs, before, path, self._meter.steps)

    def _returned(self, setting: Setting, run: Run) -> str:
        returns, value = self.contract.signature.returns, run.returned
        if returns is not None and returns.kind == "pointer" and isinstance(value, int):
            for buffer in distinct_buffers(setting.arguments):
                if 0 <= value - run.addresses[buffer.name] <= buffer.size:
                    return f"{buffer.name}+{value - run.addresses[buffer.name]}"
        return repr(value)

    def traced(self, setting: Setting, seed: int, step_budget: int, limit: int) -> Trace:
        """Make one call and return its trace."""
        probe = TraceProbe(self.program, limit)
        with self._on(probe) as machine:
            self._call_before(machine, setting, seed, step_budget)
            self._call(machine, setting, seed, step_budget)
            return probe.collect(machine)

    def explained(self, fault: Fault, setting: Setting, seed: int, step_budget: int) -> Fault:
        """Return `fault` of the last call, made in `setting`, or the fault that spoilt its return address before."""

        def rerun(*probes: Probe) -> None:
            with self._on(*probes) as machine:
                self._call(machine, setting, seed, step_budget)

        entry = self._machine.entry_state
        fault = lost_return(self.program, self.contract, fault, entry, rerun, self.space) or fault
        return replace(fault, clause=fault.clause or clause_of(fault.kind, self.program.isa, self.contract))

    def written_bytes(self, setting: Setting, seed: int, step_budget: int, name: str) -> npt.NDArray[np.bool_]:
        """Return a mask of the bytes of an output that a call writes."""
        probe = LastWriterProbe()
        with self._on(probe) as machine:
            self._call(machine, setting, seed, step_budget)
            written: npt.NDArray[np.bool_] = probe.collect(name) != 0
        return written

    def close(self) -> None:
        """Free the machine."""
        self._machine.close()


@functools.lru_cache(maxsize=2)  # code has one other place, while the rest has several
def _linked_elsewhere(program: Program) -> Program:
    """Return the program linked at other addresses; unchanged if its relocations allow none."""
    linked_at = program.linked_at
    if linked_at is not None:
        for base in code_elsewhere(program.isa):
            with contextlib.suppress(InputError):
                return linked_at(base, _DISPLACEMENT)
    return program
