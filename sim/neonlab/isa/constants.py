"""Find the constants by which code tells numbers apart: those that it compares general registers or masks them with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from neonlab.isa.model.instruction import Instruction

#: Mnemonics by what their immediates are to a number, without conditions and widths (`subs`, `subseq`, `cmp.w`).
_COMPARED = ("cmp", "cmn", "ccmp", "ccmn", "subs", "adds", "rsbs")
_MASKED = ("and", "ands", "tst", "bic", "bics")
_BITS = ("tbz", "tbnz")
_SHIFTED = ("lsr", "lsrs", "asr", "asrs")
_FIELDS = ("ubfx", "sbfx", "ubfiz", "sbfiz", "ubfm")
_LOADED = ("mov", "movs", "movz", "movw")
_CONDITION = re.compile(r"(?:eq|ne|hs|lo|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(?:\.w|\.n)?")
_IMMEDIATE = re.compile(r"#(-?(?:0x[0-9a-f]+|[0-9]+))")
_VECTOR = re.compile(r"(?:^|[\s,{])[vqdsbh][0-9]")
_WORD = 1 << 64


def compared_constants(instructions: Iterable[Instruction]) -> tuple[int, ...]:
    """Return the constants above 1 that decide about sizes, ascending.

    They are immediates of comparisons and of subtractions that set flags; for a mask, a shift, a bit field or a tested
    bit, the power of two at which it changes; and constants that a general register is set to, with which code compares
    where an immediate has no room.
    """
    return tuple(sorted({number for one in instructions for number in _constants(one) if number > 1}))


def _constants(instruction: Instruction) -> Iterator[int]:
    kind = _kind(instruction.mnemonic)
    if kind is None or instruction.accesses or _VECTOR.search(instruction.operands):
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
    else:  # a shift, or the place and the width of a bit field
        yield from (1 << number for number in numbers if 0 <= number < 64)


def _kind(mnemonic: str) -> str | None:
    """Return the mnemonic without its condition, if it is one of those above; else None."""
    for known in (_COMPARED, _MASKED, _BITS, _SHIFTED, _FIELDS, _LOADED):
        for word in known:
            if mnemonic.startswith(word) and _CONDITION.fullmatch(mnemonic[len(word) :]):
                return word
    return None
