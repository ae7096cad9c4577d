"""Cases that Hypothesis chooses: none fails on a right kernel, and a wrong one is brought to its simplest case."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.sample import ONE_OF_EACH

from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.search import search

ROOT = Path(__file__).resolve().parents[3]
WRONG = ROOT / "tests" / "saboteurs" / "armv8" / "conv1x1_s8s32_hwc_4x4_wrong_pixel.S"


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
@pytest.mark.sweep(parts=2)
def test_no_case_is_found_against_a_right_kernel(kernel: Kernel) -> None:
    found = search(kernel, 60, seed=1)
    assert found.failure is None and found.cases >= 60


def test_a_wrong_kernel_is_found_and_its_case_made_simple() -> None:
    found = search(open_kernel(WRONG), 200, seed=1)
    assert found.failure is not None and found.failure.identifier == "mismatch"
    # The bug needs four pixels and one channel in the upper half of a step: no smaller case shows it.
    assert found.failure.shape is not None
    height, width, ins, outs = found.failure.shape.sizes
    assert height * width == 4 and outs == 1 and ins <= 16
    assert search(open_kernel(WRONG), 200, seed=1) == found


def test_a_kernel_without_operator_is_searched_over_its_own_arguments() -> None:
    kernel = open_kernel(ROOT / "tests" / "saboteurs" / "armv8" / "saturating_add_s8.S")
    assert kernel.operator is None
    found = search(kernel, 40, seed=2)
    assert found.failure is None and found.cases >= 10
