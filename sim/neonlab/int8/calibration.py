"""Find the threshold that loses the least information when |activations| are clamped and quantized to 128 levels.

After Migacz, "8-bit inference with TensorRT" (GTC 2017): a histogram of 2048 bins.  For each number of bins kept, the
histogram with its outliers folded into the last bin is compared with its quantization to 128 levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neonlab.int8.arrays import Floats, Int64s, OperandError, finite, number

BINS, LEVELS = 2048, 128
_SMOOTHING = 1e-4


@dataclass(frozen=True, slots=True)
class Histogram:
    """The number of |values| in each of BINS bins of `width` reals, from 0 up; exact zeros are not counted."""

    counts: Int64s
    width: float


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold to saturate at: `value` in reals = (bins + 0.5) · width; `divergence` in nats at that many bins."""

    value: float
    bins: int
    divergence: float

    @property
    def scale(self) -> float:
        """Reals per step of symmetric int8."""
        return self.value / (LEVELS - 1)


def histogram_of(reals: object, largest: float | None = None, bins: int = BINS) -> Histogram:
    """Return the histogram of |reals| (any shape) up to `largest` (default: their maximum).

    Larger values are counted in the last bin.  For several batches, pass the largest of all and add the counts.  Raises
    OperandError when all are zero.
    """
    values = np.abs(finite(reals, "the reals")).ravel()
    top = float(values.max(initial=0.0)) if largest is None else number(largest, "the largest")
    if not top > 0:
        raise OperandError("a histogram needs a value other than zero")
    if bins < LEVELS:
        raise OperandError(f"{bins} bins are fewer than {LEVELS} levels")
    indices = np.minimum(values[values > 0] / top * bins, bins - 1).astype(np.int64)
    return Histogram(np.bincount(indices, minlength=bins), top / bins)


def kl_threshold(histogram: Histogram, levels: int = LEVELS) -> Threshold:
    """Return the threshold of least Kullback-Leibler divergence; of equals, the lowest.

    Kept numbers of bins run from `levels` to all of them.  Bins are merged into levels at floor(k · kept / levels), and
    a level's count is spread evenly over its bins that are not empty.  Both distributions are smoothed (`smoothed`)
    before they are compared.  Raises OperandError for an empty histogram or one with too few bins.
    """
    counts = histogram.counts.astype(np.float64)
    if counts.size < levels or not counts.sum() > 0:
        raise OperandError(f"the histogram is empty or has fewer than {levels} bins")
    divergences = [divergence_of(counts, kept, levels) for kept in range(levels, counts.size + 1)]
    best = int(np.argmin(divergences))
    kept = levels + best
    return Threshold((kept + 0.5) * histogram.width, kept, divergences[best])


def divergence_of(counts: Floats, kept: int, levels: int = LEVELS) -> float:
    """Return the KL divergence, in nats, of `counts` cut to `kept` bins (outliers folded) from its quantization."""
    inside = counts[:kept]
    reference = inside.copy()
    reference[-1] += counts[kept:].sum()
    starts = np.arange(levels) * kept // levels
    lengths = np.diff(np.append(starts, kept))
    totals = np.add.reduceat(inside, starts)
    # The reference decides which bins are empty: the last bin holds the outliers even when it is alone.
    filled = reference > 0
    shares = totals / np.maximum(np.add.reduceat(filled.astype(np.float64), starts), 1)
    quantized = np.where(filled, np.repeat(shares, lengths), 0.0)
    p, q = smoothed(reference), smoothed(quantized)
    if p is None or q is None:
        return float("inf")
    return float(np.sum(p * np.log(p / q)))


def smoothed(counts: Floats, amount: float = _SMOOTHING) -> Floats | None:
    """Return `counts` normalised to sum 1, with zeros raised to `amount` and the rest lowered to compensate.

    Otherwise a bin that only one side fills would make the divergence infinite.  None when there is nothing to take the
    amount from.
    """
    filled = counts > 0
    full, empty = int(filled.sum()), int(counts.size - filled.sum())
    if not full:
        return None
    share = counts / counts.sum()
    taken = amount * empty / full
    if taken >= 1:
        return None
    lowered = np.where(filled, np.maximum(share - taken, amount * share), amount)
    return np.asarray(lowered / lowered.sum())
