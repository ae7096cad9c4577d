"""Write the range of an estimate of cycles as text, wherever cycles are shown."""

from __future__ import annotations

from math import floor, log10

from neonlab.measure.cores.bands import Band, RatioBand, band_of, ratio_band_of
from neonlab.measure.cores.errors import IN_ORDER

_UNITS = ((1_000_000_000, " G"), (1_000_000, " M"), (10_000, " k"))
UNKNOWN = "no band: no function was measured on such a core"


def range_text(core: str, cycles: float) -> str:
    """Return the 80 % band around modelled cycles on a core as text: `7.8–9.4 M`; empty where none is known."""
    band = band_of(core)
    return "" if band is None else band_text(band, cycles)


def bracketed(core: str, cycles: float) -> str:
    """Return the same as a remark behind a figure: ` (7.8–9.4 M)`; empty where none is known."""
    text = range_text(core, cycles)
    return f" ({text})" if text else ""


def band_text(band: Band, cycles: float) -> str:
    """Return a band around modelled cycles as text, with as many digits as its width deserves: two of the width."""
    low, high = band.around(cycles)
    if not high > 0:
        return "0–0"
    divisor, unit = next(((value, name) for value, name in _UNITS if high >= value), (1, ""))
    if divisor > 1000:
        divisor = 1000 if unit == " k" else divisor
    low, high = low / divisor, high / divisor
    width = high - low
    most = 0 if not unit else 3
    digits = min(most, max(0, 1 - floor(log10(width)))) if width > 0 else most
    return f"{low:,.{digits}f}–{high:,.{digits}f}{unit}"


def basis_line(core: str) -> str:
    """Return a sentence on where the band of a core comes from, without a full stop."""
    band = band_of(core)
    if band is None:
        return f"{core}: {UNKNOWN}"
    return f"{core}: {factors(band)} of an estimate, by the errors on {band.basis()}"


def factors(band: Band) -> str:
    """Return the ends of a band as factors of an estimate: `0.92–1.10`."""
    low, high = band.around(1.0)
    return f"{low:.2f}–{high:.2f}"


def ratio_words(core: str) -> str:
    """Return from where to where a change in cycles on a core is inside the band of ratios: `−5 % to +6 %`."""
    band = ratio_band_of(core)
    return "" if band is None else _ends(band)


def ratio_line(cores: tuple[str, ...]) -> str:
    """Return a sentence on the bands of ratios of some cores; empty where none is known."""
    bands = {band.of: band for core in cores if (band := ratio_band_of(core)) is not None}
    many = [f"{_ends(band)} {kind} ({band.pairs} pairs)" for kind, band in sorted(bands.items())]
    return " and ".join(many)


def _ends(band: RatioBand) -> str:
    ends = (100 * (band.low - 1), 100 * (band.high - 1))
    return " to ".join(f"{end:+.1f} %".replace("-", "−") for end in ends)


def kind_words(band: Band) -> str:
    """Return what the functions of a pooled band were measured on; empty for a core's own band."""
    return "" if not band.pooled else f"cores that issue {'in order' if band.of == IN_ORDER else 'out of order'}"
