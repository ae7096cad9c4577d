"""The words of verdicts."""

from __future__ import annotations

import pytest

from neonlab.measure.shape import Shape
from neonlab.report.verdict_words import word_of, word_so_far
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Failure, JudgedBy, fold

FAILURE = Failure(CaseName(Shape(("n",), (1,)), "random", 1))


@pytest.mark.parametrize(
    ("judged_by", "tried", "failing", "word"),
    [
        (JudgedBy.REFERENCE, 10, 0, "exact so far"),
        (JudgedBy.REFERENCE, 560, 0, "exact so far"),
        (JudgedBy.REFERENCE, 561, 0, "exact"),
        (JudgedBy.NOTHING, 10, 0, "unchecked so far"),
        (JudgedBy.REFERENCE, 10, 1, "WRONG"),
        (JudgedBy.REFERENCE, 561, 1, "WRONG"),
    ],
)
def test_a_word_is_whole_once_every_case_has_run_or_one_is_wrong(
    judged_by: JudgedBy, tried: int, failing: int, word: str
) -> None:
    outcomes = [FAILURE] * failing + [None] * (tried - failing)
    verdict = fold("armv8/x", "a64", "x.S", judged_by, outcomes, 1)
    assert word_so_far(verdict, 561) == word and word_of(verdict) == word.removesuffix(" so far")
