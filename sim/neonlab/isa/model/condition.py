"""Whether the flags meet a condition (DDI 0487, C1.2.4; DDI 0406C, A8.3)."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

# By the four bits that encode them, in A32 and A64.
NAMES = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "", "")


def holds(condition: str, flags: int) -> bool:
    """Whether N, Z, C and V in bits 31 to 28 of `flags` meet `condition` ("eq", "hs", ..., "" for always)."""
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


@cache
def table() -> npt.NDArray[np.uint8]:
    """Whether it is met, 1 or 0, by the four bits that encode it and by N, Z, C and V; for compiled code, 16 x 16."""
    return np.array([[holds(name, flags << 28) for flags in range(16)] for name in NAMES], np.uint8)
