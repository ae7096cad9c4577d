"""What code calls and does not bring along: memory, the heap, a part of libm, and compilers' run-time functions.

They are assembly in this folder, armv7 and armv8, linked in as a library is: only what is called, file by file.  Their
accesses are checked as the kernel's own, and what goes wrong in one is put down to the line that called it.
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
    """The library for one instruction set, as the linker takes archives."""

    def __init__(self, isa: Isa) -> None:
        self.isa = isa

    def defining(self, name: str) -> Module | None:
        """The file that defines `name`, or None."""
        file = _definitions(self.isa).get(name)
        return _module(self.isa, file) if file is not None else None


def served(isa: Isa) -> tuple[str, ...]:
    """Names of the functions that there are, in alphabetical order."""
    return tuple(sorted(_definitions(isa)))


@functools.cache
def _definitions(isa: Isa) -> dict[str, str]:
    """File by name defined, from a list beside the files, so that no more is assembled than is needed."""
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
