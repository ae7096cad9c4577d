"""C and C++ to an object file, by whatever compiler for the target there is.

In this order: the one that is asked for; GCC for the target (aarch64-linux-gnu-gcc, arm-linux-gnueabihf-gcc); clang;
zig, which `pip install neonlab[cross]` brings, for C++ before clang.  Objects are kept in the user's cache folder and
made anew when the source, a header that it includes, the compiler or a flag has changed.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.assemble.file_names import C_SUFFIXES, CXX_SUFFIXES
from neonlab.contract.header import Contract
from neonlab.contract.options import Build
from neonlab.errors import InputError
from neonlab.host.output_file import replace_file
from neonlab.isa.c.procedure_call import FloatAbi
from neonlab.isa.model.architecture import FEATURES
from neonlab.isa.model.isa import Isa

_TIME_LIMIT = 120
_TRIPLES = {Isa.A32: "arm-linux-gnueabihf", Isa.A64: "aarch64-linux-gnu"}
_INCLUDE = Path(__file__).resolve().parent / "runtime" / "include"
#: Lines and types for reports, no calls that the source does not make, positions known to the linker.
_ALWAYS = ("-g", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-fno-asynchronous-unwind-tables")
#: Zig defines NDEBUG with any optimization, which would take out every assert.
_BY_KIND = {"gcc": ("-fno-pic",), "clang": ("-fno-pic",), "zig": ("-fno-sanitize=undefined", "-UNDEBUG")}
_GCC_FEATURES = {
    "dotprod": "dotprod", "i8mm": "i8mm", "fp16": "fp16", "fp16fml": "fp16fml", "bf16": "bf16", "crypto": "crypto",
    "crc": "crc", "rdm": "rdma", "lse": "lse", "rcpc": "rcpc", "sha3": "sha3", "sm4": "sm4",
}  # fmt: skip
_TARGET_FLAGS = ("-march", "-mcpu", "-mfpu", "-mthumb", "-marm", "-mfloat-abi")


_CXX_LIBRARY = re.compile(r"fatal error: '?(bits/c\+\+config\.h|[a-z_]+)'?(:| file)")
_NO_LIBRARY = (
    "\nno C++ library for the target is found: install g++ for it (g++-aarch64-linux-gnu, g++-arm-linux-gnueabihf), "
    "or `pip install 'neonlab[cross]'`"
)


class CompileError(InputError):
    """The compiler refuses; `str()` is what it says."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A program that compiles for one instruction set: the words it is called with, its kind, and its version."""

    command: tuple[str, ...]
    kind: str  # "gcc", "clang" or "zig"
    version: str

    @property
    def title(self) -> str:
        """Name and version: `aarch64-linux-gnu-gcc 12.2.0`."""
        words = [Path(self.command[0]).name] if self.kind != "zig" else ["zig", self.command[-1]]
        return " ".join([*words, self.version])


@dataclass(frozen=True, slots=True)
class Compiled:
    """An object file's bytes, and what made it: `aarch64-linux-gnu-gcc 12.2.0 -O2`."""

    data: bytes
    made_by: str


@dataclass(frozen=True, slots=True)
class Target:
    """What code is compiled for: a contract's `isa` and float ABI."""

    isa: Isa
    architecture: str
    features: frozenset[str]
    soft_float: bool = False


def target_of(contract: Contract) -> Target:
    """What code of the contract is compiled for."""
    soft = contract.float_abi is FloatAbi.SOFT
    # A contract that forbids no instruction at all asks for none beyond the plainest.
    features = frozenset({"neon"}) if contract.features >= FEATURES else contract.features
    return Target(contract.isa, contract.architecture, features, soft)


#: The first architecture with NEON of each instruction set.
PLAIN_ARCHITECTURES = {Isa.A32: "armv7-a", Isa.A64: "armv8.0-a"}


def plain_target(isa: Isa) -> Target:
    """What code is compiled for of which no contract says more."""
    return Target(isa, PLAIN_ARCHITECTURES[isa], frozenset({"neon"}))


def is_c(path: Path) -> bool:
    """Whether the file is C or C++."""
    return path.suffix in (*C_SUFFIXES, *CXX_SUFFIXES)


