"""Slips of the pen that take particular sizes or data to show are noticed by the cases that a plain check tries."""

from __future__ import annotations

import pytest
from tests.sample import KERNELS

from neonlab.mutants import trial_of
from neonlab.verify.mutation import mutants_of


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
        # scaled sums far below what the rounding trick takes
        ("armv7/dwconv3x3_s8s8_hwc_3x8_fp32", "vmax.f32 q13, q13, q5", "nop"),
    ],
)
def test_a_slip_that_shows_in_few_cases_is_noticed_wherever_it_is_made(title: str, original: str, mutant: str) -> None:
    (kernel,) = (kernel for kernel in KERNELS if kernel.title == title)
    trial = trial_of(kernel)
    made = [one for one in mutants_of(trial.program) if (one.original, one.mutant) == (original, mutant)]
    assert made, "the kernel has no such instruction"
    judged = {one.title: trial.judge(one) for one in made}
    assert all(judgement.killed for judgement in judged.values()), judged
