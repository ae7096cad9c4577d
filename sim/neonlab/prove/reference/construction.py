"""Let a reference make arrays that can take symbols: numpy's constructors, while it runs, return symbolic arrays.

`numpy.zeros` and its like see no argument that is symbolic, and `numpy.array` and its like are not dispatched by type;
so they are replaced for the time of the run, in the thread that it runs in, for code that is not numpy's own.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from neonlab.prove.reference import functions, value
from neonlab.prove.reference.array import SymbolicArray
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import Dtype

_FILLING = ("zeros", "ones", "full", "empty")
_CONVERTING = ("array", "asarray", "asanyarray", "ascontiguousarray")
#: Code that must get numpy's own arrays.
_OTHERS = ("numpy", "neonlab.prove.", "neonlab.emulate.", "numba")

_state = threading.local()
_lock = threading.RLock()


@contextmanager
def symbolic_arrays(symbols: Symbols) -> Iterator[None]:
    """Run the block with constructors that return symbolic arrays, in this thread."""
    with _lock:
        own = {name: getattr(np, name) for name in (*_FILLING, *_CONVERTING)}
        before = getattr(_state, "symbols", None)
        _state.symbols = symbols
        try:
            for name in _FILLING:
                setattr(np, name, _dispatched(own[name], _filled))
            for name in _CONVERTING:
                setattr(np, name, _dispatched(own[name], _converted))
            yield
        finally:
            for name, function in own.items():
                setattr(np, name, function)
            _state.symbols = before


def _dispatched(own: Callable[..., Any], symbolic: Callable[..., Any]) -> Callable[..., Any]:
    """Return numpy's function `own`, which `symbolic` stands in for where a reference of this thread calls it."""

    @functools.wraps(own)
    def call(*arguments: Any, **options: Any) -> Any:
        symbols = getattr(_state, "symbols", None)
        caller = str(sys._getframe(1).f_globals.get("__name__", ""))
        if symbols is None or caller.startswith(_OTHERS):
            return own(*arguments, **options)
        return symbolic(symbols, own, *arguments, **options)

    return call


def _filled(symbols: Symbols, own: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    if own.__name__ == "full" and isinstance(arguments[1] if len(arguments) > 1 else None, SymbolicArray):
        shape, filling, *rest = arguments
        kind = np.dtype(options.get("dtype", rest[0] if rest else None) or filling.dtype)
        found = SymbolicArray.of(value.constant(symbols, np.zeros(shape, kind)))
        found[...] = filling
        return found
    # What nobody has set is 0 here: a reference that reads it is wrong in any case.
    numbers = np.zeros(*arguments, **options) if own.__name__ == "empty" else own(*arguments, **options)
    return SymbolicArray.of(value.constant(symbols, numbers)) if value.representable(numbers) else numbers


def _converted(symbols: Symbols, own: Callable[..., Any], source: Any, dtype: Any = None, **options: Any) -> Any:
    if set(options) - {"copy", "order", "subok"} and any(isinstance(one, SymbolicArray) for one in _leaves([source])):
        symbols.refuse(f"numpy.{own.__name__} with {', '.join(options)} is not supported on symbols")
    if isinstance(source, SymbolicArray):
        found: Any = source if dtype is None or np.dtype(dtype) == source.dtype else source.astype(dtype)
        if own.__name__ == "array" and options.get("copy", True) and found is source:
            found = source.copy()
        return found
    if isinstance(source, (list, tuple)) and any(isinstance(one, SymbolicArray) for one in _leaves(source)):
        return _stacked(symbols, source, None if dtype is None else np.dtype(dtype))
    return own(source, **({} if dtype is None else {"dtype": dtype}), **options)


def _leaves(source: Any) -> Iterator[Any]:
    for one in source:
        if isinstance(one, (list, tuple)):
            yield from _leaves(one)
        else:
            yield one


def _stacked(symbols: Symbols, source: Any, dtype: Dtype | None) -> SymbolicArray:
    """Return a nested list of symbols and numbers as one array."""
    parts = [
        _stacked(symbols, one, dtype) if isinstance(one, (list, tuple)) else one
        for one in source
    ]  # fmt: skip
    held = [one.value if isinstance(one, SymbolicArray) else np.asarray(one) for one in parts]
    found = SymbolicArray.of(functions.FUNCTIONS[np.stack](held))
    return found if dtype is None else found.astype(dtype)
