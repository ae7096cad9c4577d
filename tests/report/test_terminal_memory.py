"""Traffic and cache events in 80 columns."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from neonlab.measure.caches import CacheEvents, LineEvents, PlaceEvents
from neonlab.measure.traffic import PlaceTraffic, Traffic
from neonlab.report.terminal_memory import print_caches, print_traffic, short


def console() -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=80, highlight=False, soft_wrap=True), stream


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (99_999, "99,999"),
        (100_000, "100k"),
        (123_456, "123.5k"),
        (999_499, "999.5k"),
        (999_500, "0.9995M"),
        (12_345_678, "12.35M"),
        (5_000_000_000, "5G"),
    ],
)
def test_large_numbers_get_units(number: int, text: str) -> None:
    assert short(number) == text


def test_places_are_rows_of_a_table_within_80_columns() -> None:
    big = 888_888_888
    wide = PlaceTraffic("a_very_long_argument", "buffer", big, big, big, big, 7, 1, big, big, 30, 20, 4, 6)
    elsewhere = PlaceTraffic("elsewhere", "elsewhere", 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 5)
    out, stream = console()
    print_traffic(out, Traffic((wide, elsewhere)))
    lines = stream.getvalue().splitlines()
    assert all(len(line) <= 80 for line in lines), lines
    assert lines[1].startswith("  a_very_long… ") and "888.9M" in lines[1]
    assert lines[2] == "  prefetches of a_very_long_: 30; 20 useful, 4 redundant, 6 wasted"
    assert lines[3].startswith("  prefetches of elsewhere: 5; 0 useful")


@pytest.mark.parametrize("warm", [False, True])
def test_events_carry_their_names_and_say_that_a_model_gave_them(warm: bool) -> None:
    names = ["L1D_CACHE", "L1D_CACHE_REFILL", "L1D_CACHE_WB", "L1I_CACHE", "L1I_CACHE_REFILL"]
    names += ["L2D_CACHE", "L2D_CACHE_REFILL", "L2D_CACHE_WB"]
    events = {name: 1000 // (number + 1) for number, name in enumerate(names)}
    fills = {"hardware_fills": 4, "hardware_useful": 1, "software_fills": 0, "software_useful": 0}
    lines = (LineEvents("k.S", 3, "  ldr q0, [x1]", 10, 4, 2), LineEvents("k.S", 4, "  ldr q1, [x1]", 10, 0, 0))
    found = CacheEvents("cortex-a53", warm, not warm, events, fills, (PlaceEvents("a", "buffer", 20, 4, 2),), lines)
    out, stream = console()
    print_caches(out, found)
    text = stream.getvalue()
    assert ("warm, its prefetcher off" if warm else "cold (estimate of a model)") in text
    assert "50.0 % of L1D_CACHE" in text and " 25.0 % asked for later" in text and "software" not in text
    assert "k.S:3  ldr q0, [x1]" in text and "k.S:4" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
