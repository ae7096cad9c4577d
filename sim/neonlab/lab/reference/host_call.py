"""Compile a C function for this computer and call it with a case's arguments."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.contract.header import Contract
from neonlab.contract.options import Build
from neonlab.emulate.guest.buffer import Buffer, distinct_buffers
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.native import aligned_bytes
from neonlab.errors import InputError
from neonlab.isa.c.ctype import CType
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.verify.cases.call_arguments import call_arguments
from neonlab.verify.cases.case import Array, Case

_TIME_LIMIT = 120
#: `char` is unsigned, as compilers for Arm have it, and products and sums are not fused.
_FLAGS = ("-O2", "-shared", "-fPIC", "-funsigned-char", "-ffp-contract=off")
_POINTER_BYTES = 8


class HostFunction:
    """The function `symbol` of a C file, on the host.

    Raises InputError where it cannot be compiled, or cannot run on this host.
    """

    def __init__(self, path: Path, symbol: str, contract: Contract, build: Build) -> None:
        holds_pointers = any(argument.fields or argument.rows is not None for argument in contract.pointers)
        if struct.calcsize("P") != _POINTER_BYTES or sys.byteorder != "little":
            raise InputError("a reference can run only on a 64-bit little-endian host")
        if holds_pointers and contract.isa is not Isa.A64:
            raise InputError(
                f"{path}: structs and pointers in memory are laid out differently on the host and on "
                f"{contract.isa.value}: remove on_host"
            )
        self._contract = contract
        # The types of A64 have the sizes of those of a 64-bit host.
        self._signature = parse_prototype(contract.prototype, Isa.A64, contract.structs)
        with tempfile.TemporaryDirectory(prefix="neonlab-") as folder:
            library = ctypes.CDLL(str(_shared_object(path, build, Path(folder))))  # a loaded file may go
        try:
            self._function: Any = getattr(library, symbol)
        except AttributeError:
            raise InputError(f"{path}: does not define `{symbol}`, the reference") from None
        self._function.argtypes = [_host_type(parameter.ctype) for parameter in self._signature.parameters]
        returns = self._signature.returns
        self._function.restype = _host_type(returns) if returns is not None else None

    def __call__(self, case: Case) -> tuple[Mapping[str, Array], int | float | None]:
        """Return the contents of each writable buffer by name, and the returned value."""
        arguments = call_arguments(self._contract, case)
        placed = _placed(arguments)
        passed = [
            placed[argument.name].ctypes.data + argument.origin if isinstance(argument, Buffer) else argument
            for argument in arguments
        ]
        returned = self._function(*passed)
        outputs = {
            buffer.name: placed[buffer.name].copy().view(buffer.data.dtype).reshape(buffer.data.shape)
            for buffer in distinct_buffers(arguments)
            if buffer.writable
        }
        if self._signature.returns is not None and self._signature.returns.kind == "pointer":
            returned = None  # a host address has no meaning for the guest
        return outputs, returned


def _placed(arguments: Sequence[Passed]) -> dict[str, np.ndarray[Any, np.dtype[np.uint8]]]:
    """Return the buffers in host memory by name, with their pointers set."""
    buffers = distinct_buffers(arguments)
    placed = {}
    for buffer in buffers:
        memory = aligned_bytes(buffer.size, 128)
        memory[:] = buffer.contents()
        placed[buffer.name] = memory
    for buffer in buffers:
        for field in buffer.pointers:
            stored = field.stored(placed[field.target.name].ctypes.data + field.target.origin, _POINTER_BYTES)
            placed[buffer.name][field.offset : field.offset + stored.size] = stored
    return placed


def _host_type(ctype: CType) -> Any:
    if ctype.kind == "pointer":
        return ctypes.c_void_p
    if ctype.kind == "float":
        return ctypes.c_double if ctype.size == 8 else ctypes.c_float
    return getattr(ctypes, f"c_{'' if ctype.signed else 'u'}int{8 * ctype.size}")


def _compiler(path: Path, build: Build) -> list[str]:
    for name in [build.compiler] if build.compiler else ["cc", "gcc", "clang"]:
        first, *rest = name.split()
        program = shutil.which(first)
        if program is not None:
            return [program, *rest]
    if not build.compiler and importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined"]
    raise InputError(f"{path}: no C compiler for this computer, to run the reference on it")


def _shared_object(path: Path, build: Build, folder: Path) -> Path:
    words = _compiler(path, build)
    made = folder / "reference.so"
    options = [*(f"-I{entry}" for entry in build.include), *(f"-D{entry}" for entry in build.define), *build.flags]
    command = [*words, *_FLAGS, *options, str(path), "-o", str(made), "-lm"]
    try:
        result = subprocess.run(command, capture_output=True, timeout=_TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(f"{path}: the compiler did not finish within {_TIME_LIMIT} s") from None
    if result.returncode:
        said = result.stderr.decode(errors="replace").strip()
        raise InputError(f"{Path(words[0]).name} cannot compile {path} for this computer:\n{said}")
    return made
