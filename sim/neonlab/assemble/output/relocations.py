"""Apply relocations to bytes, as AAELF32 and AAELF64 define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class RelocationRangeError(Exception):
    """Raised where a value does not fit the field."""


@dataclass(frozen=True, slots=True)
class _FixupRule:
    """A rule: `insert(old, value)` returns the new content of `size` bytes.

    The value is S + A, minus P when relative.
    """

    size: int
    insert: Callable[[int, int], int]
    is_relative: bool = False
    is_paged: bool = False
    uses_got: bool = False


def _field(low: int, width: int, scale: int = 0, *, signed: bool = True) -> Callable[[int, int], int]:
    """Return a function that inserts value >> scale into bits low .. low + width - 1.

    It raises RelocationRangeError for a value that does not fit.
    """

    def insert(old: int, value: int) -> int:
        if value & ((1 << scale) - 1):
            raise RelocationRangeError(f"the target is not a multiple of {1 << scale} bytes away")
        number = value >> scale
        limit = 1 << (width - 1) if signed else 1 << width
        if not (-limit if signed else 0) <= number < limit:
            raise RelocationRangeError("the target is too far away")
        mask = (1 << width) - 1
        return old & ~(mask << low) | (number & mask) << low

    return insert


def _data(size: int) -> Callable[[int, int], int]:
    def insert(old: int, value: int) -> int:
        if not -(1 << (8 * size - 1)) <= value < 1 << 8 * size:
            raise RelocationRangeError(f"the value does not fit {size} bytes")
        return value & ((1 << 8 * size) - 1)

    return insert


def _adr(old: int, value: int) -> int:
    if not -(1 << 20) <= value < 1 << 20:
        raise RelocationRangeError("the target is too far away")
    return old & ~0x60FFFFE0 | (value & 3) << 29 | (value >> 2 & 0x7FFFF) << 5


def _low_twelve(scale: int) -> Callable[[int, int], int]:
    def insert(old: int, value: int) -> int:
        low = value & 0xFFF
        if low & ((1 << scale) - 1):
            raise RelocationRangeError(f"the address is not a multiple of {1 << scale}")
        return old & ~(0xFFF << 10) | (low >> scale) << 10

    return insert


def _movw_a64(shift: int, *, checked: bool) -> Callable[[int, int], int]:
    def insert(old: int, value: int) -> int:
        number = value >> shift
        if checked and not 0 <= number < 1 << 16:
            raise RelocationRangeError("the value is too large")
        return old & ~(0xFFFF << 5) | (number & 0xFFFF) << 5

    return insert


def _movw_a32(shift: int) -> Callable[[int, int], int]:
    def insert(old: int, value: int) -> int:
        number = value >> shift & 0xFFFF
        return old & 0xFFF0F000 | (number & 0xF000) << 4 | number & 0xFFF

    return insert


_RULES: dict[str, _FixupRule] = {
    "R_AARCH64_ABS64": _FixupRule(8, _data(8)),
    "R_AARCH64_ABS32": _FixupRule(4, _data(4)),
    "R_AARCH64_ABS16": _FixupRule(2, _data(2)),
    "R_AARCH64_PREL64": _FixupRule(8, _data(8), is_relative=True),
    "R_AARCH64_PREL32": _FixupRule(4, _data(4), is_relative=True),
    "R_AARCH64_PREL16": _FixupRule(2, _data(2), is_relative=True),
    "R_AARCH64_JUMP26": _FixupRule(4, _field(0, 26, 2), is_relative=True),
    "R_AARCH64_CALL26": _FixupRule(4, _field(0, 26, 2), is_relative=True),
    "R_AARCH64_CONDBR19": _FixupRule(4, _field(5, 19, 2), is_relative=True),
    "R_AARCH64_TSTBR14": _FixupRule(4, _field(5, 14, 2), is_relative=True),
    "R_AARCH64_LD_PREL_LO19": _FixupRule(4, _field(5, 19, 2), is_relative=True),
    "R_AARCH64_ADR_PREL_LO21": _FixupRule(4, _adr, is_relative=True),
    "R_AARCH64_ADR_PREL_PG_HI21": _FixupRule(4, _adr, is_relative=True, is_paged=True),
    "R_AARCH64_ADR_PREL_PG_HI21_NC": _FixupRule(4, _adr, is_relative=True, is_paged=True),
    "R_AARCH64_ADR_GOT_PAGE": _FixupRule(4, _adr, is_relative=True, is_paged=True, uses_got=True),
    "R_AARCH64_LD64_GOT_LO12_NC": _FixupRule(4, _low_twelve(3), uses_got=True),
    "R_AARCH64_ADD_ABS_LO12_NC": _FixupRule(4, _low_twelve(0)),
    **{f"R_AARCH64_LDST{8 << scale}_ABS_LO12_NC": _FixupRule(4, _low_twelve(scale)) for scale in range(5)},
    **{f"R_AARCH64_MOVW_UABS_G{i}": _FixupRule(4, _movw_a64(16 * i, checked=True)) for i in range(4)},
    **{f"R_AARCH64_MOVW_UABS_G{i}_NC": _FixupRule(4, _movw_a64(16 * i, checked=False)) for i in range(3)},
    "R_ARM_ABS32": _FixupRule(4, _data(4)),
    "R_ARM_TARGET1": _FixupRule(4, _data(4)),
    "R_ARM_ABS16": _FixupRule(2, _data(2)),
    "R_ARM_ABS8": _FixupRule(1, _data(1)),
    "R_ARM_REL32": _FixupRule(4, _data(4), is_relative=True),
    "R_ARM_CALL": _FixupRule(4, _field(0, 24, 2), is_relative=True),
    "R_ARM_JUMP24": _FixupRule(4, _field(0, 24, 2), is_relative=True),
    "R_ARM_MOVW_ABS_NC": _FixupRule(4, _movw_a32(0)),
    "R_ARM_MOVT_ABS": _FixupRule(4, _movw_a32(16)),
    "R_ARM_MOVW_PREL_NC": _FixupRule(4, _movw_a32(0), is_relative=True),
    "R_ARM_MOVT_PREL": _FixupRule(4, _movw_a32(16), is_relative=True),
    "R_AARCH64_NONE": _FixupRule(0, lambda old, value: old),
    "R_ARM_NONE": _FixupRule(0, lambda old, value: old),
}


def is_supported(kind: str) -> bool:
    """Return whether `apply` knows the relocation."""
    return kind in _RULES


def uses_got(kind: str) -> bool:
    """Return whether the relocation refers to the symbol's entry in the table of addresses instead of the symbol."""
    return _RULES[kind].uses_got


def apply(kind: str, data: bytearray, offset: int, target: int, place: int) -> None:
    """Change `data` at `offset`, which is at address `place`, so that it refers to `target`.

    `target` is S + A, with the table's entry for S where the relocation uses it.  A32 `blx` to an A32 function becomes
    `bl`, as in linkers.  Raises RelocationRangeError when the field cannot hold the value.
    """
    rule = _RULES[kind]
    old = int.from_bytes(data[offset : offset + rule.size], "little")
    if kind == "R_ARM_CALL" and old >> 25 == 0x7D:  # blx immediate: it would change to T32
        old = 0xEB000000 | old & 0xFFFFFF
    if rule.is_paged:
        target, place = target & ~0xFFF, place & ~0xFFF
        distance = target - place
        if not -(1 << 32) <= distance < 1 << 32:
            raise RelocationRangeError("the target is too far away")
        value = distance >> 12
    else:
        value = target - place if rule.is_relative else target
    data[offset : offset + rule.size] = rule.insert(old, value).to_bytes(rule.size, "little")
