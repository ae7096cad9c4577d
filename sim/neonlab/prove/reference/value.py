"""Define the symbolic value of a numpy array: a node for each element, and what the nodes' numbers mean.

Integers and truth values are the node's number.  Floats come in two forms.  A whole number is the node's number too, as
long as its interval lies where the format holds every integer (2^24, 2^53): so products of integers that numpy computes
in floats stay polynomials.  Any other float is a float32, and its node is the number of its bits; a float64 may hold
one, unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.prove.expressions.operation import LIMIT, Operation, Rounding
from neonlab.prove.expressions.table import Ids
from neonlab.prove.reference.symbols import Symbols

Dtype = np.dtype[Any]
Plain = npt.NDArray[Any]
INT64 = np.dtype(np.int64)
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
BOOLEAN = np.dtype(np.bool_)
#: The magnitude up to which a format holds every integer.
_WHOLE = {SINGLE: 1 << 24, DOUBLE: 1 << 53}


@dataclass(slots=True)
class Span:
    """The floats that the elements of an array lie between; not a number where that is not known.

    All views of an array share one, so that it grows with what is written into any of them.
    """

    low: float
    high: float

    @property
    def known(self) -> bool:
        """Tell whether both ends are numbers, so that no element is NaN."""
        return self.low <= self.high

    def include(self, other: Span) -> None:
        """Grow to what another span holds."""
        both = self.known and other.known
        self.low, self.high = (min(self.low, other.low), max(self.high, other.high)) if both else (np.nan, np.nan)


@dataclass(frozen=True, slots=True)
class SymbolValue:
    """Node numbers and their meaning.  `span` is given exactly for floats whose nodes are bits.

    `unsigned_zero` says of floats in the form of whole numbers that a zero may be -0, which the number does not tell.
    """

    symbols: Symbols
    ids: Ids
    dtype: Dtype
    span: Span | None = None
    unsigned_zero: bool = False

    @property
    def low(self) -> int:
        """The least number of any node, -LIMIT where it is not known."""
        return int(self.symbols.table.low(self.ids).min(initial=LIMIT))

    @property
    def high(self) -> int:
        """The greatest number of any node, LIMIT where it is not known."""
        return int(self.symbols.table.high(self.ids).max(initial=-LIMIT))

    @property
    def is_constant(self) -> bool:
        """Tell whether every element is the same for all inputs."""
        return self.symbols.are_constant(self.ids)

    def apply(self, operation: Operation, *operands: Ids, amount: Plain | int = 0) -> Ids:
        """Return the nodes of an operation on this value's nodes and others."""
        y, z = operands[0] if operands else 0, operands[1] if operands[1:] else 0
        return self.symbols.table.apply(operation, self.ids, y, z, amount)

    def with_ids(self, ids: Ids) -> SymbolValue:
        """Return other elements with the same meaning."""
        return replace(self, ids=ids)

    def plain(self) -> Plain:
        """Return the numbers of a constant value."""
        numbers = self.symbols.table.nodes["amount"][self.ids]
        if self.span is not None:
            numbers = numbers.astype(np.uint32).view(np.float32)
        return np.asarray(numbers).astype(self.dtype)


def integers(symbols: Symbols, ids: Ids, dtype: Dtype, doing: str) -> SymbolValue:
    """Return whole numbers as an array of `dtype`.  Raises Refusal where one may not fit it."""
    value = SymbolValue(symbols, ids, dtype)
    if not ids.size:
        return value
    low, high = value.low, value.high
    least, most = _limits(dtype)
    if low < least or high > most or low <= -LIMIT or high >= LIMIT:
        ends = "beyond 2^62" if low <= -LIMIT or high >= LIMIT else f"from {low} to {high}"
        symbols.refuse(f"{doing} may be {ends}, which {dtype} does not hold exactly", ids)
    return value


def _limits(dtype: Dtype) -> tuple[int, int]:
    if dtype in _WHOLE:
        return -_WHOLE[dtype], _WHOLE[dtype]
    if dtype == BOOLEAN:
        return 0, 1
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def constant(symbols: Symbols, array: Plain) -> SymbolValue:
    """Return numbers as a value.  Raises Refusal for those that nodes do not hold, as most of float64."""
    dtype = array.dtype
    if dtype.kind in "iub":
        if array.size and (int(array.max()) >= LIMIT or int(array.min()) <= -LIMIT):
            symbols.refuse(f"a number of {dtype} is 2^62 or more")
        return SymbolValue(symbols, symbols.constants(array.astype(np.int64)), dtype)
    if dtype not in _WHOLE:
        symbols.refuse(f"numbers of {dtype} are not supported")
    if dtype == DOUBLE and _are_whole(array):
        return SymbolValue(symbols, symbols.constants(array.astype(np.int64)), dtype)
    if not _are_single(array):
        symbols.refuse("float64 arithmetic is not supported on numbers that are neither whole nor float32")
    single = array.astype(np.float32)
    ids = symbols.constants(single.view(np.uint32).astype(np.int64))
    known = single.size and not np.isnan(single).any()
    return SymbolValue(
        symbols, ids, dtype, Span(float(single.min()), float(single.max())) if known else Span(np.nan, np.nan)
    )


def representable(array: Plain) -> bool:
    """Tell whether `constant` takes these numbers."""
    if array.dtype.kind in "iub":
        return not array.size or (int(array.max()) < LIMIT and int(array.min()) > -LIMIT)
    return array.dtype == SINGLE or (array.dtype == DOUBLE and (_are_whole(array) or _are_single(array)))


