"""Percentiles of the errors, against numpy, and what an 80 % band holds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from neonlab.measure.cores.errors import UNSEEN
from neonlab.measure.cores.spread import FEWEST, spread_of


@pytest.mark.parametrize("many", [1, 2, 8, 9, 10, 37, 200])
def test_median_percentiles_and_bias_are_those_of_numpy(many: int) -> None:
    ratios = np.random.default_rng(many).normal(0.9, 0.1, many)
    spread = spread_of(ratios.tolist())
    assert spread.figures == many
    assert spread.median == pytest.approx(np.median(abs(ratios - 1)))
    assert spread.bias == pytest.approx(np.median(ratios) - 1)
    assert spread.p90 == pytest.approx(np.percentile(abs(ratios - 1), 90))
    assert (spread.low is None) == (many < FEWEST)
    if spread.low is not None:
        wanted = np.percentile(ratios, [10, 90], method="weibull")
        assert (spread.low, spread.high) == pytest.approx(tuple(wanted))


def test_a_new_figure_lies_inside_the_band_four_times_of_five() -> None:
    draw = random.Random(1)
    inside = 0
    for _ in range(4000):
        *known, new = (draw.lognormvariate(-0.05, 0.1) for _ in range(13))
        spread = spread_of(known)
        assert spread.low is not None and spread.high is not None
        inside += spread.low <= new <= spread.high
    assert 0.78 < inside / 4000 < 0.82


def test_a_record_has_four_digits() -> None:
    error = spread_of([0.91234567] * 9).as_error(UNSEEN, "abc", "a board", within=3, families=2)
    assert (error.median, error.p90, error.bias, error.low, error.high) == (0.0877, 0.0877, -0.0877, 0.9123, 0.9123)
    assert (error.figures, error.within, error.families, error.tables, error.origin) == (9, 3, 2, "abc", "a board")
