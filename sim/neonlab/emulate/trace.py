"""Trace every step of a call: its address, and the values of the registers that it writes.

A code hook runs before each instruction.  It first records the registers that the instruction before it wrote (the
decoded program says which), then the present address.  With the registers on entry, this log gives the value of every
register at every step, hence the address of every access.  Nothing else is stored: about 1.5 values a step.

The return from a function that the lab supplies is a step of its own, at which all registers that the call may have
changed are written.

A trace is meant for small cases.  Beyond `limit` steps recording ends, the call continues, and `overflow` is set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.guest.registers import RegisterState
from neonlab.emulate.hooks.callee_registers import ENTRY, RETURN_STEP, RETURNS, changed_registers, result_masks
from neonlab.emulate.native import (
    BLOCK_OR_CODE,
    Integer,
    NativeHook,
    Pointer,
    Record,
    as_pointer,
    compiled,
    native,
    uc_reg_read,
)
from neonlab.emulate.register_identifiers import unicorn_identifier
from neonlab.isa.model.addressing import address_of
from neonlab.isa.model.condition import holds
from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa, Register

if TYPE_CHECKING:
    from neonlab.emulate.machine import Machine

DEFAULT_LIMIT = 1 << 18
#: Steps up to which a trace is copied, so that the next one uses the same memory.
_MOST_COPIED = 1 << 20

TRACER = np.dtype(
    [
        ("base", np.int64),  # address of the first halfword of code
        ("words", np.int64),  # halfwords of code
        ("limit", np.int64),  # steps that fit
        ("room", np.int64),  # writes that fit
        ("steps", np.int64),  # steps recorded
        ("writes", np.int64),  # writes recorded
        ("pending", np.int64),  # halfword executed last, -1 for none
        ("overflow", np.int64),  # 1 when a step was not recorded
        ("written_from", np.uint64),  # int32[words + 1]: where each halfword's registers begin in `written`
        ("written", np.uint64),  # int32[...]: Unicorn's identifiers of the registers that each instruction writes
        ("pcs", np.uint64),  # uint64[limit]
        ("first_writes", np.uint64),  # int64[limit]: writes recorded before the step
        ("values", np.uint64),  # uint64[room, 2]
        ("served", np.uint64, 2),  # start and end of the functions that the lab supplies
        ("masks", np.uint64),  # uint8[]: their results, as `result_masks` gives them
        ("inside", np.int64),  # 1 in such a function
        ("results", np.int64),  # mask of the function
    ]
)


@compiled
def _record(uc: Pointer, state: Record, first: Integer, last: Integer) -> bool:
    """Record the registers of some entries of `written`; False if there is no room, hence an overflow."""
    if state.writes + last - first > state.room:
        state.overflow = 1
        return False
    end: Any = last
    room: Any = state.room
    written = carray(as_pointer(state.written), (end,), np.int32)
    values = carray(as_pointer(state.values), (room, 2), np.uint64)
    for entry in range(first, last):
        row = state.writes
        values[row, 0] = 0
        values[row, 1] = 0
        uc_reg_read(uc, written[entry], values[row:].ctypes.data)
        state.writes = row + 1
    return True


@native(BLOCK_OR_CODE)
def _step(uc: Pointer, address: int, _size: int, user: Pointer) -> None:
    state = carray(user, 1, TRACER)[0]
    if state.overflow != 0:
        return
    if state.pending >= 0:
        words: Any = state.words + 1
        begins = carray(as_pointer(state.written_from), (words,), np.int32)
        if not _record(uc, state, begins[state.pending], begins[state.pending + 1]):
            return
        state.pending = -1
    if state.steps >= state.limit:
        state.overflow = 1
        return
    pcs = carray(as_pointer(state.pcs), (state.limit,), np.uint64)
    first_writes = carray(as_pointer(state.first_writes), (state.limit,), np.int64)
    begin, inside = state.served[0], state.served[0] <= np.uint64(address) < state.served[1]
    if inside and not state.inside:
        half: Any = np.int64((np.uint64(address) - begin) >> np.uint64(1))
        state.results = np.int64(carray(as_pointer(state.masks), (half + 1,), np.uint8)[half])
    returns = state.inside and not inside and state.results & ENTRY
    state.inside = inside
    if returns:
        results = state.results & (RETURNS - 1)
        pcs[state.steps] = RETURN_STEP + 2 * results
        first_writes[state.steps] = state.writes
        state.steps += 1
        last = state.words + 1 + results
        begins = carray(as_pointer(state.written_from), (last + 1,), np.int32)
        if not _record(uc, state, begins[last - 1], begins[last]):
            return
        if state.steps >= state.limit:
            state.overflow = 1
            return
    pcs[state.steps] = address
    first_writes[state.steps] = state.writes
    state.steps += 1
    word = (np.int64(address) - state.base) >> 1
    if word >= 0 and word < state.words:
        state.pending = word


def entry_value(state: RegisterState, register: Register) -> int:
    """Return the value of `register` in `state`.

    Of FLAGS these are the N, Z, C and V bits at their places in the status register.
    """
    isa = state.isa
    if register.file == "status":
        return state.read("fpsr" if isa is Isa.A64 else "fpscr")
    if register.file == "flags":
        return state.read("pstate" if isa is Isa.A64 else "cpsr") & _FLAG_BITS[isa]
    if register.file == "vector":
        return state.read(f"{'q' if isa is Isa.A64 else 'd'}{register.index}")
    return state.read(register.name(isa))


# N, Z, C and V; and GE in A32.  Q of A32 belongs to STATUS and is not kept.
_FLAG_BITS = {Isa.A64: 0xF0000000, Isa.A32: 0xF00F0000}


class TraceProbe:
    """Records the steps of each call, up to `limit` of them."""

    def __init__(self, program: Program, limit: int = DEFAULT_LIMIT) -> None:
        if limit < 1:
            raise ValueError("a trace holds at least one step")
        self._program = program
        instructions = program.instructions
        self._base = min((i.address for i in instructions), default=0)
        words = (max((i.address for i in instructions), default=-2) - self._base) // 2 + 1
        writes: list[tuple[Register, ...]] = [()] * words
        for instruction in instructions:
            writes[(instruction.address - self._base) // 2] = instruction.writes
        self._masks = result_masks(program)
        if self._masks.size:
            writes += [changed_registers(program.isa, results) for results in range(RETURNS)]
        identifiers = [unicorn_identifier(program.isa, register) for registers in writes for register in registers]
        self._written_from = np.cumsum([0, *map(len, writes)]).astype(np.int32)
        self._written = np.array(identifiers or [0], np.int32)
        self._state = np.zeros(1, TRACER)
        self._state["base"], self._state["words"], self._state["limit"] = self._base, words, limit
        self._state["served"] = program.served
        for name in ("written_from", "written", "masks"):
            self._state[name] = getattr(self, f"_{name}").ctypes.data
        self._make_room(limit)
        self._buffers: tuple[PlacedBuffer, ...] = ()
        self.reset(())

    def _make_room(self, limit: int) -> None:
        """Make room for the longest trace: memory costs nothing before it is written."""
        self._pcs = np.zeros(limit, np.uint64)
        self._first_writes = np.zeros(limit + 1, np.int64)
        self._values = np.zeros((4 * limit + 64, 2), np.uint64)  # the rest is for what the last instruction writes
        self._state["room"] = 4 * limit
        for name in ("pcs", "first_writes", "values"):
            self._state[name] = getattr(self, f"_{name}").ctypes.data

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return one hook on every instruction."""
        return (NativeHook(UC_HOOK_CODE, _step, self._state),)

    def reset(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Begin a new call with `buffers`."""
        self._buffers = tuple(buffers)
        self._state["steps"] = self._state["writes"] = self._state["overflow"] = 0
        self._state["inside"] = self._state["results"] = 0
        self._state["pending"] = -1

    def collect(self, machine: Machine) -> Trace:
        """Return the trace of the last call of `machine`, which this probe must be attached to."""
        steps, writes = int(self._state["steps"][0]), int(self._state["writes"][0])
        pending = int(self._state["pending"][0])
        if pending >= 0:  # nothing ran after the last instruction: its results are the state after the call
            last = self._program.by_address.get(self._base + 2 * pending)  # None: a word that is no instruction
            for register in last.writes if last is not None else ():
                value = entry_value(machine.exit_state, register)
                self._values[writes] = value & (1 << 64) - 1, value >> 64
                writes += 1
        self._first_writes[steps] = writes
        found = self._pcs[:steps], self._first_writes[: steps + 1], self._values[:writes]
        if steps > _MOST_COPIED:  # a copy of a long trace would take as much memory again
            self._make_room(len(self._pcs))
        else:
            found = found[0].copy(), found[1].copy(), found[2].copy()
        return Trace(self._program, machine.entry_state, self._buffers, *found, bool(self._state["overflow"][0]))


@dataclass(frozen=True, slots=True)
class AccessAt:
    """One access of one step: kind, address, and number of bytes."""

    kind: AccessKind
    address: int
    count: int


@dataclass(frozen=True, eq=False)
class Trace:
    """The steps of one call, numbered from 0.

    `pcs` (steps,) has the address of each step.  Rows `first_writes[s]` up to `first_writes[s + 1]` of `values` (rows,
    2; low and high 64 bits) hold, in the order of `Instruction.writes`, the registers that step s wrote.  `overflow`
    says that the call continued after the last recorded step.
    """

    program: Program
    entry: RegisterState
    buffers: tuple[PlacedBuffer, ...]
    pcs: npt.NDArray[np.uint64]
    first_writes: npt.NDArray[np.int64]
    values: npt.NDArray[np.uint64]
    overflow: bool

    def __len__(self) -> int:
        return len(self.pcs)

    @property
    def isa(self) -> Isa:
        """The instruction set of the program."""
        return self.program.isa

    def instruction(self, step: int) -> Instruction | None:
        """Return the instruction of a step; None outside the program's text."""
        return self.program.by_address.get(int(self.pcs[step]))

    def steps(self) -> Iterator[tuple[int, Instruction, tuple[AccessAt, ...]]]:
        """Yield each step with its instruction and the accesses that took place, in order."""
        for step in range(len(self)):
            instruction = self.instruction(step)
            if instruction is not None:
                yield step, instruction, self.accesses(step)

    @cached_property
    def executions(self) -> dict[int, npt.NDArray[np.int64]]:
        """The steps at which each address ran, ascending, int64."""
        order = np.argsort(self.pcs, kind="stable")
        addresses, first = np.unique(self.pcs[order], return_index=True)
        return dict(zip(addresses.tolist(), np.split(order, first[1:]), strict=True))

    @cached_property
    def _written(self) -> dict[Register, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """The steps that write each register, ascending, and the row of `values` of each."""
        found: dict[Register, list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]] = {}
        for address, steps in self.executions.items():
            for position, register in enumerate(self._writes(address)):
                rows = self.first_writes[steps] + position
                known = rows < self.first_writes[steps + 1]  # the step at which recording ended has none
                found.setdefault(register, []).append((steps[known], rows[known]))
        merged = {}
        for register, pieces in found.items():
            steps = np.concatenate([piece[0] for piece in pieces])
            order = np.argsort(steps, kind="stable")
            merged[register] = steps[order], np.concatenate([piece[1] for piece in pieces])[order]
        return merged

    def _writes(self, address: int) -> tuple[Register, ...]:
        """Return the registers recorded of the steps at an address."""
        if RETURN_STEP <= address < RETURN_STEP + 2 * RETURNS:
            return changed_registers(self.isa, (address - RETURN_STEP) // 2)
        instruction = self.program.by_address.get(address)
        return instruction.writes if instruction is not None else ()

    def is_return(self, step: int) -> bool:
        """Tell whether a step is the return from a function that the lab supplies."""
        return bool(RETURN_STEP <= self.pcs[step] < RETURN_STEP + 2 * RETURNS)

    def call_before(self, step: int) -> int:
        """Return the last step before `step` that is not in a function that the lab supplies: a call, for a return."""
        start, end = self.program.served
        while step > 0 and (start <= self.pcs[step - 1] < end or self.is_return(step - 1)):
            step -= 1
        return max(step - 1, 0)

    def definition(self, step: int, register: Register) -> int | None:
        """Return the last step before `step` that wrote `register`; None when it still has its value on entry."""
        found = self._written.get(register)
        index = int(np.searchsorted(found[0], step)) if found is not None else 0
        return int(found[0][index - 1]) if found is not None and index else None

    def before(self, step: int, register: Register) -> int:
        """Return the value of `register` when step `step` began; `step` may be len(self), for the end."""
        found = self._written.get(register)
        index = int(np.searchsorted(found[0], step)) if found is not None else 0
        if found is None or not index:
            return entry_value(self.entry, register)
        low, high = self.values[found[1][index - 1]].tolist()
        value = int(low) | int(high) << 64
        return value & _FLAG_BITS[self.isa] if register == FLAGS else value

    def after(self, step: int, register: Register) -> int:
        """Return the value of `register` when step `step` had ended."""
        return self.before(step + 1, register)

    def befores(self, steps: npt.NDArray[np.int64], register: Register) -> npt.NDArray[np.uint64]:
        """Return `register` at the beginning of each of `steps`, uint64 (steps, 2): the low and the high 64 bits."""
        value = entry_value(self.entry, register)
        entry = np.array([value & (1 << 64) - 1, value >> 64], np.uint64)
        found = self._written.get(register)
        if found is None or not len(found[0]):
            return np.tile(entry, (len(steps), 1))
        index = np.searchsorted(found[0], steps)
        return np.where(index[:, None] > 0, self.values[found[1][np.maximum(index - 1, 0)]], entry)

    def executed(self, step: int) -> bool:
        """Return whether the instruction of `step` had an effect: its condition, if it has one, held."""
        instruction = self.instruction(step)
        if instruction is None or not instruction.condition or instruction.isa is Isa.A64:
            return True
        return holds(instruction.condition, self.before(step, FLAGS))

    def accesses(self, step: int) -> tuple[AccessAt, ...]:
        """Return the accesses that took place in `step`, in the order of `Instruction.accesses`, with prefetches."""
        instruction = self.instruction(step)
        if instruction is None or not instruction.accesses or not self.executed(step):
            return ()
        values = partial(self.before, step)
        return tuple(AccessAt(one.kind, address_of(one, self.isa, values), one.count) for one in instruction.accesses)

    def effective(self, pc: int) -> npt.NDArray[np.int64]:
        """Return the steps at which the instruction at `pc` had an effect, as `executed` tells, ascending, int64."""
        instruction = self.program.by_address[pc]
        steps = self.executions.get(pc, np.zeros(0, np.int64))
        if not instruction.condition or self.isa is Isa.A64:
            return steps
        met = np.array([holds(instruction.condition, flags << 28) for flags in range(16)])
        return np.asarray(steps[met[self.befores(steps, FLAGS)[:, 0] >> np.uint64(28) & np.uint64(15)]])

    def addresses(self, pc: int, number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        """Return the steps at which access `number` of the instruction at `pc` took place, and its address at each."""
        steps = self.effective(pc)
        access = self.program.by_address[pc].accesses[number]
        found = address_of(access, self.isa, lambda register: self.befores(steps, register)[:, 0])
        return steps, np.broadcast_to(np.asarray(found, np.uint64), steps.shape)

    @cached_property
    def stores(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Address, step and access number of every byte stored, sorted by address, then step."""
        addresses, steps, numbers = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for pc in self.executions:
            instruction = self.program.by_address.get(pc)
            for number, access in enumerate(instruction.accesses if instruction else ()):
                if access.kind is AccessKind.STORE:
                    ran, first = self.addresses(pc, number)
                    touched = np.add.outer(first, np.arange(access.count, dtype=np.uint64)).astype(np.uint64)
                    addresses.append(touched.reshape(-1))
                    steps.append(np.repeat(ran, access.count))
                    numbers.append(np.full(steps[-1].size, number, np.int64))
        at, by, of = np.concatenate(addresses), np.concatenate(steps), np.concatenate(numbers)
        order = np.lexsort((of, by, at))
        return at[order], by[order], of[order]

    def last_store(self, step: int, address: int) -> tuple[int, int] | None:
        """Return (step, access number) of the last store to the byte at `address` before `step`; None without one."""
        addresses, steps, numbers = self.stores
        first = int(np.searchsorted(addresses, np.uint64(address)))
        last = int(np.searchsorted(addresses, np.uint64(address), side="right"))
        index = first + int(np.searchsorted(steps[first:last], step))
        return (int(steps[index - 1]), int(numbers[index - 1])) if index > first else None

    def buffer_at(self, address: int) -> tuple[PlacedBuffer, int] | None:
        """Return the buffer of the byte at `address`, and its offset there; None outside all buffers."""
        for item in self.buffers:
            if item.address <= address < item.end:
                return item, address - item.address
        return None
