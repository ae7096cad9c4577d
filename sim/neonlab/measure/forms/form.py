"""Name an instruction's form, which is its timing class: all that decides how long it takes and what it occupies.

A form is written as A64 writes the operation, so that one timing table serves both instruction sets:

    smlal.8b         mnemonic, and the arrangement of what it reads first (of what it writes, where that is all)
    mul.8h[]         by element          cmeq.16b #     with an immediate          movi.16b #0   which is zero
    add lsl          shifted left by 1-4, which is often free;   add shift: by more, or otherwise;   add extend
    ldr.q            base and immediate; ldr.q [r] register offset; ldr.q ! pre-indexed, ldr.q , post-indexed
    ld1.16b*2        two registers; ld1.b[]*1 one lane; ld1r.8b*1 all lanes
    umov.b  ins.d r  between the files: r on the right is a general register that is read
    mul.w            on 32-bit general registers
"""

from __future__ import annotations

import re
from functools import lru_cache

from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.forms.form_a32 import form_of_a32

_ARRANGED = re.compile(r"v\d+\.(\d*[bhsdq])(\[\d+\])?")
_SCALAR = re.compile(r"([bhsdq])\d+$")
_GENERAL = re.compile(r"([xw])(\d+|zr)$|(w?sp)$")
_ALIAS = {"lslv": "lsl", "lsrv": "lsr", "asrv": "asr", "rorv": "ror", "movz": "mov", "movn": "mov", "not": "mvn"}
_PLAIN_LOADS = re.compile(r"(ld|st)(u?r|tr|n?p|nt|a?xr|l?xr|lr|l?a?p?r|[al]?xp)")
_LANE_ALONE = {"b": "8b", "h": "4h", "s": "2s", "d": "2s"}  # a lane to a scalar register is as one to all of 64 bits
_BY_BIT = {"d": "2s", "2d": "4s"}  # the same constants, written otherwise
_SHIFTED = frozenset({"lsl", "lsr", "asr", "ror"})


def operands_of(text: str) -> list[str]:
    """Return the operands as written; text inside brackets and braces stays together."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    rest = text[start:].strip()
    return [*found, rest] if rest else found


@lru_cache(maxsize=1 << 14)
def form_of(instruction: Instruction) -> str:
    """Return the form's name; of an A32 instruction, that of the A64 one that does the same."""
    if instruction.isa is Isa.A32:
        return form_of_a32(instruction)
    operands = operands_of(instruction.operands.lower())
    mnemonic = _ALIAS.get(instruction.mnemonic, instruction.mnemonic)
    if instruction.branch is not BranchKind.NONE:
        return "b.cond" if mnemonic.startswith("b.") else mnemonic
    if instruction.accesses:
        return mnemonic + _memory(operands, instruction)
    if any(_ARRANGED.match(operand) or _SCALAR.match(operand) or operand[:1] == "{" for operand in operands):
        return _vector(mnemonic, operands)
    return mnemonic + _integer(operands)


def repeats_of(instruction: Instruction) -> int:
    """Return how many times the form's work the instruction does: `ldm` and `vldm` move two registers at a time."""
    return (registers_moved(instruction) + 1) // 2


def registers_moved(instruction: Instruction) -> int:
    """Return the number of registers that `ldm` and the like list; 2 for any other instruction.

    The form of such an instruction says what it moves.
    """
    if instruction.isa is Isa.A64 or not re.match(r"v?(ldm|stm|push|pop)", instruction.mnemonic):
        return 2
    return operands_of(instruction.operands)[-1].count(",") + 1


