"""Build an exported bench on this computer with a compiler for the board."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.sources.toolchain import TRIPLES

_GCC = {isa: f"{triple}-gcc" for isa, triple in TRIPLES.items()}
_ANDROID = {Isa.A64: "aarch64-linux-android24-clang", Isa.A32: "armv7a-linux-androideabi24-clang"}
_ZIG = {Isa.A64: "aarch64-linux-musl", Isa.A32: "arm-linux-musleabihf"}
_NATIVE = {Isa.A64: ("aarch64", "arm64"), Isa.A32: ("armv7l",)}
_NDK = ("ANDROID_NDK_HOME", "ANDROID_NDK_ROOT")
_LIMIT = 300.0
_LINES = 8  # of a compiler, in a message


def find_board_compiler(isa: Isa, *, android: bool = False) -> str:
    """Return the command of a compiler that makes static programs for a board; "" if there is none here.

    It is that of Android's NDK for Android, if a variable of the environment names it; GCC for the target; zig.
    """
    if android:
        for folder in filter(None, map(os.environ.get, _NDK)):
            for program in sorted(Path(folder).glob(f"toolchains/llvm/prebuilt/*/bin/{_ANDROID[isa]}")):
                return shlex.quote(str(program))
    if shutil.which(_GCC[isa]):
        return _GCC[isa]
    if platform.system() == "Linux" and platform.machine() in _NATIVE[isa] and shutil.which("cc"):
        return "cc"
    if importlib.util.find_spec("ziglang") is not None:
        return f"{shlex.quote(sys.executable)} -m ziglang cc -target {_ZIG[isa]}"
    return ""


def no_compiler(isa: Isa) -> InputError:
    """Return the error for a computer, or a board, that cannot build the bench."""
    return InputError(
        f"no compiler for the bench: install {_GCC[isa]}, or `pip install 'neonlab[cross]'`, set ANDROID_NDK_HOME, or "
        "name one with --cc"
    )


def build_bench(folder: Path, compiler: str) -> Path:
    """Build the bench in `folder` and return the program.  Raises InputError with the compiler's last lines."""
    make = shutil.which("make")
    if make is None:
        raise InputError("no `make` on this computer: install it")
    try:
        done = subprocess.run(
            [make, "-C", str(folder), f"CC={compiler}", "bench"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{compiler}: the bench is not built after {_LIMIT:.0f} seconds") from None
    if done.returncode:
        raise not_built(f"{compiler}: the bench does not build", done.stderr.decode(errors="replace"))
    return folder / "bench"


def not_built(what: str, errors: str) -> InputError:
    """Return the error for a bench that does not build, with the last lines of `errors`."""
    return InputError("\n".join([f"{what}:", *errors.strip().splitlines()[-_LINES:]]))
