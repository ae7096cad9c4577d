"""Compile hooks to machine code, so that no Python runs while the guest runs.

Unicorn calls a hook through a C function pointer.  `numba.cfunc` compiles a function of a small subset of Python to C's
calling convention, and its address goes to `uc_hook_add` as it is.  Unicorn's own entry points are registered with LLVM
by name, so that a compiled hook can call them and still be cached on disk between processes.

Numba keeps a compiled function for as long as the file it stands in is unchanged.  What a hook takes from other
modules, constants and compiled functions alike, is added here to what must be unchanged; so it may come from anywhere.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any, TypeAlias, TypeVar

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.core import cgutils
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic

from neonlab.emulate.engine import Uc, check, uclib
from neonlab.host.compiling import watch_compilation

pointer = types.voidptr

# Words for the signatures of compiled functions.  Numba works out its own types, of which mypy knows nothing.
Integer: TypeAlias = int | np.int64  # of 64 bits with a sign, as every number is that nothing else is said of
Pointer: TypeAlias = Any  # a pointer of C
Record: TypeAlias = Any  # an element of an array with a structured dtype; its fields are attributes, and can be set

# Numba's option for counting references to arrays, which its types do not name.
_WITHOUT_REFERENCES: Any = {"_nrt": False}
_WITH_REFERENCES: Any = {"_nrt": True}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _extern(name: str, *arguments: Any) -> Any:
    llvm.add_symbol(name, ctypes.cast(getattr(uclib, name), ctypes.c_void_p).value)
    return types.ExternalFunction(name, types.int32(*arguments))


# Each returns Unicorn's status, 0 when well.
uc_reg_read = _extern("uc_reg_read", pointer, types.int32, pointer)
uc_reg_write = _extern("uc_reg_write", pointer, types.int32, pointer)
uc_mem_read = _extern("uc_mem_read", pointer, types.uint64, pointer, types.uint64)
uc_emu_stop = _extern("uc_emu_stop", pointer)

# The C types of Unicorn's callbacks; the last argument is the address of the hook's state.
BLOCK_OR_CODE = types.void(pointer, types.uint64, types.uint32, pointer)
MEMORY = types.void(pointer, types.int32, types.uint64, types.int32, types.int64, pointer)
INVALID_MEMORY = types.boolean(pointer, types.int32, types.uint64, types.int32, types.int64, pointer)
INTERRUPT = types.void(pointer, types.uint32, pointer)
INVALID_INSTRUCTION = types.boolean(pointer, pointer)


def _as_pointer(_context: Any, _address: Any) -> Any:
    """Convert a uint64 address to a pointer that `numba.carray` takes, in compiled code."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return pointer(types.uint64), codegen


as_pointer: Any = intrinsic(_as_pointer)


class _AtFirstUse(CFunc):
    """A callback that is loaded or compiled when its address is first asked for: few commands need all of them."""

    _wrapper_address: int | None

    @property
    def address(self) -> int:
        if self._wrapper_address is None:
            self.compile()
        assert self._wrapper_address is not None
        return self._wrapper_address


class _OneCompiles(FunctionCache):
    """A function's cache on disk.  Of processes that need the function at once, one compiles and the others wait."""

    _lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load a function, or return None with its lock held, which `save_overload` or the end of the process drops."""
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is None and self._lock is None:
            try:
                self._impl.locator.ensure_cache_path()
                self._lock = os.open(f"{self._cache_file._index_path}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC)
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            except OSError:
                return None  # each compiles for itself where no lock can be had
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            if found is not None:
                self._unlock()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, where the disk has room, and let the others load it."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError:
            pass  # the function is compiled all the same
        finally:
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def native(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Have a function compiled to C's calling convention when its address is first asked for.

    That is done once per machine where a cache directory can be written.  Numba caches beside the source, or in the
    user's cache directory where that is read-only.  Where neither can be written it refuses, and the function is then
    compiled in each process.
    """
    watch_compilation()

    def compile_function(function: Callable[..., Any]) -> Any:
        made: Any = _AtFirstUse(function, normalize_signature(signature), locals={}, options={})
        _keep_on_disk(made, function)
        return made

    return compile_function


def compiled(function: _Function) -> _Function:
    """Compile a function for calls from other compiled ones, of which it becomes a part."""
    made: _Function = _for_int64(njit(function))
    return made


def lean(function: _Function) -> _Function:
    """Compile a function as `compiled` does, without counting references to the arrays that it is given.

    Counting takes longer than what a short function does.  The function makes no array and returns none.  Those that it
    calls do not either, unless they are compiled by `makes_arrays`.
    """
    made: _Function = _for_int64(njit(function, **_WITHOUT_REFERENCES))
    return made


