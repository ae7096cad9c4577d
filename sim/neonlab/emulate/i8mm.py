"""What happens at an instruction that the emulated CPU lacks: the 8-bit matrix extension runs here, the rest stops.

Unicorn knows the CPU of 2020.  SMMLA, UMMLA, USMMLA, USDOT and SUDOT are undefined to it, so a compiled hook on the
undefined-instruction exception executes them and lets the guest go on.  Encodings and meaning: Arm Architecture
Reference Manual, DDI 0487, A64 (C7.2) and A32 (F6.1); FEAT_I8MM and FEAT_AA32I8MM.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_INSN_INVALID, UC_HOOK_INTR, arm64_const, arm_const

from neonlab.emulate.buffer import PlacedBuffer
from neonlab.emulate.native import (
    INTERRUPT,
    INVALID_INSTRUCTION,
    NativeHook,
    native,
    uc_emu_stop,
    uc_mem_read,
    uc_reg_read,
    uc_reg_write,
)
from neonlab.isa.isa import Isa

A64_PC, A64_Q0 = arm64_const.UC_ARM64_REG_PC, arm64_const.UC_ARM64_REG_Q0
A32_PC, A32_D0, A32_CPSR = arm_const.UC_ARM_REG_PC, arm_const.UC_ARM_REG_D0, arm_const.UC_ARM_REG_CPSR
# QEMU's numbers of exceptions.  The calls to higher levels are reported with pc behind the instruction.
UNDEFINED, DATA_ABORT = 1, 4
SYSTEM_CALLS = (2, 11, 13)  # svc, hvc, smc

TRAP = np.dtype(
    [
        ("seen", np.int64),  # 1 when an exception ended the call
        ("number", np.int64),  # of the exception
        ("pc", np.int64),  # of the instruction, or the next one for a system call
        ("executed", np.int64),  # instructions executed here
        ("word", np.uint64),
        ("n", np.uint8, 16),
        ("m", np.uint8, 16),
        ("d", np.uint8, 16),
        ("status", np.int64),  # CPSR, whose bit 5 says Thumb
    ]
)
_SIZE = TRAP.itemsize
_PC, _WORD, _N, _M, _D, _STATUS = (
    16,
    32,
    40,
    56,
    72,
    88,
)  # where fields lie, for Unicorn to write to; constants to the compiler


@njit
def _product(a, a_signed, b, b_signed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    x = np.int32(np.int8(a)) if a_signed else np.int32(a)
    y = np.int32(np.int8(b)) if b_signed else np.int32(b)
    return x * y


@njit
def _accumulate(state, matrix, n_signed, m_signed, index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Lanes of d += 2x8 by 8x2 product, or dot products of four bytes; `index` >= 0 takes one group of m for all."""
    lanes = state[_D : _D + 16].view(np.int32)
    for lane in range(4):
        total = lanes[lane]
        if matrix:
            for k in range(8):
                n, m = state[_N + 8 * (lane >> 1) + k], state[_M + 8 * (lane & 1) + k]
                total += _product(n, n_signed, m, m_signed)
        else:
            group = lane if index < 0 else index
            for k in range(4):
                total += _product(state[_N + 4 * lane + k], n_signed, state[_M + 4 * group + k], m_signed)
        lanes[lane] = total


@native(INTERRUPT)
def _a64_exception(uc, number, user):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    trap = carray(user, 1, TRAP)[0]
    state = carray(user, (_SIZE,), np.uint8)
    base = state.ctypes.data
    uc_reg_read(uc, A64_PC, base + _PC)
    handled = False
    if number == UNDEFINED and uc_mem_read(uc, np.uint64(trap.pc), base + _WORD, 4) == 0:
        word = np.int64(trap.word & np.uint64(0xFFFFFFFF))
        matrix, n_signed, m_signed, index, wide = False, False, False, np.int64(-1), True
        if (word & 0xDFE0FC00) == 0x4E80A400:  # SMMLA, UMMLA
            handled, matrix = True, True
            n_signed = m_signed = (word >> 29) & 1 == 0
        elif (word & 0xFFE0FC00) == 0x4E80AC00:  # USMMLA
            handled, matrix, m_signed = True, True, True
        elif (word & 0xBFE0FC00) == 0x0E809C00:  # USDOT (vector)
            handled, m_signed, wide = True, True, (word >> 30) & 1 == 1
        elif (word & 0xBF40F400) == 0x0F00F000:  # USDOT, SUDOT (by element): bit 23 is set in USDOT
            handled, wide = True, (word >> 30) & 1 == 1
            m_signed = (word >> 23) & 1 == 1
            n_signed = not m_signed
            index = ((word >> 11) & 1) * 2 + ((word >> 21) & 1)
        if handled:
            d = A64_Q0 + (word & 31)
            uc_reg_read(uc, A64_Q0 + ((word >> 5) & 31), base + _N)
            uc_reg_read(uc, A64_Q0 + ((word >> 16) & 31), base + _M)
            uc_reg_read(uc, d, base + _D)
            _accumulate(state, matrix, n_signed, m_signed, index)
            if not wide:
                state[_D + 8 : _D + 16] = 0
            uc_reg_write(uc, d, base + _D)
            trap.pc += 4
            uc_reg_write(uc, A64_PC, base + _PC)
            trap.executed += 1
    if not handled:
        trap.seen, trap.number = 1, number
        uc_emu_stop(uc)


