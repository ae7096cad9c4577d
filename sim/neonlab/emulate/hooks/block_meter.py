"""Count the executions of every instruction exactly, and enforce the step budget, with one hook per basic block.

A block hook knows where a block starts and how long it is.  It adds one where the block starts and subtracts one where
it ends.  The running sum over addresses is then the number of executions of each instruction, however Unicorn cuts
blocks.  Addresses are counted in halfwords, since Thumb instructions have one or two.  A guest beyond its budget
continues for a while, which shows the loop that it is in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_BLOCK

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import BLOCK_OR_CODE, NativeHook, Pointer, native, uc_emu_stop
from neonlab.isa.model.isa import Isa

PAGE = 4096
MAXIMUM_SPAN = 1 << 28

METER = np.dtype(
    [
        ("base", np.int64),  # address of the first halfword counted
        ("halves", np.int64),  # halfwords counted
        ("steps", np.int64),  # instructions executed so far
        ("budget", np.int64),  # once steps exceed it, record the loop for some more steps, and stop
        ("stopped", np.int64),  # 1 when they did
        ("last_block", np.int64),  # address of the block entered last
        ("last_size", np.int64),  # its bytes
        ("watched", np.int64),  # steps at which the guest is stopped
        ("thumb", np.int64),  # 1 where instructions differ in size: the third row counts those before each halfword
    ]
)
# Instructions that a guest runs beyond its budget, so that the loop it is in is recorded.
_WATCHED = 1 << 17
_HEADER = METER.itemsize // 8


@native(BLOCK_OR_CODE)
def _enter_block(uc: Pointer, address: int, size: int, user: Pointer) -> None:
    meter = carray(user, 1, METER)[0]
    count = np.int64(size >> 2)
    first, halves = (np.int64(address) - meter.base) >> 1, np.int64(size >> 1)
    if first >= 0 and first + halves <= meter.halves:
        tally = carray(user, (3, _HEADER + meter.halves + 1), np.int64)
        tally[0, _HEADER + first] += 1
        tally[0, _HEADER + first + halves] -= 1
        if meter.thumb:
            count = tally[2, _HEADER + first + halves] - tally[2, _HEADER + first]
    meter.last_block = np.int64(address)
    meter.last_size = np.int64(size)
    meter.steps += count
    if meter.steps > meter.budget:
        if not meter.stopped:
            meter.stopped = 1
            meter.watched = meter.steps + _WATCHED
            states = carray(user, (2, _HEADER + meter.halves + 1), np.int64)
            states[1] = states[0]
        elif meter.steps > meter.watched:
            uc_emu_stop(uc)


def _thumb_begins(halves: npt.NDArray[np.uint16]) -> npt.NDArray[np.bool_]:
    """Return where instructions begin in Thumb code, a bool for each halfword.

    An instruction begins after a halfword that is not the first of two, then at every other one.
    """
    place = np.arange(halves.size)
    last_short = np.maximum.accumulate(np.where(halves < 0xE800, place, -1))
    before = np.concatenate([[-1], last_short[:-1]])
    return np.asarray((place - before) % 2 == 1)


def _begins(program: Program, base: int, halves: int) -> npt.NDArray[np.int64]:
    """Return 1 at each halfword where an instruction begins; outside Thumb code, that is every word.  int64."""
    begins = np.zeros(halves, np.int64)
    begins[::2] = 1
    for segment in program.segments:
        if segment.executable:
            contents = np.zeros(halves, np.uint16)
            whole = np.frombuffer(segment.data[: len(segment.data) & ~1], np.uint16)
            contents[(segment.address - base) // 2 :][: whole.size] = whole
            for start, end in program.thumb:
                if segment.address <= start < end <= segment.end:
                    first, last = (start - base) // 2, (end - base) // 2
                    begins[first:last] = _thumb_begins(contents[first:last])
    return begins


class BlockMeter:
    """Counts executions and enforces the budget, for all executable segments of `program`."""

    def __init__(self, program: Program) -> None:
        code = [segment for segment in program.segments if segment.executable]
        if not code:
            raise ValueError("the program has no executable segment")
        self.base = min(segment.address for segment in code) // PAGE * PAGE
        end = -(-max(segment.end for segment in code) // PAGE) * PAGE
        if end - self.base > MAXIMUM_SPAN:
            raise ValueError(f"the program's code spans {end - self.base} bytes, more than {MAXIMUM_SPAN}")
        halves = (end - self.base) // 2
        # The second row keeps the first as it was when the budget ran out.
        self._states = np.zeros((3 if program.thumb else 2, _HEADER + halves + 1), np.int64)
        self._state = self._states[0]
        self._begins = _begins(program, self.base, halves) if program.thumb else None
        self._tally = self._state[_HEADER:]
        self._meter = self._state[:_HEADER].view(METER)
        self._meter["base"], self._meter["halves"], self._meter["thumb"] = self.base, halves, bool(program.thumb)
        if self._begins is not None:
            self._states[2, _HEADER + 1 :] = np.cumsum(self._begins)
        self.budget = np.iinfo(np.int64).max

    @property
    def budget(self) -> int:
        """The number of instructions after which a call is stopped."""
        return int(self._meter["budget"][0])

    @budget.setter
    def budget(self, instructions: int) -> None:
        self._meter["budget"] = instructions

    @property
    def steps(self) -> int:
        """The number of instructions executed since the last reset."""
        return int(self._meter["steps"][0])

    @property
    def stopped(self) -> bool:
        """Tell whether the budget ended the call."""
        return bool(self._meter["stopped"][0])

    @property
    def last_instruction(self) -> int | None:
        """The address of the last instruction of the block entered last; None when none was."""
        size = int(self._meter["last_size"][0])
        if not size:
            return None
        end = int(self._meter["last_block"][0]) + size
        before = self._begins[: max((end - self.base) // 2, 0)] if self._begins is not None else ()
        found = np.flatnonzero(before[-2:])  # the last instruction has one halfword or two
        return end - 2 * (len(before[-2:]) - int(found[-1])) if len(found) else end - 4

    @property
    def changes(self) -> npt.NDArray[np.int64]:
        """The differences whose running sum is `executions`; sums of them over runs give those of all runs."""
        changes: npt.NDArray[np.int64] = self._tally[:-1]
        return changes

    def executions(self) -> npt.NDArray[np.int64]:
        """Return the executions of the instruction at `base` + 2 * index since the last reset, int64."""
        return np.cumsum(self.changes)

    def endless(self) -> npt.NDArray[np.int64]:
        """Return the executions after the budget ran out, in the layout of `executions`."""
        return np.cumsum((self._state - self._states[1])[_HEADER:-1])

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return the one block hook."""
        return (NativeHook(UC_HOOK_BLOCK, _enter_block, self._states),)

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Reset the counts; the budget stays."""
        self._tally[:] = 0
        for name in ("steps", "stopped", "last_block", "last_size", "watched"):
            self._meter[name] = 0