def makes_arrays(function: _Function) -> _Function:
    """Compile a function as `compiled` does, for calls from `lean` ones though it makes arrays."""
    made: _Function = _for_int64(njit(function, **_WITH_REFERENCES))
    return made


def _for_int64(made: Any) -> Any:
    """Let compiled calls pass as int64 each integer that it holds, and return the function.

    Numba compiles a function for each combination of types that it is called with: narrower fields of records and
    literals took half of the time of compilation.
    """
    folded = made._compiler.fold_argument_types

    def fold(args: Any, kws: Any) -> Any:
        signature, given = folded(args, kws)
        return signature, tuple(types.int64 if _fits_int64(one) else one for one in given)

    made._compiler.fold_argument_types = fold
    return made


def _fits_int64(one: Any) -> bool:
    return isinstance(one, types.Integer) and one != types.uint64


def native_call(function: _Function) -> _Function:
    """Compile a function for calls from Python and from other compiled ones, kept on disk as `native` does."""
    made: _Function = njit(function)
    _keep_on_disk(made, function)
    return made


def is_kept(function: Any) -> bool:
    """Tell whether a function that `native` or `native_call` compiles was compiled on this machine before."""
    cached = getattr(getattr(function, "_cache", None), "_cache_file", None)
    try:
        return cached is not None and bool(cached._load_index())
    except OSError:
        return False


def _keep_on_disk(made: Any, function: Callable[..., Any]) -> None:
    try:
        made._cache = _OneCompiles(function)  # type: ignore[no-untyped-call]
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
    else:
        # Numba takes a cached function for good as long as the file it stands in is unchanged, though constants and
        # functions compiled into it may come from others.  They become part of what must be unchanged.
        cached = made._cache._cache_file
        cached._source_stamp = (cached._source_stamp, _constants(function, set()))


def _constants(function: Callable[..., Any], seen: set[str]) -> str:
    """Every global value that the function or those it calls compile in, and the code of these, as text."""
    found = []
    named = {name: function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__}
    modules = [value for value in named.values() if isinstance(value, ModuleType)]
    for module in modules:  # names of attributes are among those of the code
        held = vars(module)
        named |= {f"{module.__name__}.{name}": held[name] for name in function.__code__.co_names if name in held}
    for name, value in named.items():
        inner = getattr(value, "py_func", None) or getattr(value, "_pyfunc", None)
        if isinstance(value, (int, float, tuple, np.dtype, np.generic)):
            found.append(f"{name} = {value!r}")
        elif inner is not None and (place := f"{inner.__module__}.{inner.__qualname__}") not in seen:
            seen.add(place)
            how = getattr(value, "targetoptions", {}).get("_nrt", True)
            found.append(f"{place}: {how} {_code_of(inner.__code__)} {_constants(inner, seen)}")
    return "; ".join(found)


def _code_of(code: CodeType) -> str:
    """Return the instructions, the names and the literals of a function, without its place."""
    literals = [_code_of(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {literals}"


@dataclass(frozen=True, slots=True)
class NativeHook:
    """A compiled callback for one kind of event (`UC_HOOK_BLOCK`, ...), and the array that it works on.

    `state` must be C-contiguous.  It is referred to, not copied; the owner of the hook keeps it alive.  The hook sees
    events at addresses from `begin` to `end`, both included; by default, at every address.
    """

    kind: int
    function: Any
    state: npt.NDArray[Any]
    begin: int = 1
    end: int = 0


def add_native_hook(engine: Uc, hook: NativeHook) -> None:
    """Attach `hook`.  Code that is already translated does not call it, so hooks must be attached first.

    Raises UcError when Unicorn refuses the kind, ValueError when the state is not contiguous.
    """
    if not hook.state.flags.c_contiguous:
        raise ValueError("the state of a native hook must be contiguous")
    handle = ctypes.c_size_t()
    where = (ctypes.c_uint64(hook.begin), ctypes.c_uint64(hook.end))  # begin > end: everywhere
    function, state = ctypes.c_void_p(hook.function.address), ctypes.c_void_p(hook.state.ctypes.data)
    check(uclib.uc_hook_add(engine._uch, ctypes.byref(handle), hook.kind, function, state, *where))


def aligned_bytes(size: int, alignment: int = 4096) -> npt.NDArray[np.uint8]:
    """Return zeroed host memory, uint8, whose address is a multiple of `alignment`.

    It is private to this process and its forks.
    """
    block = np.zeros(size + alignment, np.uint8)
    start = -block.ctypes.data % alignment
    return block[start : start + size]
