"""The programs behind the rows of a table of measured timings."""

from __future__ import annotations

import pytest

from neonlab.measure.silicon.timing_programs import programs_of
from neonlab.measure.silicon.timing_recipes import recipe_of


@pytest.mark.parametrize(
    ("form", "stream", "link"),
    [
        ("ldr (imm; ofs = 16)", ["ldr x0, [x0, #0x10]"], ["ldr x0, [x0, #0x10]"]),
        ("ldrb (imm; ofs = 0)", ["ldrb w0, [x0]", "add x0, x0, x28"], ["ldrb w0, [x0]", "add x0, x0, x28"]),
        ("ldr (ptr fwd.; imm; post, ofs = 16)", [], ["ldr x28, [x0], #0x10", *["sub x0, x0, #2"] * 8]),
        ("ldr (imm; pre, ofs = 0)", ["ldr x1, [x0, #0]!"], ["ldr x1, [x0, #0]!", "ldr x0, [x1, #0]!"]),
        ("ldp (x; ofs = 0; 2nd elem)", ["ldp x1, x0, [x0]"], ["ldp x1, x0, [x0]"]),
        ("str.q (imm; post, ofs = 16)", ["str q0, [x0], #0x10", "sub x0, x0, #0x10"], None),
        (
            "ld2.b (multi)",
            ["ld2 {v0.16b, v1.16b}, [x0]"],
            ["ld2 {v0.16b, v1.16b}, [x0]", "add v1.2d, v1.2d, v28.2d", "mov x0, v1.d[0]", "add x0, x0, x28"],
        ),
        ("smlal2.h (elem; v.h[7])", ["smlal2 v0.4s, v0.8h, v0.h[7]"], ["smlal2 v0.4s, v0.8h, v0.h[7]"]),
        ("mla.h (vec; acc. fwd.)", ["mla v0.8h, v28.8h, v28.8h"], ["mla v0.8h, v28.8h, v28.8h"]),
        ("saddw.h", ["saddw v0.8h, v0.8h, v0.8b"], ["saddw v0.8h, v0.8h, v0.8b"]),
        ("shadd.b", ["shadd v0.16b, v0.16b, v0.16b"], ["shadd v0.16b, v0.16b, v0.16b"]),
        ("addv.b", ["addv b0, v0.16b"], ["addv b0, v0.16b"]),
        ("shrn2.h (>>2)", ["shrn2 v0.16b, v0.8h, #2"], ["shrn2 v0.16b, v0.8h, #2"]),
        ("fmadd.s (acc. fwd.)", ["fmadd s0, s28, s28, s0"], ["fmadd s0, s28, s28, s0"]),
        ("adds (reg)", ["adds x0, x0, x0"], ["adds x0, x0, x0", "adc x0, x0, x0"]),
        ("dup.h (elem)", ["dup v0.8h, w0"], ["dup v0.8h, w0", "mov w0, v0.s[0]"]),
        ("umov.b (v.b[0] <-> w)", [], ["mov v0.b[0], w0", "umov w0, v0.b[0]"]),
        ("lsl (reg) / lslv", ["lsl x0, x0, x0"], ["lsl x0, x0, x0"]),
        ("mov / movn (imm; 0x1ffc<<16)", ["mov x0, #-0x1ffc0001"], None),
    ],
)
def test_a_row_becomes_the_programs_that_it_was_measured_by(
    form: str, stream: list[str], link: list[str] | None
) -> None:
    programs = programs_of(recipe_of(form))
    assert programs is not None
    shown = [instruction.text for instruction in programs.streams[0][0]] if programs.streams else []
    assert shown[: len(stream)] == stream
    assert bool(shown) == bool(stream)
    assert (None if programs.chain is None else [instruction.text for instruction in programs.chain]) == link


def test_a_stream_goes_through_so_many_registers_that_its_chains_do_not_show() -> None:
    programs = programs_of(recipe_of("ld4.b (multi)"))
    assert programs is not None
    stream, counted = programs.streams[0]
    assert counted == len(stream) == 25
    assert len({instruction.operands for instruction in stream}) == 25


def test_the_rate_of_one_that_sets_flags_is_the_best_of_eight_streams() -> None:
    programs = programs_of(recipe_of("ccmp (reg; eq)"))
    assert programs is not None
    assert [counted // 25 for _, counted in programs.streams] == list(range(1, 9))
    assert [len(stream) // 25 for stream, _ in programs.streams] == list(range(2, 10))


@pytest.mark.parametrize(
    "form",
    [
        "b (pc+4)",
        "casal",
        "str -> ldr (ofs = 0 -> ofs = 0)",
        "ldr (reg; unaligned)",
        "aese",
        "sha1su1",
        "cbz (pc+4; taken)",
        "(",
    ],
)
def test_a_row_that_is_no_test_of_the_model_says_why(form: str) -> None:
    assert recipe_of(form).skip
