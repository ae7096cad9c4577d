"""Build programs for the emulator's tests by GNU as and GCC, or by LLVM as zig brings it; never by the lab itself."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from tests.tools import TRIPLES, require, require_compiler, require_gnu_or_zig, zig

from neonlab.assemble.program import Program, Segment
from neonlab.assemble.source import SourceLine
from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa

BASE = 0x10000
_AS = {Isa.A64: ["-march=armv8.6-a+i8mm+dotprod"], Isa.A32: ["-march=armv8.6-a", "-mfpu=neon-fp-armv8"]}
_ZIG_AS = {
    Isa.A64: ["-mcpu=generic+v8_6a+i8mm+dotprod+fullfp16"],
    Isa.A32: ["-mcpu=generic+v8_6a+neon+fp_armv8+i8mm+dotprod", "-marm"],
}
_HEAD = {Isa.A64: "", Isa.A32: ".syntax unified\n.arm\n"}
_EXTENSIONS = {Isa.A64: "", Isa.A32: ".arch_extension i8mm\n.arch_extension dotprod\n"}


def _run(*command: str | Path) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def _assemble(isa: Isa, folder: Path, text: str) -> Path:
    """Assemble statements that follow the head of their instruction set."""
    source, out = folder / "a.s", folder / "a.o"
    gnu = require_gnu_or_zig(f"{TRIPLES[isa]}-as")
    source.write_text(_HEAD[isa] + (_EXTENSIONS[isa] if gnu else "") + text + "\n")
    if gnu:
        _run(gnu, *_AS[isa], source, "-o", out)
    else:
        _run(*zig("cc", "-target", TRIPLES[isa]), *_ZIG_AS[isa], "-c", source, "-o", out)
    return out


def _decode(isa: Isa, code: bytes) -> tuple[Instruction, ...]:
    found = []
    for offset in range(0, len(code) - 3, 4):
        try:
            found.append(decode_word(isa, int.from_bytes(code[offset : offset + 4], "little"), BASE + offset))
        except UndecodableWord:
            continue  # a literal, or an instruction that a test wants to be undefined
    return tuple(found)


def _link(isa: Isa, folder: Path, objects: list[Path], name: str) -> Program:
    gnu = require_gnu_or_zig(f"{TRIPLES[isa]}-ld")
    linker = [gnu] if gnu else zig("ld.lld", "--image-base=0")
    _run(*linker, f"-Ttext={BASE:#x}", "-e", hex(BASE), *objects, "-o", folder / "a.elf")
    with (folder / "a.elf").open("rb") as file:
        elf = ELFFile(file)
        text, table = elf.get_section_by_name(".text"), elf.get_section_by_name(".symtab")
        assert text is not None and isinstance(table, SymbolTableSection)
        code = text.data()
        section = elf.get_section_index(".text")
        symbols = {
            symbol.name: symbol["st_value"]
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] == section and symbol.name and not symbol.name.startswith("$")
        }
    instructions = _decode(isa, code)
    lines = {i.address: SourceLine(name, 1 + (i.address - BASE) // 4, 1, i.text) for i in instructions}
    return Program(isa, name, (Segment(".text", BASE, code, executable=True),), symbols, instructions, lines)


@cache
def assembled(isa: Isa, text: str) -> Program:
    """Assemble statements; `kernel` is the first unless the text says otherwise."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = _assemble(isa, folder, text if "kernel:" in text else f"kernel:\n{text}")
        return _link(isa, folder, [made], "a.s")


@cache
def compiled(isa: Isa, source: str, *options: str) -> Program:
    """Compile C; nothing outside the source may be called."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.c").write_text(source)
        compiler = require_compiler(isa)
        flags = ["-O2", "-ffreestanding", "-fno-stack-protector", *(["-marm"] if isa is Isa.A32 else []), *options]
        flags += ["-fno-sanitize=undefined"] if "ziglang" in compiler else ["-fno-pic"]
        _run(*compiler, *flags, "-c", folder / "a.c", "-o", folder / "a.o")
        return _link(isa, folder, [folder / "a.o"], "a.c")


@cache
def built(isa: Isa, path: Path) -> Program:
    """Assemble a file through the C preprocessor and GNU as."""
    options = ["-march=armv7-a", "-mfpu=neon", "-mfloat-abi=hard"] if isa is Isa.A32 else ["-march=armv8.6-a+i8mm"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run(require(f"{TRIPLES[isa]}-gcc"), *options, "-c", path, "-o", folder / "a.o")
        return _link(isa, folder, [folder / "a.o"], str(path))
