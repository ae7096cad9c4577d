"""Measure where a call's loads, stores and prefetches go: bytes, accesses, footprint and reuse of each buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import NativeHook
from neonlab.isa.model.isa import Isa
from neonlab.measure.caches.fill_journal import Journal
from neonlab.measure.caches.probe import CacheCounter, CacheEvents
from neonlab.measure.cores.caches import Core
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.parts import Parts
from neonlab.measure.pipeline.probe import Begin, PipelineCounter
from neonlab.measure.run_cycles import RunCycles
from neonlab.measure.traffic.address_feed import AddressFeed, batch_of
from neonlab.measure.traffic.block_addresses import make_plan
from neonlab.measure.traffic.count import LINE, TrafficCounter


@dataclass(frozen=True, slots=True)
class PlaceTraffic:
    """Traffic of one buffer, of the stack, or of the program's own constants or data.

    `name` is unique within a kind: "buffer", "stack", "program", or "elsewhere" for addresses in none of them.
    Accesses are those that instructions name: one `ld4` or `ldp` is one access.  Predicated A32 accesses count when
    their condition holds.  `footprint_bytes` and `footprint_lines` are the distinct bytes and 64-byte lines loaded or
    stored.  Reads in a buffer's declared margins belong to the buffer.  `split_lines` are accesses that cross from one
    64-byte line to another. `unaligned` are those whose address is no multiple of the size of one register or element.

    A prefetch is useful when its line is loaded or stored later and was not before.  It is redundant when its line was
    touched or prefetched before, and wasted when nothing ever touches its line.
    """

    name: str
    kind: str
    loads: int
    stores: int
    loaded_bytes: int
    stored_bytes: int
    footprint_bytes: int
    footprint_lines: int
    split_lines: int
    unaligned: int
    prefetches: int
    prefetches_useful: int
    prefetches_redundant: int
    prefetches_wasted: int

    @property
    def reuse(self) -> float:
        """Bytes moved for each byte of the footprint; 0 where nothing was moved."""
        return (self.loaded_bytes + self.stored_bytes) / self.footprint_bytes if self.footprint_bytes else 0.0


@dataclass(frozen=True, slots=True)
class Traffic:
    """Traffic of one call by place: buffers in the order of arguments, then the rest; untouched places are left out."""

    places: tuple[PlaceTraffic, ...]

    def of(self, name: str) -> PlaceTraffic | None:
        """Return the traffic of the place called `name`, None when nothing touched it; a buffer before other kinds."""
        return next((place for place in self.places if place.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "line_bytes": LINE,
            "places": [{**asdict(place), "reuse": round(place.reuse, 6)} for place in self.places],
        }


class TrafficProbe:
    """Counts the traffic of a call, what it does to the caches of `core`, and its cycles on `pipeline`, if given.

    Caches and pipeline are empty when a call begins.  With `warm` they are as the call before left them, and a caller
    of a few instructions makes this one; but buffers named in `cold` are then in no cache.  With `calls` too, the
    pipeline is empty before each so many calls, and the cycles are those of all of them.  `remembers` makes the
    pipeline model reuse what it computed before; that changes its run time and nothing else.  `variants` are
    pipelines whose cycles are counted side by side, and nothing else of them.  `parts` may be given to several probes
    of one program in turn.
    """

    def __init__(
        self,
        program: Program,
        core: Core | None = None,
        *,
        pipeline: PipelineCore | None = None,
        prefetcher: bool = True,
        stepwise: bool | None = None,
        remembers: bool = True,
        variants: Sequence[PipelineCore] = (),
        parts: Parts | None = None,
    ) -> None:
        parts = parts or Parts()
        plan = parts.made(("plan", stepwise), lambda: make_plan(program, stepwise=stepwise))
        self._counter = TrafficCounter(program, plan)
        self._caches: CacheCounter | None = None
        self._pipeline: PipelineCounter | None = None
        self._variants: list[PipelineCounter] = []
        if core is not None:
            journal = Journal(batch_of(plan)) if pipeline is not None or variants else None
            self._caches = CacheCounter(program, plan, core, prefetcher=prefetcher, journal=journal)
            if journal is not None:
                pipelines = [*([] if pipeline is None else [pipeline]), *variants]
                counters = [
                    PipelineCounter(program, plan, core, one, journal, remembers=remembers, parts=parts)
                    for one in pipelines
                ]
                self._pipeline = None if pipeline is None else counters.pop(0)
                self._variants = counters
        found = (self._counter, self._caches, self._pipeline, *self._variants)
        consumers = [consumer for consumer in found if consumer is not None]
        self._feed = AddressFeed(plan, consumers)
        self.warm = False
        self.cold: tuple[str, ...] = ()
        self.calls = self._made = 0
        self._averaged = 1

    def hooks(self, isa: Isa) -> Sequence[NativeHook]:
        """Return the hooks of the address feed."""
        return self._feed.hooks(isa)

    def reset(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Begin a new call with `buffers`."""
        self._feed.reset(buffers)
        if self._caches is not None:
            self._caches.prepare(self._counter.places, empty=not self.warm)
            self._caches.evict([one for one in buffers if self.warm and one.buffer.name in self.cold])
        if self._pipeline is not None:
            self._pipeline.prepare(self._begin())
        for one in self._variants:
            one.prepare(Begin.ON if self.warm else Begin.COLD)

    def _begin(self) -> Begin:
        if not self.warm:
            return Begin.COLD
        self._made += 1
        goes_on = (self._made - 1) % (self.calls or self._averaged) > 0
        if not self.calls:
            return Begin.WITH if goes_on else Begin.BEHIND
        return Begin.NEXT if goes_on else Begin.DRAINED

    def average(self, calls: int) -> None:
        """Count so many of the calls to come together: their cycles differ in turn."""
        self._averaged, self._made = calls, 0

    @property
    def unplanned(self) -> int | None:
        """The address where control arrived without a plan, or None.

        The result is incomplete in that case; see AddressFeed.
        """
        return self._feed.unplanned

    @property
    def cycles(self) -> int:
        """Return the cycles of the call so far, with those of its caller, or of `calls`; 0 without a pipeline."""
        self._feed.flush()
        return self._pipeline.cycles if self._pipeline is not None else 0

    @property
    def cycles_of_variants(self) -> list[int]:
        """Return the cycles of the call on each of the variants, with those of its caller."""
        self._feed.flush()
        return [one.cycles for one in self._variants]

    def collect(self) -> Traffic:
        """Return the traffic of the last call."""
        self._feed.flush()
        found: dict[tuple[str, str], list[int]] = {}
        for number, (place, row) in enumerate(zip(self._counter.places, self._counter.table, strict=True)):
            size, lines, wasted = self._counter.footprint(number)
            if place.kind == "elsewhere":
                wasted = int(row["prefetches"])
            figures = [*row["accesses"], *row["bytes"], size, lines, row["split"], row["unaligned"]]
            figures += [row["prefetches"], row["useful"], row["redundant"], wasted]
            before = found.get((place.name, place.kind), [0] * len(figures))
            found[place.name, place.kind] = [old + int(new) for old, new in zip(before, figures, strict=True)]
        order = {"buffer": 0, "stack": 1, "program": 2, "elsewhere": 3}
        rows = [PlaceTraffic(name, kind, *figures) for (name, kind), figures in found.items() if any(figures)]
        return Traffic(tuple(sorted(rows, key=lambda row: order[row.kind])))

    def collect_caches(self) -> CacheEvents | None:
        """Return the cache events of the last call, None without a core."""
        self._feed.flush()
        return self._caches.collect(warm=self.warm, cold=self.cold) if self._caches is not None else None

    def collect_cycles(self, executions: npt.NDArray[np.int64]) -> RunCycles | None:
        """Return the cycles of the last call, or of one of the last `calls` on average; None without a pipeline.

        `executions` (int64) has the executions of each instruction of the program.
        """
        self._feed.flush()
        if self._pipeline is None:
            return None
        return self._pipeline.collect(executions, warm=self.warm, cold=self.cold)

    def cycles_of_instructions(self) -> npt.NDArray[np.int64]:
        """Return the cycles that `collect_cycles` adds up, (instructions, CAUSES) int64.  It needs a pipeline."""
        self._feed.flush()
        assert self._pipeline is not None
        return self._pipeline.of_instructions()
