"""Ranges of tensors, compared with numpy's own quantiles and with the definition."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.int8.calibration import histogram_of, kl_threshold
from neonlab.network.quantize.ranges import METHODS, Seen, observe

SAMPLES = [{"x": np.random.default_rng(seed).normal(0.5, 1 + seed / 10, (1, 8, 50, 20)).astype(np.float32)}
           for seed in range(8)]  # fmt: skip


def seen_of(samples: list[dict[str, np.ndarray]]) -> Seen:
    calls: list[int] = []
    found = observe(lambda _: {}, ["x"], samples, calls.append)["x"]
    assert calls == [1] * (2 * len(samples))
    return found


def test_the_least_and_the_greatest_value_are_the_ends() -> None:
    every = np.stack([one["x"] for one in SAMPLES])
    assert METHODS["min-max"](seen_of(SAMPLES)) == (every.min(), every.max())


def test_a_moving_average_gives_each_new_sample_a_hundredth() -> None:
    low, high = METHODS["ema"](seen_of(SAMPLES))
    wanted = np.array([SAMPLES[0]["x"].min(), SAMPLES[0]["x"].max()], np.float64)
    for one in SAMPLES[1:]:
        wanted = 0.99 * wanted + 0.01 * np.array([one["x"].min(), one["x"].max()], np.float64)
    assert np.allclose((low, high), wanted, rtol=1e-12)


def test_a_percentile_leaves_out_as_many_at_either_end() -> None:
    every = np.stack([one["x"] for one in SAMPLES]).ravel()
    low, high = METHODS["percentile"](seen_of(SAMPLES))
    # Of 64,000 values a ten-thousandth is 6.4, so three are left out at either end.
    held, width = np.sort(every), (every.max() - every.min()) / (1 << 14)
    assert held[3] - width <= low <= held[3] and held[-4] <= high <= held[-4] + width


def test_the_threshold_of_least_divergence_is_that_of_all_values_at_once() -> None:
    every = np.stack([one["x"] for one in SAMPLES])
    low, high = METHODS["kl"](seen_of(SAMPLES))
    assert -low == high == kl_threshold(histogram_of(every)).value < np.abs(every).max()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("values", "inside"),
    [(np.zeros(5), (0, 0)), (np.array([3.0, 4.0]), (0, 4)), (np.array([-4.0, -3.0]), (-4, 0)), (np.ones(0), (0, 0))],
    ids=["zeros", "positive", "negative", "none"],
)
def test_every_range_holds_zero_and_few_values_are_never_cut_off(
    method: str, values: np.ndarray, inside: tuple[float, float]
) -> None:
    low, high = METHODS[method](seen_of([{"x": values.astype(np.float32)}]))
    assert low <= inside[0] <= 0 <= inside[1] <= high
    assert max(-low, high) == max(-inside[0], inside[1])


def test_a_tensor_that_is_not_finite_is_named_with_its_sample() -> None:
    samples = [{"x": np.ones(3, np.float32)}, {"x": np.array([1, np.nan, 2], np.float32)}]
    with pytest.raises(InputError, match="tensor `x` of the float model holds infinity or NaN for sample 1"):
        seen_of(samples)
