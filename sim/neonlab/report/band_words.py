"""Write the range of an estimate of cycles as text, wherever cycles are shown."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from neonlab.measure.cores.bands import Band, RatioBand, band_of, ratio_band_of

#: From how many cycles on a unit is used, the cycles in it, and its name.
_UNITS = ((10**9, 10**9, " G"), (10**6, 10**6, " M"), (10**4, 10**3, " k"), (0, 1, ""))
UNKNOWN = "no band: no function was measured on such a core"


def range_text(core: str, cycles: float, *, fractions: bool = False) -> str:
    """Return the 80 % band around modelled cycles on a core as text: `7.8–9.4 M`; empty where none is known."""
    band = band_of(core)
    return "" if band is None else band_text(band, cycles, fractions=fractions)


def band_text(band: Band, cycles: float, *, fractions: bool = False) -> str:
    """Return a band around modelled cycles as text, with as many digits as its width deserves: two of the width.

    Single cycles are whole without `fractions`, which a mean or the cycles of a small unit of work have.
    """
    low, high = band.around(cycles)
    if not high > 0:
        return "0–0"
    one, unit = next((one, unit) for least, one, unit in _UNITS if high >= least)
    low, high = low / one, high / one
    width, most = high - low, 3 if unit or fractions else 0
    digits = min(most, max(0, 1 - floor(log10(width)))) if width > 0 else most
    return f"{low:,.{digits}f}–{high:,.{digits}f}{unit}"


def basis_line(core: str) -> str:
    """Return a sentence on where the band of a core comes from, without a full stop."""
    band = band_of(core)
    if band is None:
        return f"{core}: {UNKNOWN}"
    return f"{core}: {factors(band)} times an estimate, by the errors on {band.basis()}"


def factors(band: Band) -> str:
    """Return the ends of a band as factors of an estimate: `0.92–1.10`."""
    low, high = band.around(1.0)
    return f"{low:.2f}–{high:.2f}"


def ratio_line(cores: Sequence[str]) -> str:
    """Return a sentence on the bands of ratios of some cores; empty where none is known."""
    bands = {band.of: band for core in cores if (band := ratio_band_of(core)) is not None}
    many = [f"{_ends(band)} {kind} ({band.pairs} pairs)" for kind, band in sorted(bands.items())]
    return " and ".join(many)


def _ends(band: RatioBand) -> str:
    ends = (100 * (band.low - 1), 100 * (band.high - 1))
    return " to ".join(f"{end:+.1f} %".replace("-", "−") for end in ends)
