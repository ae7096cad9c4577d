"""The constants by which code tells sizes apart."""

from __future__ import annotations

import pytest

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.isa.constants import compared_constants
from neonlab.isa.model.isa import Isa


@pytest.mark.parametrize(
    ("isa", "text", "found"),
    [
        (Isa.A64, "cmp x2, #252", (252,)),
        (Isa.A64, "subs x2, x2, #64", (64,)),
        (Isa.A64, "sub x2, x2, #64", ()),
        (Isa.A64, "sub x3, x2, #96\ncmp x3, #5", (5, 101)),
        (Isa.A64, "sub x3, x2, #96\nmov x3, x4\ncmp x3, #5", (5,)),
        (Isa.A64, "add x3, x2, #3\ncmp x3, #16", (13, 16)),
        (Isa.A64, "lsl x3, x2, #40", (1 << 24,)),
        (Isa.A64, "scvtf s0, x2", (1 << 24,)),
        (Isa.A64, "scvtf d0, x2", ()),
        (Isa.A32, "sub r3, r2, #96\ncmp r3, #5", (5, 101)),
        (Isa.A32, "teq r3, #200", (200,)),
        (Isa.A64, "sub x3, x2, #173\ncbz x3, k", (173,)),
        (Isa.A64, "sub x3, x2, #400\nlsr x3, x3, #5", (32, 400)),
        (Isa.A32, "vcvt.f32.s32 s0, s1", (1 << 24,)),
        (Isa.A64, "add x0, x0, #48", ()),
        (Isa.A64, "and x3, x2, #15", (16,)),
        (Isa.A64, "and x3, x2, #0xfffffffffffffff0", (16,)),
        (Isa.A64, "tst x2, #4", (4,)),
        (Isa.A64, "tbz x2, #3, k", (8,)),
        (Isa.A64, "lsr x3, x2, #5", (32,)),
        (Isa.A64, "ccmp x2, #20, #0, ne", (20,)),
        (Isa.A64, "mov x9, #1000", (1000,)),
        (Isa.A64, "ldr x9, [x0, #40]", ()),
        (Isa.A64, "movi v0.16b, #17", ()),
        (Isa.A32, "cmp r5, #60", (60,)),
        (Isa.A32, "subsne r2, r2, #12", (12,)),
        (Isa.A32, "bic r3, r2, #7", (8,)),
        (Isa.A32, "movw r3, #5000", (5000,)),
        (Isa.A32, "ubfx r3, r2, #2, #4", (4, 16)),
        (Isa.A32, "bfc r2, #24, #8", (1 << 8, 1 << 24)),
        (Isa.A64, "bfxil x3, x2, #0, #20", (1 << 20,)),
        (Isa.A64, "ror x3, x2, #24", (1 << 8, 1 << 24, 1 << 40)),
        (Isa.A32, "vmov.i32 q0, #3", ()),
        (Isa.A64, "mov w9, #7281\ndup v0.8h, w9", ()),
        (Isa.A64, "mov w9, #7281\ndup v0.8h, w9\nudiv x0, x0, x9", (7281,)),
        (Isa.A32, "movw r3, #7281\nmovt r3, #2\nvdup.32 q0, r3", ()),
        (Isa.A64, "movz x10, #0xde31\nmovk x10, #0xb, lsl #16\ncmp x3, x10", (0xDE31, 777_777)),
        (Isa.A64, "movz x10, #5\nmov x11, x10\nmovk x11, #1, lsl #16\ncmp x3, x11", (5,)),
        (Isa.A64, "movz x10, #1\nmovk x10, #0, lsl #16\nmovk x10, #2, lsl #32", ((2 << 32) + 1,)),
        (Isa.A32, "movw r3, #0xde31\nmovt r3, #0xb\ncmp r2, r3", (0xDE31, 777_777)),
        (Isa.A32, "movw r3, #7281\nvmov s0, r3\nmov r3, #40", (40,)),
    ],
)
def test_constants_are_those_of_comparisons_masks_and_shifts_of_general_registers(
    isa: Isa, text: str, found: tuple[int, ...]
) -> None:
    program = link(assemble_text(f".global k\nk:\n{text}\n", isa=isa))
    assert compared_constants(program.instructions) == found
