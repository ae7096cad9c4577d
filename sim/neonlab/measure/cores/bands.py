"""Compute the range of an estimate of cycles from the recorded errors of the core's model.

The ends of a band are percentiles of modelled / measured on functions that were not used for fitting.  One that is
pooled over cores also reaches as far as that of the core's own functions, which were used.  An estimate is divided by
the ends: where the model is usually too fast, the whole range lies above the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from neonlab.measure.cores.errors import (
    CALIBRATION,
    IN_ORDER,
    LEFT_OUT,
    OUT_OF_ORDER,
    UNSEEN,
    ModelError,
    errors_of,
    is_stale,
    ratio_error,
)
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names

SHARE = 0.8
#: Least number of families left out for a core's own band: functions of one family err alike.
FEWEST_FAMILIES = 2
NO_DIFFERENCE = "no difference that this model can tell"


@dataclass(frozen=True, slots=True)
class Band:
    """The 10th and 90th percentile, `low` and `high`, of modelled / measured on `figures` functions.

    `of` is the core that they were measured on, or IN_ORDER or OUT_OF_ORDER where they are pooled over all such cores.
    `stale` tells whether the tables have changed since.
    """

    low: float
    high: float
    figures: int
    of: str
    stale: bool = False

    @property
    def pooled(self) -> bool:
        """Tell whether the functions were measured on other cores."""
        return self.of in (IN_ORDER, OUT_OF_ORDER)

    def around(self, cycles: float) -> tuple[float, float]:
        """Return lowest and highest cycles on silicon for modelled `cycles`."""
        return cycles / self.high, cycles / self.low

    def basis(self) -> str:
        """Return what the band was computed from, in at most 40 columns if the tables have not changed."""
        where = f", on all cores {self.of}" if self.pooled else ""
        stale = ", before the last change" if self.stale else ""
        return f"{self.figures} functions{where}{stale}"

    def to_json(self, cycles: float, digits: int | None = None) -> dict[str, Any]:
        """Return plain values for `--json`; the ends are cycles around `cycles`, whole ones without `digits`."""
        low, high = self.around(cycles)
        return {
            "share": SHARE,
            "low": round(low, digits),
            "high": round(high, digits),
            "functions": self.figures,
            "of": self.of,
            "pooled": self.pooled,
            "measured_before_last_change": self.stale,
        }


@dataclass(frozen=True, slots=True)
class RatioBand:
    """The 10th and 90th percentile, `low` and `high`, of the errors of ratios before and after a change.

    An error is the modelled ratio divided by the measured one, on `pairs` pairs; `of` is IN_ORDER or OUT_OF_ORDER.
    """

    low: float
    high: float
    pairs: int
    of: str

    def tells(self, before: float, after: float) -> bool:
        """Tell whether the ratio of two estimates is so far from 1 that the model can tell them apart.

        Which is called the first makes no difference.
        """
        if not before or not after:
            return before != after
        return not any(self.low <= ratio <= self.high for ratio in (after / before, before / after))


def kind_of(core: str) -> str:
    """Return IN_ORDER or OUT_OF_ORDER."""
    return IN_ORDER if load_pipeline(core).in_order else OUT_OF_ORDER


def band_of(core: str) -> Band | None:
    """Return the band of a core's estimates, or of all cores of a kind.

    It is None for a core without a pipeline model, and where none is recorded.
    The functions are those left out with their family, else those that adjusted no model.  A core with too few, or with
    one family alone, has the band of all cores that issue as it does, made so wide that it holds four of five of the
    core's own functions that adjusted its model: new code errs no less.
    """
    if core in (IN_ORDER, OUT_OF_ORDER):
        names = [core]
    elif core in pipeline_names():
        names = [core, kind_of(core)]
    else:
        return None
    for name in names:
        for against in (LEFT_OUT, UNSEEN):
            error = next((error for error in errors_of(name) if error.against == against), None)
            if error is not None and _suffices(error):
                assert error.low is not None and error.high is not None
                band = Band(error.low, error.high, error.figures, name, is_stale(name, error))
                return band if name == core else _reaching(band, core)
    return None


def _reaching(band: Band, core: str) -> Band:
    """Return a pooled band that reaches as far as the errors on the functions that adjusted a core's model."""
    own = next((error for error in errors_of(core) if error.against == CALIBRATION), None)
    if own is None or (own.low is None and own.p90 is None):
        return band
    low, high = own.low, own.high
    if low is None or high is None:
        assert own.p90 is not None
        low, high = 1 - own.p90, 1 + own.p90
    return replace(band, low=min(low, band.low), high=max(high, band.high), figures=band.figures + own.figures)


def _suffices(error: ModelError) -> bool:
    families = FEWEST_FAMILIES if error.families is None else error.families
    return error.low is not None and error.high is not None and families >= FEWEST_FAMILIES


def is_blurred(core: str, before: float, after: float) -> bool:
    """Tell whether two estimates for a core differ by no more than the band of the errors of ratios."""
    band = ratio_band_of(core)
    return before != after and band is not None and not band.tells(before, after)


def ratio_band_of(core: str) -> RatioBand | None:
    """Return the band of the errors of ratios, which is narrower than that of cycles; None where none is recorded."""
    if core not in pipeline_names():
        return None
    error = ratio_error(kind_of(core))
    return None if error is None else RatioBand(error.low, error.high, error.pairs, kind_of(core))
