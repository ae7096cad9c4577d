"""Execute instructions that the emulated CPU lacks, where the lab has their arithmetic; others end the call.

Unicorn emulates a CPU of 2020.  Undefined in it are SMMLA, UMMLA, USMMLA, USDOT and SUDOT (FEAT_I8MM, FEAT_AA32I8MM),
the conversions from single precision to BFloat16 (FEAT_BF16, FEAT_AA32BF16), and in A32 minimum and maximum of half
precision (FEAT_FP16).  A compiled hook on the undefined-instruction exception executes them; the guest continues.
Encodings and meaning: Arm Architecture Reference Manual, DDI 0487, A64 (C7.2) and A32 (F6.1); FPConvertBF, FPMax,
FPMin, FPMaxNum, FPMinNum and StandardFPCR in its shared pseudocode.  In A32 the emulated CPU has no FPSCR.FZ16:
denormal half-precision numbers are never flushed there.  Pointer authentication is in `pointer_authentication`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_INSN_INVALID, UC_HOOK_INTR, arm64_const, arm_const

from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.hooks.narrow_floats import DN, FZ, FZ16, half_extreme, to_bfloat16
from neonlab.emulate.hooks.pointer_authentication import authenticate, jump
from neonlab.emulate.native import (
    INTERRUPT,
    INVALID_INSTRUCTION,
    Integer,
    NativeHook,
    Pointer,
    compiled,
    native,
    uc_emu_stop,
    uc_mem_read,
    uc_reg_read,
    uc_reg_write,
)
from neonlab.isa.model.isa import Isa

A64_PC, A64_Q0 = arm64_const.UC_ARM64_REG_PC, arm64_const.UC_ARM64_REG_Q0
A64_FPCR, A64_FPSR = arm64_const.UC_ARM64_REG_FPCR, arm64_const.UC_ARM64_REG_FPSR
A32_PC, A32_D0, A32_CPSR = arm_const.UC_ARM_REG_PC, arm_const.UC_ARM_REG_D0, arm_const.UC_ARM_REG_CPSR
A32_FPSCR = arm_const.UC_ARM_REG_FPSCR
IT_BITS = 0x0600FC00  # of CPSR: not 0 within an IT block
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
        ("status", np.int64),  # CPSR, whose bit 5 is set in Thumb
        ("control", np.int64),  # FPCR, or FPSCR
        ("exceptions", np.int64),  # FPSR in A64
        ("held", np.uint64),
        ("keys", np.int64),  # of pointer authentication: 1 where they are enabled
    ]
)
_SIZE = TRAP.itemsize
# Offsets of fields that Unicorn writes to; constants to the compiler
_PC, _WORD, _N, _M, _D, _STATUS, _CONTROL, _EXCEPTIONS, _HELD, _KEYS = 16, 32, 40, 56, 72, 88, 96, 104, 112, 120


@compiled
def _product(a: Integer, a_signed: bool, b: Integer, b_signed: bool) -> Any:
    x = np.int32(np.int8(a)) if a_signed else np.int32(a)
    y = np.int32(np.int8(b)) if b_signed else np.int32(b)
    return x * y


@compiled
def _accumulate(state: npt.NDArray[np.uint8], matrix: bool, n_signed: bool, m_signed: bool, index: Integer) -> None:
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


@compiled
def _narrow_all(state: npt.NDArray[np.uint8], upper: Integer, control: Integer) -> Integer:
    """Four singles of n, converted into the lower or `upper` four halves of d; returns the exceptions raised."""
    source, target = state[_N : _N + 16].view(np.uint32), state[_D : _D + 16].view(np.uint16)
    raised = np.int64(0)
    for lane in range(4):
        value, more = to_bfloat16(np.int64(source[lane]), control)
        target[lane + 4 * upper] = value
        raised |= more
    return raised


@compiled
def _a64_convert(uc: Pointer, state: npt.NDArray[np.uint8], word: Integer) -> bool:
    """BFCVT, BFCVTN and BFCVTN2; returns whether the word is one of them."""
    scalar, vector = (word & 0xFFFFFC00) == 0x1E634000, (word & 0xBFFFFC00) == 0x0EA16800
    if not scalar and not vector:
        return False
    base = state.ctypes.data
    upper = (word >> 30) & 1 if vector else 0
    state[_CONTROL:_HELD] = 0
    uc_reg_read(uc, A64_FPCR, base + _CONTROL)
    uc_reg_read(uc, A64_FPSR, base + _EXCEPTIONS)
    uc_reg_read(uc, A64_Q0 + ((word >> 5) & 31), base + _N)
    d = A64_Q0 + (word & 31)
    if upper:
        uc_reg_read(uc, d, base + _D)
    else:
        state[_D : _D + 16] = 0
    if scalar:
        state[_N + 4 : _N + 16] = 0
    raised = _narrow_all(state, upper, state[_CONTROL:_EXCEPTIONS].view(np.int64)[0])
    uc_reg_write(uc, d, base + _D)
    state[_EXCEPTIONS:_HELD].view(np.int64)[0] |= raised
    uc_reg_write(uc, A64_FPSR, base + _EXCEPTIONS)
    return True


@compiled
def _a32_half(uc: Pointer, state: npt.NDArray[np.uint8], word: Integer, in_it_block: bool) -> bool:
    """Execute conversions to BFloat16, and minimum and maximum of half precision; whether the word is one of them."""
    base = state.ctypes.data
    d = ((word >> 18) & 16) | ((word >> 12) & 15)
    n = ((word >> 3) & 16) | ((word >> 16) & 15)
    m = ((word >> 1) & 16) | (word & 15)
    quad, least = (word >> 6) & 1 == 1, (word >> 21) & 1 == 1
    state[_CONTROL:_HELD] = 0
    uc_reg_read(uc, A32_FPSCR, base + _CONTROL)
    fpscr = state[_CONTROL:_EXCEPTIONS].view(np.int64)
    halves, other = state[_N : _N + 16].view(np.uint16), state[_M : _M + 16].view(np.uint16)
    results = state[_D : _D + 16].view(np.uint16)
    standard = (fpscr[0] & FZ16) | FZ | DN
    raised: Integer = np.int64(0)
    if in_it_block:
        return False
    if (word & 0xFFBF0FD0) == 0xF3B60640 and m & 1 == 0:  # VCVT.BF16.F32
        uc_reg_read(uc, A32_D0 + m, base + _N)
        uc_reg_read(uc, A32_D0 + m + 1, base + _N + 8)
        raised = _narrow_all(state, 0, standard)
        uc_reg_write(uc, A32_D0 + d, base + _D)
    elif (word & 0x0FBF0F50) == 0x0EB30940 and word >> 28 != 15:  # VCVTB, VCVTT of BFloat16
        source, target = (word & 15) << 1 | (word >> 5) & 1, ((word >> 12) & 15) << 1 | (word >> 22) & 1
        uc_reg_read(uc, A32_D0 + (source >> 1), base + _N)
        uc_reg_read(uc, A32_D0 + (target >> 1), base + _D)
        single = np.int64(state[_N : _N + 8].view(np.uint32)[source & 1])
        value, raised = to_bfloat16(single, fpscr[0])
        results[2 * (target & 1) + ((word >> 7) & 1)] = value
        uc_reg_write(uc, A32_D0 + (target >> 1), base + _D)
    elif (word & 0xFFB00F10) == 0xFE800900:  # VMAXNM, VMINNM of single registers
        a, b = ((word >> 16) & 15) << 1 | (word >> 7) & 1, (word & 15) << 1 | (word >> 5) & 1
        target = ((word >> 12) & 15) << 1 | (word >> 22) & 1
        uc_reg_read(uc, A32_D0 + (a >> 1), base + _N)
        uc_reg_read(uc, A32_D0 + (b >> 1), base + _M)
        uc_reg_read(uc, A32_D0 + (target >> 1), base + _D)
        value, raised = half_extreme(halves[2 * (a & 1)], other[2 * (b & 1)], quad, True, fpscr[0])
        results[2 * (target & 1)], results[2 * (target & 1) + 1] = value, 0
        uc_reg_write(uc, A32_D0 + (target >> 1), base + _D)
    elif (word & 0xFE900F00) == 0xF2100F00:
        upper, number = (word >> 24) & 1 == 1, (word >> 4) & 1 == 1
        pairwise = upper and not number
        if (number and not upper) or (quad and (pairwise or (d | n | m) & 1)):  # VRECPS, VRSQRTS; no such registers
            return False
        uc_reg_read(uc, A32_D0 + n, base + _N)
        uc_reg_read(uc, A32_D0 + m, base + _M)
        if quad:
            uc_reg_read(uc, A32_D0 + n + 1, base + _N + 8)
            uc_reg_read(uc, A32_D0 + m + 1, base + _M + 8)
        for lane in range(8 if quad else 4):
            if pairwise:
                pair = 2 * (lane & 1)
                a, b = (halves[pair], halves[pair + 1]) if lane < 2 else (other[pair], other[pair + 1])
            else:
                a, b = halves[lane], other[lane]
            value, more = half_extreme(a, b, least, number, standard)
            results[lane] = value
            raised |= more
        uc_reg_write(uc, A32_D0 + d, base + _D)
        if quad:
            uc_reg_write(uc, A32_D0 + d + 1, base + _D + 8)
    else:
        return False
    fpscr[0] |= raised
    uc_reg_write(uc, A32_FPSCR, base + _CONTROL)
    return True


@native(INTERRUPT)
def _a64_exception(uc: Pointer, number: int, user: Pointer) -> None:
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
        held = state[_HELD:_KEYS].view(np.uint64)
        following = authenticate(uc, held, word, np.int64(trap.pc), np.int64(trap.keys))
        if following != -1:
            jump(uc, held, following)
            trap.executed += 1
            return
        if _a64_convert(uc, state, word):
            trap.pc += 4
            uc_reg_write(uc, A64_PC, base + _PC)
            trap.executed += 1
            return
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
def _a32_exception(uc: Pointer, number: int, user: Pointer) -> None:
    trap = carray(user, 1, TRAP)[0]
    trap.pc = 0
    uc_reg_read(uc, A32_PC, carray(user, (_SIZE,), np.uint8).ctypes.data + _PC)
    uc_reg_read(uc, A32_CPSR, carray(user, (_SIZE,), np.uint8).ctypes.data + _STATUS)
    trap.seen, trap.number = 1, number
    uc_emu_stop(uc)


@native(INVALID_INSTRUCTION)
def _a32_undefined(uc: Pointer, user: Pointer) -> bool:
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
            if (word & 0xEF000000) == 0xEF000000:  # data processing of NEON is elsewhere in Thumb
                word = 0xF2000000 | (word >> 4) & 0x01000000 | word & 0x00FFFFFF
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
        if not handled and _a32_half(uc, state, word, thumb and trap.status & IT_BITS != 0):
            trap.pc += 4 + thumb
            uc_reg_write(uc, A32_PC, base + _PC)
            trap.executed += 1
            return True
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
    """Executes instructions that the emulated CPU lacks; remembers the exception that ended a call."""

    def __init__(self, *, signs: bool = False) -> None:
        self._state = np.zeros(TRAP.itemsize, np.uint8)
        self._trap = self._state.view(TRAP)
        self._signs = signs

    def hooks(self, isa: Isa) -> Sequence[NativeHook]:
        """Return one exception hook in A64; in A32 two, because undefined instructions have a separate hook."""
        if isa is Isa.A64:
            return (NativeHook(UC_HOOK_INTR, _a64_exception, self._state),)
        return (
            NativeHook(UC_HOOK_INTR, _a32_exception, self._state),
            NativeHook(UC_HOOK_INSN_INVALID, _a32_undefined, self._state),
        )

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        self._state[:] = 0
        self._trap["keys"] = int(self._signs)

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
        """The number of instructions executed here since the last reset."""
        return int(self._trap[0]["executed"])
