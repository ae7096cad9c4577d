"""Architecture versions and the features that they imply, by the names that `-march` uses.

Source: Arm Architecture Reference Manual (DDI 0487), section A2, "Features added in Armv8.x extensions".  A feature is
listed where it becomes mandatory, because before that a core may lack it.
"""

from __future__ import annotations

import re

from neonlab.isa.model.isa import Isa

FEATURES = frozenset(
    {"neon", "vfpv4", "idiv", "armv8", "rdm", "crc", "crypto", "lse", "lor", "fp16", "fp16fml", "dotprod", "i8mm"}
    | {"bf16", "pauth", "bti", "rcpc", "rcpc2", "complex", "jscvt", "flagm", "frintts", "sb", "mte"}
    | {"sha3", "sha512", "sm3", "sm4"}
)
# Mandatory from this minor version of ARMv8-A on.
_MANDATORY = {
    1: {"rdm", "crc", "lse", "lor"},
    3: {"pauth", "rcpc", "complex", "jscvt"},
    4: {"dotprod", "flagm", "rcpc2"},
    5: {"bti", "frintts", "sb"},
    6: {"i8mm", "bf16"},
}


def architecture_features(name: str) -> tuple[Isa, frozenset[str]]:
    """Return the instruction set of a name such as `armv7-a` or `armv8.2-a`, and its mandatory features.

    ARMv8 means A64.  Raises ValueError for a name that is not an A-profile architecture of ARMv7 to ARMv9.
    """
    if name == "armv7-a":
        return Isa.A32, frozenset()
    if name == "armv7ve":  # the virtualization extensions bring hardware division and fused multiply-accumulate
        return Isa.A32, frozenset({"idiv", "vfpv4"})
    match = re.fullmatch(r"armv([89])(?:\.(\d))?-a", name)
    if match is None:
        raise ValueError(f"isa opens with an architecture such as armv7-a or armv8.2-a, not `{name}`")
    minor = int(match[2] or 0) + (5 if match[1] == "9" else 0)  # ARMv9.n includes ARMv8.(n+5)
    implied = {"armv8", "neon", "vfpv4", "idiv"}
    for version, features in _MANDATORY.items():
        if version <= minor:
            implied |= features
    return Isa.A64, frozenset(implied)
