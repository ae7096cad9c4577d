"""A failure explained: the smallest case that fails alike, and the operand that is wrong among the lines shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check, explain
from neonlab.lab.run.plan import parse_shape
from neonlab.verify.verdict import WORST, Failure

SABOTEURS = Path(__file__).resolve().parents[2] / "saboteurs"


def first_failure(path: str) -> tuple[Failure, Failure]:
    """The failure as it was found, and explained."""
    kernel = open_kernel(SABOTEURS / path)
    failure = check(kernel).failures[0]
    return failure, explain(kernel, failure)


def test_a_mistyped_operand_stands_in_the_explanation() -> None:
    failure, explained = first_failure("armv8/conv1x1_s8s32_hwc_4x4_wrong_pixel.S")
    found = explained.explanation
    assert found is not None and explained.mismatch == failure.mismatch
    # Four pixels, one channel each way: pixel 1 is computed from pixel 0.
    assert found.shape == "1x4x1x1" and found.got == "0" and found.expected != "0"
    assert len(found.inputs) == 2 and found.inputs[0].startswith("input: [1] = ")
    assert any("smlal2 v13.8h,v0.16b" in line for line in found.text)
    assert found.slice is not None and found.slice["elements"] == {"input": [0], "weights": [0]}
    assert len(found.text) <= 24 and max(map(len, found.text)) <= 80


def test_a_lane_that_wraps_keeps_only_the_data_that_make_it_wrap() -> None:
    failure, explained = first_failure("armv8/lane_wrap_across.S")
    assert failure.identifier == "lane-wrap" and explained.explanation is not None
    (left,) = explained.explanation.inputs
    assert left.count("] = ") <= 3 and left.endswith("0 elsewhere")
    assert explained.explanation.slice is None


@pytest.mark.parametrize("path", ["armv8/oob_read_tail_loads_eight.S", "armv7/step_budget_wrong_condition.S"])
def test_a_fault_that_data_do_not_matter_to_is_left_as_it_is(path: str) -> None:
    failure, explained = first_failure(path)
    assert explained == failure


@pytest.mark.parametrize("folder", ["armv7", "armv8"])
def test_inputs_that_the_analysis_of_ranges_found_are_what_is_explained(folder: str) -> None:
    kernel = open_kernel(SABOTEURS / folder / "lane_wrap_only_the_worst_data.S")
    verdict = check(kernel, shapes=[parse_shape(kernel, "2304")])
    assert verdict.ranges is not None and verdict.ranges.status == "wraps"
    (failure,) = verdict.failures
    assert (failure.identifier, failure.pattern, verdict.failed) == ("lane-wrap", WORST, 1)
    found = explain(kernel, failure).explanation
    assert found is not None and found.shape == "2304"
    # Nothing cancels: every row of 8 that takes part pushes lane 0 the same way.
    values = [int(value) for value in re.findall(r"\] = (-?\d+)", found.inputs[0])]
    places = [int(place) for place in re.findall(r"\[(\d+)\]", found.inputs[0])]
    assert len(values) == 4 and all(
        (value > 0) == (place // 8 % 2 == 0) for place, value in zip(places, values, strict=True)
    )
