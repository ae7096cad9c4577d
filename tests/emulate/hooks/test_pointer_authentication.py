"""Pointer authentication, which the lab executes itself: of a CPU that signs pointers, and of one that does not."""

from __future__ import annotations

import pytest

from neonlab import Isa, Machine, Run, assemble_text, link, parse_prototype
from neonlab.emulate.guest.address_space import HOME, elsewhere
from neonlab.emulate.run import Fault

SIGNS = elsewhere(Isa.A64)
_POINTER, _MODIFIER = 0x1234_5678_9ABC, 0x7F00_0000


# .inst 0xd61f087f is braaz x3, 0xd73f0c61 blrab x3, x1, and 0xf8200440 ldraa x0, [x2].


def result(body: str, *, signs: bool, a: int = _POINTER, b: int = _MODIFIER) -> int | Fault:
    """Return what code makes of two numbers in x0 and x1."""
    program = link(assemble_text(f" .arch armv8.3-a\n .text\n .global f\nf:\n{body}\n", isa=Isa.A64, path="a.s"))
    with Machine(program, space=SIGNS if signs else HOME) as machine:
        run = machine.call("f", (a, b), parse_prototype("uint64_t f(uint64_t a, uint64_t b)", Isa.A64))
    return int(run.returned or 0) if isinstance(run, Run) else run


@pytest.mark.parametrize("key", ["ia", "ib", "da", "db"])
def test_what_was_signed_is_authenticated_with_the_same_modifier_alone(key: str) -> None:
    sign, check, strip = f"pac{key} x0, x1", f"aut{key} x0, x1", f"xpac{key[0]} x0"
    signed = result(f" {sign}\n ret", signs=True)
    assert isinstance(signed, int)
    assert signed != _POINTER
    assert signed & (1 << 48) - 1 == _POINTER
    assert result(f" {sign}\n ret", signs=False) == _POINTER
    assert result(f" {sign}\n {check}\n ret", signs=True) == _POINTER
    assert result(f" {sign}\n {strip}\n ret", signs=True) == _POINTER
    for other in (f" {sign}\n add x1, x1, #16\n {check}\n ret", f" {sign}\n {sign}\n {check}\n ret", f" {check}\n ret"):
        wrong = result(other, signs=True)
        assert isinstance(wrong, int)
        assert wrong >> 61 & 3 == (1 if key.endswith("a") else 2)
        assert result(other, signs=False) == _POINTER


def test_the_keys_differ() -> None:
    keys = {result(f" pac{key} x0, x1\n ret", signs=True) for key in ("ia", "ib", "da", "db")}
    assert len(keys) == 4
    codes = {result(" pacga x0, x0, x1\n ret", signs=signs) for signs in (False, True)}
    assert len(codes) == 2
    assert all(isinstance(code, int) and code & 0xFFFF_FFFF == 0 for code in codes)


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize(
    "body",
    [
        " paciasp\n mov x0, #5\n autiasp\n ret",
        " pacibsp\n mov x0, #5\n retab",
        " paciaz\n mov x0, #5\n autiaz\n ret",
        " mov x2, x30\n adr x3, 1f\n paciza x3\n mov x0, #5\n .inst 0xd61f087f\n udf #0\n1: mov x30, x2\n ret",
        " mov x2, x30\n adr x3, 1f\n pacib x3, x1\n .inst 0xd73f0c61\n mov x30, x2\n ret\n1: mov x0, #5\n ret",
        " mov x17, x30\n mov x16, sp\n pacia1716\n autia1716\n mov x30, x17\n mov x0, #5\n ret",
    ],
)
def test_right_code_does_the_same_on_both(body: str, signs: bool) -> None:
    assert result(body, signs=signs) == 5


@pytest.mark.parametrize(
    "body", [" paciasp\n ret", " paciasp\n autibsp\n ret", " pacibsp\n retaa", " pacia x30, x1\n ret"]
)
def test_an_address_that_was_not_authenticated_is_none(body: str) -> None:
    assert isinstance(result(body, signs=True), Fault)
    assert result(body, signs=False) == _POINTER


def test_a_signed_pointer_is_loaded_through() -> None:
    body = " str x1, [sp, #-16]!\n mov x2, sp\n pacdza x2\n .inst 0xf8200440\n add sp, sp, #16\n ret"
    for signs in (False, True):
        assert result(body, signs=signs) == _MODIFIER
