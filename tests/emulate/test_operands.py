"""What compiled code works out of conditions and index registers, against the architecture's words for it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from neonlab.emulate.operands import ALIGN, ALWAYS, ASR, CONDITIONS, LSR, ROR, RRX, SHIFTED, SXTW, UXTW, holds, shifted
from neonlab.isa.model import condition


@pytest.mark.parametrize("number", range(ALWAYS + 1))
def test_a_condition_holds_for_the_flags_that_it_is_defined_by(number: int) -> None:
    name = CONDITIONS[number] if number < ALWAYS else ""
    for flags in range(16):
        assert holds(number, np.uint64(flags << 28 | 0x0FFFFFFF)) == condition.holds(name, flags << 28), (name, flags)


def signed(value: int, bits: int) -> int:
    return value - (value >> bits - 1 << bits)


@pytest.mark.parametrize("width", [32, 64])
def test_a_register_is_shifted_or_extended_as_defined(width: int) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    chooser = random.Random(seed)
    ones = (1 << width) - 1
    for _ in range(300):
        value, shift, carry = chooser.getrandbits(width), chooser.randrange(1, width), chooser.getrandbits(1)
        expected = {
            SHIFTED: value << shift,
            UXTW: (value & 0xFFFFFFFF) << shift,
            SXTW: signed(value & 0xFFFFFFFF, 32) << shift,
            LSR: value >> shift,
            ASR: signed(value, width) >> shift,
            ROR: value >> shift | value << width - shift,
            ALIGN: value >> shift << shift,
            RRX: value >> 1 | carry << width - 1,
        }
        for kind, result in expected.items():
            found = shifted(kind, np.uint64(value), np.uint64(shift), np.uint64(ones), np.uint64(carry << 29))
            assert int(found) & ones == result & ones, (kind, hex(value), shift)


@pytest.mark.parametrize("width", [32, 64])
def test_a_shift_by_the_whole_width_leaves_zeros_or_the_sign(width: int) -> None:
    ones, top = np.uint64((1 << width) - 1), np.uint64(1 << width - 1)
    assert int(shifted(LSR, top, np.uint64(width), ones, np.uint64(0))) == 0
    assert int(shifted(ASR, top, np.uint64(width), ones, np.uint64(0)) & ones) == int(ones)
