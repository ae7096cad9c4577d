"""Apply numpy's universal functions to symbolic values: the types as numpy resolves them, then the arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.prove.expressions.table import Ids
from neonlab.prove.reference import single, whole
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import (
    BOOLEAN,
    SINGLE,
    Dtype,
    SymbolValue,
    as_bits,
    cast,
    constant,
    integers,
    representable,
)
from neonlab.prove.refusal import Refusal

_COMPARISONS = ("less", "greater", "less_equal", "greater_equal", "equal", "not_equal")
_TRUTH = ("logical_and", "logical_or", "logical_xor", "logical_not")


def value_of(symbols: Symbols, operand: object, dtype: Dtype | None = None) -> SymbolValue:
    """Return an operand as a value, of `dtype` where it is a plain number."""
    if isinstance(operand, SymbolValue):
        return operand
    array = np.asarray(operand)
    if array.dtype.fields is not None:
        symbols.refuse("an array of symbols lost its meaning, as a numpy function returned it without them")
    # A number of Python's own has no type: it takes that of the others.
    return constant(symbols, array.astype(dtype) if dtype is not None and dtype.kind == "f" else array)


def apply(symbols: Symbols, ufunc: np.ufunc, operands: Sequence[object], dtype: object = None) -> SymbolValue:
    """Return a universal function of values and plain numbers.  Raises Refusal where it is not known."""
    name = ufunc.__name__
    known = name == "matmul" or name in whole.NAMES or name in single.NAMES
    if not known or ufunc.nin != len(operands):
        symbols.refuse(f"numpy.{name} is not supported", *_ids(operands))
    resolved = _resolved(ufunc, operands, dtype)
    if name == "matmul":
        return _product(symbols, value_of(symbols, operands[0]), value_of(symbols, operands[1]), resolved[-1])
    if name in _COMPARISONS and (decided := _decided(symbols, name, operands)) is not None:
        return decided
    values = [value_of(symbols, one, kind) for one, kind in zip(operands, resolved, strict=False)]
    if name in _TRUTH:
        values = [cast(value, BOOLEAN) for value in values]
    elif any(kind.kind == "f" for kind in resolved[:-1]):
        values = [cast(value, kind) for value, kind in zip(values, resolved, strict=False)]
    found = _applied(name, values, resolved[-1])
    if found is None:
        symbols.refuse(f"numpy.{name} is not supported on symbols of {resolved[0]}", *(one.ids for one in values))
    return found


def _ids(operands: Sequence[object]) -> list[Ids]:
    return [one.ids for one in operands if isinstance(one, SymbolValue)]


def _resolved(ufunc: np.ufunc, operands: Sequence[object], dtype: object) -> tuple[Dtype, ...]:
    kinds = tuple(_kind(one) for one in operands)
    signature = {} if dtype is None else {"signature": (*(None for _ in operands), np.dtype(dtype))}  # type: ignore[call-overload]
    found: tuple[Dtype, ...] = ufunc.resolve_dtypes((*kinds, None), **signature)  # type: ignore[arg-type]
    return found


def _kind(operand: object) -> Any:
    if isinstance(operand, SymbolValue):
        return operand.dtype
    if type(operand) in (int, float):
        return type(operand)
    return np.asarray(operand).dtype


def _applied(name: str, values: Sequence[SymbolValue], dtype: Dtype) -> SymbolValue | None:
    compares = name in _COMPARISONS or name in _TRUTH
    if all(one.span is None for one in values):
        try:
            if len(values) == 1:
                found = whole.unary(name, values[0], dtype)
            elif compares:
                found = whole.compare(name, values[0], values[1])
            else:
                found = whole.binary(name, values[0], values[1], dtype)
        except Refusal:
            if dtype != SINGLE:
                raise
            found = None  # the numbers leave what float32 holds exactly: compute as it does
        if found is not None or dtype != SINGLE:
            return found
    values = [as_bits(one) for one in values]
    if len(values) == 1:
        return single.unary(name, values[0], dtype)
    if compares:
        return single.compare(name, values[0], values[1])
    return single.binary(name, values[0], values[1], dtype)


def _decided(symbols: Symbols, name: str, operands: Sequence[object]) -> SymbolValue | None:
    """Return a comparison of floats with a number that is no float32, where their span decides it; or None."""
    for one, other, swapped in ((*operands, False), (*operands[::-1], True)):
        if isinstance(one, SymbolValue) and one.span is not None and not isinstance(other, SymbolValue):
            number = np.asarray(other)
            if representable(number) or not one.span.known:
                return None
            ends = [
                getattr(np, name)(*((other, end) if swapped else (end, other))) for end in (one.span.low, one.span.high)
            ]
            if not (np.all(ends) or not np.any(ends)) or name in ("equal", "not_equal"):
                symbols.refuse(f"numpy.{name} of float32 numbers and a float64", one.ids)
            shape = np.broadcast_shapes(one.ids.shape, number.shape)
            return constant(symbols, np.full(shape, bool(np.all(ends))))
    return None


def _product(symbols: Symbols, x: SymbolValue, y: SymbolValue, dtype: Dtype) -> SymbolValue:
    """Return the matrix product; floats must be whole and every partial sum exact."""
    if x.span is not None or y.span is not None:
        symbols.refuse("a matrix product of floats that are not whole: its sum depends on the order", x.ids, y.ids)
    left, right = x.ids, y.ids
    left, right = (left[np.newaxis] if left.ndim == 1 else left), (right[:, np.newaxis] if right.ndim == 1 else right)
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    lefts = np.broadcast_to(left, (*batch, *left.shape[-2:])).reshape(-1, *left.shape[-2:])
    rights = np.broadcast_to(right, (*batch, *right.shape[-2:])).reshape(-1, *right.shape[-2:])
    outputs = left.shape[-2] * right.shape[-1] * len(lefts)
    if not symbols.table.fingerprints:  # room for what follows too: a table of this size should not be copied
        symbols.table.reserve(2 * outputs * left.shape[-1] + 64 * outputs)
    found = [symbols.table.products(one, other) for one, other in zip(lefts, rights, strict=True)]
    ids = np.stack(found) if found else np.zeros((0, left.shape[-2], right.shape[-1]), np.int32)
    ids = ids.reshape(*batch, left.shape[-2], right.shape[-1])
    ids = ids[..., 0] if y.ids.ndim == 1 else ids
    ids = ids[..., 0, :] if x.ids.ndim == 1 and y.ids.ndim > 1 else ids[..., 0] if x.ids.ndim == 1 else ids
    if x.ids.size and y.ids.size and dtype.kind == "f":
        bound = left.shape[-1] * max(-x.low, x.high) * max(-y.low, y.high)
        if bound > (1 << 24 if dtype == SINGLE else 1 << 53):
            symbols.refuse(f"partial sums of a matrix product in {dtype} may be as large as {bound}", x.ids, y.ids)
    value = integers(symbols, ids, dtype, "the matrix product")
    return replace(value, unsigned_zero=dtype.kind == "f")
