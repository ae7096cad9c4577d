"""Hooks compiled to machine code, so that no Python runs while the guest runs.

Unicorn calls a hook through a C function pointer.  `numba.cfunc` compiles a function of a small subset of Python to C's
calling convention, and its address goes to `uc_hook_add` as it is.  Unicorn's own entry points are made known to LLVM
by name, so that a compiled hook can call them and still be cached on disk between processes.

A compiled function and the compiled functions that it calls stay in one module, since numba notices a change of code
only in the module's own file; constants may come from elsewhere.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic

from neonlab.emulate.engine import Uc, check, uclib
from neonlab.host.compiling import tell_of_compilation

pointer = types.voidptr


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
    """In compiled code: a uint64 address as a pointer that `numba.carray` takes."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return pointer(types.uint64), codegen


as_pointer: Any = intrinsic(_as_pointer)


def native(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function to C's calling convention, once per machine where a cache directory can be written.

    Numba caches beside the source, or in the user's cache directory where that is read-only; where neither can be
    written it refuses, and the function is then compiled in each process.
    """

    tell_of_compilation()

    def compile_function(function: Callable[..., Any]) -> Any:
        compiled: Any = CFunc(function, normalize_signature(signature), locals={}, options={})
        _keep_on_disk(compiled, function)
        compiled.compile()
        return compiled

    return compile_function


def native_call(function: Callable[..., Any]) -> Any:
    """Compile a function for calls from Python and from other compiled ones, kept on disk as `native` does."""
    compiled: Any = njit(function)
    _keep_on_disk(compiled, function)
    return compiled


def _keep_on_disk(compiled: Any, function: Callable[..., Any]) -> None:
    try:
        compiled.enable_caching()
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
    else:
        # Numba takes a cached function for good as long as the file it stands in is unchanged, though constants
        # compiled into it may come from others.  They become part of what must be unchanged.
        cached = compiled._cache._cache_file
        cached._source_stamp = (cached._source_stamp, _constants(function, set()))


def _constants(function: Callable[..., Any], seen: set[str]) -> str:
    """Every global value that the function or those it calls compile in, as text."""
    found = []
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        inner = getattr(value, "py_func", None) or getattr(value, "_pyfunc", None)
        if isinstance(value, (int, float, tuple, np.dtype, np.generic)):
            found.append(f"{name} = {value!r}")
        elif inner is not None and name not in seen:
            seen.add(name)
            found.append(f"{name}: {inner.__code__.co_code.hex()} {_constants(inner, seen)}")
    return "; ".join(found)


@dataclass(frozen=True, slots=True)
class NativeHook:
    """A compiled callback for one kind of event (`UC_HOOK_BLOCK`, ...), and the array that it works on.

    `state` must be C-contiguous and is referred to, not copied; whoever attaches the hook keeps it alive.  The hook
    sees events at addresses from `begin` to `end`, both included; as given, at every address.
    """

    kind: int
    function: Any
    state: npt.NDArray[Any]
    begin: int = 1
    end: int = 0


def add_native_hook(engine: Uc, hook: NativeHook) -> None:
    """Attach `hook`.  Code translated before goes without it, so hooks come first.

    Raises UcError when Unicorn refuses the kind.
    """
    if not hook.state.flags.c_contiguous:
        raise ValueError("the state of a native hook must be contiguous")
    handle = ctypes.c_size_t()
    where = (ctypes.c_uint64(hook.begin), ctypes.c_uint64(hook.end))  # begin > end: everywhere
    function, state = ctypes.c_void_p(hook.function.address), ctypes.c_void_p(hook.state.ctypes.data)
    check(uclib.uc_hook_add(engine._uch, ctypes.byref(handle), hook.kind, function, state, *where))


def aligned_bytes(size: int, alignment: int = 4096) -> npt.NDArray[np.uint8]:
    """Zeroed host memory whose address is a multiple of `alignment`, private to this process and to forks of it."""
    block = np.zeros(size + alignment, np.uint8)
    start = -block.ctypes.data % alignment
    return block[start : start + size]
