"""Expand `ldr register, =value`: a move where GNU as makes one, else a load from the literal pool."""

from __future__ import annotations

from neonlab.assemble.output.literal_pool import A32Pool, A64Pool, a32_immediate, constant
from neonlab.assemble.text.mnemonics import Mnemonic, Place
from neonlab.assemble.values.operands import Literal, ParsedInstruction, Slot
from neonlab.isa.model.isa import Isa

_WORD = 0xFFFFFFFF


def load_literal(isa: Isa, parsed: ParsedInstruction, literal: Literal, pool: A32Pool | A64Pool) -> ParsedInstruction:
    """Return the instruction that replaces the load; a value that needs memory is added to `pool`."""
    value = constant(literal.node)
    if isa is Isa.A32 and value is not None:
        move = _a32_move(parsed, value)
        if move is not None:
            return ParsedInstruction(parsed.mnemonic, (move,))
    # as shares entries by value, so a name that is a number by now goes in as that number
    place = pool.add(literal.node if value is None else value, literal.size)
    slot = Slot(place, Place.LOAD, token=literal.token, is_pool=True)
    return ParsedInstruction(parsed.mnemonic, (*parsed.parts, slot))


def _a32_move(parsed: ParsedInstruction, value: int) -> str | None:
    head = parsed.parts[0]
    assert isinstance(head, str)
    name, _, register = head.partition(" ")
    register = register.rstrip(", ")
    if name.startswith("vldr"):
        return _a32_vector_move(name, register, value)
    condition = _condition(parsed.mnemonic)
    if a32_immediate(value):
        return f"mov{condition} {register}, #{value & _WORD}"
    if a32_immediate(~value):
        return f"mvn{condition} {register}, #{~value & _WORD}"
    return None


def _condition(mnemonic: Mnemonic) -> str:
    rest = mnemonic.text.removeprefix("ldr")
    for size in ("sb", "sh", "b", "h", ""):
        if rest.startswith(size):
            return rest.removeprefix(size)
    return ""


def _a32_vector_move(name: str, register: str, value: int) -> str | None:
    """Return `vmov.i64` where every byte is 0 or 255; GNU as uses no other move for these loads."""
    if name not in {"vldr", "vldr.64"} or not register.startswith("d"):
        return None
    value &= (1 << 64) - 1
    if all(byte in {0, 255} for byte in value.to_bytes(8, "little")):
        return f"vmov.i64 {register}, #{value:#018x}"
    return None
