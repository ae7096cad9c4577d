"""The cache model against pycachesim where that goes (LRU, no prefetch), and against a plain model everywhere."""

from __future__ import annotations

import ctypes
import json
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled
from tests.measure.recorded_accesses import stepped
from tests.sample import ONE_OF_EACH
from tests.tools import require_module

from neonlab.assemble.program import Program
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.run.plan import draw_case
from neonlab.lab.run.shapes import planned_shapes
from neonlab.measure.caches.probe import CacheCounter, CacheEvents
from neonlab.measure.cores.caches import (
    CacheShape,
    Core,
    Latencies,
    MemoryHierarchy,
    Prefetcher,
    core_names,
    load_core,
)
from neonlab.measure.memory_probe import TrafficProbe
from neonlab.measure.traffic.address_feed import EVENT, RUN
from neonlab.measure.traffic.block_addresses import make_plan
from neonlab.measure.traffic.count import AccessPlace
from neonlab.verify.cases.case import CaseName
from neonlab.verify.check_case import run_case


@cache
def program() -> Program:
    """Sites 0 to 7 for the model; what follows drives it through them without an emulator."""
    return assembled(
        Isa.A64,
        "ldrb w0, [x1]\nldr q0, [x1]\nld1 {v0.16b-v3.16b}, [x1]\nstrb w0, [x1]\nstr q0, [x1]\n"
        "st1 {v0.16b-v3.16b}, [x1]\nprfm pldl1keep, [x1]\nprfm pldl2keep, [x1]\nret",
    )


SIZES = (1, 16, 64, 1, 16, 64, 0, 0)
STORES = range(3, 6)
#: (site, address); site RUN fetches (address, bytes) as instructions.
Step = tuple[int, int] | tuple[int, int, int]


def shape(size: int, ways: int, policy: str = "lru", line: int = 64) -> CacheShape:
    """A cache."""
    return CacheShape(size, ways, line, policy, "test")


def core(
    l1: CacheShape, l2: CacheShape, takes: str = "refills", prefetcher: Prefetcher | None = None, l1i: Any = None
) -> Core:
    """A core with these."""
    latency = Latencies(3, 15, 150, 4, 16, 4, 8, "test")
    hierarchy = MemoryHierarchy(l1i or l1, l1, l2, takes, prefetcher or Prefetcher(1, 2, 4, "test"), latency, "test")
    return Core("test", "Test", hierarchy)


class Model:
    """The compiled model, driven directly."""

    def __init__(self, of: Core, *, prefetcher: bool = False) -> None:
        self.counter = CacheCounter(program(), make_plan(program()), of, prefetcher=prefetcher)
        self.begin(empty=True)

    def begin(self, *, empty: bool) -> None:
        """Count anew."""
        self.counter.prepare([AccessPlace("elsewhere", "elsewhere")], empty=empty)

    def run(self, steps: Sequence[Step]) -> CacheEvents:
        """Events of `steps` and those before."""
        events = np.zeros(len(steps), EVENT)
        for row, step in zip(events, steps, strict=True):
            row["site"], row["address"] = step[0], step[1]
            row["place"] = step[2] if len(step) == 3 else 0
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(self.counter.function.address)
        call(self.counter.state.ctypes.data, events.ctypes.data, len(events))
        return self.counter.collect(warm=False)


def random_steps(r: random.Random, count: int, span: int, sites: Sequence[int] = range(6)) -> list[Step]:
    """Walks and jumps in `span` bytes."""
    steps: list[Step] = []
    while len(steps) < count:
        address, site, stride = r.randrange(span), r.choice(sites), r.choice([0, 1, 16, 64, 65, 256, -64, 4096])
        for _ in range(r.randrange(1, 30)):
            steps.append((site, (1 << 32) + address))
            address = (address + stride) % span
    return steps


