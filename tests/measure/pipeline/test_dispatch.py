"""What leaves dispatch together: sets of ports with a limit, pairs done as one, registers that `ldm` lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.cost import loop_cycles


def cycles(core: str, lines: Sequence[str], isa: Isa = Isa.A64, **changes: object) -> float:
    with Encoder(isa) as encoder:
        words = encoder.encode([EncoderStatement(line, 4 * number) for number, line in enumerate(lines)])
    loop: list[Instruction] = []
    for number, word in enumerate(words):
        assert isinstance(word, int), lines[number]
        loop.append(decode_word(isa, word, 4 * number))
    return loop_cycles(loop, replace(load_pipeline(core), _found={}, **changes)).total  # type: ignore[arg-type]


#: The same twelve instructions, mixed and sorted: eight sums and four loads.
MIXED = [
    line
    for n in range(4)
    for line in (f"add x{2 * n}, x{2 * n}, x20", f"ldr x{8 + n}, [x21]", f"add x{2 * n + 1}, x{2 * n + 1}, x20")
]
SORTED = sorted(MIXED)


@pytest.mark.parametrize("core", ["cortex-a57", "cortex-a72"])
def test_two_sums_and_a_load_leave_together_but_no_three_sums(core: str) -> None:
    assert cycles(core, MIXED) == pytest.approx(4, abs=0.05)  # three at a time
    assert cycles(core, SORTED) > 4.9  # two at a time while there are sums, then two loads
    assert cycles(core, SORTED, dispatch=()) == pytest.approx(4, abs=0.05)


def test_a_core_without_such_limits_has_the_same_time_in_any_order() -> None:
    assert load_pipeline("neoverse-n1").dispatch == ()
    assert cycles("neoverse-n1", MIXED) == pytest.approx(cycles("neoverse-n1", SORTED), abs=0.05)


@pytest.mark.parametrize(
    ("core", "pair"),
    [("cortex-a53", 2), ("cortex-a57", 3), ("cortex-a72", 2), ("neoverse-n1", 2), ("cortex-x1", 2)],
)
@pytest.mark.parametrize(("first", "second"), [("aese", "aesmc"), ("aesd", "aesimc")])
def test_a_round_of_aes_takes_as_long_as_its_first_half_alone(core: str, pair: int, first: str, second: str) -> None:
    together = [f"{first} v0.16b, v1.16b", f"{second} v0.16b, v0.16b"]
    assert cycles(core, together) == pytest.approx(pair, abs=0.05)
    apart = [together[0], "add x0, x0, #1", together[1]]
    assert cycles(core, apart) >= 2 * pair - 0.05
    of_another = [f"{first} v0.16b, v1.16b", f"{second} v2.16b, v0.16b", "mov v0.16b, v2.16b"]
    assert cycles(core, of_another) >= 2 * pair


@pytest.mark.parametrize("core", ["cortex-a9", "cortex-a15"])
def test_a_load_of_many_registers_takes_places_for_each(core: str) -> None:
    two, six = "ldm r0, {r1, r2}", "ldm r0, {r1, r2, r3, r4, r5, r6}"
    assert cycles(core, [six], Isa.A32) >= 2.9 * cycles(core, [two], Isa.A32)
    assert cycles(core, [six, *["add r8, r9, r10"] * 4], Isa.A32) > cycles(
        core, [two, *["add r8, r9, r10"] * 4], Isa.A32
    )


def test_integers_pass_a_stalled_multiply_on_cortex_a9_but_vectors_keep_their_order() -> None:
    chain = ["mul r0, r0, r1", "mul r0, r0, r1"]
    sums = [f"add r{n}, r{n}, #1" for n in range(2, 8)]
    assert cycles("cortex-a9", [*chain, *sums], Isa.A32) == pytest.approx(8, abs=0.1)  # the chain alone
    vectors = [f"vmul.i16 {d}, {d}, d30" for d in ("d0", "d0", "d1", "d1")]  # two chains, one behind the other
    assert cycles("cortex-a9", vectors, Isa.A32, vectors_in_order=False) == pytest.approx(12, abs=0.1)
    assert cycles("cortex-a9", vectors, Isa.A32) == pytest.approx(14, abs=0.1)
    sums = [f"vadd.i32 d{n}, d{n}, d30" for n in range(2, 8)]
    assert cycles("cortex-a9", sums, Isa.A32) == pytest.approx(6, abs=0.1)  # one a cycle


@pytest.mark.parametrize(
    ("core", "latency"), [("cortex-a9", 5), ("cortex-a15", 4), ("cortex-a57", 4), ("cortex-a72", 4)]
)
def test_a_long_product_of_a32_takes_what_compilers_models_have(core: str, latency: int) -> None:
    assert cycles(core, ["umull r0, r2, r0, r3"], Isa.A32) == pytest.approx(latency, abs=0.05)


def test_an_operation_on_both_vector_pipes_leads_its_cycle_on_cortex_a55() -> None:
    """`Q-form` operations issue in the first of two slots alone, by Arm's guide and LLVM's `BeginGroup`."""
    lines = [
        line.format(2 * n, 2 * n + 1)
        for n in range(2)
        for line in ("add v{0}.16b, v20.16b, v21.16b", "add x{0}, x20, x21", "add x{1}, x20, x21")
    ]
    assert cycles("cortex-a55", lines) == pytest.approx(4, abs=0.05)  # a sum that is left over is alone
    assert cycles("cortex-a55", lines, wide_first=False) == pytest.approx(3, abs=0.05)
    assert cycles("cortex-a55", [line.replace("16b", "8b") for line in lines]) == pytest.approx(3, abs=0.05)
