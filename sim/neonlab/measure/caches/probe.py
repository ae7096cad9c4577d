"""Count the PMU events of a call in the caches of one core, by buffer and by source line.

The counts are estimates of a model: see `neonlab.measure.caches.model`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.isa.model.instruction import AccessKind
from neonlab.measure.caches.fill_journal import Journal
from neonlab.measure.caches.model import (
    LOADS,
    LRU,
    PLRU,
    PREFETCHES,
    RANDOM,
    SITE,
    STATE,
    STORES,
    cache_events,
)
from neonlab.measure.cores.caches import CacheShape, Core
from neonlab.measure.traffic.block_addresses import Plan, Site
from neonlab.measure.traffic.count import AccessPlace

_KINDS = {AccessKind.LOAD: LOADS, AccessKind.STORE: STORES, AccessKind.PREFETCH: PREFETCHES}
_POLICIES = {"lru": LRU, "random": RANDOM, "plru": PLRU}
_LEVEL = re.compile(r"p(?:ld|st)l([123])")
_SEED = 0x9E3779B97F4A7C15
_COUNTERS = (
    "l1i_accesses",
    "l1i_refills",
    "l1d_writebacks",
    "l2_accesses",
    "l2_refills",
    "l2_writebacks",
    "hardware_fills",
    "hardware_useful",
    "software_fills",
    "software_useful",
)


@dataclass(frozen=True, slots=True)
class PlaceEvents:
    """Events of one buffer, of the stack, or of the program's constants; names as in `PlaceTraffic`."""

    name: str
    kind: str
    l1d_cache: int
    l1d_cache_refill: int
    l2d_cache_refill: int


@dataclass(frozen=True, slots=True)
class LineEvents:
    """Events of one source line."""

    path: str
    line: int
    text: str
    l1d_cache: int
    l1d_cache_refill: int
    l2d_cache_refill: int


@dataclass(frozen=True, slots=True)
class CacheEvents:
    """Events of one call, by the names of the PMU events.

    L1D_CACHE counts a load or store once for each line that it touches.  L1D_CACHE_REFILL counts those that missed.
    L1I_CACHE counts each line of each run of instructions from one branch to the next.  L2D_CACHE counts all that the
    first level and prefetches request from the second level, and the evictions that it takes.  L2D_CACHE_REFILL counts
    loads, stores and instruction fetches that missed it.  Prefetched lines that were never used are fills minus useful
    ones.  `cold` are the buffers that were driven out of the caches before a warm call.
    """

    core: str
    warm: bool
    prefetcher: bool
    events: Mapping[str, int]
    prefetches: Mapping[str, int]
    places: tuple[PlaceEvents, ...]
    lines: tuple[LineEvents, ...]
    cold: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """Return in words what the call found, such as `warm, weights cold`."""
        found = "warm" if self.warm else "cold"
        return f"{found}, {', '.join(self.cold)} cold" if self.cold else found

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "core": self.core,
            "warm": self.warm,
            "cold": list(self.cold),
            "prefetcher": self.prefetcher,
            "events": dict(self.events),
            "prefetches": dict(self.prefetches),
            "places": [asdict(place) for place in self.places],
            "lines": [{**asdict(line), "text": line.text.strip()} for line in self.lines],
        }


