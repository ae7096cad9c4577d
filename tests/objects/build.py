"""C compiled by the compilers that are there, as test input: cached for the session by what it was made of."""

from __future__ import annotations

import atexit
import itertools
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.tools import require

from neonlab.isa.isa import Isa

HERE = Path(__file__).parent / "c"
_FOLDER = Path(tempfile.mkdtemp(prefix="neonlab-objects-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Target:
    """A kind of code: the tools' prefix, and what makes a compiler produce it."""

    name: str
    isa: Isa
    prefix: str
    flags: tuple[str, ...]
    emulator: str

    def tool(self, name: str) -> str:
        """Path of a binutils program."""
        return require(self.prefix + name)


A64 = Target("a64", Isa.A64, "aarch64-linux-gnu-", (), "qemu-aarch64")
A32 = Target("a32", Isa.A32, "arm-linux-gnueabihf-", ("-marm", "-mfpu=neon", "-march=armv7-a"), "qemu-arm")
THUMB = Target("thumb", Isa.A32, "arm-linux-gnueabihf-", ("-mthumb", "-mfpu=neon", "-march=armv7-a"), "qemu-arm")
TARGETS = {target.name: target for target in (A64, A32, THUMB)}


def run(*command: str | Path) -> str:
    """Standard output of a program that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stderr}"
    return done.stdout


def fresh(name: str) -> Path:
    """A path for a new file."""
    folder = _FOLDER / str(next(_NUMBERS))
    folder.mkdir()
    return folder / name


@cache
def compiled(source: str, target: Target, compiler: str = "gcc", flags: tuple[str, ...] = ("-O2",)) -> Path:
    """The object of a file in tests/objects/c, or of text with a line break in it."""
    path = HERE / source
    if "\n" in source:
        path = fresh("text.cpp" if source.startswith("// c++") else "text.c")
        path.write_text(source)
    out = fresh(f"{path.stem}.o")
    command = [target.tool("gcc")]
    if compiler == "clang":
        command = [require("clang"), f"--target={target.prefix.rstrip('-')}"]
    run(*command, *target.flags, *flags, f"-I{HERE}", "-c", path, "-o", out)
    return out


@cache
def assembled(text: str, target: Target) -> Path:
    """The object of assembly text, by GNU as."""
    path = fresh("text.s")
    path.write_text(text)
    out = path.with_suffix(".o")
    thumb = ["-mthumb"] if target is THUMB else []
    march = [] if target is A64 else ["-march=armv7-a", "-mfpu=neon"]
    run(target.tool("as"), *thumb, *march, path, "-o", out)
    return out
