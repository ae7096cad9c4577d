"""Lane arithmetic as pure functions on arrays of integers, wide enough that nothing is lost.

Each function takes the operation and its sources, with lanes on the last axis, and returns the TRUE result of each
destination lane, as if registers had no width.  `neonlab.isa.lanes` computes what a register keeps of it.  Arrays are
int64, which holds every true result of lanes up to 32 bits.  Where a lane has 64 bits, or a register shift may move 32,
they are Python integers in object arrays.

Each family names the section of the Arm Architecture Reference Manual (DDI 0487, A64 C7.2) whose pseudocode it states.
The A32 instructions (DDI 0487 F6.1, DDI 0406C A8.8) use the same arithmetic under other names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neonlab.isa.model.lane_operation import LaneOperation

Array = np.ndarray[Any, np.dtype[Any]]
Family = Callable[..., Any]


def bounds(bits: int, signed: bool) -> tuple[int, int]:
    """Return the lowest and the highest value of a lane."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def clamp(values: Array, bits: int, signed: bool) -> Array:
    """Compute SignedSatQ and UnsignedSatQ (shared pseudocode, J1.3)."""
    low, high = bounds(bits, signed)
    return np.minimum(np.maximum(values, low), high)


def shift_right(values: Array, amount: int, rounds: bool) -> Array:
    """Compute `(value + round_const) >> shift`, as in SSHR and SRSHR, without loss before the shift."""
    half = 1 << amount - 1 if rounds and amount else 0
    return (values + half) >> amount


def _pairs(values: Array) -> Array:
    return values[..., 0::2] + values[..., 1::2]


def _joined(*sources: Array) -> Array:
    return np.concatenate(sources, axis=-1)


def _pairwise(operation: LaneOperation, *sources: Array) -> Array:
    """Compute ADDP (vector, scalar): `element1 + element2` over Vm:Vn; SADDLP, UADDLP."""
    return _pairs(_joined(*sources))


def _accumulate_pairs(operation: LaneOperation, total: Array, values: Array) -> Array:
    """Compute SADALP, UADALP: `acc + op1 + op2`."""
    return total + _pairs(values)


def _pairwise_max(operation: LaneOperation, *sources: Array) -> Array:
    """Compute SMAXP, UMAXP."""
    values = _joined(*sources)
    return np.maximum(values[..., 0::2], values[..., 1::2])


def _pairwise_min(operation: LaneOperation, *sources: Array) -> Array:
    """Compute SMINP, UMINP."""
    values = _joined(*sources)
    return np.minimum(values[..., 0::2], values[..., 1::2])


def _across(operation: LaneOperation, values: Array) -> Array:
    """Compute ADDV, SADDLV, UADDLV: Reduce(ReduceOp_ADD)."""
    total: Array = values.sum(axis=-1, keepdims=True)
    return total


def _shift_register(operation: LaneOperation, values: Array, amounts: Array) -> Array:
    """Compute SSHL, SRSHL, SQSHL, SQRSHL and the unsigned forms.

    The low byte of the second operand, signed, shifts left.  Amounts beyond the lane's width, or beyond one more where
    it rounds, do not change the result any further.
    """
    bits = operation.destination.bits
    amounts = (amounts.astype(np.int64) + 128 & 255) - 128
    left = np.minimum(np.maximum(amounts, 0), bits)
    right = np.minimum(np.maximum(-amounts, 0), bits + 1)
    one = np.ones_like(right).astype(values.dtype)
    half = np.where(right > 0, one << np.maximum(right - 1, 0).astype(values.dtype), 0) if operation.rounds else 0 * one
    shifted: Array = ((values << left.astype(values.dtype)) + half) >> right.astype(values.dtype)
    return shifted


def _quads(values: Array) -> Array:
    return values.reshape(*values.shape[:-1], -1, 4)


def _dot(operation: LaneOperation, total: Array, first: Array, second: Array) -> Array:
    """Compute SDOT, UDOT, USDOT, SUDOT: four products added to their 32-bit lane."""
    sums: Array = total + (_quads(first) * _quads(second)).sum(axis=-1)
    return sums


def _matrix(operation: LaneOperation, total: Array, first: Array, second: Array) -> Array:
    """Compute SMMLA, UMMLA, USMMLA: MatMulAdd, 2x8 by the transpose of 2x8."""
    rows, columns = (values.reshape(*values.shape[:-1], 2, 8) for values in (first, second))
    sums: Array = total + np.einsum("...ik,...jk->...ij", rows, columns).reshape(total.shape)
    return sums


def _doubling_high(operation: LaneOperation, first: Array, second: Array) -> Array:
    """Compute SQDMULH, SQRDMULH: `(2 * a * b + round_const) >> esize`; the factor 2 cancels and is left out."""
    return shift_right(first * second, operation.destination.bits - 1, operation.rounds)


