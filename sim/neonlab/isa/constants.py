"""Find the constants by which code tells numbers apart: those that it compares general registers or masks them with."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Register

#: Mnemonics by what their immediates are to a number, without conditions and widths (`subs`, `subseq`, `cmp.w`).
_COMPARED = ("cmp", "cmn", "ccmp", "ccmn", "subs", "adds", "rsbs", "teq", "eors")
_COMPARED_WITH_0 = ("cbz", "cbnz")
_MASKED = ("and", "ands", "tst", "bic", "bics")
_BITS = ("tbz", "tbnz")
_SHIFTED = ("lsr", "lsrs", "asr", "asrs", "lsl", "lsls")
_FIELDS = ("ubfx", "sbfx", "ubfiz", "sbfiz", "ubfm", "bfi", "bfc", "bfxil")
_ROTATED = ("ror", "rors", "extr")
_LOADED = ("mov", "movs", "movz", "movw")
_REST = ("movk", "movt")  # the rest of a constant
#: Copies of a general register into a vector register.
_TO_VECTOR = re.compile(r"(?:dup|ins|mov|fmov|vdup\S*|vmov\S*) [vqdsbh][0-9]")
_OFFSET = ("sub", "add")
#: Conversions to a float32, which holds whole numbers of 24 bits.
_TO_FLOAT = re.compile(r"[us]cvtf s[0-9]+, [wx]|vcvt\.f32\.[us]32 s[0-9]")
_CONDITION = re.compile(r"(?:eq|ne|hs|lo|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(?:\.w|\.n)?")
_IMMEDIATE = re.compile(r"#(-?(?:0x[0-9a-f]+|[0-9]+))")
_VECTOR = re.compile(r"(?:^|[\s,{])[vqdsbh][0-9]")
_WORD = 1 << 64


def compared_constants(instructions: Iterable[Instruction]) -> tuple[int, ...]:
    """Return the constants above 1 that decide about sizes, ascending.

    They are immediates of comparisons and of subtractions that set flags; for a mask, a shift, a bit field or a tested
    bit, the power of two at which it changes; and constants that a general register is set to, with which code compares
    where an immediate has no room.  Where a constant was taken from the number before it is compared, both add up.
    """
    every = tuple(instructions)
    of_vectors = _set_for_vectors(every)
    alone = {number for at, one in enumerate(every) if at not in of_vectors for number in _constants(one)}
    joined = {number for at, number in _joined(every) if at not in of_vectors}
    return tuple(sorted(number for number in alone | joined | set(_shifted_comparisons(every)) if number > 1))


def _joined(instructions: Sequence[Instruction]) -> Iterator[tuple[int, int]]:
    """Yield the number of each `movk` or `movt`, and the constant that a general register then holds."""
    held: dict[Register, int] = {}
    for at, one in enumerate(instructions):
        kind, numbers = _kind(one.mnemonic), [int(text, 0) for text in _IMMEDIATE.findall(one.operands)]
        known = None
        if not _VECTOR.search(one.operands) and len(one.writes) == 1 and numbers:
            if kind in _REST:
                place = 16 if one.mnemonic.startswith("movt") else (numbers[1:] or [0])[0]
                if one.writes[0] in held:
                    known = held[one.writes[0]] & ~(0xFFFF << place) | numbers[0] << place
                    yield at, known
            elif kind in _LOADED and not one.accesses:
                known = numbers[0] % _WORD
        for register in one.writes:
            held.pop(register, None)
        if known is not None:
            held[one.writes[0]] = known


def _set_for_vectors(instructions: Sequence[Instruction]) -> frozenset[int]:
    """Return the numbers of instructions that set a register to a constant which goes to vector registers alone.

    Those are multipliers and the like; no size is compared with them.
    """
    to_vectors, elsewhere = set[int](), set[int]()
    held: dict[Register, set[int]] = {}  # the numbers of the instructions that made the constant in a register
    for number, one in enumerate(instructions):
        parts = {part for register in one.reads for part in held.get(register, ())}
        is_part = _kind(one.mnemonic) in (*_LOADED, *_REST) and not one.accesses and not _VECTOR.search(one.operands)
        if is_part and _IMMEDIATE.search(one.operands):
            held.update({register: {number, *parts} for register in one.writes})
            continue
        (to_vectors if _TO_VECTOR.match(f"{one.mnemonic} {one.operands}") else elsewhere).update(parts)
        for register in one.writes:
            held.pop(register, None)
    return frozenset(to_vectors - elsewhere)


def _shifted_comparisons(instructions: Iterable[Instruction]) -> Iterator[int]:
    """Yield a + b where `sub r, s, #a` comes before `cmp r, #b`, in the order of the code.

    b is 0 for cbz, cbnz and shifts.
    """
    taken: dict[Register, int] = {}
    for one in instructions:
        kind = _kind(one.mnemonic)
        numbers = [int(text, 0) for text in _IMMEDIATE.findall(one.operands)]
        if kind in _COMPARED and numbers:
            yield from (taken[register] + numbers[0] for register in one.reads if register in taken)
        elif kind in _SHIFTED or one.mnemonic in _COMPARED_WITH_0:
            yield from (taken[register] for register in one.reads if register in taken)
        offsets = {}
        if kind in _OFFSET and numbers and not one.accesses:
            offsets = dict.fromkeys(one.writes, numbers[0] if kind == "sub" else -numbers[0])
        for register in one.writes:
            taken.pop(register, None)
        taken.update(offsets)


def _constants(instruction: Instruction) -> Iterator[int]:
    kind = _kind(instruction.mnemonic)
    if _TO_FLOAT.match(f"{instruction.mnemonic} {instruction.operands}"):
        yield 1 << 24
    if kind is None or kind in (*_OFFSET, *_REST) or instruction.accesses or _VECTOR.search(instruction.operands):
        return
    numbers = [int(text, 0) for text in _IMMEDIATE.findall(instruction.operands)]
    if kind in _COMPARED or kind in _LOADED:
        yield from (abs(number) for number in numbers[:1])
    elif kind in _MASKED:
        for number in numbers[:1]:
            mask = number % _WORD
            yield mask & -mask  # a mask of high bits rounds down to a multiple of this
            yield (mask + 1) & ~mask & (_WORD - 1)  # and one of low bits gives what remains of this
    elif kind in _BITS:
        yield from (1 << number for number in numbers[:1])
    elif kind in ("lsl", "lsls"):  # what the shift loses
        bits = 64 if instruction.operands.startswith("x") else 32
        yield from (1 << bits - number for number in numbers[:1] if 0 < number < bits)
    elif kind in _ROTATED:  # what turns round on either side; two of them, or one and a shift, mask a number
        yield from (1 << place for number in numbers[:1] if 0 < number < 64 for place in (number, -number % 64))
        yield from (1 << 32 - number for number in numbers[:1] if 0 < number < 32)
    else:  # a shift, or the place and the width of a bit field
        yield from (1 << number for number in numbers if 0 <= number < 64)


@functools.cache
def _kind(mnemonic: str) -> str | None:
    """Return the mnemonic without its condition, if it is one of those above; else None."""
    for known in (_COMPARED, _MASKED, _BITS, _SHIFTED, _FIELDS, _ROTATED, _LOADED, _REST, _OFFSET):
        for word in known:
            if mnemonic.startswith(word) and _CONDITION.fullmatch(mnemonic[len(word) :]):
                return word
    return None
