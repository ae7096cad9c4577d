"""Define the relocations of A32 and Thumb-2 in static code (AAELF32, sections 5.6.1.2 to 5.6.1.10)."""

from __future__ import annotations

import numpy as np

from neonlab.objects.link.relocation_rule import (
    Against,
    Branch,
    Flags,
    Rule,
    Values,
    Words,
    data,
    extended,
    field,
    field_addend,
    reach,
)

_PLACE, _TABLE = Against.PLACE, Against.TABLE


def u(number: int) -> np.uint64:
    """Return a constant of the words' type."""
    return np.uint64(number)


def _call(old: Words, value: Values, thumb: Flags) -> Words:
    """Insert a call from A32: bl to A32, blx to Thumb, whichever it was before."""
    distance = value.view(np.uint64)
    offset = distance >> u(2) & u(0xFFFFFF)
    link = np.where(old >> u(28) == u(15), u(0xEB000000), old & u(0xFF000000)) | offset
    exchange = u(0xFA000000) | (distance & u(2)) << u(23) | offset
    return np.where(thumb, exchange, link)


def _call_addend(old: Words) -> Values:
    half = np.where(old >> u(28) == u(15), old >> u(23) & u(2), u(0)).view(np.int64)
    return (extended(old, 24) << 2) + half


def _move(old: Words, value: Values, _thumb: Flags) -> Words:
    number = value.view(np.uint64)
    made: Words = old & u(0xFFF0F000) | (number & u(0xF000)) << u(4) | number & u(0xFFF)
    return made


def _move_addend(old: Words) -> Values:
    return extended(old >> u(4) & u(0xF000) | old & u(0xFFF), 16)


def _move_top(old: Words, value: Values, thumb: Flags) -> Words:
    return _move(old, value >> 16, thumb)


def _up_down(old: Words, value: Values, _thumb: Flags) -> Words:
    """Insert a load's offset of 12 bits with its sign in bit 23."""
    return old & ~u(0x00800FFF) | np.where(value >= 0, u(1 << 23), u(0)) | np.abs(value).view(np.uint64)


def _up_down_addend(old: Words) -> Values:
    number = (old & u(0xFFF)).view(np.int64)
    return np.where(old >> u(23) & u(1) == u(1), number, -number)


def _thumb_branch(old: Words, value: Values, _thumb: Flags) -> Words:
    """Insert the offset of b.w and bl: S:I1:I2:imm10:imm11:0 with J = not (I xor S)."""
    offset = value.view(np.uint64)
    sign = offset >> u(24) & u(1)
    j1, j2 = (offset >> u(23) & u(1)) ^ sign ^ u(1), (offset >> u(22) & u(1)) ^ sign ^ u(1)
    high = sign << u(26) | (offset >> u(12) & u(0x3FF)) << u(16)
    made: Words = old & ~u(0x07FF2FFF) | high | j1 << u(13) | j2 << u(11) | offset >> u(1) & u(0x7FF)
    return made


def _thumb_call(old: Words, value: Values, thumb: Flags) -> Words:
    """Insert a call from Thumb: bl to Thumb, blx to A32, which counts from a word and has bit 0 clear."""
    word = _thumb_branch(old, value, thumb)
    return np.where(thumb, word | u(1 << 12), word & ~u(1 << 12 | 1))


def _thumb_branch_addend(old: Words) -> Values:
    sign = old >> u(26) & u(1)
    i1, i2 = (old >> u(13) & u(1)) ^ sign ^ u(1), (old >> u(11) & u(1)) ^ sign ^ u(1)
    offset = sign << u(24) | i1 << u(23) | i2 << u(22) | (old >> u(16) & u(0x3FF)) << u(12) | (old & u(0x7FF)) << u(1)
    return extended(offset, 25)


