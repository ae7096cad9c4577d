"""Disassemble one word: Capstone's text, completed by the tables of `extensions`."""

from __future__ import annotations

import functools
from typing import Any

import capstone

from neonlab.isa import extensions
from neonlab.isa.model.isa import Isa


@functools.cache
def _engine(isa: Isa) -> Any:
    if isa is Isa.A64:
        return capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    return capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM | capstone.CS_MODE_V8)


def disassemble(isa: Isa, word: int, address: int) -> tuple[str, str] | None:
    """Return mnemonic and operands of the instruction `word` at `address`; None when it is not a known instruction."""
    for _, _, mnemonic, operands in _engine(isa).disasm_lite(word.to_bytes(4, "little"), address, 1):
        if isa is Isa.A64 and operands.startswith(","):  # Capstone has no name for some prefetch operations
            operands = f"#{word & 31}{operands}"
        return mnemonic, operands
    return extensions.decode(isa, word, address)
