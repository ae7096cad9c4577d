"""Define the array that a reference computes with: numpy's own by every look, but with a symbol for each element."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, SupportsIndex, cast

import numpy as np

from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import Ids
from neonlab.prove.reference import functions, ufuncs
from neonlab.prove.reference import value as values
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import Dtype, Plain, Span, SymbolValue

#: The elements in memory.  A second field, of no bytes, makes numpy refuse to take node numbers for numbers.
CELL = np.dtype([("node", np.int32), ("none", "V0")])


class SymbolicArray(np.ndarray[Any, Any]):
    """An array of `dtype` whose elements in memory are node numbers, so that all of numpy's views are views of it.

    Code that reaches the memory by another way than these methods finds a type that numpy does not compute with.
    Everything that is not known here raises a Refusal which names it.
    """

    symbols: Symbols
    kind: Dtype
    span: Span | None
    unsigned_zero: bool

    def __array_finalize__(self, source: object) -> None:
        if isinstance(source, SymbolicArray):
            self.symbols, self.kind, self.span = source.symbols, source.kind, source.span
            self.unsigned_zero = source.unsigned_zero

    @staticmethod
    def of(value: SymbolValue) -> SymbolicArray:
        """Return an array that shares its elements with a value."""
        array = np.ndarray.view(np.asarray(value.ids, np.int32).view(CELL), SymbolicArray)
        array.symbols, array.kind, array.span = value.symbols, value.dtype, value.span
        array.unsigned_zero = value.unsigned_zero
        return array

    @property
    def ids(self) -> Ids:
        """The node numbers, in memory shared with this array."""
        found: Ids = np.ndarray.view(self, np.ndarray)["node"]
        return found

    @property
    def value(self) -> SymbolValue:
        """The elements as a value, whose memory is shared with this array."""
        return SymbolValue(self.symbols, self.ids, self.kind, self.span, self.unsigned_zero)

    # The looks of an array of `kind`.

    @property
    def dtype(self) -> Dtype:
        """The type of the elements that the symbols stand for."""
        return self.kind

    @property
    def itemsize(self) -> int:
        """The bytes of such an element."""
        return self.kind.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all such elements."""
        return self.size * self.kind.itemsize

    def __repr__(self) -> str:
        if self.size == 1 and self.span is None and (low := self.value.low) <= (high := self.value.high):
            return str(low) if low == high else f"{low} to {high}"
        return f"<{self.kind} symbols of the shape {self.shape}>"

    __str__ = __repr__

    def __format__(self, form: str) -> str:
        return format(repr(self), form) if not form else repr(self)

    # Decisions: taken where they are the same for all inputs.

    def _decided(self, what: str) -> Plain:
        value = self.value
        if self.size != 1:
            raise ValueError(f"an array of {self.size} elements is taken for one number")
        if value.is_constant:
            return value.plain().reshape(())
        if value.span is not None or value.low != value.high:
            self.symbols.refuse(f"{what} depends on the data", self.ids)
        return np.asarray(value.low).astype(self.kind)

    def __bool__(self) -> bool:
        value = self.value
        if self.size == 1 and value.span is None and (value.low > 0 or value.high < 0):
            return True
        return bool(self._decided("a decision"))

    def __int__(self) -> int:
        return int(self._decided("a number that the reference needs"))

    def __index__(self) -> int:
        return self._decided("an index").__index__()

    def __float__(self) -> float:
        return float(self._decided("a number that the reference needs"))

    def item(self, *at: Any) -> Any:
        """Return one element as a number of Python."""
        return (self[at] if at else self)._decided("a number that the reference needs").item()

    # Elements.

    def __getitem__(self, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        symbolic = [one for one in parts if isinstance(one, SymbolicArray) and not one.value.is_constant]
        if symbolic:
            if len(parts) != 1 or len(symbolic) != 1:
                self.symbols.refuse("symbols choose elements along more than one axis", *(one.ids for one in symbolic))
            return _wrapped(functions.entries(self.value, symbolic[0].value))
        found = np.ndarray.__getitem__(self, _plain_index(index))
        if isinstance(found, np.ndarray):
            return found
        # A single element comes as numpy's own scalar, of the memory's type.
        return _wrapped(self.value.with_ids(np.asarray(found["node"], np.int32)))

    def __setitem__(self, index: Any, new: Any) -> None:
        value = _value_for(self.symbols, new, self.kind)
        if self.span is not None:
            value = values.as_bits(value)
            assert value.span is not None
            self.span.include(value.span)
        elif value.span is not None or (value.unsigned_zero and not self.unsigned_zero):
            self.symbols.refuse(f"symbols of floats are put into an array of {self.kind} numbers", value.ids)
        base = np.ndarray.view(self, np.ndarray)
        base[_plain_index(index)] = value.ids.view(CELL)

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over an array without dimensions")
        return (self[at] for at in range(self.shape[0]))

    # Conversions.

    def astype(
        self, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True, copy: Any = True
    ) -> Any:
        """Return a copy converted to another type."""
        found = values.cast(self.value, np.dtype(dtype))
        return SymbolicArray.of(found.with_ids(np.array(found.ids, copy=True)))

    def view(self, dtype: Any = None, type: Any = None) -> Any:  # noqa: A002 - numpy's own names
        """Return the same bits as another type of the same size; read-only, as writes to it would be lost."""
        kind = self.kind if dtype is None else np.dtype(dtype)
        if type is not None or kind.itemsize != self.kind.itemsize:
            self.symbols.refuse(f"a view of {self.kind} as another size or type is not supported", self.ids)
        if kind == self.kind:
            return np.ndarray.view(self)
        found = SymbolicArray.of(_reinterpreted(self.value, kind))
        found.flags.writeable = False
        return found

    # Numpy compares what it takes for records by a way of its own, without the universal functions.

    def __eq__(self, other: object) -> Any:
        return np.equal(self, other)  # type: ignore[call-overload]

    def __ne__(self, other: object) -> Any:
        return np.not_equal(self, other)  # type: ignore[call-overload]

    __hash__ = None

    # Dispatch.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        symbols = _symbols_in((inputs, options))
        out, dtype = options.pop("out", None), options.pop("dtype", None)
        if method == "reduce" and ufunc in _REDUCTIONS:
            options = {"dtype": dtype, **options} if dtype is not None else options
            return _call(_REDUCTIONS[ufunc], (inputs[0], options.pop("axis", 0)), {**options, "out": out})
        options.pop("casting", None)
        if method != "__call__" or options:
            symbols.refuse(f"numpy.{ufunc.__name__}.{method} with {', '.join(options) or 'symbols'} is not supported")
        operands = [one.value if isinstance(one, SymbolicArray) else one for one in inputs]
        if all(one.is_constant for one in operands if isinstance(one, SymbolValue)):
            numbers = [one.plain() if isinstance(one, SymbolValue) else one for one in operands]
            found = _wrapped_plain(symbols, ufunc(*numbers, **({} if dtype is None else {"dtype": dtype})))
        else:
            found = _wrapped(ufuncs.apply(symbols, ufunc, operands, dtype))
        if out is None:
            return found
        if not isinstance(out[0], SymbolicArray):
            symbols.refuse(f"numpy.{ufunc.__name__} writes symbols into an array of numbers")
        out[0][...] = found
        return out[0]

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function not in functions.FUNCTIONS:
            _symbols_in((arguments, options)).refuse(f"numpy.{function.__name__} is not supported on symbols", self.ids)
        return _call(functions.FUNCTIONS[function], arguments, options, function)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:  # type: ignore[override]
        """Return numpy's sum."""
        return _call(functions.FUNCTIONS[np.sum], (self, axis, dtype, out, keepdims), {}, np.sum)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:  # type: ignore[override]
        """Return numpy's min."""
        return _call(functions.FUNCTIONS[np.min], (self, axis, out, keepdims), options, np.min)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:  # type: ignore[override]
        """Return numpy's max."""
        return _call(functions.FUNCTIONS[np.max], (self, axis, out, keepdims), options, np.max)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:  # type: ignore[override]
        """Return numpy's all."""
        return _call(functions.FUNCTIONS[np.all], (self, axis, out, keepdims), {}, np.all)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:  # type: ignore[override]
        """Return numpy's any."""
        return _call(functions.FUNCTIONS[np.any], (self, axis, out, keepdims), {}, np.any)

    def clip(self, min: Any = None, max: Any = None, **options: Any) -> Any:  # type: ignore[override]  # noqa: A002
        """Return numpy's clip."""
        return _call(functions.FUNCTIONS[np.clip], (self, min, max), options, np.clip)

    def dot(self, other: Any) -> Any:  # type: ignore[override]
        """Return numpy's dot."""
        return _call(functions.FUNCTIONS[np.dot], (self, other), {}, np.dot)

    def take(self, index: Any, axis: SupportsIndex | None = None) -> Any:  # type: ignore[override]
        """Return elements along an axis."""
        if axis is None:
            return self.reshape(-1)[index]
        return _call(functions.FUNCTIONS[np.take], (self, index, axis), {}, np.take)

    def fill(self, new: Any) -> None:
        """Set every element."""
        self[...] = new


def _symbols_in(arguments: object) -> Symbols:
    return next(functions.values_in(_unwrapped(arguments))).symbols


def _unwrapped(argument: Any) -> Any:
    """Return arguments with a value in the place of each symbolic array."""
    if isinstance(argument, SymbolicArray):
        return argument.value
    if isinstance(argument, (list, tuple)):
        return type(argument)(_unwrapped(one) for one in argument) if type(argument) in (list, tuple) else argument
    if isinstance(argument, Mapping):
        return {key: _unwrapped(one) for key, one in argument.items()}
    return argument


def _numbers(argument: Any) -> Any:
    """Return arguments with plain numbers in the place of each constant value."""
    if isinstance(argument, SymbolValue):
        return argument.plain()
    if isinstance(argument, (list, tuple)):
        return type(argument)(_numbers(one) for one in argument)
    if isinstance(argument, Mapping):
        return {key: _numbers(one) for key, one in argument.items()}
    return argument


def _call(handler: Callable[..., Any], arguments: Any, options: Any, function: Any = None) -> Any:
    """Call a function of values; numpy's own where all of them are numbers, and the result shares no memory."""
    inputs, keywords = _unwrapped(tuple(arguments)), _unwrapped(options)
    found = list(functions.values_in((inputs, keywords)))
    if function is not None and function not in functions.VIEWS and all(one.is_constant for one in found):
        return _wrapped_plain(found[0].symbols, function(*_numbers(inputs), **_numbers(keywords)))
    # Small arrays of symbols that choose sizes, axes or bounds count as the numbers that they are.
    return _wrapped(handler(*inputs, **keywords))


def _wrapped(result: Any) -> Any:
    """Return a value as an array; a single number that is known as numpy's scalar, which it gives too."""
    if isinstance(result, SymbolValue):
        if not result.ids.ndim and result.is_constant:
            return result.plain()[()]
        return SymbolicArray.of(result)
    return result


def _wrapped_plain(symbols: Symbols, result: Any) -> Any:
    """Return an array of numbers as symbols that are constant, where these can hold it, so that more may be added."""
    if isinstance(result, np.ndarray) and result.ndim and values.representable(result):
        return SymbolicArray.of(values.constant(symbols, result))
    return result


def _plain_index(index: Any) -> Any:
    """Return an index with plain numbers in the place of constant symbols."""
    if isinstance(index, SymbolicArray):
        return index.value.plain()
    if isinstance(index, tuple):
        return tuple(_plain_index(one) for one in index)
    return index


def _value_for(symbols: Symbols, new: Any, kind: Dtype) -> SymbolValue:
    """Return what is assigned to elements of an array of `kind`."""
    if isinstance(new, (list, tuple)) and any(True for _ in functions.values_in(_unwrapped(new))):
        symbols.refuse("a list of symbols is assigned")
    value = new.value if isinstance(new, SymbolicArray) else values.constant(symbols, np.asarray(new).astype(kind))
    return values.cast(value, kind)


def _reinterpreted(value: SymbolValue, kind: Dtype) -> SymbolValue:
    """Return the same bits as another type of the same size."""
    if value.dtype.kind == "f":
        value = values.as_bits(value)
    if value.dtype == values.DOUBLE or kind == values.DOUBLE or values.BOOLEAN in (value.dtype, kind):
        value.symbols.refuse(f"the bits of {value.dtype} as {kind} are not supported", value.ids)
    signed = kind.kind == "i"
    ids = value.apply(Operation.WRAP, amount=16 * kind.itemsize + signed)
    span = Span(np.nan, np.nan) if kind == values.SINGLE else None
    return replace(SymbolValue(value.symbols, ids, kind), span=span)


_REDUCTIONS: Mapping[np.ufunc, Callable[..., Any]] = {
    np.add: functions.FUNCTIONS[np.sum],
    np.minimum: functions.FUNCTIONS[np.min],
    np.maximum: functions.FUNCTIONS[np.max],
    np.logical_and: functions.FUNCTIONS[np.all],
    np.logical_or: functions.FUNCTIONS[np.any],
}

#: Methods of numpy that move elements or tell of the array's form: as they are.
_KEPT = (
    "reshape", "transpose", "ravel", "flatten", "swapaxes", "squeeze", "copy", "repeat", "diagonal", "setflags",
)  # fmt: skip


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(self: SymbolicArray, *arguments: object, **options: object) -> Any:
        self.symbols.refuse(f"the method `{name}` of arrays is not supported on symbols", self.ids)

    return refuse


def _refuse_the_rest() -> None:
    """Make each method of numpy's arrays that is not stated above refuse."""
    for name, method in vars(np.ndarray).items():
        stated = name in vars(SymbolicArray) or name in _KEPT or name.startswith("__")
        if not stated and callable(method) and not isinstance(method, type):
            setattr(SymbolicArray, name, _refusing(name))
    for name in (
        "__reduce__",
        "__reduce_ex__",
        "__complex__",
        "__contains__",
        "__buffer__",
        "__copy__",
        "__deepcopy__",
    ):
        setattr(SymbolicArray, name, _refusing(name))
    for name in ("data", "flat", "real", "imag", "ctypes", "__array_interface__", "__array_struct__"):
        setattr(SymbolicArray, name, property(_refusing(name)))


_refuse_the_rest()


def symbolic(value: SymbolValue) -> np.ndarray[Any, Any]:
    """Return a value as an array for code that is typed for numpy's."""
    return cast("np.ndarray[Any, Any]", SymbolicArray.of(value))
