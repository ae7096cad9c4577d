"""Evaluate conditions on the flags (DDI 0487, C1.2.4; DDI 0406C, A8.3)."""

from __future__ import annotations

# By the four bits that encode them, in A32 and A64.
NAMES = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "", "")
#: All that may be written in an instruction, less the two that are always met.
WRITTEN = (*filter(None, NAMES), "cs", "cc")


def holds(condition: str, flags: int) -> bool:
    """Tell whether N, Z, C and V in bits 31 to 28 of `flags` meet `condition` ("eq", "hs", ..., "" for always)."""
    negative, zero, carry, overflow = (bool(flags >> bit & 1) for bit in (31, 30, 29, 28))
    return {
        "": True,
        "al": True,
        "eq": zero,
        "ne": not zero,
        "hs": carry,
        "cs": carry,
        "lo": not carry,
        "cc": not carry,
        "mi": negative,
        "pl": not negative,
        "vs": overflow,
        "vc": not overflow,
        "hi": carry and not zero,
        "ls": not carry or zero,
        "ge": negative == overflow,
        "lt": negative != overflow,
        "gt": not zero and negative == overflow,
        "le": zero or negative != overflow,
    }[condition]
