"""Decode A32 words that Capstone misreads or prints as an alias of two different words."""

from __future__ import annotations

from neonlab.isa.readback.text import Spelled

_CONDITIONS = ("eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "")
_MODES = ("da", "", "db", "ib")


def register(number: int) -> str:
    """Return the register's name: r0 to r12, sp, lr, pc."""
    return {13: "sp", 14: "lr", 15: "pc"}.get(number, f"r{number}")


def read(word: int, address: int) -> Spelled | None:
    """Decode block transfers and saturation after `asr #32`; None for other words.

    Capstone's text of a block transfer does not say whether it is a `push`.
    """
    if word >> 28 == 15:
        return None
    condition = _CONDITIONS[word >> 28]
    if word >> 25 & 7 == 0b100 and word & 0xFFFF:
        way = "ldm" if word >> 20 & 1 else "stm"
        base = register(word >> 16 & 15) + ("!" if word >> 21 & 1 else "")
        registers = ", ".join(register(i) for i in range(16) if word >> i & 1)
        user = "^" if word >> 22 & 1 else ""
        return Spelled(f"{way}{_MODES[word >> 23 & 3]}{condition}", (base, f"{{{registers}}}{user}"))
    if word & 0x0FA00070 == 0x06A00050 and word >> 7 & 31 == 0:  # asr #32, which Capstone leaves out
        unsigned = word >> 22 & 1
        limit = (word >> 16 & 31) + (0 if unsigned else 1)
        mnemonic = f"{'usat' if unsigned else 'ssat'}{condition}"
        return Spelled(mnemonic, (register(word >> 12 & 15), f"#{limit}", register(word & 15), "asr #32"))
    return None
