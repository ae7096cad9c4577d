"""What the rules prove of mutants, and that they excuse no neighbour that does harm."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.sample import KERNELS, ONE_OF_EACH

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.verify.mutation.equivalence import (
    NEVER_MATTERS,
    READS_MORE,
    SAME_CLAMP,
    SAME_EFFECT,
    SAME_ON_THE_WAY,
    Equivalence,
)
from neonlab.verify.mutation.mutants import Mutant, mutants_of, sample
from neonlab.verify.mutation.trial import Trial

BY_TITLE = {kernel.title: kernel for kernel in KERNELS}
#: Mutants of each kernel that are tried, on so few cases that most of the time goes into the rules.
SAMPLE, CASES = 40, 8


@contextmanager
def rules_for(kernel: Kernel) -> Iterator[Equivalence]:
    rules = Equivalence(kernel_program(kernel), kernel.contract)
    try:
        yield rules
    finally:
        rules.close()


def mutants_named(kernel: Kernel, original: str, mutant: str) -> list[Mutant]:
    found = [m for m in mutants_of(kernel_program(kernel)) if (m.original, m.mutant) == (original, mutant)]
    assert found, f"{kernel.title} has no such mutant"
    return found


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("title", "original", "harmless", "harmful", "reason"),
    [
        # A counter that is never negative counts down alike in 32 bits.
        (
            "armv8/requantize_s32s8_rows_1x16_precise",
            "subs x12, x12, #1",
            "subs w12, w12, #1",
            "subs x12, x12, #2",
            SAME_EFFECT,
        ),
        # This one gets negative, but then only its last four bits count.
        ("armv8/relu_s8s8_flat_64", "subs x2, x2, #0x10", "subs w2, w2, #0x10", "sub x2, x2, #0x10", SAME_ON_THE_WAY),
        # The smaller of two is the same whichever is taken of equal ones.
        (
            "armv8/pack_s8s8_rows_8x8",
            "csel x8, x8, x6, lo",
            "csel x8, x8, x6, ls",
            "csel x8, x8, x6, hs",
            SAME_ON_THE_WAY,
        ),
        # The comparison before left no carry on either way.
        ("armv7/add_u8s32_flat_8", "add ip, ip, r0", "adc ip, ip, r0", "sub ip, ip, r0", SAME_EFFECT),
        # One instruction early is a branch that is not taken then.
        ("armv8/dequantize_s32f32_chw_16", "b.mi #0x1007c", "b.mi #0x10078", "b.mi #0x10080", NEVER_MATTERS),
        # Nobody needs the return address after the return.
        ("armv7/range_f32f32_flat_16", "bx lr", "blx lr", "nop", NEVER_MATTERS),
    ],
)
def test_a_rule_excuses_a_mutant_and_not_its_neighbour(
    title: str, original: str, harmless: str, harmful: str, reason: str
) -> None:
    with rules_for(BY_TITLE[title]) as rules:
        assert {rules.reason(mutant) for mutant in mutants_named(BY_TITLE[title], original, harmless)} == {reason}
        assert {rules.reason(mutant) for mutant in mutants_named(BY_TITLE[title], original, harmful)} == {None}


@pytest.mark.parametrize(
    ("title", "first", "second"),
    [
        ("armv8/quantize_f32s8_flat_16_fp32", "smax v0.8b, v0.8b, v6.8b", "smin v0.8b, v0.8b, v7.8b"),
        ("armv8/clip_s8s8_flat_64", "smax v1.16b, v1.16b, v16.16b", "smin v1.16b, v1.16b, v17.16b"),
        ("armv7/add_s8s8_flat_8_gemmlowp", "vmax.s8 d0, d0, d10", "vmin.s8 d0, d0, d11"),
    ],
)
def test_the_ends_of_a_range_come_in_any_order_where_the_contract_says_which_is_the_lower(
    title: str, first: str, second: str
) -> None:
    kernel = BY_TITLE[title]
    program, contract = kernel_program(kernel), kernel.contract
    (mutant, *_) = mutants_named(kernel, f"{first}; {second}", f"{second}; {first}")
    unnamed = tuple(
        dataclasses.replace(argument, layout="zero_one_other")
        if argument.layout.endswith("lowest_highest")
        else argument
        for argument in contract.arguments
    )
    for stated, reason in ((contract, SAME_CLAMP), (dataclasses.replace(contract, arguments=unnamed), None)):
        rules = Equivalence(program, stated)
        assert rules.reason(mutant) == reason
        rules.close()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kernel", ONE_OF_EACH[::5], ids=lambda kernel: kernel.title)
@pytest.mark.sweep
def test_no_rule_excuses_a_mutant_that_a_case_tells_from_the_kernel(kernel: Kernel) -> None:
    cases = [(draw_case(kernel, name), name.depth) for name in plan_cases(kernel)]
    trial = Trial(kernel_program(kernel), kernel.contract, cases[:: max(len(cases) // CASES, 1)])
    killed = 0
    for mutant in sample(mutants_of(kernel_program(kernel)), SAMPLE, 3):
        if trial.plainly_killed(mutant) is not None:
            killed += 1
            assert trial.excuse(mutant) in (None, READS_MORE), mutant.title
    trial.close()
    assert killed >= SAMPLE // 3
