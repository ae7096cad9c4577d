"""Programs for the emulator's tests, made by GNU as and GCC rather than by the lab's own assembler."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.tools import require

from neonlab.assemble.program import Program, Segment
from neonlab.assemble.source import SourceLine
from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.instruction import Instruction
from neonlab.isa.isa import Isa

BASE = 0x10000
_PREFIX = {Isa.A64: "aarch64-linux-gnu-", Isa.A32: "arm-linux-gnueabihf-"}
_AS = {Isa.A64: ["-march=armv8.6-a+i8mm+dotprod"], Isa.A32: ["-march=armv8.6-a", "-mfpu=neon-fp-armv8"]}
_HEAD = {
    Isa.A64: "",
    Isa.A32: ".syntax unified\n.arch_extension i8mm\n.arch_extension dotprod\n.arm\n",
}


def _run(*command: str | Path) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def _decode(isa: Isa, code: bytes) -> tuple[Instruction, ...]:
    found = []
    for offset in range(0, len(code) - 3, 4):
        try:
            found.append(decode_word(isa, int.from_bytes(code[offset : offset + 4], "little"), BASE + offset))
        except UndecodableWord:
            continue  # a literal, or an instruction that a test wants to be undefined
    return tuple(found)


def _link(isa: Isa, folder: Path, objects: list[Path], name: str) -> Program:
    prefix = _PREFIX[isa]
    _run(require(prefix + "ld"), "-Ttext", hex(BASE), "-e", hex(BASE), *objects, "-o", folder / "a.elf")
    _run(prefix + "objcopy", "-O", "binary", "-j", ".text", folder / "a.elf", folder / "a.bin")
    code = (folder / "a.bin").read_bytes()
    symbols = {}
    for line in _run(prefix + "nm", folder / "a.elf").splitlines():
        address, kind, symbol = line.split()
        if kind in "tT" and not symbol.startswith("$"):
            symbols[symbol] = int(address, 16)
    instructions = _decode(isa, code)
    lines = {i.address: SourceLine(name, 1 + (i.address - BASE) // 4, 1, i.text) for i in instructions}
    return Program(isa, name, (Segment(".text", BASE, code, executable=True),), symbols, instructions, lines)


@cache
def assembled(isa: Isa, text: str) -> Program:
    """Statements as GNU as reads them; `kernel` is the first unless the text says otherwise."""
    head = _HEAD[isa] + ("" if "kernel:" in text else "kernel:\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.s").write_text(head + text + "\n")
        _run(require(_PREFIX[isa] + "as"), *_AS[isa], folder / "a.s", "-o", folder / "a.o")
        return _link(isa, folder, [folder / "a.o"], "a.s")


@cache
def compiled(isa: Isa, source: str, *options: str) -> Program:
    """C compiled by GCC; nothing outside the source may be called."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.c").write_text(source)
        flags = ["-O2", "-ffreestanding", "-fno-pic", "-fno-stack-protector", *options]
        if isa is Isa.A32:
            flags += ["-marm"]
        _run(require(_PREFIX[isa] + "gcc"), *flags, "-c", folder / "a.c", "-o", folder / "a.o")
        return _link(isa, folder, [folder / "a.o"], "a.c")


@cache
def built(isa: Isa, path: Path) -> Program:
    """A file of assembly text through the C preprocessor and GNU as."""
    options = ["-march=armv7-a", "-mfpu=neon", "-mfloat-abi=hard"] if isa is Isa.A32 else ["-march=armv8.6-a+i8mm"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run(require(_PREFIX[isa] + "gcc"), *options, "-c", path, "-o", folder / "a.o")
        return _link(isa, folder, [folder / "a.o"], str(path))
