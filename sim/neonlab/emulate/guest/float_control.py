"""Say what the control bits of FPCR or FPSCR are when a call begins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from neonlab.isa.model.instruction import Instruction

ALTERNATIVE_HALF = 1 << 26  # AHP: how conversions read and write half precision, and nothing else
_WRITES = re.compile(r"msr (?:fpcr|s3_3_c4_c4_0)\b|vmsr\w* fpscr\b")
_CONVERTS_HALF = re.compile(r"fcvt\w* .*(?:\bh\d|\.[48]h\b)|vcvt\S*\.f16\b")


def control_on_entry(instructions: Sequence[Instruction]) -> int:
    """Return the control bits that a caller of these instructions has set.

    Code that writes the control bits is called with one that is not 0, so that zeros are no right bits to leave it
    with; the bit is AHP, on which only conversions from and to half precision depend (DDI 0487, C5.2.8).  All other
    code, and code with such conversions, finds the default, 0.
    """
    texts = [instruction.text for instruction in instructions]
    if any(map(_WRITES.match, texts)) and not any(map(_CONVERTS_HALF.match, texts)):
        return ALTERNATIVE_HALF
    return 0
