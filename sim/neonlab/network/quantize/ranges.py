"""Choose the range of each tensor that 8 bits are to cover, from what the float model computed for some samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.errors import InputError
from neonlab.int8.arrays import Int64s
from neonlab.int8.calibration import Histogram, histogram_of, kl_threshold
from neonlab.network.graph import Array

Range = tuple[float, float]
Run = Callable[[Mapping[str, Array]], Mapping[str, Array]]
#: Bins between the least and the greatest value; a ten-thousandth of the values is to be told apart.
_BINS = 1 << 14
#: The share of the values that the range of `percentile` holds, as in NVIDIA's pytorch-quantization.
_SHARE = 0.9999
#: The weight of a new sample in the moving average, as in PyTorch's MovingAverageMinMaxObserver.
_NEW = 0.01
#: Values for each bin of a histogram, on average, from which on its shape says something.  The gates of a MobileNet v3
#: have some hundred values in 100 samples: their thresholds came out at a third of what the network needs.
_VALUES_PER_BIN = 16


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Hold what was seen of a tensor: least and greatest value of each sample, and how often values occurred.

    `counts` has bins of equal width between the least and the greatest of all values, `magnitudes` those of |values|;
    it is None where all are zero.
    """

    lows: Array
    highs: Array
    counts: Int64s
    magnitudes: Histogram | None


def observe(
    run: Run, names: Sequence[str], samples: Sequence[Mapping[str, Array]], done: Callable[[int], object]
) -> dict[str, Seen]:
    """Return what the tensors `names` hold for the samples.  `done` is called with 1 twice for each sample.

    Raises InputError for a tensor that holds infinity or NaN.
    """
    ends: dict[str, list[Range]] = {name: [] for name in names}
    for number, sample in enumerate(samples):
        for name, values in {**sample, **run(sample)}.items():
            if name not in ends:
                continue
            low, high = float(values.min(initial=0)), float(values.max(initial=0))
            if not math.isfinite(low) or not math.isfinite(high):
                raise InputError(f"tensor `{name}` of the float model holds infinity or NaN for sample {number}")
            ends[name].append((low, high))
        done(1)
    lows, highs = ({name: np.array(held)[:, side] for name, held in ends.items()} for side in (0, 1))
    counts = {name: np.zeros(_BINS, np.int64) for name in names}
    magnitudes: dict[str, Histogram] = {}
    for sample in samples:
        for name, values in {**sample, **run(sample)}.items():
            if name not in ends:
                continue
            low, high = lows[name].min(), highs[name].max()
            if low == high:
                continue
            counts[name] += np.histogram(values, _BINS, (low, high))[0]
            one = histogram_of(values, max(-low, high))
            before = magnitudes.get(name)
            magnitudes[name] = one if before is None else Histogram(before.counts + one.counts, one.width)
        done(1)
    return {name: Seen(lows[name], highs[name], counts[name], magnitudes.get(name)) for name in names}


def min_max(seen: Seen) -> Range:
    """Return the range of all values that were seen."""
    return float(seen.lows.min()), float(seen.highs.max())


def moving_average(seen: Seen) -> Range:
    """Return the moving averages of the ends of each sample's values."""
    low, high = seen.lows[0], seen.highs[0]
    for one, other in zip(seen.lows[1:], seen.highs[1:], strict=True):
        low, high = low + _NEW * (one - low), high + _NEW * (other - high)
    return float(low), float(high)


def percentile(seen: Seen) -> Range:
    """Return the range without the least and the greatest values, as many at either end, that holds `_SHARE` of all."""
    low, high = min_max(seen)
    below = np.cumsum(seen.counts)
    if not below[-1]:
        return low, high
    out = (1 - _SHARE) / 2 * below[-1]
    width = (high - low) / _BINS
    first = int(np.searchsorted(below, out, side="right"))
    last = int(np.searchsorted(below, below[-1] - out))
    return min(low + first * width, 0.0), max(low + (last + 1) * width, 0.0)


def least_divergence(seen: Seen) -> Range:
    """Return ±the threshold of the least Kullback-Leibler divergence, as TensorRT and ncnn have it: zero point 0.

    Where too few values were seen for a histogram, nothing is cut off.
    """
    if seen.magnitudes is None:
        return 0.0, 0.0
    threshold = float(max(-seen.lows.min(), seen.highs.max()))
    if seen.magnitudes.counts.sum() >= _VALUES_PER_BIN * seen.magnitudes.counts.size:
        threshold = min(kl_threshold(seen.magnitudes).value, threshold)
    return -threshold, threshold


#: How a range is chosen, by the name that the command has for it.  All ranges hold 0, which padding needs.
METHODS: Mapping[str, Callable[[Seen], Range]] = {
    "min-max": min_max,
    "ema": moving_average,
    "percentile": percentile,
    "kl": least_divergence,
}
#: Methods whose ranges are symmetric, so that zero points are 0.
SYMMETRIC = frozenset({"kl"})