def _are_whole(array: Plain) -> bool:
    """Tell whether floats are whole numbers that the format holds with their neighbours, and none is -0."""
    near = np.isfinite(array) & (np.abs(array) <= _WHOLE[array.dtype]) & ~((array == 0) & np.signbit(array))
    return bool((near & (array == np.rint(array))).all())


def _are_single(array: Plain) -> bool:
    """Tell whether floats are float32 numbers."""
    with np.errstate(over="ignore"):
        return np.array_equal(array.astype(np.float32), array, equal_nan=True)


def as_bits(value: SymbolValue) -> SymbolValue:
    """Return floats in the form of bits."""
    if value.span is not None:
        return value
    symbols = value.symbols
    if value.unsigned_zero and value.low <= 0 <= value.high:
        symbols.refuse("the sign of a zero that float products give is not known", value.ids)
    low, high = np.float32(value.low), np.float32(value.high)
    exact = -_WHOLE[SINGLE] <= value.low and value.high <= _WHOLE[SINGLE]
    if value.dtype == DOUBLE and not exact and not (value.is_constant and _are_single(value.plain())):
        symbols.refuse("a float64 beyond 2^24 meets float32 numbers", value.ids)
    if value.is_constant:
        numbers = symbols.table.nodes["amount"][value.ids].astype(np.float32)
        ids = symbols.constants(numbers.view(np.uint32).astype(np.int64))
    else:
        ids = value.apply(Operation.FLOAT_OF)
    return SymbolValue(symbols, ids, value.dtype, Span(float(low), float(high)))


def cast(value: SymbolValue, dtype: Dtype) -> SymbolValue:
    """Return the value as `astype` converts it: integers wrap, floats are rounded or truncated."""
    if dtype == value.dtype:
        return value
    symbols = value.symbols
    if dtype.kind in "iu":
        return _to_integers(value, dtype)
    if dtype == BOOLEAN:
        if value.span is not None:
            symbols.refuse("truth values of floats are not supported", value.ids)
        return replace(
            value, ids=negated(value.with_ids(value.apply(Operation.ZERO))), dtype=dtype, unsigned_zero=False
        )
    if dtype not in _WHOLE:
        symbols.refuse(f"{dtype} is not supported", value.ids)
    if value.span is not None:  # float32 in float64, and back
        return replace(value, dtype=dtype)
    if not value.ids.size or (value.low >= -_WHOLE[dtype] and value.high <= _WHOLE[dtype]):
        return replace(value, dtype=dtype)
    if dtype == DOUBLE:
        symbols.refuse(f"{value.dtype} from {value.low} to {value.high} becomes float64, which rounds it", value.ids)
    if value.dtype == DOUBLE and value.unsigned_zero:
        symbols.refuse("a float64 whose zeros have no known sign becomes float32", value.ids)
    low, high = np.float32(value.low), np.float32(value.high)
    return SymbolValue(symbols, value.apply(Operation.FLOAT_OF), dtype, Span(float(low), float(high)))


def _to_integers(value: SymbolValue, dtype: Dtype) -> SymbolValue:
    symbols = value.symbols
    if not value.ids.size:  # nothing has no span
        return SymbolValue(symbols, value.ids, dtype)
    if value.span is None:
        if value.dtype in _WHOLE:  # a cast of a float out of range is undefined
            return integers(symbols, value.ids, dtype, f"the float that becomes {dtype}")
        signed = dtype.kind == "i"
        ids = value.apply(Operation.WRAP, amount=16 * dtype.itemsize + signed)
        return integers(symbols, ids, dtype, "the number")
    least, most = _limits(dtype)
    low, high = max(least, -(1 << 31)), min(most, (1 << 31) - 1)
    if not (value.span.known and low <= value.span.low and value.span.high <= high):
        symbols.refuse(
            f"a float from {value.span.low:g} to {value.span.high:g} becomes {dtype}: it must lie within int32 "
            "and the type", value.ids
        )  # fmt: skip
    ids = symbols.table.apply(Operation.INTEGER_OF, *_before_rounding(value))
    tighten(symbols, ids, int(np.trunc(value.span.low)), int(np.trunc(value.span.high)))
    return SymbolValue(symbols, ids, dtype)


def _before_rounding(value: SymbolValue) -> tuple[Ids, int, int, Plain | int]:
    """Return the operands and amount of INTEGER_OF, which takes the direction of a rounding that comes before it."""
    nodes = value.symbols.table.nodes
    rounded = nodes["operation"][value.ids] == Operation.FLOAT_ROUND
    rows = nodes[value.ids]
    return (
        np.where(rounded, rows["x"], value.ids).astype(np.int32),
        0,
        0,
        np.where(rounded, rows["amount"], int(Rounding.TRUNCATE)),
    )


def negated(truth: SymbolValue) -> Ids:
    """Return 1 - x for truth values x."""
    one = truth.symbols.constants(np.ones((), np.int64))
    return truth.symbols.table.apply(Operation.SUBTRACT, one, truth.ids)


def tighten(symbols: Symbols, ids: Ids, low: int, high: int) -> None:
    """Narrow the intervals of nodes by what is known of their values."""
    nodes = symbols.table.nodes
    nodes["low"][ids] = np.maximum(nodes["low"][ids], low)
    nodes["high"][ids] = np.minimum(nodes["high"][ids], high)
