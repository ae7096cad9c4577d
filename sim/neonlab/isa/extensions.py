"""Encode and decode, with our own tables, instructions that Keystone 0.9.2 lacks or gets wrong."""

from __future__ import annotations

import functools

from neonlab.isa.encoding import a32 as extensions_a32
from neonlab.isa.encoding import a32_fp16 as extensions_a32_fp16
from neonlab.isa.encoding import a64 as extensions_a64
from neonlab.isa.encoding import a64_fp16 as extensions_a64_fp16
from neonlab.isa.encoding.pattern import Table
from neonlab.isa.model.isa import Isa
from neonlab.isa.readback.lower import lower
from neonlab.isa.readback.text import Spelled, SpellingError

_HINT = 0xD503201F
_BTI = frozenset({32, 34, 36, 38})
_PAUTH = frozenset({7, 8, 10, 12, 14, *range(24, 32)})


@functools.cache
def table(isa: Isa) -> Table:
    """Return all rows of one instruction set."""
    if isa is Isa.A64:
        a64, half = extensions_a64, extensions_a64_fp16
        return Table(a64.BASE, a64.INTEGER_MATRIX, a64.COMPLEX, half.VECTOR, half.SCALAR, a64.ATOMICS, a64.OTHER)
    a32, a32_half = extensions_a32, extensions_a32_fp16
    return Table(a32.BASE, a32.INTEGER_MATRIX, a32.COMPLEX, a32_half.NEON, a32_half.VFP, a32_half.ARMV8)


def encode(isa: Isa, text: str, address: int) -> int | None:
    """Return the word of the instruction `text` at `address`.

    Returns None where the tables do not have it, or where the text cannot be read.
    """
    try:
        return encode_lowered(isa, lower(isa, text, address), address)
    except SpellingError:
        return None


def encode_lowered(isa: Isa, spelled: Spelled, address: int) -> int | None:
    """Return the word of a base form at `address`, as `encode` does."""
    if isa is Isa.A64 and spelled.mnemonic in ("adr", "adrp") and len(spelled.operands) == 2:
        return _address(spelled.mnemonic, spelled.operands, address)
    return table(isa).encode(spelled.mnemonic, ", ".join(spelled.operands))


def _address(mnemonic: str, operands: tuple[str, ...], address: int) -> int | None:
    register, target = operands
    number = "31" if register == "xzr" else register[1:]
    if register[:1] != "x" or not number.isdecimal() or target[:1] != "#" or not target[1:].isdecimal():
        return None
    offset, reach = int(target[1:]) - address, 1 << 20
    if mnemonic == "adrp":
        offset = int(target[1:]) - (address & ~0xFFF)
    offset = (offset + (1 << 63)) % (1 << 64) - (1 << 63)
    if mnemonic == "adrp":
        offset >>= 12
    if not -reach <= offset < reach or int(number) > 31:
        return None
    return (mnemonic == "adrp") << 31 | (offset & 3) << 29 | 0x10000000 | (offset >> 2 & 0x7FFFF) << 5 | int(number)


def decode(isa: Isa, word: int, address: int) -> tuple[str, str] | None:
    """Return mnemonic and operands of `word` where the tables have it; else None."""
    found = table(isa).find(word)
    return None if found is None else found[1]


def feature(isa: Isa, word: int) -> str:
    """Return the feature beyond ARMv7-A with NEON, or ARMv8.0-A, that `word` needs; "" when none is known."""
    if isa is Isa.A64 and word & 0xFFFFF01F == _HINT:
        number = word >> 5 & 0x7F
        return "bti" if number in _BTI else "pauth" if number in _PAUTH else ""
    found = table(isa).find(word)
    return "" if found is None else found[0].feature