def _doubling_high_accumulate(sign: int) -> Family:
    """Return SQRDMLAH, SQRDMLSH: `((acc << esize) +- 2 * a * b + round_const) >> esize`; the factor 2 is left out."""

    def family(operation: LaneOperation, total: Array, first: Array, second: Array) -> Array:
        bits = operation.destination.bits
        return shift_right((total << bits - 1) + sign * (first * second), bits - 1, True)

    return family


def _doubling_long(operation: LaneOperation, first: Array, second: Array) -> Array:
    """Compute SQDMULL: `2 * a * b`."""
    return 2 * first * second


def _doubling_long_accumulate(sign: int) -> Family:
    """Return SQDMLAL, SQDMLSL: the product saturates before it is added, the sum after."""

    def family(operation: LaneOperation, total: Array, first: Array, second: Array) -> Array:
        sums: Array = total + sign * clamp(2 * first * second, operation.destination.bits, True)
        return sums

    return family


def _high_half(sign: int) -> Family:
    """Return ADDHN, RADDHN, SUBHN, RSUBHN: the upper half of the sum or difference."""

    def family(operation: LaneOperation, first: Array, second: Array) -> Array:
        return shift_right(first + sign * second, operation.destination.bits, operation.rounds)

    return family


def _polynomial(operation: LaneOperation, first: Array, second: Array) -> Array:
    """Compute PMUL, PMULL: PolynomialMult."""
    product = 0 * (first + second)
    for bit in range(operation.sources[0].bits):
        product = product ^ ((first << bit) * ((second >> bit) & 1))
    return product


#: Families whose true result may not fit the destination lane, which then holds another number.
ARITHMETIC: dict[str, Family] = {
    # ADD, SUB, SADDL, SADDW, SSUBL, SSUBW, SQADD, SQSUB, SUQADD, USQADD
    "add": lambda _, a, b: a + b,
    "sub": lambda _, a, b: a - b,
    # SHADD, SRHADD, SHSUB
    "hadd": lambda operation, a, b: (a + b + int(operation.rounds)) >> 1,
    "hsub": lambda _, a, b: (a - b) >> 1,
    # MUL, MLA, MLS and SMULL, SMLAL, SMLSL, vectors and by element
    "mul": lambda _, a, b: a * b,
    "mla": lambda _, total, a, b: total + a * b,
    "mls": lambda _, total, a, b: total - a * b,
    "dot": _dot,
    "mmla": _matrix,
    # SABD, SABDL, SABA, SABAL
    "abd": lambda _, a, b: abs(a - b),
    "aba": lambda _, total, a, b: total + abs(a - b),
    # ABS, NEG, SQABS, SQNEG
    "abs": lambda _, a: abs(a),
    "neg": lambda _, a: -a,
    "addp": _pairwise,
    "adalp": _accumulate_pairs,
    "addv": _across,
    # SHL, SHLL, SSHLL (SXTL), SQSHL (immediate), SQSHLU
    "shl": lambda operation, a: a << operation.immediate,
    "shift": _shift_register,
    # SSHR, SRSHR, SHRN, RSHRN, SQSHRN, SQSHRUN, XTN, SQXTN, SQXTUN, and SSRA, SRSRA
    "shr": lambda operation, a: shift_right(a, operation.immediate, operation.rounds),
    "sra": lambda operation, total, a: total + shift_right(a, operation.immediate, operation.rounds),
    "addhn": _high_half(1),
    "subhn": _high_half(-1),
    "qdmulh": _doubling_high,
    "qdmlah": _doubling_high_accumulate(1),
    "qdmlsh": _doubling_high_accumulate(-1),
    "qdmull": _doubling_long,
    "qdmlal": _doubling_long_accumulate(1),
    "qdmlsl": _doubling_long_accumulate(-1),
}


def _mask(condition: Any) -> Array:
    return np.where(condition, -1, 0)


def _compare(test: Callable[[Array, Array], Any]) -> Family:
    """Return CMxx (register), and (zero) where there is one source."""
    return lambda operation, a, *b: _mask(test(a, b[0] if b else 0 * a))


#: Families whose results always fit: comparison, selection, order.
SELECTION: dict[str, Family] = {
    "max": lambda _, a, b: np.maximum(a, b),
    "min": lambda _, a, b: np.minimum(a, b),
    "maxp": _pairwise_max,
    "minp": _pairwise_min,
    # SMAXV, SMINV: Reduce
    "maxv": lambda _, a: a.max(axis=-1, keepdims=True),
    "minv": lambda _, a: a.min(axis=-1, keepdims=True),
    "cmeq": _compare(lambda a, b: a == b),
    "cmgt": _compare(lambda a, b: a > b),
    "cmge": _compare(lambda a, b: a >= b),
    "cmlt": _compare(lambda a, b: a < b),
    "cmle": _compare(lambda a, b: a <= b),
    "cmtst": _compare(lambda a, b: (a & b) != 0),
    "pmul": _polynomial,
}
