"""Define the relocations of A64 in static code (AAELF64, sections 5.7.2 to 5.7.11)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neonlab.objects.link.relocation_rule import Against, Branch, Flags, Rule, Values, Words, data, field, reach

_PLACE, _PAGE = Against.PLACE, Against.PAGE


def _adr(shift: int) -> Callable[[Words, Values, Flags], Words]:
    def insert(old: Words, value: Values, _thumb: Flags) -> Words:
        number = (value >> shift).view(np.uint64)
        low, high = number & np.uint64(3), number >> np.uint64(2) & np.uint64(0x7FFFF)
        made: Words = old & ~np.uint64(0x60FFFFE0) | low << np.uint64(29) | high << np.uint64(5)
        return made

    return insert


def _page_offset(scale: int) -> Callable[[Words, Values, Flags], Words]:
    """Return a function that inserts the offset in a page of 4096 bytes, in units of `1 << scale` bytes."""
    put = field(10, 12, scale)

    def insert(old: Words, value: Values, thumb: Flags) -> Words:
        return put(old, value & 0xFFF, thumb)

    return insert


def _signed_move(shift: int) -> Callable[[Words, Values, Flags], Words]:
    """Return a function that inserts into movz for values from 0, into movn of the complement for others."""
    put = field(5, 16)

    def insert(old: Words, value: Values, thumb: Flags) -> Words:
        number = value >> shift
        negative = number < 0
        word = put(old, np.where(negative, ~number, number), thumb)
        positive = np.uint64(1 << 30)
        return np.where(negative, word & ~positive, word | positive)

    return insert


def _moves(kind: str, against: Against = Against.NOTHING) -> dict[str, Rule]:
    """Return the rules for the groups of movz and movk of a value."""
    rules: dict[str, Rule] = {}
    for group in range(4):
        limits = (0, (1 << 16 * (group + 1)) - 1) if group < 3 else None
        if kind == "UABS":
            rules[f"MOVW_UABS_G{group}"] = Rule(4, field(5, 16, 16 * group), against, limits=limits)
        else:
            limits = reach(16 * (group + 1) + 1) if group < 3 else None
            if group < 3 or kind == "PREL":
                rules[f"MOVW_{kind}_G{group}"] = Rule(4, _signed_move(16 * group), against, limits=limits)
        if group < 3 and kind != "SABS":
            rules[f"MOVW_{kind}_G{group}_NC"] = Rule(4, field(5, 16, 16 * group), against)
    return rules


def _got(
    insert: Callable[[Words, Values, Flags], Words],
    against: Against,
    limits: tuple[int, int] | None = None,
    scale: int = 0,
) -> Rule:
    return Rule(4, insert, against, through_table=True, scale=scale, limits=limits)


_PAGED = (-(1 << 32), (1 << 32) - 1)

_RULES: dict[str, Rule] = {
    "NONE": Rule(0, lambda old, value, thumb: old),
    "ABS64": data(8),
    "ABS32": data(4),
    "ABS16": data(2),
    "PREL64": data(8, _PLACE),
    "PREL32": data(4, _PLACE),
    "PREL16": data(2, _PLACE),
    "PLT32": Rule(4, field(0, 32), _PLACE, limits=reach(32)),
    **_moves("UABS"),
    **_moves("SABS"),
    **_moves("PREL", _PLACE),
    "LD_PREL_LO19": Rule(4, field(5, 19, 2), _PLACE, scale=2, limits=reach(21)),
    "ADR_PREL_LO21": Rule(4, _adr(0), _PLACE, limits=reach(21)),
    "ADR_PREL_PG_HI21": Rule(4, _adr(12), _PAGE, limits=_PAGED),
    "ADR_PREL_PG_HI21_NC": Rule(4, _adr(12), _PAGE),
    "ADD_ABS_LO12_NC": Rule(4, _page_offset(0)),
    **{f"LDST{8 << scale}_ABS_LO12_NC": Rule(4, _page_offset(scale), scale=scale) for scale in range(5)},
    "TSTBR14": Rule(4, field(5, 14, 2), _PLACE, scale=2, limits=reach(16)),
    "CONDBR19": Rule(4, field(5, 19, 2), _PLACE, scale=2, limits=reach(21)),
    "JUMP26": Rule(4, field(0, 26, 2), _PLACE, scale=2, branch=Branch.JUMP, limits=reach(28)),
    "CALL26": Rule(4, field(0, 26, 2), _PLACE, scale=2, branch=Branch.CALL, limits=reach(28)),
    "GOT_LD_PREL19": _got(field(5, 19, 2), _PLACE, scale=2, limits=reach(21)),
    "ADR_GOT_PAGE": _got(_adr(12), _PAGE, limits=_PAGED),
    "LD64_GOT_LO12_NC": _got(_page_offset(3), Against.NOTHING, scale=3),
    "LD64_GOTPAGE_LO15": _got(field(10, 12, 3), Against.TABLE_PAGE, scale=3, limits=(0, (1 << 15) - 1)),
    "LD64_GOTOFF_LO15": _got(field(10, 12, 3), Against.TABLE, scale=3, limits=(0, (1 << 15) - 1)),
    "GOTREL64": data(8, Against.TABLE),
    "GOTREL32": data(4, Against.TABLE),
    # relocations of a loader for a shared object
    "GLOB_DAT": data(8),
    "JUMP_SLOT": data(8),
    "RELATIVE": data(8),
    "GOTPCREL32": Rule(4, field(0, 32), _PLACE, through_table=True, limits=reach(32)),
}
RULES = {f"R_AARCH64_{name}": rule for name, rule in _RULES.items()}