@native(INTERRUPT)
def _a32_exception(uc, number, user):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    trap = carray(user, 1, TRAP)[0]
    trap.pc = 0
    uc_reg_read(uc, A32_PC, carray(user, (_SIZE,), np.uint8).ctypes.data + _PC)
    uc_reg_read(uc, A32_CPSR, carray(user, (_SIZE,), np.uint8).ctypes.data + _STATUS)
    trap.seen, trap.number = 1, number
    uc_emu_stop(uc)


@native(INVALID_INSTRUCTION)
def _a32_undefined(uc, user):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    trap = carray(user, 1, TRAP)[0]
    state = carray(user, (_SIZE,), np.uint8)
    base = state.ctypes.data
    trap.pc = 0
    uc_reg_read(uc, A32_PC, base + _PC)
    uc_reg_read(uc, A32_CPSR, base + _STATUS)
    thumb = (trap.status >> 5) & 1
    trap.pc &= ~1
    handled = False
    if uc_mem_read(uc, np.uint64(trap.pc), base + _WORD, 4) == 0:
        word = np.int64(trap.word & np.uint64(0xFFFFFFFF))
        if thumb:  # the same word, its higher half first
            word = (word & 0xFFFF) << 16 | word >> 16
        quad = (word >> 6) & 1 == 1
        d = ((word >> 18) & 16) | ((word >> 12) & 15)
        n = ((word >> 3) & 16) | ((word >> 16) & 15)
        m = ((word >> 1) & 16) | (word & 15)
        matrix, n_signed, m_signed, index = False, False, False, np.int64(-1)
        if (word & 0xFF300F40) == 0xFC200C40 and (word & 0x00800010) != 0x00800010:  # VSMMLA, VUMMLA, VUSMMLA
            handled, matrix = True, True
            unsigned_both, mixed = (word >> 4) & 1 == 1, (word >> 23) & 1 == 1
            n_signed, m_signed = not unsigned_both and not mixed, not unsigned_both
        elif (word & 0xFFB00F10) == 0xFCA00D00:  # VUSDOT (vector)
            handled, m_signed = True, True
        elif (word & 0xFFB00F00) == 0xFE800D00:  # VUSDOT, VSUDOT (by element): bit 4 is set in VSUDOT
            handled = True
            n_signed = (word >> 4) & 1 == 1
            m_signed = not n_signed
            index = m >> 4
            m &= 15
        if quad and ((d | n) & 1 or (index < 0 and m & 1)):
            handled = False
        if handled:
            uc_reg_read(uc, A32_D0 + n, base + _N)
            uc_reg_read(uc, A32_D0 + m, base + _M)
            uc_reg_read(uc, A32_D0 + d, base + _D)
            if quad:
                uc_reg_read(uc, A32_D0 + n + 1, base + _N + 8)
                uc_reg_read(uc, A32_D0 + d + 1, base + _D + 8)
                if index < 0:
                    uc_reg_read(uc, A32_D0 + m + 1, base + _M + 8)
            _accumulate(state, matrix, n_signed, m_signed, index)
            uc_reg_write(uc, A32_D0 + d, base + _D)
            if quad:
                uc_reg_write(uc, A32_D0 + d + 1, base + _D + 8)
            trap.pc += 4 + thumb
            uc_reg_write(uc, A32_PC, base + _PC)
            trap.executed += 1
    if not handled:
        trap.seen, trap.number = 1, UNDEFINED
    return handled


class ExceptionHandler:
    """Executes the 8-bit matrix instructions; remembers the exception that ended a call."""

    def __init__(self) -> None:
        self._state = np.zeros(TRAP.itemsize, np.uint8)
        self._trap = self._state.view(TRAP)

    def hooks(self, isa: Isa) -> Sequence[NativeHook]:
        """One exception hook in A64; in A32, where undefined instructions have a hook of their own, two."""
        if isa is Isa.A64:
            return (NativeHook(UC_HOOK_INTR, _a64_exception, self._state),)
        return (
            NativeHook(UC_HOOK_INTR, _a32_exception, self._state),
            NativeHook(UC_HOOK_INSN_INVALID, _a32_undefined, self._state),
        )

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        self._state[:] = 0

    @property
    def exception(self) -> tuple[int, int] | None:
        """QEMU's number of the exception that ended the call, and the address of the instruction that raised it."""
        trap = self._trap[0]
        if not trap["seen"]:
            return None
        number, pc = int(trap["number"]), int(trap["pc"])
        if number in SYSTEM_CALLS:  # svc of Thumb has two bytes, its relatives four
            pc -= 2 if number == SYSTEM_CALLS[0] and int(trap["status"]) & 0x20 else 4
        return number, pc

    @property
    def executed(self) -> int:
        """Instructions executed here since the last reset."""
        return int(self._trap[0]["executed"])
