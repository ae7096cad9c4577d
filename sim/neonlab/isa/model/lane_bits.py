"""Compute what moves or combines bits without reading them as numbers: logic, permutes, table look-ups, bit counts.

The conventions are those of `neonlab.isa.model.lane_families`; lanes are unsigned values.
"""

from __future__ import annotations

import numpy as np

from neonlab.isa.model.lane_families import Array, Family
from neonlab.isa.model.lane_operation import LaneOperation


def _halves(operation: LaneOperation) -> int:
    return operation.destination.count // 2


def _zip(part: int) -> Family:
    """Return ZIP1, ZIP2: lanes of both operands in turn, from the lower or the upper half."""

    def family(operation: LaneOperation, first: Array, second: Array) -> Array:
        both = np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)
        return both[..., part * first.shape[-1] :][..., : first.shape[-1]]

    return family


def _unzip(part: int) -> Family:
    """Return UZP1, UZP2: every other lane of both operands, one after the other."""
    return lambda _, first, second: np.concatenate([first, second], axis=-1)[..., part::2]


def _transpose(part: int) -> Family:
    """Return TRN1, TRN2: lane 2i + part of each operand, in turn."""

    def family(operation: LaneOperation, first: Array, second: Array) -> Array:
        pairs = np.stack([first[..., part::2], second[..., part::2]], axis=-1)
        return pairs.reshape(*first.shape[:-1], -1)

    return family


def _extract(operation: LaneOperation, first: Array, second: Array) -> Array:
    """Compute EXT: bytes from position `immediate` of Vm:Vn."""
    both = np.concatenate([first, second], axis=-1)
    return both[..., operation.immediate :][..., : first.shape[-1]]


def _reverse(operation: LaneOperation, values: Array) -> Array:
    """Compute REV16, REV32, REV64: lanes of each container of `immediate` bits, last first."""
    group = operation.immediate // operation.destination.bits
    return values.reshape(*values.shape[:-1], -1, group)[..., ::-1].reshape(values.shape)


def _look_up(operation: LaneOperation, *sources: Array) -> Array:
    """Compute TBL, TBX: bytes of the table by index; out of range gives 0, or in TBX the old destination."""
    keeps = operation.family == "tbx"
    old = sources[0] if keeps else np.zeros_like(sources[-1])
    table, index = np.concatenate(sources[int(keeps) : -1], axis=-1), sources[-1]
    inside = index < table.shape[-1]
    found = np.take_along_axis(table, np.where(inside, index, 0), axis=-1)
    return np.where(inside, found, old)


def _bits(values: Array, width: int) -> Array:
    """Return the bits of each lane on a new last axis, lowest first."""
    return np.stack([values >> bit & 1 for bit in range(width)], axis=-1)


def _leading_zeros(values: Array, width: int) -> Array:
    ones = _bits(values, width)[..., ::-1]
    return np.where(ones.any(axis=-1), ones.argmax(axis=-1), width)


def _leading_signs(operation: LaneOperation, values: Array) -> Array:
    """Compute CLS: CountLeadingSignBits, without the sign bit itself."""
    width = operation.destination.bits
    return _leading_zeros((values >> 1) ^ (values & (1 << width - 1) - 1), width - 1)


def _reverse_bits(operation: LaneOperation, values: Array) -> Array:
    width = operation.destination.bits
    weights = np.array([1 << bit for bit in range(width)][::-1])
    reversed_bits: Array = (_bits(values, width) * weights).sum(axis=-1)
    return reversed_bits


def _insert_left(operation: LaneOperation, old: Array, values: Array) -> Array:
    """Compute SLI."""
    shift, width = operation.immediate, operation.destination.bits
    return (values << shift & (1 << width) - 1) | (old & (1 << shift) - 1)


def _insert_right(operation: LaneOperation, old: Array, values: Array) -> Array:
    """Compute SRI: the highest `immediate` bits are kept."""
    shift, width = operation.immediate, operation.destination.bits
    kept = (1 << width) - (1 << width - shift)
    return (values >> shift) | (old & kept)


def _exchange(operation: LaneOperation, first: Array, second: Array) -> tuple[Array, Array]:
    """Compute VZIP, VUZP, VTRN, VSWP of A32: both registers change."""
    if operation.family == "vswp":
        return second, first
    lower, upper = {"vzip": _zip, "vuzp": _unzip, "vtrn": _transpose}[operation.family], 1
    return lower(0)(operation, first, second), lower(upper)(operation, first, second)


BITS: dict[str, Family] = {
    "and": lambda _, a, b: a & b,
    "orr": lambda _, a, b: a | b,
    "eor": lambda _, a, b: a ^ b,
    "bic": lambda _, a, b: a & ~b,
    "orn": lambda _, a, b: a | ~b,
    "not": lambda _, a: ~a,
    "bsl": lambda _, d, n, m: (d & n) | (~d & m),
    "bit": lambda _, d, n, m: (d & ~m) | (n & m),
    "bif": lambda _, d, n, m: (d & m) | (n & ~m),
    # MOV, INS, DUP, UMOV, SMOV: one lane or all
    "mov": lambda _, a: a,
    "constant": lambda operation: np.array([operation.immediate] * operation.destination.count),
    "orr_constant": lambda operation, a: a | operation.immediate,
    "bic_constant": lambda operation, a: a & ~operation.immediate,
    "sli": _insert_left,
    "sri": _insert_right,
    "cnt": lambda operation, a: _bits(a, 8).sum(axis=-1),
    "clz": lambda operation, a: _leading_zeros(a, operation.destination.bits),
    "cls": _leading_signs,
    "rbit": _reverse_bits,
    "rev": _reverse,
    "ext": _extract,
    "zip1": _zip(0),
    "zip2": _zip(1),
    "uzp1": _unzip(0),
    "uzp2": _unzip(1),
    "trn1": _transpose(0),
    "trn2": _transpose(1),
    "tbl": _look_up,
    "tbx": _look_up,
    "vzip": _exchange,
    "vuzp": _exchange,
    "vtrn": _exchange,
    "vswp": _exchange,
}
