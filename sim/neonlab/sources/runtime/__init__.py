"""Provide functions that code calls and does not define: memory, the heap, a part of libm, and compiler runtime.

They are assembly in the folders armv7 and armv8, and are linked as a library is: only what is called, file by file.
Their accesses are checked like the kernel's own, and a fault in one is attributed to the line that called it.
"""

from __future__ import annotations

import functools
from pathlib import Path

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.source import SERVED
from neonlab.isa.model.isa import Isa
from neonlab.objects.elf.module import Module
from neonlab.objects.from_assembly import assembled_module

FOLDER = Path(__file__).resolve().parent
_ISA_FOLDER = {Isa.A32: "armv7", Isa.A64: "armv8"}


class RuntimeLibrary:
    """The library for one instruction set, in the form of an archive for the linker."""

    def __init__(self, isa: Isa) -> None:
        self.isa = isa

    def defining(self, name: str) -> Module | None:
        """Return the module that defines `name`, or None."""
        file = _definitions(self.isa).get(name)
        return _module(self.isa, file) if file is not None else None


def served(isa: Isa) -> tuple[str, ...]:
    """Return the names of all functions in alphabetical order."""
    return tuple(sorted(_definitions(isa)))


@functools.cache
def _definitions(isa: Isa) -> dict[str, str]:
    """Return the file of each name, from a list beside the files, so that only needed files are assembled."""
    folder = FOLDER / _ISA_FOLDER[isa]
    found = {}
    for line in (folder / "names.txt").read_text(encoding="utf-8").splitlines():
        file, _, names = line.partition(":")
        for name in names.split():
            found[name] = file
    return found


@functools.cache
def _module(isa: Isa, file: str) -> Module:
    text = (FOLDER / _ISA_FOLDER[isa] / file).read_text(encoding="utf-8")
    return assembled_module(assemble_text(text, isa=isa, path=f"{SERVED}/{_ISA_FOLDER[isa]}/{file}"))