def find_compiler(target: Target, named: str, *, cxx: bool = False) -> Compiler:
    """The compiler for the target.  InputError where there is none."""
    if named:
        words = tuple(named.split())
        program = shutil.which(words[0])
        if program is None:
            raise InputError(f"--compiler {named}: no such program")
        return _compiler((program, *words[1:]))
    triple = _TRIPLES[target.isa]
    zig = (sys.executable, "-m", "ziglang", "c++" if cxx else "cc")
    has_zig = importlib.util.find_spec("ziglang") is not None
    program = shutil.which(f"{triple}-{'g++' if cxx else 'gcc'}")
    if program is None and cxx and has_zig:
        return _compiler(zig)  # it brings a C++ library for the target, which clang seldom finds
    program = program or shutil.which("clang++" if cxx else "clang")
    if program is not None:
        return _compiler((program,))
    if has_zig:
        return _compiler(zig)
    raise InputError(
        f"no compiler for {triple}: install {triple}-gcc or clang, or `pip install 'neonlab[cross]'` for zig, "
        "or name one with --compiler"
    )


@functools.cache
def _compiler(command: tuple[str, ...]) -> Compiler:
    zig = "ziglang" in command or Path(command[0]).name == "zig"
    said = _run((*command, "--version"))
    text = said.stdout.decode(errors="replace")
    number = re.search(r"\d+\.\d+(\.\d+)?", text.partition("\n")[0])
    if said.returncode or number is None:
        raise InputError(f"`{' '.join(command)} --version` does not name a known compiler")
    kind = "zig" if zig else "clang" if "clang" in text else "gcc"
    return Compiler(command, kind, number[0])


def compile_c(path: Path, target: Target, build: Build) -> Compiled:
    """Compile the file.  Raises CompileError with the compiler's own words, InputError where there is no compiler."""
    compiler = find_compiler(target, build.compiler, cxx=path.suffix in CXX_SUFFIXES)
    own = ("-O2", *build.flags)
    flags = (
        *_target_flags(compiler, target, build.flags),
        *_ALWAYS,
        *_BY_KIND[compiler.kind],
        *_headers(compiler, target, build.flags),
        *(f"-I{folder}" for folder in build.include),
        *(f"-D{define}" for define in build.define),
        *own,
    )
    made_by = " ".join([compiler.title, *own])
    kept = _Kept(path, compiler, flags)
    data = kept.read()
    if data is None:
        data = _compile(path, compiler, flags, kept)
    return Compiled(data, made_by)


def made_by(path: Path, target: Target, build: Build) -> str:
    """What `compile_c` would say made the object; empty for a file that is not compiled."""
    if not is_c(path):
        return ""
    compiler = find_compiler(target, build.compiler, cxx=path.suffix in CXX_SUFFIXES)
    return " ".join([compiler.title, "-O2", *build.flags])


def _target_flags(compiler: Compiler, target: Target, given: Sequence[str]) -> list[str]:
    """The instruction set, as far as the flags that are given leave it open."""
    triple = _TRIPLES[target.isa]
    flags = []
    if compiler.kind == "clang":
        flags.append(f"--target={triple}")
    elif compiler.kind == "zig":
        # Zig takes -mthumb without a word and compiles A32 all the same: the state is part of its target.
        flags += ["-target", triple.replace("arm", "thumb", 1) if "-mthumb" in given else triple]

    def open_(prefix: str) -> bool:
        return not any(flag.startswith(prefix) for flag in given)

    if open_("-march") and open_("-mcpu"):
        flags += _architecture(compiler, target, fpu=open_("-mfpu"))
    if target.isa is Isa.A32:
        if open_("-mthumb"):
            flags.append("-marm")
        if open_("-mfloat-abi"):
            flags.append(f"-mfloat-abi={'softfp' if target.soft_float else 'hard'}")
    return flags


def _architecture(compiler: Compiler, target: Target, *, fpu: bool) -> list[str]:
    names = [name for name in _GCC_FEATURES if name in target.features]
    if compiler.kind == "zig":
        return [_zig_cpu(target, names)]
    spelled = {name: _GCC_FEATURES[name] if compiler.kind == "gcc" or name != "rdm" else "rdm" for name in names}
    base = "armv8-a" if target.architecture == "armv8.0-a" else target.architecture
    if target.isa is Isa.A64:
        return [f"-march={base}{''.join(f'+{spelled[name]}' for name in names)}"]
    if base.startswith("armv7"):
        flags = [f"-march={'armv7ve' if 'idiv' in target.features else base}"]
        return flags + ([f"-mfpu={'neon-vfpv4' if 'vfpv4' in target.features else 'neon'}"] if fpu else [])
    wanted = [spelled[name] for name in names if name in ("dotprod", "i8mm", "fp16", "bf16", "crypto", "crc")]
    if compiler.kind == "gcc":
        return [f"-march={base}+simd{''.join(f'+{name}' for name in wanted)}", *(["-mfpu=auto"] if fpu else [])]
    return [f"-march={base}{''.join(f'+{name}' for name in wanted)}", *(["-mfpu=neon-fp-armv8"] if fpu else [])]


