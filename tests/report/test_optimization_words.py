"""What was found for a hot loop is said with the range of each estimate."""

from __future__ import annotations

from dataclasses import replace

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


@pytest.mark.parametrize(
    ("least", "steady", "words"),
    [
        (78.0, 0.0, "no order of these instructions takes fewer:"),
        (72.0, 78.0, "the same cycles in every iteration, takes fewer (CP-SAT)"),
        (72.0, 75.0, "fewer than 72 cycles; no order in these registers,"),
        (72.0, 72.0, "fewer than 72 cycles"),
        (72.0, 0.0, "fewer than 72 cycles"),
    ],
)
def test_a_bound_is_said_as_what_it_is(least: float, steady: float, words: str) -> None:
    found = replace(_found("cortex-a53", Standing.PROVED), least=least, steady=steady)
    bound = dict(optimization_rows(found))["bound"]
    assert words in bound
    assert ("CP-SAT" in bound) == (steady > least), "only what CP-SAT says is its word"
    assert ("these instructions takes fewer:" in bound) == (least == 78.0)


def test_nothing_is_said_where_no_bound_is_known() -> None:
    rows = dict(optimization_rows(_found("cortex-a72", Standing.PROVED)))
    assert "bound" not in rows and "not tried" not in rows


def test_it_is_said_in_a_line_that_cp_sat_is_missing() -> None:
    note = "CP-SAT was not tried: `pip install 'neonlab[optimize]'` is missing"
    rows = optimization_rows(replace(_found("cortex-a53", Standing.UNCHANGED), untried=note))
    assert ("not tried", note) in list(rows)
