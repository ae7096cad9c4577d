"""Compute numpy's elementwise functions on float32 numbers, which are nodes of their bits.

Where a minimum or maximum is of two zeros, numpy leaves the sign open; here it is the architecture's, -0 below +0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from neonlab.prove.expressions.operation import Operation, Rounding
from neonlab.prove.expressions.table import Ids
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import BOOLEAN, DOUBLE, Dtype, Plain, Span, SymbolValue, negated, tighten

_SIGN = 31
_HALF = 0x3F000000
_ONE = 0x3F800000
_UNKNOWN = (np.nan, np.nan)
_ARITHMETIC: Mapping[str, tuple[Operation, Callable[..., Plain]]] = {
    "add": (Operation.FLOAT_ADD, np.add),
    "subtract": (Operation.FLOAT_SUBTRACT, np.subtract),
    "multiply": (Operation.FLOAT_MULTIPLY, np.multiply),
    "divide": (Operation.FLOAT_DIVIDE, np.divide),
}
_EXTREMES: Mapping[str, tuple[Operation, Callable[..., float]]] = {
    "minimum": (Operation.FLOAT_MINIMUM, min),
    "maximum": (Operation.FLOAT_MAXIMUM, max),
}
_ROUNDINGS: Mapping[str, tuple[Rounding, Callable[[float], float]]] = {
    "rint": (Rounding.EVEN, np.rint),
    "trunc": (Rounding.TRUNCATE, np.trunc),
    "floor": (Rounding.DOWN, np.floor),
    "ceil": (Rounding.UP, np.ceil),
}


#: Every name that `binary` or `unary` knows beside those of whole numbers.
NAMES = frozenset((*_ARITHMETIC, *_EXTREMES, *_ROUNDINGS, "copysign"))


def _span_of(apply: Callable[..., Plain], x: Span, y: Span) -> Span:
    """Return what lies between the results at the ends: rounding keeps the order, and so does each operand's change."""
    if not (x.known and y.known) or (apply is np.divide and y.low <= 0 <= y.high):
        return Span(*_UNKNOWN)
    with np.errstate(all="ignore"):
        ends = [float(apply(np.float32(a), np.float32(b))) for a in (x.low, x.high) for b in (y.low, y.high)]
        # A finite number times 0 lies between; infinity times 0, and infinity less itself, are no numbers.
        if np.isnan(ends).any() or not np.isfinite([x.low, x.high, y.low, y.high]).all():
            return Span(*_UNKNOWN)
    return Span(min(ends), max(ends))


def binary(name: str, x: SymbolValue, y: SymbolValue, dtype: Dtype) -> SymbolValue | None:
    """Return x and y, both of bits, under a numpy function; None where it is not known.  Raises Refusal."""
    assert x.span is not None and y.span is not None
    if name in _EXTREMES:
        operation, chosen = _EXTREMES[name]
        known = x.span.known and y.span.known
        span = Span(chosen(x.span.low, y.span.low), chosen(x.span.high, y.span.high)) if known else Span(*_UNKNOWN)
        return SymbolValue(x.symbols, x.apply(operation, y.ids), dtype, span)
    if name == "copysign":
        negative = y.with_ids(_sign_of(y)).apply(Operation.SCALE, amount=1 << _SIGN)
        ids = x.with_ids(_magnitude(x)).apply(Operation.ADD, negative)
        tighten(x.symbols, ids, 0, (1 << 32) - 1)
        most = max(abs(x.span.low), abs(x.span.high))
        return SymbolValue(x.symbols, ids, dtype, Span(-most, most) if x.span.known else Span(*_UNKNOWN))
    if name not in _ARITHMETIC:
        return None
    if dtype == DOUBLE:
        x.symbols.refuse(f"float64 arithmetic is not supported on float32 numbers: numpy.{name}", x.ids, y.ids)
    operation, apply = _ARITHMETIC[name]
    if name in ("multiply", "divide") and _is_one(y):
        ids = np.broadcast_to(x.ids, np.broadcast_shapes(x.ids.shape, y.ids.shape)).copy()
        return SymbolValue(x.symbols, ids, dtype, x.span)
    span = _span_of(apply, x.span, y.span)
    if name == "add" and (rounded := _half_away(x, y)) is not None:
        return SymbolValue(x.symbols, rounded, dtype, span)
    return SymbolValue(x.symbols, x.apply(operation, y.ids), dtype, span)


def unary(name: str, x: SymbolValue, dtype: Dtype) -> SymbolValue | None:
    """Return x, of bits, under a numpy function; None where it is not known.  Raises Refusal."""
    span = x.span
    assert span is not None
    if name in _ROUNDINGS:
        rounding, apply = _ROUNDINGS[name]
        rounded = Span(float(apply(span.low)), float(apply(span.high)))
        return SymbolValue(x.symbols, x.apply(Operation.FLOAT_ROUND, amount=int(rounding)), dtype, rounded)
    if name == "positive":
        return replace(x, dtype=dtype)
    if name == "absolute":
        ends = (abs(span.low), abs(span.high))
        least = 0.0 if span.low <= 0 <= span.high else min(ends)
        return SymbolValue(x.symbols, _magnitude(x), dtype, Span(least, max(ends)) if span.known else Span(*_UNKNOWN))
    if name == "negative":
        # The sign bit of one number becomes 1, that of the other 0.
        twice = x.with_ids(_sign_of(x)).apply(Operation.SCALE, amount=1 << 32)
        half = x.symbols.constants(np.asarray(1 << _SIGN))
        ids = x.with_ids(x.apply(Operation.ADD, half)).apply(Operation.SUBTRACT, twice)
        tighten(x.symbols, ids, 0, (1 << 32) - 1)
        return SymbolValue(x.symbols, ids, dtype, Span(-span.high, -span.low))
    if name in ("isfinite", "isnan", "isinf"):
        if not (span.known and np.isfinite([span.low, span.high]).all()):
            x.symbols.refuse(f"numpy.{name} of floats that may be infinite or no numbers", x.ids)
        truth = x.symbols.constants(np.full(x.ids.shape, int(name == "isfinite")))
        return SymbolValue(x.symbols, truth, BOOLEAN)
    return None