def _memory(operands: list[str], instruction: Instruction) -> str:
    at = next((number for number, operand in enumerate(operands) if operand[:1] == "["), len(operands))
    where = operands[at] if at < len(operands) else ""
    kind = instruction.accesses[0].kind
    mode = ""
    if where.endswith("!"):
        mode = " !"
    elif at + 1 < len(operands):
        mode = " ,"
    elif re.search(r",\s*[xw]", where):
        mode = " [r]"
    elif not where:
        mode = " ="
    first = operands[0]
    if kind is AccessKind.PREFETCH:
        return mode
    if first.startswith("{"):
        listed = _ARRANGED.findall(first)
        lane = "[]" if "}[" in first else ""
        return f".{listed[0][0] if listed else ''}{lane}*{len(listed)}{mode}"
    general = _GENERAL.match(first)
    if general is not None:
        sized = _PLAIN_LOADS.match(instruction.mnemonic) and instruction.mnemonic[-1] not in "bhw"
        return (f".{general.group(1) or 'x'}" if sized else "") + mode
    scalar = _SCALAR.match(first)
    return (f".{scalar.group(1)}" if scalar else "") + mode


def _vector(mnemonic: str, operands: list[str]) -> str:
    arranged = [_ARRANGED.match(operand) for operand in operands]
    scalars = [_SCALAR.match(operand) for operand in operands]
    immediate = ""
    if any(operand.startswith("#") for operand in operands):
        zero = mnemonic == "movi" and not operands[1].strip("#0x")
        immediate = " #0" if zero else " #"
    to_general, from_general = _GENERAL.match(operands[0]), any(_GENERAL.match(operand) for operand in operands[1:])
    if mnemonic in ("mov", "umov", "smov", "ins"):
        return _moved(mnemonic, operands, bool(to_general), from_general)
    if mnemonic in ("tbl", "tbx"):
        first = arranged[0]
        return f"{mnemonic}.{first.group(1) if first else ''}*{operands[1].count('.')}"
    if mnemonic == "fmov" and (to_general or from_general) and "[1]" in "".join(operands):
        return f"fmov {'r<v' if to_general else 'v<r'} high"
    if to_general or from_general:
        if mnemonic == "dup" and arranged[0]:
            return f"dup.{arranged[0].group(1)} r"
        return f"{mnemonic} {'r<v' if to_general else 'v<r'}"
    if mnemonic == "dup" and arranged[0]:
        return f"dup.{arranged[0].group(1)}[]"
    shape = ""
    folded = mnemonic.endswith("p") and scalars[0] is not None  # faddp d0, v1.2d is not faddp v0.2d, v1.2d, v2.2d
    for place in (0,) if folded else (1, 0):
        if place < len(operands):
            vector, scalar = arranged[place], scalars[place]
            if vector or scalar:
                shape = vector.group(1) if vector else scalar.group(1) if scalar else ""
                break
    if mnemonic == "movi" and shape in _BY_BIT:
        shape = _BY_BIT[shape]
    element = "[]" if any(vector and vector.group(2) for vector in arranged[1:]) else ""
    return f"{mnemonic}.{shape}{element}{immediate}"


def _moved(mnemonic: str, operands: list[str], to_general: bool, from_general: bool) -> str:
    target, source = _ARRANGED.match(operands[0]), _ARRANGED.match(operands[1])
    if to_general:
        return f"{'smov' if mnemonic == 'smov' else 'umov'}.{source.group(1) if source else ''}"
    if target and target.group(2):
        return f"ins.{target.group(1)}{' r' if from_general else ''}"
    if target:
        return f"mov.{source.group(1) if source else ''}"
    return f"dup.{_LANE_ALONE[source.group(1)]}[]" if source else "dup.2s[]"


def _integer(operands: list[str]) -> str:
    width = ".w" if operands and operands[0].startswith("w") else ""
    last = operands[-1] if operands else ""
    word = last.split()
    if len(word) == 2 and word[0] in _SHIFTED:
        if word[0] == "lsl" and operands[-2].startswith("#"):
            return width + " #"
        return width + (" lsl" if word[0] == "lsl" and int(word[1][1:], 0) <= 4 else " shift")
    if re.match(r"[su]xt[bhwx]", last):
        return width + " extend"
    if any(operand.startswith("#") for operand in operands):
        return width + (" #0" if len(operands) == 2 and last in ("#0", "#0x0") else " #")
    return width
