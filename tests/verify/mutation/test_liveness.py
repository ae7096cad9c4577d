"""Bytes of registers that nothing needs any more are not live, whatever else happens to the status register."""

from __future__ import annotations

import pytest
from tests.sample import KERNELS

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.contract.header import parse_contract
from neonlab.isa.model.dependence import places_of
from neonlab.isa.model.isa import Isa, vector
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.verify.mutation.liveness import bits, live_bytes


@pytest.mark.parametrize(
    ("title", "text", "register"),
    [
        ("armv7/conv1x1_s8s8_hwc_2x4_ruy", "vpadal.s16 q14, q6", 28),
        ("armv7/conv1x1_s8s8_hwc_2x4_fp32", "vpadal.s16 q14, q6", 28),
        ("armv8/conv1x1_s8s8_hwc_4x4_fp32", "sadalp v28.4s, v12.8h", 28),
        ("armv8/conv1x1_s8s8_hwc_4x4_gemmlowp", "sadalp v28.4s, v12.8h", 28),
    ],
)
def test_sums_of_a_fourth_channel_matter_where_four_are_stored_and_nowhere_else(
    title: str, text: str, register: int
) -> None:
    (kernel,) = (kernel for kernel in KERNELS if kernel.title == title)
    program = kernel_program(kernel)
    live = live_bytes(program, kernel.contract)
    sum_of_the_fourth = bits(places_of(vector(register), program.isa))
    needed = [
        bool(live.live_out[instruction.address] & sum_of_the_fourth)
        for instruction in program.instructions
        if instruction.text == text
    ]
    # For several pixels and for one: the tiles of four channels, then those of the last one to three.
    half = len(needed) // 2
    assert needed == [True] * (half // 2) + [False] * (half // 2) + [True] * (half // 2) + [False] * (half // 2)
    assert half


def _live(body: str, *, before: str) -> int:
    """What is live in v1 before the first instruction that starts with `before`."""
    head = 'summary = "narrows"\nprototype = "void (size_t n)"\nisa = ["armv8.0-a", "neon"]'
    contract = parse_contract(f'/*toml\n{head}\n[args]\nn = {{ reg = "x0", range = [1, 9] }}\n*/\n', "armv8/narrow.S")
    program = link(assemble_text(f".text\n.global narrow\nnarrow:\n{body}ret\n", isa=Isa.A64, path="narrow.S"))
    assert contract is not None
    live = live_bytes(program, contract)
    return next(live.live_in[i.address] for i in program.instructions if i.text.startswith(before)) & bits(
        places_of(vector(1), Isa.A64)
    )


def test_cumulative_bits_matter_to_a_program_that_moves_the_status_register_and_to_no_other() -> None:
    loop = "1:\nfcvtns v2.4s, v2.4s\nsqxtn v0.4h, v1.4s\nsubs x0, x0, #1\nb.ne 1b\n"
    assert _live(loop, before="sqxtn") == 0
    assert _live(f"{loop}mrs x0, fpsr\nstr x0, [sp]\n", before="sqxtn") == bits(places_of(vector(1), Isa.A64))
