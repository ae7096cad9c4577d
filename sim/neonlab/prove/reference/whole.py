"""Compute numpy's elementwise functions on whole numbers: integers, truth values, floats that hold whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from neonlab.prove.expressions.operation import LIMIT, Operation
from neonlab.prove.expressions.table import Ids
from neonlab.prove.reference.value import BOOLEAN, Dtype, Plain, SymbolValue, integers, negated, tighten

Binary = Callable[[SymbolValue, SymbolValue], Ids]
Unary = Callable[[SymbolValue], Ids]
#: A shift to the left beyond this leaves what nodes hold; one to the right leaves no bits of an int64 beyond 63.
_MOST_LEFT, _MOST_RIGHT = 61, 63


def number(value: SymbolValue, of: int) -> Ids:
    """Return a node for a number."""
    return value.symbols.constants(np.asarray(of, np.int64))


def constant_of(value: SymbolValue) -> Plain | None:
    """Return the numbers of a value that is the same for all inputs, else None."""
    found: Plain | None = value.symbols.table.nodes["amount"][value.ids] if value.is_constant else None
    return found


def _ring(operation: Operation) -> Binary:
    return lambda x, y: x.apply(operation, y.ids)


def _less(x: SymbolValue, y: SymbolValue) -> Ids:
    return x.with_ids(x.apply(Operation.SUBTRACT, y.ids)).apply(Operation.NEGATIVE)


def _not(of: Binary, *, swapped: bool = False) -> Binary:
    def negation(x: SymbolValue, y: SymbolValue) -> Ids:
        return negated(x.with_ids(of(y, x) if swapped else of(x, y)))

    return negation


def _equal(x: SymbolValue, y: SymbolValue) -> Ids:
    return x.with_ids(x.apply(Operation.SUBTRACT, y.ids)).apply(Operation.ZERO)


def _shift_left(x: SymbolValue, y: SymbolValue) -> Ids:
    amount = _amounts(y, "a shift to the left", _MOST_LEFT)
    if (by := constant_of(y)) is not None:
        return x.apply(Operation.SCALE, amount=np.left_shift(np.int64(1), by))
    return _shifted(x, y.ids, (0, 0), amount)


def _shift_right(x: SymbolValue, y: SymbolValue) -> Ids:
    low, high = _amounts(y, "a shift to the right", _MOST_RIGHT)
    if (by := constant_of(y)) is not None:
        return x.apply(Operation.SHIFT_RIGHT, amount=by)
    return _shifted(x, y.with_ids(number(y, 0)).apply(Operation.SUBTRACT, y.ids), (low, high), (0, 0))


def _amounts(y: SymbolValue, doing: str, most: int) -> tuple[int, int]:
    if y.ids.size and (y.low < 0 or y.high > most):
        y.symbols.refuse(f"{doing} may be by {y.low} to {y.high}: it must be by 0 to {most}", y.ids)
    return (y.low, y.high) if y.ids.size else (0, 0)


def _shifted(x: SymbolValue, amount: Ids, right: tuple[int, int], left: tuple[int, int]) -> Ids:
    ids = x.apply(Operation.SHIFT_BY, amount)
    ends = [end << by for end in (x.low, x.high) for by in left] if right == (0, 0) else []
    ends += [end >> by for end in (x.low, x.high) for by in right] if left == (0, 0) else []
    if ids.size and x.low > -LIMIT and x.high < LIMIT:
        tighten(x.symbols, ids, max(min(ends), -LIMIT), min(max(ends), LIMIT))
    return ids


def _and(x: SymbolValue, y: SymbolValue) -> Ids:
    """Return the bits that both have; with a run of ones, as what two shifts leave."""
    for value, other in ((x, y), (y, x)):
        if (mask := constant_of(value)) is not None and (mask >= 0).all():
            lowest = np.where(mask > 0, mask & -mask, 1)
            if ((mask // lowest) & (mask // lowest + 1) == 0).all():
                return _masked(other, np.log2(lowest).astype(np.int64), mask // lowest)
    ids = _bitwise(Operation.AND)(x, y)
    if ids.size and max(x.low, y.low) >= 0:  # one without a sign: the result has no further bits
        tighten(x.symbols, ids, 0, min(v.high for v in (x, y) if v.low >= 0))
    return ids


def _masked(value: SymbolValue, first: Plain, ones: Plain) -> Ids:
    """Return the bits of `value` from bit `first` on that the mask `ones` has, where they are."""
    count = np.round(np.log2(ones + 1.0)).astype(np.int64)
    moved = value.with_ids(value.apply(Operation.SHIFT_RIGHT, amount=first))
    rest = moved.with_ids(moved.apply(Operation.SHIFT_RIGHT, amount=count))
    kept = moved.apply(Operation.SUBTRACT, rest.apply(Operation.SCALE, amount=np.left_shift(1, count)))
    kept = np.where(ones == 0, number(value, 0), kept).astype(np.int32)
    tighten(value.symbols, kept, 0, int(ones.max(initial=0)))
    return value.with_ids(kept).apply(Operation.SCALE, amount=np.left_shift(1, first))


def _bitwise(operation: Operation) -> Binary:
    """Return an operation on bits, whose result needs no more of them than its operands."""

    def apply(x: SymbolValue, y: SymbolValue) -> Ids:
        ids = x.apply(operation, y.ids)
        if ids.size and x.low >= 0 and y.low >= 0:
            tighten(x.symbols, ids, 0, (1 << max(x.high, y.high).bit_length()) - 1)
        elif ids.size and min(x.low, y.low) > -LIMIT and max(x.high, y.high) < LIMIT:
            bits = max((end if end >= 0 else ~end).bit_length() for end in (x.low, y.low, x.high, y.high))
            tighten(x.symbols, ids, -(1 << bits), (1 << bits) - 1)
        return ids

    return apply


def _floor_divide(x: SymbolValue, y: SymbolValue) -> Ids:
    divisor = constant_of(y)
    if divisor is None or (divisor <= 0).any():
        x.symbols.refuse("a division by other than constants above 0", y.ids)
    power = (divisor & (divisor - 1)) == 0
    if power.all():
        return x.apply(Operation.SHIFT_RIGHT, amount=np.round(np.log2(divisor)).astype(np.int64))
    if x.ids.size and x.low < 0:
        # The quotient is truncated, so that a negative number is first lowered by all but one of the divisor.
        sign = x.with_ids(x.apply(Operation.NEGATIVE))
        lower = sign.apply(Operation.SCALE, amount=divisor - 1)
        x = x.with_ids(x.apply(Operation.SUBTRACT, lower))
    ids = x.apply(Operation.DIVIDE, y.ids)
    tighten(x.symbols, ids, min(x.low, 0), max(x.high, 0))
    least = int(divisor.min(initial=1))
    if x.ids.size and x.low > -LIMIT and x.high < LIMIT:
        tighten(x.symbols, ids, -(-x.low // least) if x.low < 0 else 0, max(x.high, 0) // least)
    return ids


def _absolute(x: SymbolValue) -> Ids:
    return x.apply(Operation.MAXIMUM, x.apply(Operation.SCALE, amount=-1))


def _sign(x: SymbolValue) -> Ids:
    minus = x.with_ids(x.apply(Operation.SCALE, amount=-1))
    return minus.with_ids(minus.apply(Operation.NEGATIVE)).apply(Operation.SUBTRACT, x.apply(Operation.NEGATIVE))


def _either(x: SymbolValue, y: SymbolValue) -> Ids:
    """Return x or y of truth values: x + y - x·y."""
    both = x.apply(Operation.MULTIPLY, y.ids)
    ids = x.with_ids(x.apply(Operation.ADD, y.ids)).apply(Operation.SUBTRACT, both)
    tighten(x.symbols, ids, 0, 1)
    return ids


def _differ(x: SymbolValue, y: SymbolValue) -> Ids:
    return negated(x.with_ids(_equal(x, y)))


_COMPARISONS: Mapping[str, Binary] = {
    "less": _less,
    "greater": lambda x, y: _less(y, x),
    "less_equal": _not(_less, swapped=True),
    "greater_equal": _not(_less),
    "equal": _equal,
    "not_equal": _differ,
}
_TRUTH: Mapping[str, Binary] = {
    "logical_and": _ring(Operation.MULTIPLY),
    "logical_or": _either,
    "logical_xor": _differ,
}
#: What the bitwise and arithmetic functions are on truth values.
_AS_TRUTH = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "add": "logical_or",
    "maximum": "logical_or",
    "multiply": "logical_and",
    "minimum": "logical_and",
}
_ARITHMETIC: Mapping[str, Binary] = {
    "add": _ring(Operation.ADD),
    "subtract": _ring(Operation.SUBTRACT),
    "multiply": _ring(Operation.MULTIPLY),
    "minimum": _ring(Operation.MINIMUM),
    "maximum": _ring(Operation.MAXIMUM),
    "left_shift": _shift_left,
    "right_shift": _shift_right,
    "floor_divide": _floor_divide,
    "bitwise_and": _and,
    "bitwise_or": _bitwise(Operation.OR),
    "bitwise_xor": _bitwise(Operation.EXCLUSIVE_OR),
}
_UNARY: Mapping[str, Unary] = {
    "negative": lambda x: x.apply(Operation.SCALE, amount=-1),
    "positive": lambda x: x.ids,
    "absolute": _absolute,
    "sign": _sign,
    "square": lambda x: x.apply(Operation.MULTIPLY, x.ids),
    "invert": lambda x: x.with_ids(x.apply(Operation.SCALE, amount=-1)).apply(Operation.SUBTRACT, number(x, 1)),
    "rint": lambda x: x.ids,
    "floor": lambda x: x.ids,
    "ceil": lambda x: x.ids,
    "trunc": lambda x: x.ids,
}


#: Every name that `compare`, `binary` or `unary` knows.
NAMES = frozenset((*_COMPARISONS, *_TRUTH, *_ARITHMETIC, *_UNARY, "isfinite", "isnan", "isinf", "logical_not"))


def compare(name: str, x: SymbolValue, y: SymbolValue) -> SymbolValue | None:
    """Return the truth values of a comparison or of `logical_and` and the like; None where `name` is neither."""
    made = _COMPARISONS.get(name) or _TRUTH.get(name)
    return None if made is None else SymbolValue(x.symbols, made(x, y), BOOLEAN)


def binary(name: str, x: SymbolValue, y: SymbolValue, dtype: Dtype) -> SymbolValue | None:
    """Return x and y under a numpy function, as `dtype`; None where the function is not known.  Raises Refusal."""
    if dtype == BOOLEAN:
        return compare(_AS_TRUTH.get(name, ""), x, y)
    if name not in _ARITHMETIC:
        return None
    unsigned = dtype.kind == "f" and (name == "multiply" or x.unsigned_zero or y.unsigned_zero)
    found = integers(x.symbols, _ARITHMETIC[name](x, y), dtype, f"the result of numpy.{name}")
    return SymbolValue(x.symbols, found.ids, dtype, None, unsigned)


def unary(name: str, x: SymbolValue, dtype: Dtype) -> SymbolValue | None:
    """Return x under a numpy function, as `dtype`; None where the function is not known.  Raises Refusal."""
    if name in ("isfinite", "isnan", "isinf"):
        truth = number(x, int(name == "isfinite"))
        return SymbolValue(x.symbols, np.broadcast_to(truth, x.ids.shape).copy(), BOOLEAN)
    if name == "logical_not" or (name == "invert" and x.dtype == BOOLEAN):
        return SymbolValue(x.symbols, negated(x), BOOLEAN)
    if name not in _UNARY:
        return None
    unsigned = dtype.kind == "f" and (x.unsigned_zero or name == "negative")
    found = integers(x.symbols, _UNARY[name](x), dtype, f"the result of numpy.{name}")
    return SymbolValue(x.symbols, found.ids, dtype, None, unsigned)
