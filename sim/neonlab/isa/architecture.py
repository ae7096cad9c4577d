"""Architecture versions and the features they imply, by the names that `-march` uses.

Source: Arm Architecture Reference Manual (DDI 0487), section A2, "Features added in Armv8.x extensions": a feature is
listed where it becomes mandatory, because before that a core may lack it.
"""

from __future__ import annotations

import re

from neonlab.isa.isa import Isa

FEATURES = frozenset(
    {"neon", "dotprod", "i8mm", "rdm", "fp16", "fp16fml", "bf16", "crc", "crypto", "lse", "rcpc", "bti", "pauth"}
    | {"armv8", "complex"}
)
# Mandatory from this minor version of ARMv8-A on.
_MANDATORY = {
    1: {"rdm", "crc", "lse"},
    3: {"pauth", "rcpc", "complex"},
    4: {"dotprod"},
    5: {"bti"},
    6: {"i8mm", "bf16"},
}


def architecture_features(name: str) -> tuple[Isa, frozenset[str]]:
    """The instruction set a name such as `armv7-a` or `armv8.2-a` stands for, and what it makes mandatory.

    ARMv8 stands for A64.  Raises ValueError for a name that is not an A-profile architecture of ARMv7 to ARMv9.
    """
    if name in ("armv7-a", "armv7ve"):
        return Isa.A32, frozenset()
    match = re.fullmatch(r"armv([89])(?:\.(\d))?-a", name)
    if match is None:
        raise ValueError(f"isa opens with an architecture such as armv7-a or armv8.2-a, not `{name}`")
    minor = int(match[2] or 0) + (5 if match[1] == "9" else 0)  # ARMv9.n includes ARMv8.(n+5)
    implied = {"armv8", "neon"}
    for version, features in _MANDATORY.items():
        if version <= minor:
            implied |= features
    return Isa.A64, frozenset(implied)
