"""The recorded errors of the models."""

from __future__ import annotations

import tomllib

import pytest

from neonlab.measure.core import core_names
from neonlab.measure.core_errors import PATH, SILICON, ModelError, error_sentence, errors_of, errors_text, recorded
from neonlab.measure.core_summary import summaries


def test_what_is_recorded_is_read_back_and_written_alike() -> None:
    assert errors_text(recorded()) == PATH.read_text(encoding="utf-8")
    assert set(recorded()) <= set(core_names())


def test_errors_survive_being_written() -> None:
    error = ModelError(SILICON, 200, 190, 0.0125, 150)
    assert tomllib.loads(errors_text({"x": {SILICON: error}})) == {
        "x": {SILICON: {"figures": 200, "within": 190, "median": 0.0125, "held_out": 150}}
    }
    assert error.sentence() == "95.0% of 200 latencies and rates measured on silicon within 5 %"


def test_one_core_by_two_names_has_the_same_errors() -> None:
    assert errors_of("cortex-a76") == errors_of("neoverse-n1") != ()


@pytest.mark.parametrize("name", core_names())
def test_every_core_says_how_good_its_model_is_or_that_nobody_knows(name: str) -> None:
    assert ("not compared" in error_sentence(name)) == (errors_of(name) == ())


def test_the_most_that_a_core_can_do_is_that_of_its_best_multiply() -> None:
    peaks = {summary.core.name: (summary.peak, summary.peak_instruction) for summary in summaries()}
    assert set(peaks) == set(core_names())
    assert peaks["cortex-a53"] == (8, "smlal")
    assert peaks["cortex-a7"] == (4, "smlal")  # half of it, for want of the second 64-bit pipe
    assert peaks["cortex-a55"] == (16, "sdot")
    assert peaks["cortex-a76"] == peaks["neoverse-n1"] == (32, "sdot")
    assert peaks["apple-m1"] == (64, "sdot")
    assert peaks["neoverse-n2"] == (64, "smmla")
