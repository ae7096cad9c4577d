"""Summarise ratios of modelled to measured figures: median, 90th percentile and bias of the error, and an 80 % band."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.measure.cores.errors import ModelError

#: Least number of figures for a band: of fewer, even lowest and highest leave out more than a fifth of new ones.
FEWEST = 9


@dataclass(frozen=True, slots=True)
class Spread:
    """The errors of some figures.

    `median` and `p90` are of the relative error's magnitude, `bias` is the median of the signed error.  `low` and
    `high` are the 10th and the 90th percentile of modelled / measured, None of fewer than FEWEST figures.
    """

    figures: int
    median: float
    p90: float
    bias: float
    low: float | None
    high: float | None

    def as_error(
        self, against: str, tables: str, origin: str, *, within: int | None = None, families: int | None = None
    ) -> ModelError:
        """Return these figures as a record, rounded to four digits."""
        return ModelError(
            against,
            self.figures,
            within,
            round(self.median, 4),
            bias=round(self.bias, 4),
            tables=tables,
            origin=origin,
            p90=round(self.p90, 4),
            low=None if self.low is None else round(self.low, 4),
            high=None if self.high is None else round(self.high, 4),
            families=families,
        )


def spread_of(ratios: Sequence[float]) -> Spread:
    """Return the spread of ratios of modelled to measured figures, of which there must be one or more.

    The ends of the band have the ranks 0.1 (n + 1) and 0.9 (n + 1) among n figures, between ranks by interpolation: if
    figures come in no order, a new one lies between them with a chance of 80 %.
    """
    errors = [abs(ratio - 1) for ratio in ratios]
    low, high = None, None
    if len(ratios) >= FEWEST:
        cuts = statistics.quantiles(ratios, n=10, method="exclusive")
        low, high = cuts[0], cuts[-1]
    p90 = statistics.quantiles(errors, n=10, method="inclusive")[-1] if len(errors) > 1 else errors[0]
    return Spread(len(ratios), statistics.median(errors), p90, statistics.median(ratios) - 1, low, high)
