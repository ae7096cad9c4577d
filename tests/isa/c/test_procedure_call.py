"""Argument placement, by the examples of the standards; compiled callees check the same in tests/emulate."""

from __future__ import annotations

import pytest

from neonlab.isa.c.procedure_call import FloatAbi, place_arguments, place_result
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa


@pytest.mark.parametrize(
    ("isa", "abi", "prototype", "places"),
    [
        (Isa.A64, "hard", "void (int8_t a, float b, size_t c, double d)", "w0 s0 x1 d1"),
        (
            Isa.A64,
            "hard",
            f"void ({', '.join(f'int a{i}' for i in range(10))})",
            "w0 w1 w2 w3 w4 w5 w6 w7 stack+0 stack+8",
        ),
        (Isa.A32, "hard", "void (int a, int64_t b, int c)", "r0 r2:r3 stack+0"),
        (Isa.A32, "hard", "void (int a, int b, int c, int64_t d, int e)", "r0 r1 r2 stack+0 stack+8"),
        (Isa.A32, "hard", "void (float a, double b, float c)", "s0 d1 s1"),
        (Isa.A32, "soft", "void (float a, double b, float c)", "r0 r2:r3 stack+0"),
        (Isa.A32, "hard", "void (int a, int b, int c, int d, int e, int64_t f)", "r0 r1 r2 r3 stack+0 stack+8"),
    ],
)
def test_arguments_arrive_where_the_standard_says(isa: Isa, abi: str, prototype: str, places: str) -> None:
    found = place_arguments(isa, parse_prototype(prototype, isa), FloatAbi(abi))
    assert " ".join(map(str, found)) == places


@pytest.mark.parametrize(
    ("isa", "abi", "returns", "place"),
    [
        (Isa.A64, "hard", "int", "w0"),
        (Isa.A64, "hard", "double", "d0"),
        (Isa.A32, "hard", "uint64_t", "r0:r1"),
        (Isa.A32, "hard", "float", "s0"),
        (Isa.A32, "soft", "double", "r0:r1"),
        (Isa.A32, "hard", "void", "None"),
    ],
)
def test_results_come_back_where_the_standard_says(isa: Isa, abi: str, returns: str, place: str) -> None:
    assert str(place_result(isa, parse_prototype(f"{returns} (void)", isa), FloatAbi(abi))) == place


def test_doubles_fill_in_behind_singles_until_one_goes_to_the_stack() -> None:
    many = ", ".join(["float a0"] + [f"double d{i}" for i in range(8)] + ["float z"])
    found = place_arguments(Isa.A32, parse_prototype(f"void ({many})", Isa.A32))
    # s0, d1-d7, then the eighth double on the stack closes the registers: z may not fill s1 in any more.
    assert [str(place) for place in found][-2:] == ["stack+0", "stack+8"]
