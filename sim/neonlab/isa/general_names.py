"""Read the names of general registers as the disassembly has them."""

from __future__ import annotations

import re

from neonlab.isa.model.isa import Isa

#: The number of xzr and wzr.
ZERO_REGISTER = 31
_A32_NAMES = {f"r{index}": index for index in range(13)} | {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "lr": 14}


def general_named(isa: Isa, text: str) -> tuple[int, int] | None:
    """Return the number and the width in bytes of a general register; None for another operand, such as sp."""
    if isa is Isa.A32:
        return (_A32_NAMES[text], 4) if text in _A32_NAMES else None
    if text == "lr":
        return 30, 8
    found = re.fullmatch(r"([wx])(\d+|zr)", text)
    if found is None:
        return None
    return (ZERO_REGISTER if found[2] == "zr" else int(found[2])), 4 if found[1] == "w" else 8
