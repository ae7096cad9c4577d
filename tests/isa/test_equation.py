"""The line that says what an instruction does: evaluated, it gives what the lanes get."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.isa.decode import decode_word
from neonlab.isa.equation import equation
from neonlab.isa.lanes import execute, lane_operation, read_lanes, stored_lanes
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import Lanes, file_bytes

SEED = 20261125
LANES = [
    (Isa.A64, text)
    for text in (
        "add v0.8h, v1.8h, v2.8h", "sub v0.16b, v1.16b, v2.16b", "smull v0.8h, v1.8b, v2.8b",
        "smull2 v0.8h, v1.16b, v2.16b", "smlal v0.4s, v1.4h, v2.h[3]", "umlsl v0.4s, v1.4h, v2.4h",
        "mla v0.4s, v1.4s, v2.s[1]", "sshr v0.8h, v1.8h, #3", "srshr v0.4s, v1.4s, #7", "ssra v0.8h, v1.8h, #2",
        "shl v0.16b, v1.16b, #3", "sxtl v0.8h, v1.8b", "smax v0.16b, v1.16b, v2.16b", "umin v0.8h, v1.8h, v2.8h",
        "sqrdmulh v0.4s, v1.4s, v2.s[2]", "sqdmulh v0.8h, v1.8h, v2.8h", "sqxtn v0.8b, v1.8h",
        "sqrshrn v0.8b, v1.8h, #4", "sqadd v0.16b, v1.16b, v2.16b", "and v0.16b, v1.16b, v2.16b",
        "bic v0.16b, v1.16b, v2.16b", "orn v0.16b, v1.16b, v2.16b", "mvn v0.16b, v1.16b", "neg v0.8h, v1.8h",
        "dup v0.8h, v1.h[5]", "movi v0.16b, #77", "srhadd v0.16b, v1.16b, v2.16b", "uhadd v0.8h, v1.8h, v2.8h",
        "shsub v0.8h, v1.8h, v2.8h", "saddw v0.8h, v1.8h, v2.8b", "shrn v0.8b, v1.8h, #5", "ins v0.b[3], v1.b[9]",
        "sqdmull v0.4s, v1.4h, v2.4h",
    )
] + [
    (Isa.A32, text)
    for text in (
        "vmlal.s8 q0, d2, d4", "vmull.u8 q0, d2, d4", "vmlal.s16 q0, d2, d4[1]", "vqmovn.s32 d0, q1",
        "vqrdmulh.s32 q0, q1, q2", "vaddw.s8 q0, q1, d4", "vrshr.s16 d0, d1, #3", "vdup.8 q0, d2[5]",
        "vmovl.s8 q0, d2", "vmls.i16 q0, q1, q2", "vmin.u8 d0, d1, d2",
    )
]  # fmt: skip


def instruction(isa: Isa, text: str) -> Instruction:
    with Encoder(isa) as encoder:
        word = encoder.encode([EncoderStatement(text, 0)])[0]
    assert isinstance(word, int), text
    return decode_word(isa, word, 0)


@pytest.mark.parametrize(("isa", "text"), LANES, ids=[text for _, text in LANES])
def test_the_equation_gives_what_the_lanes_get(isa: Isa, text: str) -> None:
    known = instruction(isa, text)
    operation = lane_operation(known)
    assert operation is not None
    state = np.random.default_rng(SEED).integers(0, 256, (64, file_bytes(isa)), dtype=np.uint8)
    told = equation(known)
    target, sign, value = re.split(r" (\+?=) ", told.partition(";")[0].partition(", ")[0] or told, maxsplit=1)
    value = re.split(r", (?:signed|unsigned|clamped)", told.partition(";")[0].split(f"{sign} ", 1)[1])[0]
    registers: dict[int, tuple[Lanes, np.ndarray]] = {}
    for lanes in (*operation.sources, operation.destination):
        single = lanes.same or lanes.count == 1
        values = read_lanes(state, lanes).astype(object)
        registers[len(registers)] = (lanes, values[:, :1] if single else values)

    named: dict[str, Any] = {}

    def lane(found: re.Match[str]) -> str:
        name = f"x{len(named)}"
        _, values = next(
            one for one in registers.values() if f"{_spelled(isa, one[0])}" == found[0] and name not in named
        )
        named[name] = values
        return name

    expression = re.sub(r"[vqd]\d+\.[bhsdq]\d*\[[^\]]*\]", lane, value)
    expression = re.sub(r"\b(max|min)\(", r"np.\1imum(", expression)
    computed = eval(expression, {"np": np}, named)
    if sign == "+=":
        computed = computed + read_lanes(state, operation.destination).astype(object)
    count = operation.destination.count
    true = np.broadcast_to(np.asarray(computed, dtype=object), (64, count))
    after = read_lanes(execute(operation, state), operation.destination)
    assert (stored_lanes(operation, true).astype(object) == after.astype(object)).all(), (told, target)


def _spelled(isa: Isa, lanes: Any) -> str:
    from neonlab.isa.equation import _lane

    return _lane(isa, lanes)


@pytest.mark.parametrize(
    ("isa", "text", "told"),
    [
        (Isa.A64, "ld1 {v0.16b, v1.16b}, [x1], #32", "load 32 bytes from [x1] to v0, v1; then x1 += 32"),
        (Isa.A64, "stp q4, q5, [x0, #32]", "store 32 bytes of v4, v5 to [x0 + 32]"),
        (Isa.A64, "ldr x0, [x1, x2, lsl #3]", "load 8 bytes from [x1 + x2 << 3] to x0"),
        (Isa.A64, "prfm pldl1keep, [x1, #64]", "fetch the line of [x1 + 64] into the cache"),
        (Isa.A64, "ret", "return to the caller"),
        (Isa.A64, "b.ne #0x40", "branch to 0x40 if ne"),
        (Isa.A64, "cbz x3, #0x40", "branch to 0x40, by x3"),
        (Isa.A64, "sdot v0.4s, v1.16b, v2.4b[1]",
         "v0.s[i] += the four products of v1.b[4i..4i+3] and v2.b[4..7], signed; i below 4"),
        (Isa.A64, "tbl v0.16b, {v1.16b, v2.16b}, v3.16b",
         "v0.b[i] = the table at v3.b[i]; 0 beyond its end; i below 16"),
        (Isa.A64, "subs x3, x3, #1", "nzcv, x3 from x3, integer"),
        (Isa.A32, "vld1.8 {d0-d3}, [r1]!", "load 32 bytes from [r1] to d0-d3; then r1 += 32"),
        (Isa.A32, "ldmia r0!, {r4-r7}", "load 16 bytes from [r0] to r4-r7; then r0 += 16"),
        (Isa.A32, "vzip.8 q0, q1", "q0.b and q1.b = their lanes in turn"),
    ],
)  # fmt: skip
def test_accesses_branches_and_moves_are_told_in_words(isa: Isa, text: str, told: str) -> None:
    assert equation(instruction(isa, text)) == told
