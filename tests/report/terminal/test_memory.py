"""Traffic and cache events in 80 columns."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from neonlab.measure.caches.probe import CacheEvents, LineEvents, PlaceEvents
from neonlab.measure.memory_probe import PlaceTraffic, Traffic
from neonlab.report.terminal.memory import print_caches, print_traffic


def console() -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=80, highlight=False, soft_wrap=True), stream


def place(name: str, loads: int, size: int, footprint: int) -> PlaceTraffic:
    return PlaceTraffic(name, "buffer", loads, 0, size, 0, footprint, 1, 0, 0, 0, 0, 0, 0)


HEADS = ("loaded B", "stored B", "footprint", "reuse", "loads", "stores", "split", "unal.")


def table(*places: PlaceTraffic) -> tuple[list[str], list[list[str]]]:
    """Headings and cells, each cell found by where its heading ends: where columns were not aligned it would be cut."""
    out, stream = console()
    print_traffic(out, Traffic(places))
    heading, *lines = stream.getvalue().splitlines()
    assert all(len(line) <= 80 for line in (heading, *lines)), lines
    units = re.fullmatch(
        r"\s+traffic\s+" + r"\s+".join(rf"({h.split()[0]}(?: (?:[kMGTP]B?|B))?)" for h in HEADS), heading
    )
    assert units is not None, heading
    ends = [units.end(column) for column in range(1, len(HEADS) + 1)]
    first = len(lines[0]) - len(lines[0].lstrip()) + max(len(line.split()[0]) for line in lines)
    rows = []
    for line in lines:
        assert len(line) == ends[-1]
        starts = [first, *ends[:-1]]
        rows.append([line[:first].strip(), *(line[a:b].strip() for a, b in zip(starts, ends, strict=True))])
        assert rows[-1] == line.split()
    return list(units.groups()), rows


def test_figures_are_exact_where_there_is_room() -> None:
    heads, rows = table(place("weights", 200_704, 6_422_528, 50_176), place("stack", 5, 80, 80))
    assert tuple(heads) == HEADS
    assert rows[0][:6] == ["weights", "6,422,528", "0", "50,176", "128.00", "200,704"]
    assert rows[1][:6] == ["stack", "80", "0", "80", "1.00", "5"]


@pytest.mark.parametrize("digits", range(6, 13))
def test_a_column_has_one_notation_however_large_its_figures(digits: int) -> None:
    big = int("8" * digits)
    most = PlaceTraffic("weights_of_it_all", "buffer", big, big, big, big, big, 1, big, big, 0, 0, 0, 0)
    few = PlaceTraffic("few", "buffer", 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0)
    heads, (large, small) = table(most, few)
    for head, plain, told, other in zip(heads, HEADS, large[1:], small[1:], strict=True):
        if plain == "reuse":
            assert (told, other) == ("2.00", "1.00")
            continue
        scale = re.search(r" ([kMGTP])B?$", head)
        unit = 1000 ** (1 + "kMGTP".index(scale[1])) if scale is not None else 1
        assert ("." in told) == (scale is not None)
        assert abs(float(told.replace(",", "")) * unit - big) <= (0.05 * unit if scale is not None else 0)
        assert other in (("0", "1") if scale is None else ("0.0", "<0.1"))


def test_what_is_prefetched_has_a_line() -> None:
    wide = PlaceTraffic("a_very_long_array", "buffer", 9, 0, 9, 0, 7, 1, 0, 0, 30, 20, 4, 6)
    elsewhere = PlaceTraffic("elsewhere", "elsewhere", 0, 0, 0, 0, 0, 0, 0, 0, 1_234_567, 0, 0, 1_234_567)
    out, stream = console()
    print_traffic(out, Traffic((wide, elsewhere)))
    lines = stream.getvalue().splitlines()
    assert lines[1].startswith("  a_very_long_array  ")
    assert lines[2] == "  prefetches of a_very_long_array: 30; 20 useful, 4 redundant, 6 wasted"
    assert lines[3] == "  prefetches of elsewhere: 1,234,567; 0 useful, 0 redundant, 1,234,567 wasted"


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