def _thumb_condition(old: Words, value: Values, _thumb: Flags) -> Words:
    """Insert the offset of b<c>.w: S:J2:J1:imm6:imm11:0."""
    offset = value.view(np.uint64)
    high = (offset >> u(20) & u(1)) << u(26) | (offset >> u(12) & u(0x3F)) << u(16)
    low = (offset >> u(18) & u(1)) << u(13) | (offset >> u(19) & u(1)) << u(11) | offset >> u(1) & u(0x7FF)
    made: Words = old & ~u(0x043F2FFF) | high | low
    return made


def _thumb_condition_addend(old: Words) -> Values:
    offset = (old >> u(26) & u(1)) << u(20) | (old >> u(11) & u(1)) << u(19) | (old >> u(13) & u(1)) << u(18)
    return extended(offset | (old >> u(16) & u(0x3F)) << u(12) | (old & u(0x7FF)) << u(1), 21)


def _thumb_move(old: Words, value: Values, _thumb: Flags) -> Words:
    """Insert sixteen bits as imm4:i:imm3:imm8."""
    number = value.view(np.uint64)
    high = (number >> u(12) & u(15)) << u(16) | (number >> u(11) & u(1)) << u(26)
    made: Words = old & ~u(0x040F70FF) | high | (number >> u(8) & u(7)) << u(12) | number & u(0xFF)
    return made


def _thumb_move_addend(old: Words) -> Values:
    number = (old >> u(16) & u(15)) << u(12) | (old >> u(26) & u(1)) << u(11) | (old >> u(12) & u(7)) << u(8)
    return extended(number | old & u(0xFF), 16)


def _thumb_move_top(old: Words, value: Values, thumb: Flags) -> Words:
    return _thumb_move(old, value >> 16, thumb)


def _thumb_adr(old: Words, value: Values, _thumb: Flags) -> Words:
    """Insert the offset of addw or subw from pc, twelve bits as i:imm3:imm8."""
    number = np.abs(value).view(np.uint64)
    word = old & ~u(0x04F070FF) | np.where(value >= 0, u(0), u(0x00A00000))
    made: Words = word | (number >> u(11) & u(1)) << u(26) | (number >> u(8) & u(7)) << u(12) | number & u(0xFF)
    return made


def _thumb_adr_addend(old: Words) -> Values:
    number = (old >> u(26) & u(1)) << u(11) | (old >> u(12) & u(7)) << u(8) | old & u(0xFF)
    made: Values = np.where(old & u(0x00A00000) != u(0), -number.view(np.int64), number.view(np.int64))
    return made


def _thumb_zero(old: Words, value: Values, _thumb: Flags) -> Words:
    """Insert the offset of cbz and cbnz: i:imm5:0."""
    offset = value.view(np.uint64)
    made: Words = old & ~u(0x02F8) | (offset >> u(6) & u(1)) << u(9) | (offset >> u(1) & u(31)) << u(3)
    return made


def _thumb_zero_addend(old: Words) -> Values:
    return ((old >> u(9) & u(1)) << u(6) | (old >> u(3) & u(31)) << u(1)).view(np.int64)


_JUMP = Rule(
    4,
    field(0, 24, 2),
    _PLACE,
    keeps_state=True,
    scale=2,
    addend=field_addend(0, 24, 2),
    branch=Branch.JUMP,
    limits=reach(26),
)
_ABS32 = data(4, keeps_state=True)

