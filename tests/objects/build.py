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

from tests.tools import require, require_archiver, require_clang, require_compiler

from neonlab.isa.model.isa import Isa

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
        """Return the path of a program of GCC's or GNU binutils' for the target."""
        return require(self.prefix + name)

    def compiler(self, named: str = "") -> list[str]:
        """Return the words that compile C for the target: by gcc, by clang, or by any compiler that is there."""
        if named == "gcc":
            return [self.tool("gcc"), *self.flags]
        command = require_clang(self.isa) if named == "clang" else require_compiler(self.isa)
        if "ziglang" not in command:
            return [*command, *self.flags]
        # Zig has CPU and state from its target, and guards against undefined behaviour and overflow of the stack.
        if "-mthumb" in self.flags:
            command = [word.replace("arm-linux", "thumb-linux") for word in command]
        return [*command, "-fno-sanitize=undefined", "-fno-stack-protector"]

    def archive(self, out: Path, *members: Path) -> Path:
        """Write an archive of the members, with an index of their symbols."""
        run(*require_archiver(self.isa), "rcs", out, *members)
        return out


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
def compiled(source: str, target: Target, compiler: str = "", flags: tuple[str, ...] = ("-O2",)) -> Path:
    """Compile a file in tests/objects/c, or text with a line break in it; `compiler` is gcc, clang or empty for any."""
    path = HERE / source
    if "\n" in source:
        path = fresh("text.cpp" if source.startswith("// c++") else "text.c")
        path.write_text(source)
    out = fresh(f"{path.stem}.o")
    if "-fno-pic" in flags and "ziglang" in target.compiler(compiler):
        require("clang")  # zig takes no such flag
    run(*target.compiler(compiler), *flags, f"-I{HERE}", "-c", path, "-o", out)
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
