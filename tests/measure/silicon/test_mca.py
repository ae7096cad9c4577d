"""Comparing with llvm-mca: the loops that it is given, what is read from its answer, and what is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tools import require

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.measure.silicon.mca import MODELS, cycles_of, difference, loops_of, loops_within
from neonlab.measure.silicon.measured_table import Measured
from neonlab.measure.silicon.timing_programs import assembled

ROWS = [Measured("add (reg)", 1.0, 2.0), Measured("mul.s (vec)", 4.0, 1.0), Measured("b (pc+4)", 1.0, 1.0)]


def loop(*lines: str) -> tuple[object, ...]:
    found = assembled(lines)
    assert found is not None
    return found


def test_a_row_gives_its_chain_and_its_stream_and_one_that_is_no_test_gives_none() -> None:
    assert [len(one) for one in loops_of(ROWS)] == [1, 25, 1, 25]


A64 = [core for core, isa in MODELS.items() if isa is Isa.A64]


@pytest.mark.parametrize("core", A64)
def test_what_llvm_mca_says_of_a_loop_is_read_by_the_iteration(core: str) -> None:
    chain, wide, unknown = (
        loop("add x0, x0, x1"),
        loop(*["fmul v0.4s, v0.4s, v1.4s"] * 3),
        loop("pmull v0.1q, v1.1d, v2.1d"),
    )
    latency = {"cortex-a55": 4, "cortex-a57": 5, "neoverse-n2": 3, "cortex-a510": 4}[core]
    found = cycles_of(require("llvm-mca-19"), core, [chain, unknown, wide])  # type: ignore[list-item]
    assert found[0] == 1 and found[2] == 3 * latency
    assert found[1] is None or found[1] > 0  # not all of these cores have the instruction


@pytest.mark.parametrize("core", A64)
def test_a_difference_counts_the_loops_that_both_know(core: str) -> None:
    error = difference(require("llvm-mca-19"), core, loops_of(ROWS))
    assert error.against == "llvm-mca" and error.figures == 4
    assert error.within is not None and 0 <= error.within <= 4 and 0 <= error.median < 1
    assert error.sentence().endswith("of 4 loops within 5 % of llvm-mca, another model")


def test_a_loop_of_a32_takes_what_llvm_mca_says_of_a9() -> None:
    source = """
        .syntax unified
    outer:
        mov     r2, #4
    inner:
        vmlal.s8 q8, d0, d1
        vmlal.s8 q8, d2, d3
        subs    r2, r2, #1
        bne     inner
        subs    r3, r3, #1
        bne     outer
    again:
        ldr     r0, [r0]
        subs    r2, r2, #1
        bne     again
        bx      lr
    """
    loops = loops_within([link(assemble_text(source, isa=Isa.A32))] * 2)
    assert [[one.mnemonic for one in loop] for loop in loops] == [["vmlal.s8", "vmlal.s8", "subs"], ["ldr", "subs"]]
    chain, load = cycles_of(require("llvm-mca-19"), "cortex-a9", loops)
    assert (chain, load) == (2 * 4, 3)  # sums go from one vmlal.s8 to the next in 4 cycles, a loaded address in 3
    error = difference(require("llvm-mca-19"), "cortex-a9", loops)
    assert error.against == "llvm-mca" and error.figures == 2


def test_a_program_that_is_not_there_or_is_another_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be run"):
        cycles_of(str(tmp_path / "nothing"), A64[0], loops_of(ROWS))
    with pytest.raises(InputError, match="does not report the cycles of loops"):
        cycles_of("true", A64[0], loops_of(ROWS))
