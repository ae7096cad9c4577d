"""The calibration against its published steps, worded with loops over bins, and against what it is for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neonlab.int8.arrays import OperandError
from neonlab.int8.calibration import Histogram, divergence_of, histogram_of, kl_threshold, smoothed


def by_hand(counts: list[int], kept: int, levels: int) -> float:
    """The published pseudocode: cut, fold, quantize, expand, smooth, compare."""
    inside, outliers = counts[:kept], sum(counts[kept:])
    reference = [*inside[:-1], inside[-1] + outliers]
    expanded = [0.0] * kept
    for level in range(levels):
        bins = range(level * kept // levels, (level + 1) * kept // levels)
        total = sum(inside[b] for b in bins)
        filled = [b for b in bins if reference[b] > 0]
        for b in filled:
            expanded[b] = total / len(filled)

    def smooth(numbers: list[float]) -> list[float]:
        whole = sum(numbers)
        zeros = sum(n == 0 for n in numbers)
        taken = 1e-4 * zeros / (kept - zeros)
        raised = [1e-4 if n == 0 else max(n / whole - taken, 1e-4 * n / whole) for n in numbers]
        return [n / sum(raised) for n in raised]

    p, q = smooth([float(n) for n in reference]), smooth(expanded)
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_threshold_is_the_one_the_published_steps_choose(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = np.concatenate([random.normal(0, 1, 900), random.normal(0, 1, 3) * 9])
    histogram = histogram_of(values, bins=200)
    divergences = [by_hand(histogram.counts.tolist(), kept, 128) for kept in range(128, 201)]
    found = kl_threshold(histogram)
    assert found.bins == 128 + int(np.argmin(divergences))
    assert found.divergence == pytest.approx(min(divergences), rel=1e-9)
    assert found.value == (found.bins + 0.5) * histogram.width
    assert found.scale == found.value / 127


def test_a_few_outliers_are_cut_off_and_a_uniform_tensor_is_not() -> None:
    random = np.random.default_rng(6)
    tail = np.concatenate([random.normal(0, 1, 200_000), [60.0]])
    assert kl_threshold(histogram_of(tail)).value < 15
    flat = random.uniform(-1, 1, 200_000)
    assert kl_threshold(histogram_of(flat)).value > 0.95


def test_cutting_loses_less_than_keeping_everything() -> None:
    values = np.concatenate([np.random.default_rng(8).laplace(0, 1, 100_000), [90.0, -80.0]])
    histogram = histogram_of(values)
    found = kl_threshold(histogram)
    everything = divergence_of(histogram.counts.astype(float), histogram.counts.size)
    assert found.divergence < everything
    assert histogram.counts.sum() == values.size and histogram.counts.size == 2048


def test_bins_count_magnitudes_and_leave_exact_zeros_out() -> None:
    histogram = histogram_of([0.0, 0.0, -1.0, 0.49, 2.0, 5.0], largest=4.0, bins=128)
    assert histogram.width == 4 / 128
    counts = histogram.counts
    assert counts[32] == 1 and counts[int(0.49 * 32)] == 1 and counts[64] == 1 and counts[127] == 1
    assert counts.sum() == 4


def test_smoothing_moves_a_little_of_every_count_to_the_empty_bins() -> None:
    got = smoothed(np.array([3.0, 0.0, 1.0]))
    assert got is not None and got.tolist() == pytest.approx([0.75 - 5e-5, 1e-4, 0.25 - 5e-5])
    assert smoothed(np.zeros(4)) is None


def test_what_cannot_be_calibrated_is_refused() -> None:
    with pytest.raises(OperandError, match="other than zero"):
        histogram_of(np.zeros(9))
    with pytest.raises(OperandError, match="fewer than 128 levels"):
        histogram_of([1.0], bins=100)
    with pytest.raises(OperandError, match="fewer than 128 bins"):
        kl_threshold(Histogram(np.ones(100, np.int64), 1.0))
