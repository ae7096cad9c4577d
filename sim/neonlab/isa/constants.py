"""Find the constants by which code tells numbers apart: those that it compares general registers or masks them with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Register

#: Mnemonics by what their immediates are to a number, without conditions and widths (`subs`, `subseq`, `cmp.w`).
_COMPARED = ("cmp", "cmn", "ccmp", "ccmn", "subs", "adds", "rsbs")
_MASKED = ("and", "ands", "tst", "bic", "bics")
_BITS = ("tbz", "tbnz")
_SHIFTED = ("lsr", "lsrs", "asr", "asrs", "lsl", "lsls")
_FIELDS = ("ubfx", "sbfx", "ubfiz", "sbfiz", "ubfm")
_LOADED = ("mov", "movs", "movz", "movw")
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
    alone = {number for one in every for number in _constants(one)}
    return tuple(sorted(number for number in alone | set(_shifted_comparisons(every)) if number > 1))


def _shifted_comparisons(instructions: Iterable[Instruction]) -> Iterator[int]:
    """Yield a + b where `sub r, s, #a` comes before `cmp r, #b`, in the order of the code."""
    taken: dict[Register, int] = {}
    for one in instructions:
        kind = _kind(one.mnemonic)
        numbers = [int(text, 0) for text in _IMMEDIATE.findall(one.operands)]
        if kind in _COMPARED and numbers:
            yield from (taken[register] + numbers[0] for register in one.reads if register in taken)
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
    if kind is None or kind in _OFFSET or instruction.accesses or _VECTOR.search(instruction.operands):
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
    else:  # a shift, or the place and the width of a bit field
        yield from (1 << number for number in numbers if 0 <= number < 64)


def _kind(mnemonic: str) -> str | None:
    """Return the mnemonic without its condition, if it is one of those above; else None."""
    for known in (_COMPARED, _MASKED, _BITS, _SHIFTED, _FIELDS, _LOADED, _OFFSET):
        for word in known:
            if mnemonic.startswith(word) and _CONDITION.fullmatch(mnemonic[len(word) :]):
                return word
    return None
