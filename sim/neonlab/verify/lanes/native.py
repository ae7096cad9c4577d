"""Check lanes in compiled code: compute the true result in 64 bits and compare it with the range of the lane.

One row describes one instruction of the program; `neonlab.verify.lanes.wrap` writes the rows and reads their results.
The hook sees each checked instruction before it executes, so it works on operands alone and writes nothing to the
guest.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray

from neonlab.emulate.native import (
    BLOCK_OR_CODE,
    Integer,
    Pointer,
    Record,
    as_pointer,
    native,
    native_call,
    uc_reg_read,
)

Lanes: TypeAlias = npt.NDArray[Any]  # of integers of one kind
Lane: TypeAlias = type[np.integer[Any]]  # a kind of integer

# Arithmetic of a row.  a is the destination before, n and m are the sources.
MULTIPLY = 0  # use * a + sign * n * m
ADD = 1  # (n + sign * m + half) >> shift
SHIFT_RIGHT = 2  # use * a + ((n + half) >> shift)
SHIFT_LEFT = 3  # n << shift
SHIFT_BY_REGISTER = 4  # n << m, to the right where m is negative
DISTANCE = 5  # a + |n - m|
MAGNITUDE = 6  # |n|
NEGATE = 7  # -n
ADD_PAIRS = 8  # n[2i] + n[2i + 1], n and m joined
ACCUMULATE_PAIRS = 9  # a + n[2i] + n[2i + 1]
ADD_ACROSS = 10  # sum of n
DOT = 11  # a + four products
MATRIX = 12  # a + eight products

# Instructions that are common in inner loops have a short cut, which only finds whether any lane wrapped.  The compiler
# turns it into a few vector instructions.
NO_SHORT_CUT = 0
MULTIPLY_8, MULTIPLY_8_UNSIGNED, MULTIPLY_16, MULTIPLY_16_SAME = 1, 2, 3, 4  # int16 += int8 * int8, ...
ADD_32_16, ADD_16, ADD_32, PAIRS_8, PAIRS_16, DOT_8, DOT_8_SAME = 5, 6, 7, 8, 9, 10, 11

# A view: how the operands are read, and in which readings the result may fit.
A_SIGNED, N_SIGNED, M_SIGNED, FITS_SIGNED, FITS_UNSIGNED = 1, 2, 4, 8, 16

ROW = np.dtype(
    [
        ("bytes", np.uint8, 48),  # contents of the registers of a, n and m at the first wrap
        ("a_register", np.int32),  # Unicorn's identifiers of 128-bit registers, -1 for none
        ("n_register", np.int32),
        ("m_register", np.int32),
        ("kind", np.int32),
        ("short_cut", np.int32),
        ("a_offset", np.int32),  # bytes from the beginning of `bytes`
        ("n_offset", np.int32),
        ("m_offset", np.int32),
        ("lanes", np.int32),  # of the result
        ("n_lanes", np.int32),
        ("m_lanes", np.int32),
        ("a_bits", np.int32),
        ("n_bits", np.int32),
        ("m_bits", np.int32),
        ("use", np.int32),
        ("sign", np.int32),
        ("shift", np.int32),
        ("half", np.int64),  # added before a shift; for shifts by a register or of 64-bit lanes, nonzero to round
        ("reading", np.int32),  # a lane is right if its result fits in either view
        ("other_reading", np.int32),  # 0 for none
        ("hits", np.int64),  # executions in which some lane wrapped
        ("order", np.int64),  # hits of all rows before the first hit of this one
        ("lanes_lost", np.int64),  # bit i: lane i wrapped at the first hit
        ("lanes_ever", np.int64),  # bit i: lane i wrapped at some hit
    ],
    align=True,
)
HEADER = np.dtype(
    [
        ("base", np.int64),  # address of the first halfword of code
        ("words", np.int64),
        ("hits", np.int64),
        ("index", np.uint64),  # int16[words]: row of each halfword, -1 for none
        ("rows", np.uint64),  # ROW[count]
        ("count", np.int64),
        ("scratch", np.uint8, 48),
        ("a", np.int64, 16),
        ("n", np.int64, 16),
        ("m", np.int64, 16),
    ],
    align=True,
)
_OUT_OF_REACH = np.int64(1) << 62  # fits no lane; for results that 64 bits do not hold


@native_call
def _multiplies(a: Lanes, n: Lanes, m: Lanes, step: int, wide: Lane, sum_type: Lane, sign: int) -> bool:
    lost = False
    for lane in range(len(a)):
        true = sum_type(a[lane]) + sum_type(sign) * sum_type(n[lane]) * sum_type(m[step * lane])
        lost |= true != sum_type(wide(true))
    return lost


@native_call
def _adds(n: Lanes, m: Lanes, wide: Lane, sum_type: Lane, sign: Integer) -> bool:
    lost = False
    for lane in range(len(m)):
        true = sum_type(n[lane]) + sum_type(sign) * sum_type(m[lane])
        lost |= true != sum_type(wide(true))
    return lost


@native_call
def _pairs(a: Lanes, n: Lanes, wide: Lane, sum_type: Lane) -> bool:
    lost = False
    for lane in range(len(a)):
        true = sum_type(a[lane]) + sum_type(n[2 * lane]) + sum_type(n[2 * lane + 1])
        lost |= true != sum_type(wide(true))
    return lost


@native_call
def _dots(a: Lanes, n: Lanes, m: Lanes, step: Integer) -> bool:
    lost = False
    for lane in range(len(a)):
        true = np.int64(a[lane])
        for k in range(4):
            true += np.int32(n[4 * lane + k]) * np.int32(m[step * lane + k])
        lost |= true != np.int64(np.int32(true))
    return lost


@native_call
def _may_be_lost(row: Record, where: np.uint64) -> bool:
    """Tell whether the row needs the full check: some lane wrapped, or there is no short cut."""
    cut, sign = row.short_cut, row.sign
    a = as_pointer(where + np.uint64(row.a_offset))
    n = as_pointer(where + np.uint64(row.n_offset))
    m = as_pointer(where + np.uint64(row.m_offset))
    if cut == MULTIPLY_8:
        n8, m8 = carray(n, (8,), np.int8), carray(m, (8,), np.int8)
        return _multiplies(carray(a, (8,), np.int16), n8, m8, 1, np.int16, np.int32, sign)
    if cut == ADD_32_16:
        return _adds(carray(n, (4,), np.int32), carray(m, (4,), np.int16), np.int32, np.int64, sign)
    if cut == MULTIPLY_16:
        n16, m16 = carray(n, (4,), np.int16), carray(m, (4,), np.int16)
        return _multiplies(carray(a, (4,), np.int32), n16, m16, 1, np.int32, np.int64, sign)
    if cut == MULTIPLY_16_SAME:
        n16, m16 = carray(n, (4,), np.int16), carray(m, (1,), np.int16)
        return _multiplies(carray(a, (4,), np.int32), n16, m16, 0, np.int32, np.int64, sign)
    if cut == PAIRS_8:
        return _pairs(carray(a, (8,), np.int16), carray(n, (16,), np.int8), np.int16, np.int32)
    if cut == PAIRS_16:
        return _pairs(carray(a, (4,), np.int32), carray(n, (8,), np.int16), np.int32, np.int64)
    if cut == ADD_32:
        return _adds(carray(n, (4,), np.int32), carray(m, (4,), np.int32), np.int32, np.int64, sign)
    if cut == ADD_16:
        return _adds(carray(n, (8,), np.int16), carray(m, (8,), np.int16), np.int16, np.int32, sign)
    if cut == DOT_8:
        return _dots(carray(a, (4,), np.int32), carray(n, (16,), np.int8), carray(m, (16,), np.int8), 4)
    if cut == DOT_8_SAME:
        return _dots(carray(a, (4,), np.int32), carray(n, (16,), np.int8), carray(m, (4,), np.int8), 0)
    if cut == MULTIPLY_8_UNSIGNED:
        n8u, m8u = carray(n, (8,), np.uint8), carray(m, (8,), np.uint8)
        return _multiplies(carray(a, (8,), np.uint16), n8u, m8u, 1, np.uint16, np.int32, sign)
    return True


@native_call
def _widen(lanes: Lanes, count: Integer, out: Lanes) -> None:
    for lane in range(count):
        out[lane] = lanes[lane]


@native_call
def _load(where: np.uint64, count: Integer, bits: Integer, signed: bool, out: Lanes) -> None:
    """Lanes at an address as numbers."""
    at = as_pointer(where)
    if bits == 8:
        if signed:
            _widen(carray(at, (16,), np.int8), count, out)
        else:
            _widen(carray(at, (16,), np.uint8), count, out)
    elif bits == 16:
        if signed:
            _widen(carray(at, (8,), np.int16), count, out)
        else:
            _widen(carray(at, (8,), np.uint16), count, out)
    elif bits == 32:
        if signed:
            _widen(carray(at, (4,), np.int32), count, out)
        else:
            _widen(carray(at, (4,), np.uint32), count, out)
    else:
        _widen(carray(at, (2,), np.int64), count, out)


@native_call
def _shift_by_register(value: Integer, amount: Integer, bits: Integer, rounds: Integer) -> Integer:
    amount = (amount + 128 & 255) - 128
    if amount == 0:
        return value
    if amount < 0:
        half_done = value >> min(-amount - 1, 62)
        return (half_done + rounds) >> 1
    if value == 0:
        return np.int64(0)
    return _OUT_OF_REACH if amount >= bits else value << min(amount, 31)


@native_call
def _high_word(value: Integer, signed: bool) -> Integer:
    """Bits 64 and up of a number whose low 64 bits are `value`."""
    return value >> 63 if signed else np.int64(0)


@native_call
def _shift_right_64(row: Record, value: Integer, signed: bool) -> Integer:
    """Shift a lane of 64 bits right by 0 to 64, rounded if the row says so."""
    if row.shift == 0:
        return value
    rest: Integer = value >> row.shift - 1
    if not signed:
        rest = np.int64(np.uint64(value) >> np.uint64(row.shift - 1))
    last = rest & 1
    if not signed and row.shift == 1:
        rest = np.int64(np.uint64(rest) >> np.uint64(1))
    else:
        rest >>= 1
    if row.half != 0:
        rest += last
    return rest


@native_call
def _lost_of_64(row: Record, view: Integer, a: Lanes, n: Lanes, m: Lanes) -> Integer:
    """Lanes of 64 bits that wrapped, in sums of two terms of 128 bits."""
    lost = np.int64(0)
    second: Integer
    n_signed = (view & N_SIGNED) != 0
    first_signed = (view & A_SIGNED) != 0 if row.use != 0 else n_signed
    for lane in range(row.lanes):
        subtracts = row.sign < 0
        # narrower operands are exact as signed 64-bit numbers
        first, second, second_signed = a[lane], np.int64(0), True
        if row.kind == MULTIPLY:
            second, second_signed = n[lane] * m[lane], (view & (N_SIGNED | M_SIGNED)) != 0
        elif row.kind == ADD:
            first, second = n[lane], m[lane]
            second_signed = row.m_bits < 64 or (view & M_SIGNED) != 0
        elif row.kind == ADD_PAIRS:
            first, second, second_signed = (n[0], n[1], n_signed) if lane == 0 else (m[0], m[1], n_signed)
        elif row.kind == ACCUMULATE_PAIRS:
            second = n[2 * lane] + n[2 * lane + 1]
        elif row.kind == DISTANCE:
            second = abs(n[lane] - m[lane])
        elif row.kind == SHIFT_RIGHT:
            second, second_signed = _shift_right_64(row, n[lane], n_signed), n_signed
        else:
            first, second, second_signed = np.int64(0), n[lane], n_signed
            subtracts = row.kind == NEGATE or (n_signed and n[lane] < 0)
        high, more = _high_word(first, first_signed), _high_word(second, second_signed)
        if subtracts:
            low = first - second
            high -= more + np.int64(np.uint64(first) < np.uint64(second))
        else:
            low = first + second
            high += more + np.int64(np.uint64(low) < np.uint64(first))
        fits = (view & FITS_UNSIGNED) != 0 and high == 0
        fits |= (view & FITS_SIGNED) != 0 and high == low >> 63
        lost |= np.int64(not fits) << lane
    return lost


@native_call
def _lost(row: Record, view: Integer, where: np.uint64, a: Lanes, n: Lanes, m: Lanes) -> Integer:
    """Bit i: under `view`, the true result of lane i does not fit."""
    bits = row.a_bits
    if row.use != 0:
        _load(where + np.uint64(row.a_offset), row.lanes, bits, (view & A_SIGNED) != 0, a)
    _load(where + np.uint64(row.n_offset), row.n_lanes, row.n_bits, (view & N_SIGNED) != 0, n)
    if row.m_lanes != 0:
        _load(where + np.uint64(row.m_offset), row.m_lanes, row.m_bits, (view & M_SIGNED) != 0, m)
        if row.m_lanes == 1:
            for lane in range(1, row.lanes):
                m[lane] = m[0]
        elif row.kind == DOT and row.m_lanes == 4:
            for lane in range(4, row.n_lanes):
                m[lane] = m[lane & 3]
    if bits == 64:
        return _lost_of_64(row, view, a, n, m)
    lowest = -(np.int64(1) << bits - 1) if view & FITS_SIGNED else np.int64(0)
    highest = (np.int64(1) << bits) - 1 if view & FITS_UNSIGNED else (np.int64(1) << bits - 1) - 1
    lost = np.int64(0)
    kind, sign = row.kind, np.int64(row.sign)
    if kind == MULTIPLY:
        for lane in range(row.lanes):
            # two unsigned lanes of 32 bits may have a product that int64 does not hold
            huge = n[lane] > 1 << 31 and m[lane] > 1 << 31
            true = sign * (_OUT_OF_REACH if huge else n[lane] * m[lane])
            if row.use != 0:
                true += a[lane]
            lost |= np.int64(true < lowest or true > highest) << lane
    elif kind == ADD:
        for lane in range(row.lanes):
            true = (n[lane] + sign * m[lane] + row.half) >> row.shift
            lost |= np.int64(true < lowest or true > highest) << lane
    else:
        for lane in range(row.lanes):
            if kind == SHIFT_RIGHT:
                if row.n_bits == 64:
                    huge = row.shift == 0 and n[lane] < 0 and not view & N_SIGNED
                    true = _OUT_OF_REACH if huge else _shift_right_64(row, n[lane], (view & N_SIGNED) != 0)
                else:
                    true = (n[lane] + row.half) >> row.shift
                if row.use != 0:
                    true += a[lane]
            elif kind == SHIFT_LEFT:
                true = n[lane] << row.shift
            elif kind == SHIFT_BY_REGISTER:
                true = _shift_by_register(n[lane], m[lane], bits, row.half)
            elif kind == DISTANCE:
                true = a[lane] + abs(n[lane] - m[lane])
            elif kind == MAGNITUDE:
                true = abs(n[lane])
            elif kind == NEGATE:
                true = -n[lane]
            elif kind == ADD_PAIRS:
                place = 2 * lane
                true = (
                    n[place] + n[place + 1]
                    if place < row.n_lanes
                    else m[place - row.n_lanes] + m[place - row.n_lanes + 1]
                )
            elif kind == ACCUMULATE_PAIRS:
                true = a[lane] + n[2 * lane] + n[2 * lane + 1]
            elif kind == ADD_ACROSS:
                true = np.int64(0)
                for place in range(row.n_lanes):
                    true += n[place]
            elif kind == DOT:
                true = a[lane]
                for place in range(4 * lane, 4 * lane + 4):
                    true += n[place] * m[place]
            else:
                true = a[lane]
                for place in range(8):
                    true += n[8 * (lane >> 1) + place] * m[8 * (lane & 1) + place]
            lost |= np.int64(true < lowest or true > highest) << lane
    return lost


@native(BLOCK_OR_CODE)
def check_lanes(uc: Pointer, address: int, _size: int, user: Pointer) -> None:
    """Check the lanes of an instruction that is about to run; `user` is a HEADER."""
    header = carray(user, 1, HEADER)[0]
    word = (np.int64(address) - header.base) >> 1
    if word < 0 or word >= header.words:
        return
    number = carray(as_pointer(header.index), (header.words,), np.int16)[word]
    if number < 0:
        return
    row = carray(as_pointer(header.rows), (header.count,), ROW)[number]
    scratch = header.scratch
    where = np.uint64(scratch.ctypes.data)
    if row.a_register >= 0:
        uc_reg_read(uc, row.a_register, as_pointer(where))
    uc_reg_read(uc, row.n_register, as_pointer(where + np.uint64(16)))
    if row.m_register >= 0:
        uc_reg_read(uc, row.m_register, as_pointer(where + np.uint64(32)))
    if not _may_be_lost(row, where):
        return
    lost = _lost(row, row.reading, where, header.a, header.n, header.m)
    if lost != 0 and row.other_reading != 0:
        lost &= _lost(row, row.other_reading, where, header.a, header.n, header.m)
    if lost != 0:
        if row.hits == 0:
            row.order = header.hits
            row.lanes_lost = lost
            for place in range(48):
                row.bytes[place] = scratch[place]
        row.hits += 1
        row.lanes_ever |= lost
        header.hits += 1
