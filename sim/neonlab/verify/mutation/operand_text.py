"""Operands and numbers as the text of instructions has them."""

from __future__ import annotations

import re

from neonlab.assemble.program import Program
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa

_CORE_A32 = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14}


def register_of(name: str, isa: Isa) -> tuple[int | None, int]:
    """Return the number and bits of a general register; the number is None for zero registers and anything else."""
    if isa is Isa.A32:
        if name in _CORE_A32:
            return _CORE_A32[name], 32
        return (int(name[1:]), 32) if re.fullmatch(r"r\d+", name) else (None, 32)
    if name == "sp":
        return 31, 64
    found = re.fullmatch(r"([wx])(\d+)", name)
    return (int(found[2]), 64 if found[1] == "x" else 32) if found else (None, 32 if name == "wzr" else 64)


def operands_of(instruction: Instruction) -> list[str]:
    """Split the operands at commas outside of brackets; an address is one operand."""
    return [part.strip() for part in re.split(r",(?![^\[{]*[\]}])", instruction.operands) if part.strip()]


def thresholds_of(program: Program) -> tuple[int, ...]:
    """Return the numbers at which widening stops, ascending."""
    found = {0, 1, -1}
    for bit in (8, 16, 20, 31, 32, 48, 63, 64):
        found |= {(1 << bit) - 1, 1 << bit, -(1 << bit)}
    for instruction in program.instructions:
        for number in re.findall(r"#(-?(?:0x[0-9a-f]+|\d+))", instruction.operands):
            value = int(number, 0)
            if abs(value) < 1 << 31 and instruction.branch is BranchKind.NONE:
                found |= {value, -value, value - 1, -value - 1}
    return tuple(sorted(found))