_RULES: dict[str, Rule] = {
    "NONE": Rule(0, lambda old, value, thumb: old),
    "V4BX": Rule(0, lambda old, value, thumb: old),
    "ABS32": _ABS32,
    "ABS32_NOI": data(4),
    "TARGET1": _ABS32,
    "ABS16": data(2),
    "ABS8": data(1),
    "REL32": data(4, _PLACE, keeps_state=True),
    "REL32_NOI": data(4, _PLACE),
    "TARGET2": data(4, _PLACE, through_table=True),
    "PREL31": Rule(4, field(0, 31), _PLACE, keeps_state=True, addend=field_addend(0, 31), limits=reach(31)),
    "ABS12": Rule(4, _up_down, addend=_up_down_addend, limits=(-0xFFF, 0xFFF)),
    "LDR_PC_G0": Rule(4, _up_down, _PLACE, addend=_up_down_addend, limits=(-0xFFF, 0xFFF)),
    "CALL": Rule(4, _call, _PLACE, keeps_state=True, addend=_call_addend, branch=Branch.CALL, limits=reach(26)),
    "JUMP24": _JUMP,
    "PC24": _JUMP,
    "PLT32": _JUMP,
    "MOVW_ABS_NC": Rule(4, _move, keeps_state=True, addend=_move_addend),
    "MOVT_ABS": Rule(4, _move_top, addend=_move_addend),
    "MOVW_PREL_NC": Rule(4, _move, _PLACE, keeps_state=True, addend=_move_addend),
    "MOVT_PREL": Rule(4, _move_top, _PLACE, addend=_move_addend),
    "GOTOFF32": data(4, _TABLE, keeps_state=True),
    "BASE_PREL": data(4, _PLACE),
    "GOT_BREL": data(4, _TABLE, through_table=True),
    "GOT_ABS": data(4, through_table=True),
    "GOT_PREL": data(4, _PLACE, through_table=True),
    # relocations of a loader for a shared object; a slot holds the address of its stub, which is no addend
    "GLOB_DAT": _ABS32,
    "JUMP_SLOT": Rule(4, field(0, 32), keeps_state=True),
    "RELATIVE": data(4),
    "THM_CALL": Rule(
        4, _thumb_call, _PLACE, keeps_state=True, addend=_thumb_branch_addend, halves=True, branch=Branch.CALL,
        limits=reach(25),
    ),
    "THM_JUMP24": Rule(
        4, _thumb_branch, _PLACE, keeps_state=True, addend=_thumb_branch_addend, halves=True, branch=Branch.JUMP,
        limits=reach(25),
    ),
    "THM_JUMP19": Rule(
        4, _thumb_condition, _PLACE, keeps_state=True, branch=Branch.JUMP,
        addend=_thumb_condition_addend, halves=True, limits=reach(21),
    ),
    "THM_JUMP11": Rule(2, field(0, 11, 1), _PLACE, keeps_state=True, addend=field_addend(0, 11, 1), limits=reach(12)),
    "THM_JUMP8": Rule(2, field(0, 8, 1), _PLACE, keeps_state=True, addend=field_addend(0, 8, 1), limits=reach(9)),
    "THM_JUMP6": Rule(2, _thumb_zero, _PLACE, keeps_state=True, addend=_thumb_zero_addend, limits=(0, 127)),
    "THM_MOVW_ABS_NC": Rule(4, _thumb_move, keeps_state=True, addend=_thumb_move_addend, halves=True),
    "THM_MOVT_ABS": Rule(4, _thumb_move_top, addend=_thumb_move_addend, halves=True),
    "THM_MOVW_PREL_NC": Rule(4, _thumb_move, _PLACE, keeps_state=True, addend=_thumb_move_addend, halves=True),
    "THM_MOVT_PREL": Rule(4, _thumb_move_top, _PLACE, addend=_thumb_move_addend, halves=True),
    "THM_ALU_PREL_11_0": Rule(
        4, _thumb_adr, Against.WORD, keeps_state=True,
        addend=_thumb_adr_addend, halves=True, limits=(-0xFFF, 0xFFF,
    )),
    "THM_PC12": Rule(4, _up_down, Against.WORD, addend=_up_down_addend, halves=True, limits=(-0xFFF, 0xFFF)),
    "THM_PC8": Rule(
        2, field(0, 8, 2), Against.WORD, scale=2, limits=(0, 1020),
        addend=lambda old: ((((old & u(0xFF)) << u(2)).view(np.int64) + 4) & 0x3FF) - 4,
    ),
}  # fmt: skip
RULES = {f"R_ARM_{name}": rule for name, rule in _RULES.items()}
