"""Every mnemonic that the tables or Capstone know."""

from __future__ import annotations

import functools

import capstone

from neonlab.isa import extensions
from neonlab.isa.model import condition
from neonlab.isa.model.isa import Isa
from neonlab.isa.readback import a32_names as readback_a32_names
from neonlab.isa.readback import a64 as readback_a64

#: Of A64; `b` and `bc` take one after a dot.
_CONDITIONS = frozenset({*condition.WRITTEN, "al", "nv"})


@functools.cache
def mnemonics(isa: Isa) -> frozenset[str]:
    """Return all mnemonics, without the conditions and types of A32."""
    if isa is Isa.A32:
        return readback_a32_names.KNOWN
    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    names = {engine.insn_name(number) for number in range(1, capstone.arm64_const.ARM64_INS_ENDING)}
    return frozenset(names - {None, ""}) | readback_a64.aliases() | frozenset(extensions.table(isa).mnemonics)


def is_known(isa: Isa, mnemonic: str) -> bool:
    """Return whether `mnemonic`, as written, is a known one."""
    if isa is Isa.A32:
        return readback_a32_names.split(mnemonic) is not None
    base, dot, rest = mnemonic.partition(".")
    if dot and base in {"b", "bc"}:
        return rest in _CONDITIONS
    return mnemonic in mnemonics(isa) or base in mnemonics(isa)
