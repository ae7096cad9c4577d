"""The arrangements of the guest's address space: which bits of addresses differ, and what lies at boundaries."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab import Buffer, Isa, Machine, Run, assemble_text, link, parse_prototype
from neonlab.emulate.guest.address_space import BUFFERS, ELSEWHERES, HOME, elsewhere
from neonlab.verify.memory.shadow import Shadow

BOTH = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
_SP_BITS = {Isa.A64: range(4, 21), Isa.A32: range(3, 21)}


@BOTH
def test_each_bit_of_sp_differs_in_one_of_them_whatever_the_frame(isa: Isa) -> None:
    unit = 1 << _SP_BITS[isa][0]
    others = [elsewhere(isa, turn).stack_top for turn in range(ELSEWHERES)]
    for frame in (*range(0, 4097, unit), *(1 << bits for bits in range(12, 17))):
        differing = 0
        for other in others:
            assert other % unit == 0
            differing |= (HOME.stack_top - frame) ^ (other - frame)
        assert all(differing >> bit & 1 for bit in _SP_BITS[isa]), frame


def copy(isa: Isa, sizes: tuple[int, int], turn: int) -> Run:
    """Copy the first byte of one buffer to another, in an arrangement that is not the usual one."""
    body = "ldrb w2, [x0]\n strb w2, [x1]\n ret" if isa is Isa.A64 else "ldrb r2, [r0]\n strb r2, [r1]\n bx lr"
    head = ".syntax unified\n .arm\n" if isa is Isa.A32 else ""
    program = link(assemble_text(f"{head} .text\n .global f\nf:\n {body}\n", isa=isa, path="a.s"))
    a = Buffer("a", np.full(sizes[0], 7, np.uint8), alignment=1)
    b = Buffer("b", np.zeros(sizes[1], np.uint8), writable=True, alignment=1)
    with Machine(program, space=elsewhere(isa, turn)) as machine:
        run = machine.call("f", (a, b), parse_prototype("void f(const uint8_t *a, uint8_t *b)", isa))
    assert isinstance(run, Run)
    assert run.outputs["b"][0] == 7
    return run


@BOTH
def test_buffers_end_at_a_boundary_and_lie_across_it(isa: Isa) -> None:
    unit = 1 << 32 if isa is Isa.A64 else 1 << 31
    ending, crossing = set(), set()
    for size in range(2, 80):
        sizes = {"a": size, "b": 64}
        run = copy(isa, (size, 64), size)
        for name, address in run.addresses.items():
            end = address + sizes[name]
            ending |= {name} if end % unit == 0 else set()
            crossing |= {name} if address // (unit // 2) < (end - 1) // (unit // 2) else set()
    # Either is at a boundary in some call: across it, or up to it.
    assert crossing == {"a", "b"}
    assert ending == {"a", "b"}


def test_the_upper_half_of_a_pointer_differs_in_each_bit() -> None:
    away = copy(Isa.A64, (3, 5), 0).addresses
    assert all((address ^ BUFFERS[Isa.A64]) >> 34 == (1 << 14) - 1 for address in away.values())


@pytest.mark.parametrize("start", [0x1_2000_0FF0, 0xFFFE_FFFF_FFF0])
def test_permissions_are_kept_for_low_and_for_high_addresses(start: int) -> None:
    shadow = Shadow()
    shadow.allow(start, start + 32, 3)
    assert [shadow.permissions(start + at) for at in (-1, 0, 31, 32)] == [0, 3, 3, 0]
    for strange in (-1, 1 << 34, 0xFFFC_0000_0000 - 1, 1 << 48, 1 << 63):
        assert shadow.permissions(strange) == 0
    shadow.clear()
    assert shadow.permissions(start) == 0
