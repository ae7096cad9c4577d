"""Arithmetic of BFloat16 and half precision as compiled functions, on bits (DDI 0487, shared pseudocode)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from neonlab.emulate.native import Integer, compiled

# Control bits of FPCR and FPSCR, and cumulative exceptions of FPSR and FPSCR
FZ16, FZ, DN = 1 << 19, 1 << 24, 1 << 25
IOC, OFC, UFC, IXC, IDC = 1 << 0, 1 << 2, 1 << 3, 1 << 4, 1 << 7

_Result: TypeAlias = tuple[Integer, Integer]  # bits, and the exceptions raised


@compiled
def to_bfloat16(single: Integer, control: Integer) -> _Result:
    """FPConvertBF: the 16 bits of a single-precision number rounded as `control` says, and the exceptions raised."""
    sign, exponent, fraction, raised = (single >> 31) & 1, (single >> 23) & 0xFF, single & 0x7FFFFF, np.int64(0)
    if exponent == 0xFF and fraction:
        if not fraction & 0x400000:
            raised |= IOC
        return (np.int64(0x7FC0) if control & DN else (single | 0x400000) >> 16), raised
    if exponent == 0 and fraction and control & FZ:
        return sign << 15, np.int64(IDC)
    rest, result = single & 0xFFFF, single >> 16
    if exponent == 0xFF or not rest:
        return result, raised
    raised |= IXC
    if exponent == 0:  # tiny before it is rounded
        raised |= UFC
    mode = (control >> 22) & 3
    if mode == 0:  # to nearest, ties to even
        up = rest > 0x8000 or (rest == 0x8000 and result & 1 == 1)
    elif mode == 1:  # towards plus infinity
        up = sign == 0
    else:  # towards minus infinity, or zero
        up = mode == 2 and sign == 1
    if up:
        result += 1  # out of the fraction into the exponent, at most to infinity
        if result & 0x7FFF == 0x7F80:
            raised |= OFC
    return result, raised


@compiled
def half_extreme(first: Integer, second: Integer, least: bool, number: bool, control: Integer) -> _Result:
    """FPMax or, for `least`, FPMin of half-precision bits; FPMaxNum or FPMinNum for `number`; and exceptions raised."""
    a, b = np.int64(first), np.int64(second)
    if number:  # one quiet NaN gives way to anything
        a_quiet, b_quiet = a & 0x7FFF >= 0x7E00, b & 0x7FFF >= 0x7E00
        losing = np.int64(0x7C00 if least else 0xFC00)
        a, b = losing if a_quiet and not b_quiet else a, losing if b_quiet and not a_quiet else b
    a_nan, b_nan = a & 0x7FFF > 0x7C00, b & 0x7FFF > 0x7C00
    if a_nan or b_nan:
        a_signals, b_signals = a_nan and a & 0x200 == 0, b_nan and b & 0x200 == 0
        raised = np.int64(IOC if a_signals or b_signals else 0)
        if control & DN:
            return np.int64(0x7E00), raised
        return (a if a_signals or (a_nan and not b_signals) else b) | 0x200, raised
    if control & FZ16:  # raises nothing
        a, b = a if a & 0x7C00 else a & 0x8000, b if b & 0x7C00 else b & 0x8000
    a_size, b_size = a & 0x7FFF, b & 0x7FFF
    a_value, b_value = -a_size if a >> 15 else a_size, -b_size if b >> 15 else b_size
    chosen = (a if a_value < b_value else b) if least else (a if a_value > b_value else b)
    if chosen & 0x7FFF == 0:
        return ((a | b) if least else (a & b)) & 0x8000, np.int64(0)
    return chosen, np.int64(0)
