"""The mnemonics that can be assembled: what to offer while a name is typed, and what a mistyped one may have meant."""

from __future__ import annotations

import functools

from neonlab.assemble.encode.keystone_process import shared_process
from neonlab.isa import extensions
from neonlab.isa.model import condition
from neonlab.isa.model.isa import Isa
from neonlab.isa.readback import a64 as readback_a64
from neonlab.isa.vocabulary import mnemonics

_UNKNOWN = "Invalid mnemonic"  # as Keystone says it


@functools.cache
def assembled_mnemonics(isa: Isa) -> frozenset[str]:
    """Return the mnemonics that the lab assembles; conditions only at branches, and no types of A32.

    Capstone also names the instructions of SVE, SME and other extensions of A64, which neither the lab nor Keystone
    encodes.  Keystone is asked for each name without operands, about 20 ms in all.
    """
    names = mnemonics(isa)
    if isa is Isa.A32:
        return names | {f"b{one}" for one in condition.WRITTEN}  # all of the lab's own table
    own = names & (frozenset(extensions.table(isa).mnemonics) | readback_a64.aliases())
    others = sorted(names - own)
    replies = shared_process(isa).assemble([(name.encode(), 0) for name in others])
    known = {
        name
        for name, reply in zip(others, replies, strict=True)
        if not isinstance(reply, str) or not reply.startswith(_UNKNOWN)
    }
    return own | known | {f"b.{one}" for one in condition.WRITTEN}
