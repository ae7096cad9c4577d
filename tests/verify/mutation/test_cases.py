"""Slips of the pen that take particular sizes or data to show are noticed by the cases that a plain check tries."""

from __future__ import annotations

import pytest
from tests.sample import KERNELS

from neonlab.lab.parallel.mutants import trial_of
from neonlab.verify.mutation.mutants import mutants_of


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("title", "original", "mutant"),
    [
        # a write of the platform register
        ("armv8/conv1x1_s8s8_hwc_4x4_inorder_ruy", "subs x19, x19, #0x20", "subs x18, x19, #0x20"),
        # a second strip of 128 pixels
        ("armv7/conv1x1_s8s32_hwc_4x4_ic32", "add r2, r2, r5, lsl #7", "nop"),
        ("armv7/conv1x1_s8s32_hwc_4x2_ic64", "add r2, r2, r5, lsl #7", "nop"),
        # sums next to ties, in every register
        ("armv8/conv1x1_s8s8_hwc_4x4_ruy", "sqdmulh v19.4s, v19.4s, v0.4s", "sqrdmulh v19.4s, v19.4s, v0.4s"),
        ("armv8/conv3x3_s8s8_hwc_4x4_ruy", "sqdmulh v17.4s, v17.4s, v0.4s", "sqrdmulh v17.4s, v17.4s, v0.4s"),
        # sums beyond 2^27, next to ties
        ("armv8/dwconv3x3_s8s8_hwc_3x16_gemmlowp", "ssra v28.4s, v7.4s, #0x1f", "ssra v28.4s, v7.4s, #0x1b"),
        # and beyond 2^30, which takes all the input channels that the contract allows
        ("armv8/conv1x1_s8s8_hwc_4x16_dotprod_gemmlowp", "ssra v28.4s, v10.4s, #0x1f", "ssra v28.4s, v10.4s, #0x1e"),
        # 3 output channels beyond tiles of 4, with a third block of 32 input channels
        ("armv8/conv1x1_s8s8_hwc_4x4_fp32", "smull v12.8h, v1.8b, v9.8b", "smull v12.8h, v1.8b, v10.8b"),
        # scaled sums far below what the rounding trick takes
        ("armv7/dwconv3x3_s8s8_hwc_3x8_fp32", "vmax.f32 q13, q13, q5", "nop"),
    ],
)
@pytest.mark.sweep(keep=3)
def test_a_slip_that_shows_in_few_cases_is_noticed_wherever_it_is_made(title: str, original: str, mutant: str) -> None:
    (kernel,) = (kernel for kernel in KERNELS if kernel.title == title)
    trial = trial_of(kernel)
    made = [one for one in mutants_of(trial.program) if (one.original, one.mutant) == (original, mutant)]
    assert made, "the kernel has no such instruction"
    judged = {one.title: trial.judge(one) for one in made}
    assert all(judgement.killed for judgement in judged.values()), judged