def independent(of: Core, steps: Sequence[Step]) -> dict[str, int]:
    """pycachesim's word for it.

    A store is a load first there, since its stores do not count as uses.  What it reads for a line given up to a second
    level that has not got it is no refill here, since the whole line comes.
    """
    cachesim = require_module("cachesim")
    memory, l1, l2 = cachesim.MainMemory(), of.memory.l1d, of.memory.l2
    second = cachesim.Cache("L2", l2.sets, l2.ways, l2.line, "LRU")
    memory.load_to(second)
    memory.store_from(second)
    first = cachesim.Cache("L1", l1.sets, l1.ways, l1.line, "LRU", store_to=second, load_from=second)
    simulator = cachesim.CacheSimulator(first, memory)
    for site, address, *_ in steps:
        simulator.load(address, SIZES[site])
        if site in STORES:
            simulator.store(address, SIZES[site])
    one, two = first.stats(), second.stats()
    own_reads = two["LOAD_count"] - one["MISS_count"]
    return {
        "L1D_CACHE": one["HIT_count"] + one["MISS_count"],
        "L1D_CACHE_REFILL": one["MISS_count"],
        "L1D_CACHE_WB": one["EVICT_count"],
        "L2D_CACHE": one["MISS_count"] + two["STORE_count"],
        "L2D_CACHE_REFILL": two["MISS_count"] - own_reads,
        "L2D_CACHE_WB": two["EVICT_count"],
    }


