"""Find what tests compare with from outside the project: cross binutils and compilers, qemu-user, other frameworks.

A program that is absent skips the test, and `tests.tiers` counts the skips by kind.  With NEONLAB_REQUIRE_TOOLS=1, as
CI sets it for its full run, an absent program fails the test instead.  C and C++ need no installed compiler: zig, of
the extra `dev`, stands in for GCC and clang.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import sys
import warnings
from typing import Any, NoReturn

import pytest

from neonlab.isa.model.isa import Isa

TRIPLES = {Isa.A64: "aarch64-linux-gnu", Isa.A32: "arm-linux-gnueabihf"}
#: What zig compiles for where nothing else is said; GCC for these triples does the same.
_ZIG_CPUS = {Isa.A64: "generic", Isa.A32: "generic+v7a+neon"}


def require(program: str) -> str:
    """Return the path of `program`; skip the test where it is absent."""
    path = shutil.which(program)
    if path is None:
        _absent(program)
    return path


def require_compiler(isa: Isa, *, cxx: bool = False) -> list[str]:
    """Return the words that call a C or C++ compiler for Linux on `isa`: GCC for the target, else zig.

    A test that goes through `neonlab.sources.toolchain` calls this for the skip alone: the lab looks for compilers in
    the same order.
    """
    gcc = f"{TRIPLES[isa]}-{'g++' if cxx else 'gcc'}"
    if shutil.which(gcc) is None and _may_stand_in():
        return zig("c++" if cxx else "cc", "-target", TRIPLES[isa], f"-mcpu={_ZIG_CPUS[isa]}")
    return [require(gcc)]


def require_clang(isa: Isa) -> list[str]:
    """Return the words that call clang for Linux on `isa`: clang itself, else zig, which is a clang."""
    if shutil.which("clang") is None and _may_stand_in():
        return zig("cc", "-target", TRIPLES[isa], f"-mcpu={_ZIG_CPUS[isa]}")
    return [require("clang"), f"--target={TRIPLES[isa]}"]


def require_archiver(isa: Isa) -> list[str]:
    """Return the words that call `ar`: GNU's, else LLVM's, which comes with zig."""
    gnu = f"{TRIPLES[isa]}-ar"
    return zig("ar") if shutil.which(gnu) is None and _may_stand_in() else [require(gnu)]


def require_gnu_or_zig(program: str) -> str:
    """Return the path of a GNU program, or nothing where it is absent and zig can do the same."""
    return "" if shutil.which(program) is None and _may_stand_in() else require(program)


def zig(*words: str) -> list[str]:
    """Return the words that call zig as the package ziglang installs it."""
    return [sys.executable, "-m", "ziglang", *words]


#: What a program or a module belongs to, as the summary of a test run names it; the first that fits.
_KINDS = (
    (r"(aarch64|arm)-linux-gnu\w*-(gcc|g\+\+)", "GCC for Arm"),
    (r"(aarch64|arm)-linux-gnu.*|c\+\+filt", "GNU as and binutils for Arm"),
    (r"qemu-.*", "qemu-user"),
    (r"llvm-mca.*", "llvm-mca"),
    (r"clang", "clang"),
    (r"chromium", "Chromium"),
    (r"ortools", "OR-tools (`pip install -e '.[optimize]'`)"),
    (r".*", "another framework (`pip install -e '.[frameworks]'`)"),
)


def kind_of_absent(name: str) -> str:
    """Return what the program or module `name` belongs to."""
    return next(kind for pattern, kind in _KINDS if re.fullmatch(pattern, name))


def _may_stand_in() -> bool:
    return not _required() and importlib.util.find_spec("ziglang") is not None


def _required() -> bool:
    return os.environ.get("NEONLAB_REQUIRE_TOOLS") == "1"


def require_module(name: str) -> Any:
    """Import a module of the extra `frameworks` or `optimize`, under the same rule.

    Its warnings are kept out of the test's.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            _absent(name)


def _absent(name: str) -> NoReturn:
    message = f"{name} is not installed"
    if _required():
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
