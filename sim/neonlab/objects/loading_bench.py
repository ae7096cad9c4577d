"""Measure how long a generated object of 5 MB takes to load, with a section for each function."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.objects.elf import layout as elf
from neonlab.objects.load import load_image

#: Seconds that the project allows for it.
MOST_SECONDS = 1.0
FUNCTIONS = 12_500
_REPETITIONS = 5
_CODE_WORDS = 45
_CALL26, _ADR_PREL_PG_HI21, _ADD_ABS_LO12_NC = 283, 275, 277  # AAELF64, section 5.7
_NAMES = b"\0.text.f\0.rela.text.f\0.symtab\0.strtab\0.shstrtab\0"
_WORD = 4


@dataclass(frozen=True, slots=True)
class LoadBench:
    """Seconds from a path to memory with every relocation applied, the best of several runs."""

    size: int
    sections: int
    relocations: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "bytes": self.size,
            "sections": self.sections,
            "relocations": self.relocations,
            "seconds": round(self.seconds, 4),
        }

    def line(self) -> str:
        """Return the line for the terminal."""
        return (
            f"an object of {self.size / 1e6:.1f} MB, {self.sections:,} sections, {self.relocations:,} relocations: "
            f"loaded and relocated in {self.seconds:.2f} s (wanted: {MOST_SECONDS:.0f})"
        )


def bench_load(functions: int = FUNCTIONS, *, repetitions: int = _REPETITIONS) -> LoadBench:
    """Time loading and relocating an object of so many functions."""
    data = made_object(functions)
    best = float("inf")
    with tempfile.TemporaryDirectory(prefix="neonlab-") as folder:
        path = Path(folder) / "large.o"
        path.write_bytes(data)
        for _ in range(repetitions):
            start = time.perf_counter()
            image = load_image([path])
            best = min(best, time.perf_counter() - start)
    return LoadBench(len(data), len(image.modules[0].sections), len(image.modules[0].relocations), best)


def made_object(functions: int) -> bytes:
    """Return an A64 object of functions f0, f1, … (less than 30 000), each in a section of its own.

    Each calls the next function, and takes the address of one further on.
    """
    names = [f"f{number}".encode() for number in range(functions)]
    strings = b"\0" + b"\0".join(names) + b"\0"
    starts = np.cumsum([1, *(len(name) + 1 for name in names[:-1])])
    symbols = np.zeros(functions + 1, elf.SYM[64])
    symbols["name"][1:], symbols["info"][1:] = starts, elf.STB_GLOBAL << 4 | elf.STT_FUNC
    symbols["shndx"][1:], symbols["size"][1:] = 1 + np.arange(functions) * 2, _CODE_WORDS * _WORD

    code = np.full((functions, _CODE_WORDS), 0xD503201F, "<u4")  # nop
    # stp x29, x30, [sp, #-16]!; adrp x0, 0; add x0, x0, #0; bl 0; ...; ldp x29, x30, [sp], #16; ret
    code[:, :4], code[:, -2:] = (0xA9BF7BFD, 0x90000000, 0x91000000, 0x94000000), (0xA8C17BFD, 0xD65F03C0)
    relocations = np.zeros((functions, 3), elf.RELA[64])
    relocations["offset"] = np.array([1, 2, 3]) * _WORD
    number = np.arange(functions)
    other, following = (number + 7) % functions + 1, (number + 1) % functions + 1
    relocations["info"][:, 0] = other << 32 | _ADR_PREL_PG_HI21
    relocations["info"][:, 1] = other << 32 | _ADD_ABS_LO12_NC
    relocations["info"][:, 2] = following << 32 | _CALL26
    return _file(code, relocations, symbols, strings)


def _file(code: Any, relocations: Any, symbols: Any, strings: bytes) -> bytes:
    functions = len(code)
    headers = np.zeros(2 * functions + 4, elf.SHDR[64])
    header_size = elf.EHDR[64].itemsize
    text, rela = headers[1:-3:2], headers[2:-3:2]
    number = np.arange(functions)
    text["name"], text["type"], text["flags"] = _NAMES.find(b".text"), elf.SHT_PROGBITS, 2 | 4
    text["size"], text["offset"], text["addralign"] = code[0].nbytes, header_size + number * code[0].nbytes, _WORD
    rela["name"], rela["type"], rela["info"] = _NAMES.find(b".rela"), elf.SHT_RELA, 1 + 2 * number
    rela["link"], rela["entsize"] = 2 * functions + 1, elf.RELA[64].itemsize
    rela["offset"] = header_size + code.nbytes + number * relocations[0].nbytes
    rela["size"], rela["addralign"] = relocations[0].nbytes, 8
    at = header_size + code.nbytes + relocations.nbytes
    tables = (
        (b".symtab", elf.SHT_SYMTAB, symbols.tobytes(), 2 * functions + 2, 1, symbols.itemsize),
        (b".strtab", elf.SHT_STRTAB, strings, 0, 0, 0),
        (b".shstrtab", elf.SHT_STRTAB, _NAMES, 0, 0, 0),
    )
    for header, (name, kind, data, link, info, entry) in zip(headers[-3:], tables, strict=True):
        header["name"], header["type"], header["offset"], header["size"] = _NAMES.find(name), kind, at, len(data)
        header["link"], header["info"], header["entsize"], header["addralign"] = link, info, entry, 1
        at += len(data)
    header = np.zeros(1, elf.EHDR[64])
    header["ident"] = np.frombuffer(elf.MAGIC + bytes((2, 1, 1)) + bytes(9), "V16")
    header["type"], header["machine"], header["version"] = elf.ET_REL, elf.EM_AARCH64, 1
    header["shoff"], header["ehsize"], header["shentsize"] = at, header_size, headers.itemsize
    header["shnum"], header["shstrndx"] = len(headers), len(headers) - 1
    bodies = (data for _, _, data, *_ in tables)
    return b"".join((header.tobytes(), code.tobytes(), relocations.tobytes(), *bodies, headers.tobytes()))