def _zig_cpu(target: Target, names: Sequence[str]) -> str:
    """Zig takes -mcpu alone, with LLVM's names of features."""
    llvm = {"dotprod": "dotprod", "i8mm": "i8mm", "fp16": "fullfp16", "bf16": "bf16", "crc": "crc", "rdm": "rdm"}
    if target.isa is Isa.A64:
        version = target.architecture.removeprefix("armv").removesuffix("-a").replace(".", "_")
        base = "generic" if version in ("8", "8_0") else f"generic+v{version}a"
    else:
        base = "generic+v7a+neon" if target.architecture.startswith("armv7") else "generic+v8a+neon+fp_armv8"
        base += "+vfp4" if "vfpv4" in target.features else ""
        base += "+hwdiv_arm+hwdiv" if "idiv" in target.features else ""
    return f"-mcpu={base}{''.join(f'+{llvm[name]}' for name in names if name in llvm)}"


def _headers(compiler: Compiler, target: Target, given: Sequence[str]) -> list[str]:
    """Return flags for the lab's own headers where the compiler has no C library for the target."""
    if compiler.kind == "clang":
        has_library = Path("/usr", _TRIPLES[target.isa], "include").is_dir()
    else:
        has_library = compiler.kind == "gcc" or "-mthumb" not in given  # zig has one for A32, none for Thumb
    return [] if has_library else ["-nostdlibinc", "-isystem", str(_INCLUDE)]


class _Kept:
    """The place of one object in the cache: its bytes, and what files they were made of in which state."""

    def __init__(self, path: Path, compiler: Compiler, flags: Sequence[str]) -> None:
        words = [str(path.resolve()), str(Path.cwd()), *compiler.command, compiler.version, *flags]
        name = hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:40]
        folder = cache_folder()
        self._object = folder / f"{name}.o" if folder is not None else None
        self._list = folder / f"{name}.json" if folder is not None else None

    def read(self) -> bytes | None:
        """The bytes, where nothing has changed since."""
        if self._object is None or self._list is None:
            return None
        try:
            files = json.loads(self._list.read_text(encoding="utf-8"))
            data = self._object.read_bytes()
            return data if files and all(_state(name) == state for name, state in files) else None
        except (OSError, ValueError, TypeError):
            return None

    def write(self, data: bytes, files: Sequence[str]) -> None:
        """Keep the bytes; where that cannot be done they are made again next time."""
        if self._object is None or self._list is None:
            return
        states = json.dumps([(name, _state(name)) for name in files])
        for place, content in ((self._object, data), (self._list, states.encode())):
            try:
                replace_file(place, content)
            except OSError:
                return


def _state(name: str) -> list[int]:
    stamp = Path(name).stat()
    return [stamp.st_mtime_ns, stamp.st_size]


@functools.cache
def cache_folder() -> Path | None:
    """The folder for what can be made again; None where none can be had."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "neonlab" / "objects"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder if os.access(folder, os.W_OK) else None
    except (OSError, RuntimeError):
        return None


def _compile(path: Path, compiler: Compiler, flags: Sequence[str], kept: _Kept) -> bytes:
    with tempfile.TemporaryDirectory(prefix="neonlab-") as folder:
        made, depends = Path(folder, "made.o"), Path(folder, "made.d")
        result = _run((*compiler.command, *flags, "-MD", "-MF", str(depends), "-c", str(path), "-o", str(made)))
        said = (result.stderr + result.stdout).decode(errors="replace").strip()
        if result.returncode or not made.is_file():
            hint = _NO_LIBRARY if path.suffix in CXX_SUFFIXES and _CXX_LIBRARY.search(said) else ""
            raise CompileError(f"{compiler.title} cannot compile {path}:\n{said or 'it does not say why'}{hint}")
        data = made.read_bytes()
        kept.write(data, _dependencies(depends))
    return data


def _dependencies(file: Path) -> list[str]:
    """Files named in a make rule."""
    try:
        text = file.read_text(encoding="utf-8").replace("\\\n", " ")
    except (OSError, UnicodeDecodeError):
        return []
    names = re.findall(r"(?:\\ |[^\s\\]|\\(?! ))+", text.partition(": ")[2])
    return [str(Path(name.replace("\\ ", " ")).resolve()) for name in names]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(command, capture_output=True, timeout=_TIME_LIMIT, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(f"`{Path(command[0]).name}` did not finish within {_TIME_LIMIT} s") from None
    except OSError as error:
        raise InputError(f"`{command[0]}` cannot be run: {error.strerror}") from None
