"""Compile C and C++ to an object file, with any compiler for the target.

The first of these is used: the requested one; GCC for the target (aarch64-linux-gnu-gcc, arm-linux-gnueabihf-gcc);
clang; zig, which `pip install neonlab[cross]` provides, for C++ before clang.  Objects are cached in the user's cache
folder, and made again when the source, an included header, the compiler or a flag has changed.
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
#: What names of GCC for each instruction set begin with.
TRIPLES = {Isa.A32: "arm-linux-gnueabihf", Isa.A64: "aarch64-linux-gnu"}
_INCLUDE = Path(__file__).resolve().parent / "runtime" / "include"
#: Line and type information for reports, no inserted calls, no unwind tables.
_ALWAYS = ("-g", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-fno-asynchronous-unwind-tables")
#: Zig defines NDEBUG with any optimization, which would remove every assert.
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
    """The compiler rejects the source; `str()` is its output."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler for one instruction set: the words of its command, its kind, and its version."""

    command: tuple[str, ...]
    kind: str  # "gcc", "clang" or "zig"
    version: str

    @property
    def title(self) -> str:
        """Return name and version: `aarch64-linux-gnu-gcc 12.2.0`."""
        words = [Path(self.command[0]).name] if self.kind != "zig" else ["zig", self.command[-1]]
        return " ".join([*words, self.version])


@dataclass(frozen=True, slots=True)
class Compiled:
    """An object file's bytes, and the compiler with its flags: `aarch64-linux-gnu-gcc 12.2.0 -O2`."""

    data: bytes
    made_by: str


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a compilation: a contract's `isa` and float ABI."""

    isa: Isa
    architecture: str
    features: frozenset[str]
    soft_float: bool = False


def target_of(contract: Contract) -> Target:
    """Return the target of the contract's code."""
    soft = contract.float_abi is FloatAbi.SOFT
    # A contract that allows every instruction is compiled for NEON alone.
    features = frozenset({"neon"}) if contract.features >= FEATURES else contract.features
    return Target(contract.isa, contract.architecture, features, soft)


#: The first architecture with NEON of each instruction set.
PLAIN_ARCHITECTURES = {Isa.A32: "armv7-a", Isa.A64: "armv8.0-a"}


def plain_target(isa: Isa) -> Target:
    """Return the target for code without a contract."""
    return Target(isa, PLAIN_ARCHITECTURES[isa], frozenset({"neon"}))


def is_c(path: Path) -> bool:
    """Tell whether the file is C or C++."""
    return path.suffix in (*C_SUFFIXES, *CXX_SUFFIXES)


def find_compiler(target: Target, named: str, *, cxx: bool = False) -> Compiler:
    """Return the compiler for the target.  Raises InputError if there is none."""
    triple = TRIPLES[target.isa]
    zig = (sys.executable, "-m", "ziglang", "c++" if cxx else "cc")
    has_zig = importlib.util.find_spec("ziglang") is not None
    if named == "zig" and has_zig and shutil.which("zig") is None:
        return _compiler(zig)
    if named:
        # The GCC of this computer compiles for this computer, and a person means the one for the kernel's.
        for_target = {"gcc": f"{triple}-gcc", "g++": f"{triple}-g++"}.get(named, named)
        words = tuple(for_target.split())
        program = shutil.which(words[0])
        if program is None:
            raise InputError(f"compiler {named}: no such program{f' as {words[0]}' if words[0] != named else ''}")
        return _compiler((program, *words[1:]))
    program = shutil.which(f"{triple}-{'g++' if cxx else 'gcc'}")
    if program is None and cxx and has_zig:
        return _compiler(zig)  # it includes a C++ library for the target, which clang rarely finds
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
    """Compile the file.  Raises CompileError with the compiler's output, InputError if there is no compiler."""
    compiler = find_compiler(target, build.compiler, cxx=path.suffix in CXX_SUFFIXES)
    own = _own_flags(build)
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
    """Return the compiler and flags that `compile_c` would use; "" for a file that is not compiled."""
    if not is_c(path):
        return ""
    compiler = find_compiler(target, build.compiler, cxx=path.suffix in CXX_SUFFIXES)
    return " ".join([compiler.title, *_own_flags(build)])


def _own_flags(build: Build) -> tuple[str, ...]:
    """Return the flags that are given, behind -O2 where none of them says how much to optimize."""
    says = any(re.fullmatch(r"-O\w*", flag) for flag in build.flags)
    return build.flags if says else ("-O2", *build.flags)


def _target_flags(compiler: Compiler, target: Target, given: Sequence[str]) -> list[str]:
    """Return the flags for the instruction set, except those that are given."""
    triple = TRIPLES[target.isa]
    flags = []
    if compiler.kind == "clang":
        flags.append(f"--target={triple}")
    elif compiler.kind == "zig":
        # Zig silently ignores -mthumb and compiles A32: the state is part of its target.
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
    """Return the -mcpu flag for Zig, which takes no -march, with LLVM's names of features."""
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
        has_library = Path("/usr", TRIPLES[target.isa], "include").is_dir()
    else:
        has_library = compiler.kind == "gcc" or "-mthumb" not in given  # zig has one for A32, none for Thumb
    return [] if has_library else ["-nostdlibinc", "-isystem", str(_INCLUDE)]


class _Kept:
    """The cache entry of one object: its bytes, and the files with their states that it was made from."""

    def __init__(self, path: Path, compiler: Compiler, flags: Sequence[str]) -> None:
        words = [str(path.resolve()), str(Path.cwd()), *compiler.command, compiler.version, *flags]
        name = hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:40]
        folder = cache_folder()
        self._object = folder / f"{name}.o" if folder is not None else None
        self._list = folder / f"{name}.json" if folder is not None else None

    def read(self) -> bytes | None:
        """Return the bytes, or None if a file has changed."""
        if self._object is None or self._list is None:
            return None
        try:
            files = json.loads(self._list.read_text(encoding="utf-8"))
            data = self._object.read_bytes()
            return data if files and all(_state(name) == state for name, state in files) else None
        except (OSError, ValueError, TypeError):
            return None

    def write(self, data: bytes, files: Sequence[str]) -> None:
        """Store the bytes; if that fails, they are made again next time."""
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
    """Return the cache folder; None if it cannot be created or written."""
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
    """Return the files named in a make rule."""
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
