"""Ranges of cycles as text."""

from __future__ import annotations

import pytest

from neonlab.measure.cores.bands import Band, band_of
from neonlab.report.band_words import band_text, basis_line, range_text, ratio_line

BAND = Band(0.91, 1.1, 118, "cortex-a53")


@pytest.mark.parametrize(
    ("cycles", "text"),
    [
        (8_554_427, "7.8–9.4 M"),
        (71_509_321, "65–79 M"),
        (1_234, "1,122–1,356"),
        (7, "6–8"),
        (84_037, "76–92 k"),
        (2_500_000_000, "2.27–2.75 G"),
        (0, "0–0"),
    ],
)
def test_a_range_has_two_digits_of_its_width(cycles: int, text: str) -> None:
    assert band_text(BAND, cycles) == text


@pytest.mark.parametrize(
    ("cycles", "text"), [(0.27, "0.245–0.297"), (2.38, "2.16–2.62"), (7, "6.4–7.7"), (60, "55–66")]
)
def test_cycles_of_a_small_unit_of_work_have_fractions(cycles: float, text: str) -> None:
    assert band_text(BAND, cycles, fractions=True) == text


def test_a_narrow_range_does_not_shrink_to_nothing() -> None:
    assert band_text(Band(0.99, 1.01, 9, "cortex-a53"), 1_000_000) == "0.990–1.010 M"


def test_a_core_without_rows_says_that_its_band_is_pooled() -> None:
    band = band_of("apple-m1")
    assert band is not None
    assert range_text("apple-m1", 10**6) == band_text(band, 10**6)
    assert basis_line("apple-m1").endswith(f"{band.figures} functions, on all cores out of order")
    assert "on all cores" not in basis_line("cortex-a53")
    assert range_text("no-such-core", 10) == "" and "no band" in basis_line("no-such-core")


def test_the_line_of_ratios_names_each_kind_once() -> None:
    text = ratio_line(["cortex-a53", "cortex-a55", "cortex-a72", "no-such-core"])
    assert text.count("pairs") == 2 and " in order" in text and "out of order" in text and "−" in text
    assert ratio_line(["no-such-core"]) == ""
