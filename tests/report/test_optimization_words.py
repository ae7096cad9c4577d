"""What was found for a hot loop is said with the range of each estimate."""

from __future__ import annotations

import pytest

from neonlab.measure.cores.bands import band_of
from neonlab.measure.shape import Shape
from neonlab.optimize.outcome import LoopFigures, Optimized, Standing
from neonlab.report.optimization_words import optimization_rows


def _found(core: str, standing: Standing) -> Optimized:
    old = LoopFigures(110.0, 74, 96.0, 49.0, {})
    new = LoopFigures(78.0, 74, 72.0, 49.0, {})
    return Optimized(
        "kernel", "kernel.S", "A64", core, "", Shape(("n",), (8,)), 1, 10, "lines 1 to 2", 0.9, old,
        new if standing is not Standing.UNCHANGED else old, (), 0, 10, 7280, 5352, standing,
    )  # fmt: skip


@pytest.mark.parametrize("standing", [Standing.PROVED, Standing.UNCHANGED])
def test_the_band_of_the_cycles_is_shown(standing: Standing) -> None:
    rows = dict(optimization_rows(_found("cortex-a53", standing)))
    band = band_of("cortex-a53")
    assert band is not None
    for cycles, there in ((110.0, True), (78.0, standing is Standing.PROVED)):
        low, high = band.around(cycles)
        assert (f"{low:.0f}–{high:.0f}" in rows["80 % band"]) == there
    assert f"{band.figures} functions" in rows["80 % band"]