class CacheCounter:
    """Feeds events to the cache model; needs the `place` of each event, which a TrafficCounter sets."""

    function = cache_events

    def __init__(
        self, program: Program, plan: Plan, core: Core, *, prefetcher: bool = True, journal: Journal | None = None
    ) -> None:
        self._program, self._plan, self._core, self._prefetcher = program, plan, core, prefetcher
        self.state: npt.NDArray[Any] = np.zeros(1, STATE)
        self._sites = np.zeros(max(1, len(plan.sites)), SITE)
        for number, site in enumerate(plan.sites):
            row = self._sites[number]
            row["kind"], row["size"], row["level"] = _KINDS[site.kind], site.size, prefetch_level(site)
        memory = core.memory
        self._arrays: list[npt.NDArray[Any]] = []
        for name, shape in (("l1d", memory.l1d), ("l1i", memory.l1i), ("l2", memory.l2)):
            self._add_cache(name, shape)
        self.state["takes_evictions"] = memory.l2_takes == "evictions"
        if prefetcher:
            self.state["prefetch_level"] = memory.prefetcher.level
            self.state["prefetch_confidence"] = memory.prefetcher.confidence
            self.state["prefetch_depth"] = memory.prefetcher.depth
        if journal is not None:
            self._journal = journal
            self.state["journal"] = journal.state.ctypes.data
        self.state["sites"], self.state["site_count"] = self._sites.ctypes.data, self._sites.size
        self.prepare((), empty=True)

    def _add_cache(self, name: str, shape: CacheShape) -> None:
        cache, lines = self.state[name], shape.sets * shape.ways
        arrays: list[npt.NDArray[Any]] = [np.zeros(lines, kind) for kind in (np.uint64, np.uint64, np.uint8)]
        self._arrays += arrays
        cache["line_shift"], cache["set_mask"] = shape.line.bit_length() - 1, shape.sets - 1
        cache["ways"], cache["policy"], cache["lines"] = shape.ways, _POLICIES[shape.policy], lines
        for field, array in zip(("tags", "stamps", "flags"), arrays, strict=True):
            cache[field] = array.ctypes.data

    def begin(self, _buffers: Sequence[PlacedBuffer]) -> None:
        """Do nothing: `prepare` begins a call, once the places are known."""

    def prepare(self, places: Sequence[AccessPlace], *, empty: bool) -> None:
        """Reset the counts, and with `empty` the caches; else they keep what the last call left."""
        self._places = tuple(places)
        self._by_place = np.zeros((max(1, len(places)), 3), np.int64)
        self.state["places"], self.state["place_count"] = self._by_place.ctypes.data, len(self._by_place)
        for name in _COUNTERS:
            self.state[name] = 0
        for name in ("accesses", "refills", "l2_refills"):
            self._sites[name] = 0
        if empty:
            for array in self._arrays:
                array[:] = 0
            for name, shape in zip(("l1d", "l1i", "l2"), self._shapes(), strict=True):
                self.state[name]["clock"] = _SEED if shape.policy == "random" else 0
            self._sites["last"], self._sites["step"], self._sites["confidence"] = -1, 0, 0

    def evict(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Drop each line of the buffers from both levels, as if other data had driven it out before the call."""
        for number, shape in ((0, self._core.memory.l1d), (2, self._core.memory.l2)):
            shift = shape.line.bit_length() - 1
            tags, _, flags = self._arrays[3 * number : 3 * number + 3]
            for one in buffers:
                if one.end > one.address:  # a tag is the number of a line, plus 1
                    gone = (tags > one.address >> shift) & (tags <= (one.end - 1 >> shift) + 1)
                    tags[gone], flags[gone] = 0, 0

    def _shapes(self) -> tuple[CacheShape, CacheShape, CacheShape]:
        memory = self._core.memory
        return memory.l1d, memory.l1i, memory.l2

    def collect(self, *, warm: bool, cold: Sequence[str] = ()) -> CacheEvents:
        """Return the events since `prepare`."""
        state = {name: int(self.state[name][0]) for name in _COUNTERS}
        totals = self._by_place.sum(axis=0)
        events = {
            "L1D_CACHE": int(totals[0]),
            "L1D_CACHE_REFILL": int(totals[1]),
            "L1D_CACHE_WB": state["l1d_writebacks"],
            "L1I_CACHE": state["l1i_accesses"],
            "L1I_CACHE_REFILL": state["l1i_refills"],
            "L2D_CACHE": state["l2_accesses"],
            "L2D_CACHE_REFILL": state["l2_refills"],
            "L2D_CACHE_WB": state["l2_writebacks"],
        }
        prefetches = {name: state[name] for name in _COUNTERS if name.startswith(("hardware", "software"))}
        by_place: dict[tuple[str, str], npt.NDArray[np.int64]] = {}
        for place, row in zip(self._places, self._by_place, strict=False):
            key = place.name, place.kind
            by_place[key] = by_place.get(key, np.zeros(3, np.int64)) + row
        places = tuple(PlaceEvents(*key, *map(int, row)) for key, row in by_place.items() if row.any())
        lines = tuple(self._by_line())
        return CacheEvents(self._core.name, warm, self._prefetcher, events, prefetches, places, lines, tuple(cold))

    def _by_line(self) -> list[LineEvents]:
        totals: dict[tuple[str, int], list[int]] = {}
        texts: dict[tuple[str, int], str] = {}
        for site, row in zip(self._plan.sites, self._sites, strict=False):
            source = self._program.line_at(site.instruction.address)
            if source is None or not row["accesses"]:
                continue
            key = source.path, source.line
            texts[key] = source.text
            figures = totals.setdefault(key, [0, 0, 0])
            for index, name in enumerate(("accesses", "refills", "l2_refills")):
                figures[index] += int(row[name])
        return [LineEvents(*key, texts[key], *totals[key]) for key in sorted(totals)]


def prefetch_level(site: Site) -> int:
    """Return the level that a data prefetch fills first, 1 or 2.

    Returns 0 for what is not a data prefetch, and for one that goes beyond the second level.
    """
    if site.kind is not AccessKind.PREFETCH:
        return 0
    instruction = site.instruction
    if instruction.mnemonic in ("pld", "pldw"):
        return 1
    match = _LEVEL.match(instruction.operands)
    level = int(match[1]) if match else 0
    return level if level < 3 else 0
