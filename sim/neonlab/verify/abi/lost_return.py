"""Where a call lost its way: the instruction that spoilt the link register, or the branch that goes astray.

A return that goes wrong often stays within the program: after `bl`, with lr not saved, `bx lr` goes to what follows the
`bl`, for ever or until something else breaks.  So a call that faulted is made once more, and each return is held
against the call that it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.address_space import HOME, AddressSpace
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.guest.registers import RegisterState
from neonlab.emulate.native import BLOCK_OR_CODE, NativeHook, Pointer, as_pointer, native, uc_emu_stop
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa, general
from neonlab.verify.abi.obligations import culprit
from neonlab.verify.abi.register_history import RegisterHistory, Writers
from neonlab.verify.memory.sanitizer import SanitizerProbe

_CALL, _RETURN, _CONDITIONAL = 1, 2, 4
_LINK = {Isa.A64: ("x30", 30), Isa.A32: ("r14", 14)}
_SHOWN = {Isa.A64: "x30", Isa.A32: "lr"}

#: Calls inside calls that are kept track of; beyond, nothing is said.
_DEEPEST = 1024

RETURNS = np.dtype(
    [
        ("code", np.uint64),  # address of the first halfword
        ("words", np.int64),
        ("marks", np.uint64),  # address of uint8 each halfword: what instruction begins there
        ("open", np.uint64),  # address of uint64 each call that has not been answered: where it is to be answered
        ("depth", np.int64),  # how many there are
        ("called", np.int64),  # whether a call was just executed
        ("returning", np.uint64),  # the return just executed
        ("conditional", np.int64),  # whether either may not have been executed, by its condition
        ("after", np.uint64),  # where the next instruction is if it was not
        ("wrong", np.uint64),  # a return that went elsewhere in the program
        ("expected", np.uint64),  # where it should have gone; 0 for the caller of all
    ]
)


@native(BLOCK_OR_CODE)
def _follow(uc: Pointer, at: int, size: int, user: Pointer) -> None:
    state = carray(user, 1, RETURNS)[0]
    if state.wrong or state.depth >= _DEEPEST:
        return
    address = np.uint64(at)
    waiting = carray(as_pointer(state.open), (_DEEPEST,), np.uint64)
    fell_through = state.conditional and address == state.after
    if state.called and not fell_through:
        waiting[state.depth] = state.after
        state.depth += 1
    if state.returning and not fell_through:
        if state.depth > 0:
            state.depth -= 1
            state.expected = waiting[state.depth]
        else:
            state.expected = np.uint64(0)
        if address != state.expected:
            state.wrong = state.returning
            uc_emu_stop(uc)
            return
    state.called = 0
    state.returning = np.uint64(0)
    word = np.int64((address - state.code) >> np.uint64(1))
    words: Any = state.words
    if word < 0 or word >= words:
        return
    mark = carray(as_pointer(state.marks), (words,), np.uint8)[word]
    state.conditional = mark & 4
    state.after = address + np.uint64(size)
    state.called = mark & 1
    if mark & 2:
        state.returning = address


class ReturnWatch:
    """Follows calls and returns, and stops after the first return that goes on elsewhere in the program."""

    def __init__(self, program: Program) -> None:
        first = program.instructions[0].address if program.instructions else 0
        words = (program.instructions[-1].address - first) // 2 + 1 if program.instructions else 0
        self._marks, self._open = np.zeros(words, np.uint8), np.zeros(_DEEPEST, np.uint64)
        for instruction in program.instructions:
            mark = _CALL * (instruction.branch is BranchKind.CALL) | _RETURN * is_return(instruction)
            self._marks[(instruction.address - first) // 2] = mark | _CONDITIONAL * bool(instruction.condition)
        self._state = np.zeros(1, RETURNS)
        self._state["code"], self._state["words"] = first, words
        self._state["marks"], self._state["open"] = self._marks.ctypes.data, self._open.ctypes.data

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """One, before each instruction."""
        return (NativeHook(UC_HOOK_CODE, _follow, self._state),) if self._marks.size else ()

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        for field in ("depth", "called", "returning", "conditional", "after", "wrong", "expected"):
            self._state[field] = 0

    @property
    def wrong(self) -> int:
        """Address of the return that went elsewhere in the program; 0 where none did."""
        return int(self._state["wrong"][0])

    @property
    def expected(self) -> int:
        """Where that was to go; 0 for whoever called the kernel."""
        return int(self._state["expected"][0])


CAME_FROM = np.dtype([("target", np.uint64), ("last", np.uint64), ("found", np.int64)])


@native(BLOCK_OR_CODE)
def _remember(uc: Pointer, at: int, _size: int, user: Pointer) -> None:
    state = carray(user, 1, CAME_FROM)[0]
    if not state.found:
        if np.uint64(at) == state.target:
            state.found = 1
            uc_emu_stop(uc)
        else:
            state.last = np.uint64(at)


class CameFrom:
    """Stops when `target` is first to be executed, and knows what was before."""

    def __init__(self, target: int) -> None:
        self._state = np.zeros(1, CAME_FROM)
        self._state["target"] = target

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """One, before each instruction."""
        return (NativeHook(UC_HOOK_CODE, _remember, self._state),)

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        self._state["last"] = self._state["found"] = 0

    @property
    def came_from(self) -> int:
        """Address of the instruction executed last before; 0 where none was, or `target` never."""
        return int(self._state["last"][0]) if self._state["found"][0] else 0


def is_return(instruction: Instruction) -> bool:
    """Whether control goes back to a caller by it, as a rule: `ret`, `bx lr`, `mov pc, lr`, `pop {pc}`."""
    return instruction.branch is BranchKind.RETURN


def lost_return(
    program: Program,
    contract: Contract,
    fault: Fault,
    entry: RegisterState,
    rerun: Callable[..., object],
    space: AddressSpace = HOME,
) -> Fault | None:
    """The fault of a call that lost its way back before `fault` showed; None where it did not.

    `entry` holds the registers as the call found them; `rerun` makes it again with probes attached.  Blamed is the
    instruction that overwrote the link register and was not made good, or restored it wrongly; else the return.
    """
    name, number = _LINK[program.isa]
    writes = any(general(number) in instruction.writes for instruction in program.instructions)
    if not writes or (fault.kind is FaultKind.BAD_RETURN and not _by_link(program, fault.address)):
        return None
    watch = ReturnWatch(program)
    rerun(watch, SanitizerProbe(program, contract, space=space))
    at = watch.wrong or (fault.address if fault.kind is FaultKind.BAD_RETURN else 0)
    if not at:
        return None
    history = RegisterHistory(program, [name], entry)
    if watch.wrong and watch.expected:
        in_thumb = any(start <= watch.expected < end for start, end in program.thumb)
        history.expect(name, watch.expected | in_thumb)
    rerun(ReturnWatch(program), history, SanitizerProbe(program, contract, space=space))
    return _worded(program, at, fault, history.collect(name), entry.read("sp"))


def jumped_astray(program: Program, fault: Fault, rerun: Callable[..., object]) -> Fault | None:
    """The fault of a branch to where no instruction begins, which `fault` found; None where it is not known."""
    watch = CameFrom(fault.address)
    rerun(watch)
    instruction = program.by_address.get(watch.came_from)
    if instruction is None or instruction.branch is BranchKind.NONE:
        return None
    at, line = instruction.address, program.line_at(instruction.address)
    message = f"`{instruction.text}` goes to {fault.address:#x}, where no instruction begins"
    return Fault(FaultKind.BAD_RETURN, message, at, line, instruction.text, seed=fault.seed)


def _by_link(program: Program, address: int) -> bool:
    """Whether the instruction goes where the link register says."""
    instruction = program.by_address.get(address)
    _, number = _LINK[program.isa]
    return instruction is not None and is_return(instruction) and general(number) in instruction.reads


def _worded(program: Program, at: int, fault: Fault, writers: Writers, sp: int) -> Fault:
    link, left = _SHOWN[program.isa], program.by_address[at]
    line = program.line_at(at)
    back = f"`{left.text}`" + (f" (line {line.line})" if line is not None else "")
    where = fault.message.partition(" returns ")[2] if fault.kind is FaultKind.BAD_RETURN else ""
    where = f"returns {where}" if where else "goes back into the program, not to where it was called from"
    write, restored = culprit(writers, link, sp)
    blamed = write.address if write is not None and _by_link(program, at) else at
    if blamed == at:
        message = f"{back} {where}"
    else:
        how = "overwritten here and not restored" if writers.saved else "overwritten here without having been saved"
        how = "restored wrongly here" if restored else how
        message = f"{link}, which holds the return address, is {how}: {back} {where}"
    instruction = program.by_address.get(blamed)
    return Fault(
        FaultKind.BAD_RETURN,
        message,
        blamed,
        program.line_at(blamed),
        instruction.text if instruction is not None else "",
        seed=fault.seed,
        register=link,
    )
