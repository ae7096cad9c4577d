"""A failure explained: the smallest case that fails alike, and the operand that is wrong among the lines shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.saboteurs import find_saboteur

from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check, explain
from neonlab.lab.run.plan import parse_shape
from neonlab.verify.verdict import WORST, Failure


def first_failure(title: str, folder: Path) -> tuple[Failure, Failure]:
    """The failure of a saboteur as it was found, and explained."""
    kernel = open_kernel(find_saboteur(title).write(folder))
    failure = check(kernel).failures[0]
    return failure, explain(kernel, failure)


def test_a_mistyped_operand_stands_in_the_explanation(tmp_path: Path) -> None:
    failure, explained = first_failure("armv8/mismatch_wrong_pixel", tmp_path)
    found = explained.explanation
    assert found is not None and explained.mismatch == failure.mismatch
    # Four pixels, one channel each way: pixel 1 is computed from pixel 0.
    assert str(found.shape) == "1x4x1x1" and found.got == "0" and found.expected != "0"
    assert len(found.inputs) == 2 and found.inputs[0].startswith("input: [1] = ")
    assert any("smlal2 v13.8h,v0.16b" in line for line in found.text)
    assert found.slice is not None and found.slice["elements"] == {"input": [0], "weights": [0]}
    assert len(found.text) <= 24 and max(map(len, found.text)) <= 80


def test_a_lane_that_wraps_keeps_only_the_data_that_make_it_wrap(tmp_path: Path) -> None:
    failure, explained = first_failure("armv8/lane_wrap_across", tmp_path)
    assert failure.identifier == "lane-wrap" and explained.explanation is not None
    (left,) = explained.explanation.inputs
    assert left.count("] = ") <= 3 and left.endswith("0 elsewhere")
    assert explained.explanation.slice is None


@pytest.mark.parametrize("title", ["armv8/oob_read_tail_loads_eight", "armv7/step_budget_wrong_condition"])
def test_a_fault_that_data_do_not_matter_to_is_left_as_it_is(title: str, tmp_path: Path) -> None:
    failure, explained = first_failure(title, tmp_path)
    assert explained == failure


@pytest.mark.parametrize("folder", ["armv7", "armv8"])
def test_inputs_that_the_analysis_of_ranges_found_are_what_is_explained(folder: str, tmp_path: Path) -> None:
    kernel = open_kernel(find_saboteur(f"{folder}/lane_wrap_only_the_worst_data").write(tmp_path))
    verdict = check(kernel, shapes=[parse_shape(kernel, "2304")])
    assert verdict.ranges is not None and verdict.ranges.status == "wraps"
    (failure,) = verdict.failures
    assert (failure.identifier, failure.pattern, verdict.failed) == ("lane-wrap", WORST, 1)
    found = explain(kernel, failure).explanation
    assert found is not None and str(found.shape) == "2304"
    # Nothing cancels: every row of 8 that takes part pushes lane 0 the same way.
    values = [int(value) for value in re.findall(r"\] = (-?\d+)", found.inputs[0])]
    places = [int(place) for place in re.findall(r"\[(\d+)\]", found.inputs[0])]
    assert len(values) == 4 and all(
        (value > 0) == (place // 8 % 2 == 0) for place, value in zip(places, values, strict=True)
    )