@pytest.mark.parametrize(
    ("l1", "l2"),
    [
        pytest.param(shape(1024, 2), shape(4096, 4), id="small"),
        pytest.param(shape(512, 8), shape(512, 8), id="two alike"),
        pytest.param(shape(3072, 3), shape(49152, 12), id="odd numbers of ways"),
        pytest.param(shape(2048, 1), shape(8192, 2), id="direct-mapped"),
        pytest.param(shape(32768, 4), shape(131072, 16), id="of real size"),
        pytest.param(shape(2048, 4, line=32), shape(8192, 8, line=32), id="short lines"),
    ],
)
def test_with_lru_and_no_prefetch_it_is_what_pycachesim_says(l1: CacheShape, l2: CacheShape) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    steps = random_steps(random.Random(seed), 20000, 8 * l2.size)
    of = core(l1, l2)
    got = Model(of).run(steps).events
    assert {name: got[name] for name in independent(of, steps)} == independent(of, steps)
    assert got["L2D_CACHE_WB"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
def test_kernels_do_to_the_caches_what_pycachesim_says(kernel: Any) -> None:
    case = draw_case(kernel, CaseName(planned_shapes(kernel, 1).small[-1], "random", 1))
    program = kernel_program(kernel)
    # The instruction cache is too large to give anything up, and its lines do not meet the data's in the second level.
    of = core(shape(512, 2), shape(1 << 22, 16), l1i=shape(65536, 4))
    probe = TrafficProbe(program, of, prefetcher=False)
    with Machine(program, probes=(probe,)) as machine:
        assert isinstance(run_case(machine, kernel.contract, case), Run)
    found = probe.collect_caches()
    assert found is not None
    accesses, _ = stepped(program, lambda machine: run_case(machine, kernel.contract, case))
    cachesim = require_module("cachesim")
    memory = cachesim.MainMemory()
    first = cachesim.Cache("L1", 4, 2, 64, "LRU")
    memory.load_to(first)
    memory.store_from(first)
    simulator = cachesim.CacheSimulator(first, memory)
    for _, address, size, kind in accesses:
        if kind != "prefetch":
            simulator.load(address, size)
            if kind == "store":
                simulator.store(address, size)
    stats = first.stats()
    if not any(kind == "prefetch" for *_, kind in accesses):
        assert found.events["L1D_CACHE_REFILL"] == stats["MISS_count"]
        assert found.events["L1D_CACHE_WB"] == stats["EVICT_count"]
    assert found.events["L1D_CACHE"] == stats["HIT_count"] + stats["MISS_count"]
    assert sum(place.l1d_cache for place in found.places) == found.events["L1D_CACHE"]
    assert sum(line.l1d_cache for line in found.lines) == found.events["L1D_CACHE"]
    assert sum(line.l1d_cache_refill for line in found.lines) == found.events["L1D_CACHE_REFILL"]
    assert sum(place.l2d_cache_refill for place in found.places) == sum(x.l2d_cache_refill for x in found.lines)
    assert json.loads(json.dumps(found.to_json()))["events"] == found.events


class Plain:
    """One cache in lists: ways in order of use, or a tree of directions, or a random sequence."""

    def __init__(self, of: CacheShape) -> None:
        self.of = of
        self.ways: list[list[int | None]] = [[None] * of.ways for _ in range(of.sets)]
        self.order: list[list[int]] = [[] for _ in range(of.sets)]
        self.toward_right: list[dict[str, bool]] = [{} for _ in range(of.sets)]
        self.dirty: set[int] = set()
        self.random = 0x9E3779B97F4A7C15

    def has(self, line: int) -> bool:
        """Whether it is there."""
        return line in self.ways[line % self.of.sets]

    def use(self, line: int) -> None:
        """It was asked for."""
        row = line % self.of.sets
        way = self.ways[row].index(line)
        self.order[row] = [*(w for w in self.order[row] if w != way), way]
        path = ""
        for digit in format(way, f"0{max(1, self.of.ways.bit_length() - 1)}b"):
            self.toward_right[row][path] = digit == "0"
            path += digit

    def insert(self, line: int) -> int | None:
        """Put it in; the line that went."""
        row = line % self.of.sets
        ways = self.ways[row]
        if None in ways:
            way = ways.index(None)
        elif self.of.policy == "lru":
            way = self.order[row][0]
        elif self.of.policy == "random":
            x, mask = self.random, (1 << 64) - 1
            x ^= x << 13 & mask
            x ^= x >> 7
            x ^= x << 17 & mask
            self.random = x
            way = (x >> 33) % self.of.ways
        else:
            path = ""
            for _ in range(self.of.ways.bit_length() - 1):
                path += "1" if self.toward_right[row].get(path, False) else "0"
            way = int(path, 2)
        gone, ways[way] = ways[way], line
        self.use(line)
        return gone


def plainly(of: Core, steps: Sequence[Step]) -> dict[str, int]:
    """The whole hierarchy in lists, without prefetches."""
    l1d, l1i, l2 = Plain(of.memory.l1d), Plain(of.memory.l1i), Plain(of.memory.l2)
    found = dict.fromkeys(Model(of).run([]).events, 0)
    exclusive = of.memory.l2_takes == "evictions"
    ratio = of.memory.l2.line // of.memory.l1d.line

    def into_l2(line: int) -> None:
        gone = l2.insert(line)
        if gone is not None and gone in l2.dirty:
            l2.dirty.discard(gone)
            found["L2D_CACHE_WB"] += 1

    def read_l2(line: int, data: bool) -> None:
        found["L2D_CACHE"] += 1
        if l2.has(line):
            l2.use(line)
            return
        found["L2D_CACHE_REFILL"] += 1
        if not (data and exclusive):
            into_l2(line)

    for step in steps:
        if step[0] == RUN:
            size = of.memory.l1i.line
            for line in range(step[1] // size, (step[1] + step[-1] - 1) // size + 1):
                found["L1I_CACHE"] += 1
                if l1i.has(line):
                    l1i.use(line)
                    continue
                found["L1I_CACHE_REFILL"] += 1
                read_l2(line * size // of.memory.l2.line, False)
                l1i.insert(line)
            continue
        size = of.memory.l1d.line
        for line in range(step[1] // size, (step[1] + SIZES[step[0]] - 1) // size + 1):
            found["L1D_CACHE"] += 1
            if l1d.has(line):
                l1d.use(line)
            else:
                found["L1D_CACHE_REFILL"] += 1
                read_l2(line // ratio, True)
                gone = l1d.insert(line)
                was_dirty = gone in l1d.dirty
                if gone is not None and (was_dirty or exclusive):
                    l1d.dirty.discard(gone)
                    found["L1D_CACHE_WB"] += was_dirty
                    found["L2D_CACHE"] += 1
                    if not l2.has(gone // ratio):
                        into_l2(gone // ratio)
                    if was_dirty:
                        l2.dirty.add(gone // ratio)
            if step[0] in STORES:
                l1d.dirty.add(line)
    return found


@pytest.mark.parametrize("takes", ["refills", "evictions"])
@pytest.mark.parametrize("policy", ["lru", "plru", "random"])
@pytest.mark.parametrize("line", [64, 128])
def test_every_policy_is_what_a_plain_model_says(policy: str, takes: str, line: int) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    r = random.Random(seed)
    steps = random_steps(r, 8000, 40000)
    for position in range(0, len(steps), 7):
        steps.insert(position, (RUN, r.randrange(20000) * 4, r.randrange(1, 60) * 4))
    of = core(shape(1024, 4, policy), shape(8192, 8, policy, line), takes, l1i=shape(1024, 2, policy, 32))
    assert dict(Model(of).run(steps).events) == plainly(of, steps)


@pytest.mark.slow
def test_the_caches_of_every_core_are_what_a_plain_model_says() -> None:
    r = random.Random(7)
    steps = random_steps(r, 6000, 1 << 19)
    for position in range(0, len(steps), 9):
        steps.insert(position, (RUN, r.randrange(60000) * 4, r.randrange(1, 60) * 4))
    for name in core_names():
        of = load_core(name)
        assert dict(Model(of).run(steps).events) == plainly(of, steps), name


def test_a_second_call_on_caches_left_warm_refills_nothing_that_fits() -> None:
    of = core(shape(4096, 4), shape(65536, 8))
    model = Model(of, prefetcher=False)
    steps: list[Step] = [(1, 16 * k) for k in range(4096 // 16)]
    cold = model.run(steps)
    assert (cold.events["L1D_CACHE_REFILL"], cold.events["L2D_CACHE_REFILL"]) == (64, 64)
    model.begin(empty=False)
    assert model.run(steps).events["L1D_CACHE_REFILL"] == 0
    model.begin(empty=True)
    assert model.run(steps).events == cold.events


def test_the_prefetcher_hides_a_steady_step_after_it_has_learnt_it() -> None:
    of = core(shape(4096, 4), shape(65536, 8), prefetcher=Prefetcher(1, 2, 4, "test"))
    steps: list[Step] = [(0, 64 * k) for k in range(32)]
    on, off = Model(of, prefetcher=True).run(steps), Model(of).run(steps)
    assert off.events["L1D_CACHE_REFILL"] == 32 and off.prefetches["hardware_fills"] == 0
    # Lines 0 to 2 show the step twice; line 2 and those after it fetch four lines ahead.
    assert on.events["L1D_CACHE_REFILL"] == 3
    assert on.prefetches["hardware_useful"] == 29
    assert on.prefetches["hardware_fills"] == 33
    # At the end of a page of 4 KiB it stops, and goes on from there.
    across: list[Step] = [(0, 4096 - 64 * 4 + 64 * k) for k in range(8)]
    found = Model(of, prefetcher=True).run(across)
    assert found.events["L1D_CACHE_REFILL"] == 4 and found.prefetches["hardware_fills"] == 1 + 4 + 3


def test_the_prefetcher_of_the_second_level_leaves_the_first_alone() -> None:
    of = core(shape(4096, 4), shape(65536, 8), prefetcher=Prefetcher(2, 2, 4, "test"))
    found = Model(of, prefetcher=True).run([(0, 64 * k) for k in range(32)])
    assert found.events["L1D_CACHE_REFILL"] == 32
    assert found.events["L2D_CACHE_REFILL"] == 3


def test_software_prefetches_fill_their_level_and_are_useful_when_asked_for_before_they_go() -> None:
    of = core(shape(4096, 4), shape(65536, 8))
    steps: list[Step] = [(6, 0), (0, 0), (7, 64), (0, 64), (6, 128), (6, 128)]
    found = Model(of).run(steps)
    assert found.events["L1D_CACHE"] == 2
    assert found.events["L1D_CACHE_REFILL"] == 1  # the second prefetch was for the second level
    assert found.events["L2D_CACHE_REFILL"] == 0
    assert (found.prefetches["software_fills"], found.prefetches["software_useful"]) == (3, 2)
    # Prefetched, driven out by lines of the same set, then asked for.
    driven: list[Step] = [(6, 0), *((0, 1024 * k) for k in range(1, 6)), (0, 0)]
    found = Model(of).run(driven)
    assert found.prefetches["software_useful"] == 0


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
def test_a_kernel_gives_the_same_events_whatever_ran_before(kernel: Any) -> None:
    program = kernel_program(kernel)
    shapes = planned_shapes(kernel, 1).small
    cases = [draw_case(kernel, CaseName(one, "random", 1)) for one in (shapes[-1], shapes[0], shapes[-1])]
    probe = TrafficProbe(program, load_core("cortex-a53"))
    found = []
    with Machine(program, probes=(probe,)) as machine:
        for case in cases:
            run_case(machine, kernel.contract, case)
            found.append((probe.collect(), probe.collect_caches()))
        run_case(machine, kernel.contract, cases[-1])  # nobody asks for these, and the caches hold them all the same
        probe.warm = True
        run_case(machine, kernel.contract, cases[-1])
        warm = probe.collect_caches()
    assert found[0] == found[2]
    cold = found[0][1]
    assert cold is not None and warm is not None and warm.warm and not cold.warm
    assert warm.events["L1D_CACHE"] == cold.events["L1D_CACHE"]
    assert warm.events["L2D_CACHE_REFILL"] <= cold.events["L2D_CACHE_REFILL"]
    assert warm.events["L1I_CACHE_REFILL"] == 0 < cold.events["L1I_CACHE_REFILL"]
