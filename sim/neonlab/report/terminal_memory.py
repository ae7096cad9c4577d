"""Traffic and cache events as a person reads them in a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from neonlab.measure.caches import CacheEvents
    from neonlab.measure.traffic import Traffic

_LINES = 5
_NAME = 12
_UNITS = ((1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P"), (1e18, "E"))


def print_traffic(out: Console, traffic: Traffic) -> None:
    """A table of places, and a line for each that is prefetched."""
    for line in _traffic(traffic):
        out.print(line, markup=False)


def print_caches(out: Console, caches: CacheEvents, *, brief: bool = False) -> None:
    """The events, by place, and the lines of source that refill most; what was refilled and no more when `brief`."""
    for line in _refills(caches) if brief else _caches(caches):
        out.print(line, markup=False)


def _traffic(traffic: Traffic) -> Iterator[str]:
    heads = ("loaded B", "stored B", "footprint", "reuse", "loads", "stores", "split", "unal.")
    widths = (9, 9, 9, 7, 7, 7, 7, 7)
    yield _row("traffic", heads, widths)
    for place in traffic.places:
        moved = place.loads + place.stores > 0
        figures = (
            place.loaded_bytes,
            place.stored_bytes,
            place.footprint_bytes,
            f"{place.reuse:.2f}" if place.reuse < 9999 else short(round(place.reuse)),
            place.loads,
            place.stores,
            place.split_lines,
            place.unaligned,
        )
        if moved:
            yield _row(place.name, [one if isinstance(one, str) else short(one) for one in figures], widths)
    for place in traffic.places:
        if place.prefetches:
            useful, redundant = short(place.prefetches_useful), short(place.prefetches_redundant)
            wasted = short(place.prefetches_wasted)
            total = f"prefetches of {place.name[:_NAME]}: {short(place.prefetches)}"
            yield f"  {total}; {useful} useful, {redundant} redundant, {wasted} wasted"


def _title(caches: CacheEvents) -> str:
    state = "warm" if caches.warm else "cold"
    prefetcher = "" if caches.prefetcher else ", its prefetcher off"
    return f"  caches of {caches.core}, {state}{prefetcher} (estimate of a model)"


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
    kept = name if len(name) <= _NAME else name[: _NAME - 1] + "…"
    return f"  {kept:<{_NAME}}" + "".join(f" {cell:>{width - 1}}" for cell, width in zip(cells, widths, strict=True))


def short(number: int) -> str:
    """At most six characters: as it is below 100,000, else four digits and a unit."""
    if number < 100_000:
        return f"{number:,}"
    scale, unit = next((scale, unit) for scale, unit in _UNITS if number < 999.5 * scale)
    return f"{number / scale:.4g}{unit}"
