"""Find the instruction that made a call return to the wrong place.

The cause is an instruction that spoilt the link register, or a branch to where no instruction begins.  A wrong return
often stays within the program: after `bl`, with lr not saved, `bx lr` goes to what follows the `bl`, for ever or until
something else breaks.  So a call that faulted is made once more, and each return is compared with the call that it
answers.
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

#: Nested calls that are followed; a deeper call ends the watch without a finding.
_DEEPEST = 1024

RETURNS = np.dtype(
    [
        ("code", np.uint64),  # address of the first halfword
        ("words", np.int64),
        ("marks", np.uint64),  # address of uint8 each halfword: flags of the instruction that begins there
        ("open", np.uint64),  # address of uint64 each open call: its return address
        ("depth", np.int64),  # number of open calls
        ("called", np.int64),  # nonzero if the last instruction was a call
        ("returning", np.uint64),  # address of the return just executed, else 0
        ("conditional", np.int64),  # nonzero if that call or return has a condition
        ("after", np.uint64),  # address of the next instruction if the condition did not hold
        ("wrong", np.uint64),  # address of a return that went to the wrong place, else 0
        ("expected", np.uint64),  # address that it should have gone to; 0 for the caller of the kernel
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
    """Follows calls and returns, and stops the run after the first return to a wrong address within the program."""

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
        """Return one hook, called before each instruction."""
        return (NativeHook(UC_HOOK_CODE, _follow, self._state),) if self._marks.size else ()

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        for field in ("depth", "called", "returning", "conditional", "after", "wrong", "expected"):
            self._state[field] = 0

    @property
    def wrong(self) -> int:
        """Return the address of the return that went to a wrong address; 0 if there is none."""
        return int(self._state["wrong"][0])

    @property
    def expected(self) -> int:
        """Return the address that it should have gone to; 0 for the caller of the kernel."""
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
    """Stops the run when `target` is first reached, and remembers the instruction executed before it."""

    def __init__(self, target: int) -> None:
        self._state = np.zeros(1, CAME_FROM)
        self._state["target"] = target

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return one hook, called before each instruction."""
        return (NativeHook(UC_HOOK_CODE, _remember, self._state),)

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        self._state["last"] = self._state["found"] = 0

    @property
    def came_from(self) -> int:
        """Return the address of the instruction executed before `target`; 0 if there is none."""
        return int(self._state["last"][0]) if self._state["found"][0] else 0


def is_return(instruction: Instruction) -> bool:
    """Tell whether the instruction usually returns to a caller: `ret`, `bx lr`, `mov pc, lr`, `pop {pc}`."""
    return instruction.branch is BranchKind.RETURN


def lost_return(
    program: Program,
    contract: Contract,
    fault: Fault,
    entry: RegisterState,
    rerun: Callable[..., object],
    space: AddressSpace = HOME,
) -> Fault | None:
    """Return the fault of a call that returned to the wrong place before `fault` showed; None if none did.

    `entry` holds the registers on entry of the call; `rerun` repeats the call with probes attached.  The fault blames
    the instruction that overwrote the link register without a restore, or restored it wrongly; failing that, the
    return.
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
    """Return the fault of the branch that reached `fault.address`, where no instruction begins; None if unknown."""
    watch = CameFrom(fault.address)
    rerun(watch)
    instruction = program.by_address.get(watch.came_from)
    if instruction is None or instruction.branch is BranchKind.NONE:
        return None
    at, line = instruction.address, program.line_at(instruction.address)
    message = f"`{instruction.text}` goes to {fault.address:#x}, where no instruction begins"
    return Fault(FaultKind.BAD_RETURN, message, at, line, instruction.text, seed=fault.seed)


def _by_link(program: Program, address: int) -> bool:
    """Tell whether the instruction returns to the address in the link register."""
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
