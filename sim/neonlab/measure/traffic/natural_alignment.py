"""Find the natural alignment of an access."""

from __future__ import annotations

import re

from neonlab.isa.model.instruction import AccessKind, Instruction, MemoryAccess
from neonlab.isa.model.isa import Isa

_PAIRS = re.compile(r"(ld|st)(p|np|psw|xp|axp|lxp)\b|ldrd|strd|ldrexd|strexd")
_STRUCTURES_A64 = re.compile(r"(ld|st)[1-4]r?\b")
_ARRANGEMENT = re.compile(r"\.\d*([bhsd])\b")
_STRUCTURES_A32 = re.compile(r"v(?:ld|st)[1-4]\w*\.[a-z]?(\d+)")
_MULTIPLE_A32 = re.compile(r"(ld|st)m|push|pop|v(ld|st)m|vpush|vpop|f(ld|st)m|rfe|srs|v(ld|st)r")
_ELEMENT = {"b": 1, "h": 2, "s": 4, "d": 8}


def natural_alignment(instruction: Instruction, access: MemoryAccess) -> int:
    """Return the size in bytes of one register or structure element that is transferred, 1 for a prefetch.

    `ldr q0` is aligned at multiples of 16, `ldp x0, x1` of 8, `ld4 {v0.8h-v3.8h}` of 2.  In A32 `ldm`, `ldrd`, `vldr`
    and `vldm` need only word alignment, multiples of 4.
    """
    if access.kind is AccessKind.PREFETCH:
        return 1
    mnemonic, operands = instruction.mnemonic, instruction.operands
    if instruction.isa is Isa.A64:
        if _STRUCTURES_A64.match(mnemonic) and (arrangement := _ARRANGEMENT.search(operands)):
            return _ELEMENT[arrangement[1]]
    elif match := _STRUCTURES_A32.match(mnemonic):
        return int(match[1]) // 8
    elif _MULTIPLE_A32.match(mnemonic):
        return min(4, access.count)
    size = access.count // 2 if _PAIRS.match(mnemonic) else access.count
    return size & -size