def compare(name: str, x: SymbolValue, y: SymbolValue) -> SymbolValue | None:
    """Return the truth values of a comparison; None where `name` is none.  Raises Refusal for what may be NaN."""
    assert x.span is not None and y.span is not None
    if name in ("greater", "less_equal"):
        return compare({"greater": "less", "less_equal": "greater_equal"}[name], y, x)
    if name not in ("less", "greater_equal", "equal", "not_equal"):
        return None
    a, b = x.span, y.span
    if not (a.known and b.known):
        x.symbols.refuse(f"numpy.{name} of floats that may be no numbers", x.ids, y.ids)
    orders = name in ("less", "greater_equal")
    truth: Ids
    if a.high < b.low or (a.low >= b.high and orders) or b.high < a.low:
        shape = np.broadcast_shapes(x.ids.shape, y.ids.shape)
        truth = x.symbols.constants(np.full(shape, int(orders and a.high < b.low)))
    else:
        truth = x.apply(Operation.FLOAT_LESS if orders else Operation.FLOAT_EQUAL, y.ids)
    if name in ("greater_equal", "not_equal"):
        truth = negated(x.with_ids(truth))
    return SymbolValue(x.symbols, truth, BOOLEAN)


def _is_one(value: SymbolValue) -> bool:
    return value.is_constant and bool((value.symbols.table.nodes["amount"][value.ids] == _ONE).all())


def _sign_of(x: SymbolValue) -> Ids:
    return x.apply(Operation.SHIFT_RIGHT, amount=_SIGN)


def _magnitude(x: SymbolValue) -> Ids:
    """Return the bits without the sign; those of a number of 0 or more as they are."""
    nodes = x.symbols.table.nodes
    if (nodes["operation"][x.ids] == Operation.FLOAT_OF).all() and (nodes["low"][nodes["x"][x.ids]] >= 0).all():
        return x.ids
    sign = x.with_ids(_sign_of(x)).apply(Operation.SCALE, amount=1 << _SIGN)
    ids = x.apply(Operation.SUBTRACT, sign)
    tighten(x.symbols, ids, 0, (1 << _SIGN) - 1)
    return ids


def _half_away(whole: SymbolValue, step: SymbolValue) -> Ids | None:
    """Return v rounded, ties away from 0, where it is what `neonlab.int8.rounding.half_away` computes; or None.

    There whole = trunc(v), and step = copysign(float32(not |v - whole| < 0.5), v): their sum is v rounded so.
    """
    match = _Match(whole.symbols)
    ids, steps = np.broadcast_arrays(whole.ids, step.ids)
    of = match.operand(ids, Operation.FLOAT_ROUND, "x", int(Rounding.TRUNCATE))
    one = match.operand(steps, Operation.ADD, "x")
    sign = match.operand(match.operand(steps, Operation.ADD, "y"), Operation.SCALE, "x", 1 << _SIGN)
    match.same(match.operand(sign, Operation.SHIFT_RIGHT, "x", _SIGN), of)
    truth = match.operand(one, Operation.FLOAT_OF, "x")
    match.number(match.operand(truth, Operation.SUBTRACT, "x"), 1)
    less = match.operand(truth, Operation.SUBTRACT, "y")
    match.number(match.operand(less, Operation.FLOAT_LESS, "y"), _HALF)
    distance = match.operand(less, Operation.FLOAT_LESS, "x")
    difference = match.operand(distance, Operation.SUBTRACT, "x")
    taken = match.operand(match.operand(distance, Operation.SUBTRACT, "y"), Operation.SCALE, "x", 1 << _SIGN)
    match.same(match.operand(taken, Operation.SHIFT_RIGHT, "x", _SIGN), difference)
    match.same(match.operand(difference, Operation.FLOAT_SUBTRACT, "x"), of)
    match.same(match.operand(difference, Operation.FLOAT_SUBTRACT, "y"), ids)
    if not match.holds or not ids.size:
        return None
    return whole.symbols.table.apply(Operation.FLOAT_ROUND, of, amount=int(Rounding.AWAY))


class _Match:
    """A comparison of arrays of nodes with a pattern; `holds` says whether every element had it so far."""

    def __init__(self, symbols: Symbols) -> None:
        self.nodes = symbols.table.nodes
        self.holds = True

    def operand(self, ids: Ids, operation: Operation, operand: str, amount: int | None = None) -> Ids:
        """Return the operands of nodes that must have this operation, and this amount where one is given."""
        rows = self.nodes[ids]
        self.holds &= bool((rows["operation"] == operation).all())
        self.holds &= amount is None or bool((rows["amount"] == amount).all())
        found: Ids = rows[operand]
        return found

    def same(self, ids: Ids, others: Ids) -> None:
        """Demand that the nodes are these."""
        self.holds &= bool((ids == others).all())

    def number(self, ids: Ids, value: int) -> None:
        """Demand that the nodes are this number."""
        rows = self.nodes[ids]
        self.holds &= bool(((rows["operation"] == 0) & (rows["amount"] == value)).all())
