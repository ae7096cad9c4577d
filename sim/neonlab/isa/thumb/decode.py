"""Decode Thumb code to `Instruction` values: its own control flow and IT blocks, and A32 words for the rest.

The condition of an instruction in an IT block becomes its own, as A32 has it in the word.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import capstone

from neonlab.isa.a32.decode import effects_a32
from neonlab.isa.decode import UndecodableWord
from neonlab.isa.disassemble import disassemble
from neonlab.isa.model import condition as conditions
from neonlab.isa.model.effects import Effects, UnknownEncodingError, g, signed
from neonlab.isa.model.instruction import NO_A32_WORD, AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, STATUS, Isa, Register
from neonlab.isa.thumb.narrow import a32_of_narrow
from neonlab.isa.thumb.wide import a32_of_wide, data_processing

_MASK = 0xFFFFFFFF
_ALWAYS = 14


def is_wide(half: int) -> bool:
    """Return whether a halfword is the first of two (DDI 0406C, A6.1)."""
    return half >> 11 >= 0b11101


def decode_thumb(code: bytes, address: int) -> Iterator[Instruction | UndecodableWord]:
    """Yield the instructions of `code`, which begins at `address` with an instruction and outside an IT block.

    A word that is no known instruction is yielded as an UndecodableWord.
    """
    block: list[int] = []  # conditions of the instructions left in an IT block
    offset = 0
    while offset + 2 <= len(code):
        half = int.from_bytes(code[offset : offset + 2], "little")
        size = 4 if is_wide(half) else 2
        if offset + size > len(code):
            yield UndecodableWord(Isa.A32, address + offset, half)
            return
        word = half << 16 | int.from_bytes(code[offset + 2 : offset + 4], "little") if size == 4 else half
        holds = block.pop(0) if block else None
        found = decode_thumb_word(word, size, address + offset, holds)
        yield found if found is not None else UndecodableWord(Isa.A32, address + offset, word)
        if size == 2 and half >> 8 == 0xBF and half & 15:
            block = _block(half)
        offset += size


def _block(half: int) -> list[int]:
    """Return the conditions that an IT instruction gives to the instructions after it, by number."""
    first, mask = half >> 4 & 15, half & 15
    count = 4 - ((mask & -mask).bit_length() - 1)
    return [first] + [first & 14 | mask >> 4 - number & 1 for number in range(1, count)]


def decode_thumb_word(code: int, size: int, address: int, holds: int | None = None) -> Instruction | None:
    """Return one instruction; None for an unknown one.

    `code` has its first halfword on top; `holds` is its condition in an IT block, by number.
    """
    made = _anywhere(code, size, holds)
    if made is None:
        return None
    instruction, absolute = made
    if absolute:
        again = _decoded(code, size, address, holds)
        return None if again is None else again[0]
    return replace(instruction, address=address)


@functools.lru_cache(maxsize=1 << 16)
def _anywhere(code: int, size: int, holds: int | None) -> tuple[Instruction, bool] | None:
    return _decoded(code, size, 0, holds)


def _decoded(code: int, size: int, address: int, holds: int | None) -> tuple[Instruction, bool] | None:
    s = 0 if holds is not None else 1 << 20
    word = a32_of_narrow(code, s) if size == 2 else a32_of_wide(code)
    try:
        if word is not None:
            # the A32 decoder adds 8 to the address for pc, where Thumb adds 4
            effects = effects_a32(word, (address & ~3) - 4)
        else:
            effects = _own_narrow(code, address) if size == 2 else _own_wide(code, address)
    except UnknownEncodingError:
        return None
    effects.features.discard("thumb")
    if holds is not None and holds != _ALWAYS:
        effects.condition = conditions.NAMES[holds]
        _predicate(effects)
        if word is not None:
            word = holds << 28 | word & 0x0FFFFFFF if word >> 28 != 15 else None
    # In the spelling of A32, so that code that reads the text works for Thumb too.
    text = (
        disassemble(Isa.A32, word, (address & ~3) - 4) if word is not None else thumb_text(code, size, address, holds)
    )
    if text is None:
        return None
    instruction = Instruction(
        Isa.A32, address, NO_A32_WORD if word is None else word, size, *text, effects.instruction_class,
        tuple(sorted(effects.reads)), tuple(sorted(effects.writes)), tuple(effects.accesses), effects.writeback,
        effects.branch, effects.target, effects.condition, frozenset(effects.features), thumb=True,
    )  # fmt: skip
    # The text that Capstone prints for a target or a literal also depends on the address.
    return instruction, effects.absolute


def _predicate(effects: Effects) -> None:
    effects.read(*(register for register in effects.writes if register is not STATUS), FLAGS)
    if effects.branch is BranchKind.JUMP:
        effects.branch = BranchKind.CONDITIONAL


@functools.cache
def _engine() -> Any:
    return capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_V8)


def thumb_text(code: int, size: int, address: int, holds: int | None = None) -> tuple[str, str] | None:
    """Return mnemonic, without .w, and operands as Thumb writes them; None where Capstone has none."""
    halves = (code,) if size == 2 else (code >> 16, code & 0xFFFF)
    data = b"".join(half.to_bytes(2, "little") for half in halves)
    if size == 2 and code >> 8 == 0xBF and code & 15:
        letters = "".join("t" if c == (code >> 4 & 15) else "e" for c in _block(code)[1:])
        return "it" + letters, conditions.NAMES[code >> 4 & 15] or "al"
    if holds is not None:  # an IT instruction before it tells Capstone the condition
        before = (0xBF08 | holds << 4).to_bytes(2, "little")
        found = list(_engine().disasm_lite(before + data, (address - 2) & _MASK, 2))[1:]
    else:
        found = list(_engine().disasm_lite(data, address, 1))
    return (found[0][2].removesuffix(".w"), found[0][3]) if found else None


def _r(index: int) -> Register | None:
    return None if index == 15 else g(index)


def _jump(effects: Effects, target: int, kind: BranchKind = BranchKind.JUMP) -> Effects:
    effects.target, effects.branch, effects.absolute = target & _MASK, kind, True
    return effects


def _own_narrow(half: int, address: int) -> Effects:
    """Return the effects of short instructions without an A32 word."""
    effects = Effects()
    pc = address + 4
    if half >> 12 == 13 and half >> 9 & 7 != 7:
        effects.condition = conditions.NAMES[half >> 8 & 15]
        effects.read(FLAGS)
        return _jump(effects, pc + 2 * signed(half & 0xFF, 8), BranchKind.CONDITIONAL)
    if half >> 11 == 0b11100:
        return _jump(effects, pc + 2 * signed(half & 0x7FF, 11))
    if half & 0xF500 == 0xB100:  # cbz, cbnz
        effects.read(g(half & 7))
        return _jump(effects, pc + (half >> 3 & 0x40) + (half >> 2 & 0x3E), BranchKind.CONDITIONAL)
    if half >> 11 == 0b10100:  # adr
        effects.write(g(half >> 8 & 7))
        effects.absolute = True
    elif half >> 10 == 0b010001:  # add, cmp and mov with pc
        d, m = half >> 4 & 8 | half & 7, half >> 3 & 15
        kind = half >> 8 & 3
        effects.read(_r(m), _r(d) if kind != 2 else None)
        if kind == 1:
            effects.write(FLAGS)
        elif d == 15:
            effects.branch = BranchKind.INDIRECT
        else:
            effects.write(g(d))
    elif half >> 8 == 0xBF and half & 15:  # it: decides over those after it, which are no steps where they are skipped
        effects.condition = conditions.NAMES[half >> 4 & 15]
        effects.read(FLAGS if effects.condition else None)
    elif half & 0xFFE8 not in (0xB650, 0xB658, 0xB660, 0xB670):  # setend and cps, which change nothing here
        raise UnknownEncodingError
    return effects


def _own_wide(code: int, address: int) -> Effects:
    """Return the effects of long instructions without an A32 word."""
    effects = Effects()
    top = code >> 25
    if code & 0xF8008000 == 0xF0008000:
        return _branch(effects, code, address)
    if code & 0xFFF0FFE0 == 0xE8D0F000:  # tbb, tbh
        n, m, half = code >> 16 & 15, code & 15, code >> 4 & 1
        base = _r(n)
        effects.access(
            AccessKind.LOAD, 2 if half else 1, base, index=g(m), extend="lsl", shift=half,
            displacement=0 if base is not None else address + 4,
        )  # fmt: skip
        effects.absolute, effects.branch = base is None, BranchKind.INDIRECT
        return effects
    if code & 0xFA008000 in (0xF0000000, 0xF2000000) or top == 0b1110101:
        return _data_processing(effects, code)
    if code & 0xFFE00000 == 0xE8400000 or code & 0xFFE00000 == 0xE8C00000:
        return _exclusive(effects, code)
    if top == 0b1110100:
        return _dual(effects, code, address)
    if top == 0b1111100:
        return _halfword(effects, code, address)
    raise UnknownEncodingError


def _branch(effects: Effects, code: int, address: int) -> Effects:
    sign, pc = code >> 26 & 1, address + 4
    if not code >> 12 & 1 and not code >> 14 & 1:  # b<c>.w
        if code >> 23 & 7 == 7:
            if code & 0xFFF0F000 in (0xF7E08000, 0xF7F08000, 0xF7F0A000):  # hvc, smc, udf
                return effects
            raise UnknownEncodingError
        offset = sign << 20 | (code >> 11 & 1) << 19 | (code >> 13 & 1) << 18
        offset |= (code >> 16 & 0x3F) << 12 | (code & 0x7FF) << 1
        effects.condition = conditions.NAMES[code >> 22 & 15]
        effects.read(FLAGS)
        return _jump(effects, pc + signed(offset, 21), BranchKind.CONDITIONAL)
    i1, i2 = (code >> 13 & 1) ^ sign ^ 1, (code >> 11 & 1) ^ sign ^ 1
    offset = sign << 24 | i1 << 23 | i2 << 22 | (code >> 16 & 0x3FF) << 12 | (code & 0x7FF) << 1
    if not code >> 14 & 1:
        return _jump(effects, pc + signed(offset, 25))
    effects.write(g(14))
    if not code >> 12 & 1:  # blx: to A32, from the word
        if code & 1:
            raise UnknownEncodingError
        pc &= ~3
    return _jump(effects, pc + signed(offset, 25), BranchKind.CALL)


def _data_processing(effects: Effects, code: int) -> Effects:
    """Return the effects of orn, and of immediates that A32 cannot express."""
    n, d = code >> 16 & 15, code >> 8 & 15
    immediate = code >> 28 == 15
    if immediate and code >> 25 & 1:  # addw, subw, adr
        if code >> 20 & 31 not in (0, 10):
            raise UnknownEncodingError
        effects.read(_r(n))
        effects.write(_r(d))
        effects.absolute = n == 15
        return effects
    word = data_processing(code)
    if word is not None:
        return effects_a32(0xE2000000 | word, 0) if immediate else effects_a32(0xE0000000 | word | code & 15, 0)
    if code >> 21 & 15 != 3 or d == 15:
        raise UnknownEncodingError
    effects.read(_r(n), None if immediate else _r(code & 15))
    effects.write(_r(d))
    if code >> 20 & 1:
        effects.sets_flags()
    return effects


def _exclusive(effects: Effects, code: int) -> Effects:
    """Describe ldrex and strex with an offset, and those of two registers that are no pair in A32."""
    load, base = code >> 20 & 1, _r(code >> 16 & 15)
    t, second = code >> 12 & 15, code >> 8 & 15
    double = bool(code >> 23 & 1)
    if base is None or (double and code >> 4 & 15 not in (7, 13, 15)):
        raise UnknownEncodingError
    kind = AccessKind.LOAD if load else AccessKind.STORE
    effects.access(kind, 8 if double else 4, base, displacement=0 if double else (code & 0xFF) << 2)
    registers = [_r(t), _r(second)] if double else [_r(t)]
    if load:
        effects.write(*registers)
    else:
        effects.read(*registers)
        effects.write(_r(code & 15) if double else _r(second))
    return effects


def _dual(effects: Effects, code: int, address: int) -> Effects:
    before, up, writes, load = code >> 24 & 1, code >> 23 & 1, code >> 21 & 1, code >> 20 & 1
    if not before and not writes:
        raise UnknownEncodingError
    base, t, second = _r(code >> 16 & 15), code >> 12 & 15, code >> 8 & 15
    offset = (code & 0xFF) << 2 if up else -((code & 0xFF) << 2)
    displacement = offset if before else 0
    if base is None:
        effects.absolute, displacement = True, (address & ~3) + 4 + offset
    effects.access(AccessKind.LOAD if load else AccessKind.STORE, 8, base, displacement=displacement)
    if load:
        effects.write(_r(t), _r(second))
    else:
        effects.read(_r(t), _r(second))
    if writes and base is not None:
        effects.write_back(base, offset)
    return effects


def _halfword(effects: Effects, code: int, address: int) -> Effects:
    """Describe halfwords and signed bytes with an offset or a shift that A32 does not have."""
    size, load, n, t = code >> 21 & 3, code >> 20 & 1, code >> 16 & 15, code >> 12 & 15
    if size > 1:
        raise UnknownEncodingError
    kind, count = AccessKind.LOAD if load else AccessKind.STORE, size + 1
    base = _r(n)
    if base is None:
        offset = code & 0xFFF
        effects.absolute = True
        effects.access(kind, count, None, displacement=(address & ~3) + 4 + (offset if code >> 23 & 1 else -offset))
    elif code >> 23 & 1:
        effects.access(kind, count, base, displacement=code & 0xFFF)
    elif code >> 6 & 0x3F == 0:
        effects.access(kind, count, base, index=_r(code & 15), extend="lsl", shift=code >> 4 & 3)
    else:
        raise UnknownEncodingError
    if load:
        effects.write(_r(t))
    else:
        effects.read(_r(t))
    return effects
