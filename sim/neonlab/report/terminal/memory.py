"""Print traffic and cache events to a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from neonlab.measure.caches.probe import CacheEvents
    from neonlab.measure.memory_probe import Traffic

_WIDTH = 80
_LINES = 5
_NAME = 12  # columns for a name in the table of caches
_LEAST, _LONGEST = 7, 20  # fewest and most columns for a name in the table of traffic
_UNITS = ((1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P"))


def print_traffic(out: Console, traffic: Traffic) -> None:
    """Print a table of places, and a line for each that is prefetched."""
    for line in _traffic(traffic):
        out.print(line, markup=False)


def print_caches(out: Console, caches: CacheEvents, *, brief: bool = False) -> None:
    """Print the events, by place, and the lines of source with most refills; if `brief` only the refills."""
    for line in _refills(caches) if brief else _caches(caches):
        out.print(line, markup=False)


@dataclass
class _Column:
    """Figures in one column and one unit, exact if there is room."""

    head: str
    values: Sequence[int]
    unit: int = 0

    def cells(self) -> list[str]:
        """Return the heading and the figures."""
        scale, letter = _UNITS[self.unit]
        words, _, unit = self.head.partition(" ")  # "loaded B" becomes "loaded kB", "loads" becomes "loads k"
        head = f"{words} {letter}{unit}".strip()
        return [head, *(_scaled(value, scale) for value in self.values)]

    @property
    def width(self) -> int:
        """Return the number of characters that it needs."""
        return max(map(len, self.cells()))

    @property
    def narrower(self) -> int | None:
        """Return the first larger unit in which it is narrower, or None."""
        larger = range(self.unit + 1, len(_UNITS))
        return next((unit for unit in larger if _Column(self.head, self.values, unit).width < self.width), None)


def _scaled(value: int, scale: float) -> str:
    """Return an exact count for a scale of 1, else one decimal; a value that is not 0 never shows as 0."""
    if scale == 1:
        return f"{value:,}"
    return "<0.1" if 0 < value < 0.05 * scale else f"{value / scale:,.1f}"


def _traffic(traffic: Traffic) -> Iterator[str]:
    places = [place for place in traffic.places if place.loads + place.stores > 0]
    names = ["traffic", *(_kept(place.name, _LONGEST) for place in places)]
    reuse = ["reuse", *(f"{place.reuse:,.2f}" for place in places)]
    columns = [
        _Column("loaded B", [place.loaded_bytes for place in places]),
        _Column("stored B", [place.stored_bytes for place in places]),
        _Column("footprint", [place.footprint_bytes for place in places]),
        _Column("loads", [place.loads for place in places]),
        _Column("stores", [place.stores for place in places]),
        _Column("split", [place.split_lines for place in places]),
        _Column("unal.", [place.unaligned for place in places]),
    ]
    room = _WIDTH - 2 - max(map(len, reuse)) - (len(columns) + 1)
    least = min(_LEAST, max(map(len, names)))
    while sum(column.width for column in columns) > room - least:
        able = [column for column in columns if column.narrower is not None]
        if not able:
            break
        widest = max(able, key=lambda column: column.width)
        widest.unit = widest.narrower or widest.unit
    names = [_kept(name, max(_LEAST, room - sum(column.width for column in columns))) for name in names]
    gap = 2 if sum(column.width + 1 for column in columns) + 1 + max(map(len, names)) <= room else 1
    cells = [column.cells() for column in columns]
    table = [names, *cells[:3], reuse, *cells[3:]]
    widths = [max(map(len, column)) for column in table]
    for row in zip(*table, strict=True):
        figures = (f"{'':{gap}}{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        yield f"  {row[0]:<{widths[0]}}{''.join(figures)}"
    for place in traffic.places:
        if place.prefetches:
            total = f"prefetches of {_kept(place.name, _LONGEST)}: {place.prefetches:,}"
            useful, wasted = f"{place.prefetches_useful:,} useful", f"{place.prefetches_wasted:,} wasted"
            yield f"  {total}; {useful}, {place.prefetches_redundant:,} redundant, {wasted}"


def _title(caches: CacheEvents) -> str:
    prefetcher = "" if caches.prefetcher else ", its prefetcher off"
    return f"  caches of {caches.core}, {caches.state}{prefetcher} (estimate of a model)"


def _refills(caches: CacheEvents) -> Iterator[str]:
    yield _title(caches)
    events = caches.events
    for level in ("L1D", "L2D"):
        name, of = f"{level}_CACHE_REFILL", f"{level}_CACHE"
        share = f"  {100 * events[name] / events[of]:5.1f} % of {of}" if events[of] else ""
        yield f"    {name:<25}  {events[name]:>15,}{share}"


def _caches(caches: CacheEvents) -> Iterator[str]:
    yield _title(caches)
    events = caches.events
    for name, of in (
        ("L1D_CACHE", None),
        ("L1D_CACHE_REFILL", "L1D_CACHE"),
        ("L1D_CACHE_WB", None),
        ("L1I_CACHE", None),
        ("L1I_CACHE_REFILL", "L1I_CACHE"),
        ("L2D_CACHE", None),
        ("L2D_CACHE_REFILL", "L2D_CACHE"),
        ("L2D_CACHE_WB", None),
    ):
        share = f"  {100 * events[name] / events[of]:5.1f} % of {of}" if of is not None and events[of] else ""
        yield f"    {name:<25}  {events[name]:>15,}{share}"
    for kind in ("hardware", "software"):
        fills, useful = caches.prefetches[f"{kind}_fills"], caches.prefetches[f"{kind}_useful"]
        if fills:
            yield f"    lines from {kind + ' prefetch':<18}{fills:>13,}  {100 * useful / fills:5.1f} % asked for later"
    heads, widths = ("L1D_CACHE", "L1D_CACHE_REFILL", "L2D_CACHE_REFILL"), (12, 18, 18)
    yield _row("by buffer", heads, widths)
    for place in caches.places:
        yield _row(place.name, _events(place.l1d_cache, place.l1d_cache_refill, place.l2d_cache_refill), widths)
    worst = sorted(caches.lines, key=lambda line: (-line.l1d_cache_refill, line.path, line.line))[:_LINES]
    if any(line.l1d_cache_refill for line in worst):
        yield "  L1D refills  line"
    for line in worst:
        if line.l1d_cache_refill:
            yield f"  {line.l1d_cache_refill:>11,}  {Path(line.path).name}:{line.line}  {line.text.strip()}"[:80]


def _events(*figures: int) -> tuple[str, ...]:
    return tuple(f"{figure:,}" for figure in figures)


def _row(name: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    kept = _kept(name, _NAME)
    return f"  {kept:<{_NAME}}" + "".join(f" {cell:>{width - 1}}" for cell, width in zip(cells, widths, strict=True))


def _kept(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
