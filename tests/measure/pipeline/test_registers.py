"""Which halves of vector registers an instruction waits for, and what they are called."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.measure.pipeline.loops import code

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.measure.pipeline.registers import RegisterNumbers, register_names

V, UPPER = 32, 72  # v0, and the upper half of it


@pytest.mark.parametrize(
    ("line", "read", "written"),
    [
        ("ins v0.d[1], x3", [], [UPPER]),
        ("ins v0.d[1], v1.d[0]", [V + 1], [UPPER]),
        ("ins v0.s[1], w3", [V], [V]),  # the other lanes of its half are kept
        ("ld1 {v0.d}[1], [x1], #8", [], [UPPER]),
        ("ld1 {v0.b}[9], [x1]", [UPPER], [UPPER]),
        ("ldr d0, [x1]", [], [V, UPPER]),
        ("st1 {v0.d}[1], [x1]", [UPPER], []),
        ("smull v4.8h, v0.8b, v1.8b", [V, V + 1], [V + 4, UPPER + 4]),
        ("smull2 v4.8h, v0.16b, v1.16b", [UPPER, UPPER + 1], [V + 4, UPPER + 4]),
        ("fmla v4.4s, v1.4s, v0.s[3]", [UPPER, V + 1, UPPER + 1, V + 4, UPPER + 4], [V + 4, UPPER + 4]),
        ("sqdmull v4.4s, v1.4h, v0.h[2]", [V, V + 1], [V + 4, UPPER + 4]),
        ("sdot v4.4s, v1.16b, v0.4b[1]", [V, V + 1, UPPER + 1, V + 4, UPPER + 4], [V + 4, UPPER + 4]),
        ("xtn2 v0.8h, v1.4s", [V + 1, UPPER + 1], [UPPER]),
        ("zip1 v0.16b, v1.16b, v2.16b", [V + 1, V + 2], [V, UPPER]),
        ("eor v0.16b, v0.16b, v0.16b", [V, UPPER], [V, UPPER]),  # waits, though the result does not hang on it
        ("mul v0.8b, v0.8b, v0.8b", [V], [V, UPPER]),  # each byte hangs on itself alone, and is made anew
        ("orr v0.8h, #1", [V, UPPER], [V, UPPER]),
        ("trn2 v0.2d, v1.2d, v0.2d", [UPPER, UPPER + 1], [V, UPPER]),
    ],
)
def test_an_instruction_waits_for_the_halves_that_it_uses(line: str, read: list[int], written: list[int]) -> None:
    (instruction,) = code(line)
    numbers = RegisterNumbers(instruction, halves=True)
    vectors = [register for register in instruction.reads if register.file == "vector"]
    assert {number for register in vectors for number in numbers.read(register)} == set(read)
    vectors = [register for register in instruction.writes if register.file == "vector"]
    assert {number for register in vectors for number in numbers.written(register)} == set(written)


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
def test_a_half_that_was_set_holds_up_no_reader_of_the_other(core: str) -> None:
    pipeline = load_pipeline(core)

    def cycles(reader: str, *, halves: bool = True) -> float:
        return steady_cycles(code("ins v0.d[1], x3", reader, "umov w3, v8.b[0]"), replace(pipeline, halves=halves))

    lower, upper = "fmla v8.4s, v2.4s, v0.s[1]", "fmla v8.4s, v2.4s, v0.s[2]"
    assert cycles(lower) < cycles(upper)
    assert cycles(upper) == cycles(upper, halves=False) == cycles(lower, halves=False)


def test_a64_waits_as_a32_does_where_halves_have_names() -> None:
    pipeline = load_pipeline("cortex-a53")
    a32 = code("vmla.f32 q8, q9, d0[0]", "vmla.f32 q10, q9, d0[1]", "vldr d1, [r1]", isa=Isa.A32)
    a64 = code("fmla v16.4s, v18.4s, v0.s[0]", "fmla v20.4s, v18.4s, v0.s[1]", "ld1 {v0.d}[1], [x1]")
    assert steady_cycles(a32, pipeline) == steady_cycles(a64, pipeline)


@pytest.mark.parametrize(
    ("isa", "numbers", "names"),
    [
        (Isa.A64, [3, V + 3, 64], "x3, v3, nzcv"),
        (Isa.A64, [V + 5, UPPER + 5, UPPER + 6], "v5, v6.d[1]"),
        (Isa.A32, [3, 36, 37, 41], "r3, q2, d9"),
        (Isa.A32, [14, 64], "lr, apsr"),
    ],
)
def test_registers_are_named_as_they_are_written(isa: Isa, numbers: list[int], names: str) -> None:
    assert register_names(numbers, isa) == names
