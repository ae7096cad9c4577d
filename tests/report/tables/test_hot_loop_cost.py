"""What reports give as the cost of a hot loop is what the kernel's header counts, done in one loop or in two."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_library
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile
from neonlab.measure.profile import Profile
from neonlab.report.tables.hot_loop_cost import hot_loop_cost

ROOT = Path(__file__).resolve().parents[3]
COSTS = {
    "armv8/conv1x1_s8s32_hwc_4x4": ("1x16x128x16", 106, 512),
    # Fused, the second loop scales and does not multiply sums; in the first of two parts are 15 taps, in the other 10.
    "armv8/dwconv3x3_s8s8_hwc_3x16_ruy": ("2x60x16", 125, 432),
    "armv7/dwconv5x5_s8s32_hwc_5x8": ("2x60x8", 294, 1000),
    "armv7/dwconv5x5s2_s8s32_hwc_5x8": ("2x60x8", 324, 1000),
}


@pytest.mark.parametrize("title", COSTS)
def test_loops_that_do_the_work_in_parts_count_together(title: str) -> None:
    kernel = open_library(ROOT).find(title)[0]
    shape, instructions, macs = COSTS[title]
    found = profile(kernel, parse_shape(kernel, shape))
    assert isinstance(found, Profile)
    cost = hot_loop_cost(kernel_program(kernel), found.counts)
    assert cost is not None and (cost.instructions, cost.macs) == (instructions, macs)


def test_a_kernel_that_does_not_multiply_has_none() -> None:
    kernel = open_library(ROOT).find("armv8/relu_s8s8_flat_64")[0]
    found = profile(kernel, parse_shape(kernel, "6400"))
    assert isinstance(found, Profile) and hot_loop_cost(kernel_program(kernel), found.counts) is None
