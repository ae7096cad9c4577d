"""Apply numpy's functions of whole arrays to symbolic values: sums, extremes, choices, products, and moves of elements.

Each function takes the arguments of numpy's own, with a `Value` in the place of each symbolic array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import Ids
from neonlab.prove.reference import ufuncs
from neonlab.prove.reference.products import sums_of_products
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import (
    BOOLEAN,
    Dtype,
    Span,
    SymbolValue,
    as_bits,
    cast,
    constant,
    integers,
    tighten,
)

Axis = int | Sequence[int] | None
Function = Callable[..., Any]


def values_in(arguments: object) -> Iterator[SymbolValue]:
    """Yield the symbolic values among arguments, those in lists, tuples and mappings too."""
    if isinstance(arguments, SymbolValue):
        yield arguments
    elif isinstance(arguments, (list, tuple)):
        for one in arguments:
            yield from values_in(one)
    elif isinstance(arguments, Mapping):
        yield from values_in(list(arguments.values()))


def _symbols(*arguments: object) -> Symbols:
    return next(values_in(arguments)).symbols


def joined(values: Sequence[SymbolValue], dtype: Dtype) -> list[SymbolValue]:
    """Return values of one dtype and form.  Raises Refusal."""
    cast_values = [cast(one, dtype) for one in values]
    return [as_bits(one) for one in cast_values] if any(one.span is not None for one in cast_values) else cast_values


def _meaning(values: Sequence[SymbolValue], ids: Ids) -> SymbolValue:
    """Return elements of several joined values."""
    span = None
    if values[0].span is not None:
        span = Span(values[0].span.low, values[0].span.high)
        for one in values[1:]:
            assert one.span is not None
            span.include(one.span)
    return replace(values[0], ids=ids, span=span, unsigned_zero=any(one.unsigned_zero for one in values))


def _common(symbols: Symbols, arrays: Sequence[object]) -> list[SymbolValue]:
    """Return arrays and numbers as values of the type that numpy gives them together."""
    kinds = [one.dtype if isinstance(one, SymbolValue) else one for one in arrays]
    dtype = np.result_type(*kinds)  # type: ignore[arg-type]
    return joined([ufuncs.value_of(symbols, one, dtype) for one in arrays], dtype)


def _rows(value: SymbolValue, axis: Axis, keepdims: bool) -> tuple[Ids, tuple[int, ...]]:
    """Return the nodes with the axes to reduce as one last axis, and the shape of the result."""
    ids = value.ids
    axes = tuple(range(ids.ndim)) if axis is None else (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
    axes = tuple(int(one) % ids.ndim for one in axes)
    kept = [one for one in range(ids.ndim) if one not in axes]
    shape = tuple(ids.shape[one] for one in kept)
    rows = ids.transpose(*kept, *axes).reshape(*shape, math.prod(ids.shape[one] for one in axes))
    return rows, tuple(1 if at in axes else n for at, n in enumerate(ids.shape)) if keepdims else shape


def total(
    value: SymbolValue, axis: Axis = None, dtype: object = None, out: None = None, keepdims: bool = False
) -> SymbolValue:
    """Return the sums along axes."""
    symbols = value.symbols
    _no_output(symbols, out)
    wide = np.dtype(np.uint64 if value.dtype.kind == "u" else np.int64) if value.dtype.kind in "iub" else value.dtype
    kind = wide if dtype is None else np.dtype(dtype)  # type: ignore[call-overload]
    of = cast(value, kind)
    if of.span is not None:
        symbols.refuse("a sum of floats that are not whole: it depends on the order", value.ids)
    rows, shape = _rows(of, axis, keepdims)
    ids = symbols.table.sums(rows).reshape(shape)
    return replace(integers(symbols, ids, kind, "a sum"), unsigned_zero=of.unsigned_zero)


def _extreme(name: str) -> Function:
    def extreme(
        value: SymbolValue, axis: Axis = None, out: None = None, keepdims: bool = False, initial: object = None
    ) -> SymbolValue:
        symbols = value.symbols
        _no_output(symbols, out)
        rows, shape = _rows(value, axis, keepdims)
        if not rows.shape[-1] and initial is None:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        of_bits = {"minimum": Operation.FLOAT_MINIMUM, "maximum": Operation.FLOAT_MAXIMUM}
        of_whole = {"minimum": Operation.MINIMUM, "maximum": Operation.MAXIMUM}
        ids = _folded(symbols, (of_whole if value.span is None else of_bits)[name], rows)
        found = value.with_ids(ids.reshape(shape))
        if value.span is not None:
            found = replace(found, span=Span(value.span.low, value.span.high))
        return found if initial is None else ufuncs.apply(symbols, getattr(np, name), (found, initial))

    return extreme


def _folded(symbols: Symbols, operation: Operation, rows: Ids) -> Ids:
    """Return the rows under an operation whose operands may be grouped in any way, halved until one node remains."""
    while rows.shape[-1] > 1:
        half = rows.shape[-1] // 2
        pairs = symbols.table.apply(operation, rows[..., :half], rows[..., half : 2 * half])
        rows = np.concatenate([pairs, rows[..., 2 * half :]], axis=-1)
    return rows[..., 0] if rows.shape[-1] else symbols.constants(np.zeros(rows.shape[:-1]))


def _truths(operation: Operation, empty: int) -> Function:
    def truths(value: SymbolValue, axis: Axis = None, out: None = None, keepdims: bool = False) -> SymbolValue:
        _no_output(value.symbols, out)
        of = cast(value, BOOLEAN)
        rows, shape = _rows(of, axis, keepdims)
        if not rows.shape[-1]:
            return constant(value.symbols, np.full(shape, bool(empty)))
        return of.with_ids(_folded(value.symbols, operation, rows).reshape(shape))

    return truths


def _no_output(symbols: Symbols, out: object) -> None:
    if out is not None:
        symbols.refuse("an array to write to, as `out`, is not supported here")


def where(condition: object, x: object, y: object) -> SymbolValue:
    """Return x where the condition holds, else y."""
    symbols = _symbols(condition, x, y)
    test = ufuncs.value_of(symbols, condition)
    if test.span is not None:
        symbols.refuse("numpy.where by floats", test.ids)
    values = _common(symbols, (x, y))
    return _meaning(values, test.apply(Operation.SELECT, *(one.ids for one in values)))


def clip(value: object, a_min: object = None, a_max: object = None, **options: Any) -> SymbolValue:
    """Return the value held between bounds."""
    low, high = options.pop("min", a_min), options.pop("max", a_max)
    symbols = _symbols(value, low, high)
    if set(options) - {"dtype"}:
        symbols.refuse(f"numpy.clip with {', '.join(sorted(options))} is not supported")
    kinds = [one.dtype if isinstance(one, SymbolValue) else one for one in (value, low, high) if one is not None]
    dtype = np.dtype(options.get("dtype") or np.result_type(*kinds))  # type: ignore[arg-type]
    found = cast(ufuncs.value_of(symbols, value), dtype)
    for ufunc, bound in ((np.maximum, low), (np.minimum, high)):
        if bound is not None:
            found = ufuncs.apply(symbols, ufunc, (found, bound))
    return found


def einsum(subscripts: str, left: object, right: object, *, dtype: object = None, **options: Any) -> SymbolValue:
    """Return a sum of products of two arrays, written out as `ij,jk->ik`."""
    symbols = _symbols(left, right)
    terms, arrow, result = subscripts.replace(" ", "").partition("->")
    first, comma, second = terms.partition(",")
    if options or not arrow or "." in subscripts or "," in second or not comma:
        symbols.refuse(f"numpy.einsum of {subscripts} is not supported: give two operands and the result's axes")
    values = [ufuncs.value_of(symbols, one) for one in (left, right)]
    kind = np.dtype(dtype) if dtype is not None else np.result_type(*(one.dtype for one in values))  # type: ignore[call-overload]
    values = [cast(one, kind) for one in values]
    if any(one.span is not None for one in values):
        symbols.refuse("a sum of products of floats that are not whole", *(one.ids for one in values))
    sums = sums_of_products(symbols.table, values[0].ids, values[1].ids, (first, second), result)
    return replace(integers(symbols, sums, kind, "a sum of products"), unsigned_zero=kind.kind == "f")


def dot(left: object, right: object) -> SymbolValue:
    """Return the product of matrices, or of vectors."""
    symbols = _symbols(left, right)
    if any(np.ndim(one.ids if isinstance(one, SymbolValue) else one) not in (1, 2) for one in (left, right)):  # type: ignore[arg-type]
        symbols.refuse("numpy.dot of other than vectors and matrices is not supported")
    return ufuncs.apply(symbols, np.matmul, (left, right))


def entries(table: SymbolValue, index: SymbolValue) -> SymbolValue:
    """Return entries of a table of one dimension at symbolic places."""
    symbols, count = table.symbols, table.ids.size
    if table.ids.ndim != 1 or index.dtype.kind not in "iu":
        symbols.refuse("symbols choose elements of an array that has more than one dimension", index.ids)
    if index.ids.size and (index.low < 0 or index.high >= count):
        symbols.refuse(f"symbols from {index.low} to {index.high} choose among {count} elements", index.ids)
    ids = table.ids
    if not (np.diff(ids) == 1).all():
        if not table.is_constant:
            symbols.refuse("a table that is no run of input elements or numbers", index.ids)
        ids = symbols.constants(symbols.table.nodes["amount"][ids])
    found = symbols.table.apply(Operation.ENTRY, ids[:1].reshape(()), index.ids, amount=count)
    tighten(symbols, found, table.low, table.high)
    span = None if table.span is None else Span(table.span.low, table.span.high)
    return replace(table, ids=found, span=span)


def moved(function: Function) -> Function:
    """Return a numpy function that moves elements of one array, for values."""

    def move(value: object, *arguments: Any, **options: Any) -> Any:
        if not isinstance(value, SymbolValue) or any(True for _ in values_in((arguments, options))):
            _symbols(value, arguments, options).refuse(f"numpy.{function.__name__} by symbols is not supported")
        return value.with_ids(function(value.ids, *arguments, **options))

    return move


def _joining(function: Function) -> Function:
    def join(arrays: Sequence[object], *arguments: Any, **options: Any) -> SymbolValue:
        symbols = _symbols(arrays)
        if any(True for _ in values_in((arguments, options))):
            symbols.refuse(f"numpy.{function.__name__} by symbols is not supported")
        values = _common(symbols, [one if isinstance(one, SymbolValue) else np.asarray(one) for one in arrays])
        dtype = options.pop("dtype", None)
        values = values if dtype is None else joined(values, np.dtype(dtype))
        return _meaning(values, function([one.ids for one in values], *arguments, **options))

    return join


def append(array: object, values: object, axis: int | None = None) -> SymbolValue:
    """Return an array with values after its own."""
    parts = [one.ids if isinstance(one, SymbolValue) else np.asarray(one) for one in (array, values)]
    if axis is None:
        parts = [part.reshape(-1) for part in parts]
    meant = [
        one.with_ids(part) if isinstance(one, SymbolValue) else part
        for one, part in zip((array, values), parts, strict=True)
    ]
    found: SymbolValue = _joining(np.concatenate)(meant, 0 if axis is None else axis)
    return found


def pad(value: SymbolValue, widths: object, mode: str = "constant", constant_values: object = 0) -> SymbolValue:
    """Return an array with one number around it."""
    symbols = value.symbols
    fills: Any = constant_values.ids if isinstance(constant_values, SymbolValue) else constant_values
    if mode != "constant" or np.ndim(fills):
        symbols.refuse("numpy.pad with other than one constant is not supported", value.ids)
    filling = cast(ufuncs.value_of(symbols, constant_values, value.dtype), value.dtype)
    values = joined([value, filling], value.dtype)
    ids = np.pad(values[0].ids, widths, constant_values=int(values[1].ids))  # type: ignore[call-overload]
    return _meaning(values, ids)


def _like(function: Function) -> Function:
    def like(value: object, *arguments: Any, dtype: object = None, **options: Any) -> SymbolValue:
        symbols = _symbols(value, arguments, options)
        if not isinstance(value, SymbolValue) or any(True for _ in values_in((arguments, options))):
            symbols.refuse(f"numpy.{function.__name__} of symbols is not supported")
        kind = value.dtype if dtype is None else np.dtype(dtype)  # type: ignore[call-overload]
        return constant(symbols, function(np.zeros(value.ids.shape, kind), *arguments, **options))

    return like


_MOVES = (
    np.reshape, np.ravel, np.transpose, np.moveaxis, np.rollaxis, np.swapaxes, np.squeeze, np.expand_dims, np.roll,
    np.broadcast_to, np.repeat, np.tile, np.flip, np.fliplr, np.flipud, np.rot90, np.take, np.copy, np.delete,
    np.diagonal, np.matrix_transpose, np.atleast_1d, np.atleast_2d, np.lib.stride_tricks.sliding_window_view,
)  # fmt: skip
_JOINS = (np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack)
_LIKE = (np.zeros_like, np.ones_like, np.full_like)

#: What is done for each of numpy's functions.
FUNCTIONS: Mapping[Function, Function] = {
    **{function: moved(function) for function in _MOVES},
    **{function: _joining(function) for function in _JOINS},
    **{function: _like(function) for function in _LIKE},
    np.empty_like: _like(np.zeros_like),
    np.sum: total,
    np.min: _extreme("minimum"),
    np.amin: _extreme("minimum"),
    np.max: _extreme("maximum"),
    np.amax: _extreme("maximum"),
    np.all: _truths(Operation.MINIMUM, 1),
    np.any: _truths(Operation.MAXIMUM, 0),
    np.where: where,
    np.clip: clip,
    np.einsum: einsum,
    np.dot: dot,
    np.append: append,
    np.pad: pad,
    np.shape: lambda value: value.ids.shape,
    np.ndim: lambda value: value.ids.ndim,
    np.size: lambda value, axis=None: value.ids.size if axis is None else value.ids.shape[axis],
}
#: Those whose result may share its elements with the array, so that it stays symbolic where this holds numbers alone.
VIEWS = frozenset(_MOVES)
