"""What a profiled call finds: where its buffers lie, what they hold, which of them are in the caches."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.tools import require_compiler

import neonlab
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.profile import cold_buffers, profile
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile

#: Loads of 16 bytes one after the other, and of the last one a store.
COPY = """\
/*toml
summary   = "loads"
prototype = "void (const uint8_t *a, uint8_t *c, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a = { reg = "x0", read = "n" }
c = { reg = "x1", write = "16" }
n = { reg = "x2", range = [64, 4096], step = 64 }
*/
    .text
    .globl loads
loads:
    ldr     q0, [x0]
    ldr     q1, [x0, #16]
    ldr     q2, [x0, #32]
    ldr     q3, [x0, #48]
    add     x0, x0, #64
    subs    x2, x2, #64
    b.ne    loads
    str     q3, [x1]
    ret
"""
#: A branch for each byte, taken where it is below 128: data decide what is executed.
BRANCHES = """\
/*toml
summary   = "counts bytes from 128 on"
prototype = "uint64_t (const uint8_t *a, size_t n)"
isa       = ["armv8.0-a"]
[args]
a = { reg = "x0", read = "n" }
n = { reg = "x1", range = [1, 4096] }
*/
    .text
    .globl count
count:
    mov     x3, #0
again:
    ldrb    w2, [x0], #1
    tbz     w2, #7, below
    add     x3, x3, #1
below:
    subs    x1, x1, #1
    b.ne    again
    mov     x0, x3
    ret
"""


def written(tmp_path: Path, name: str, text: str, **contract: object) -> Kernel:
    (tmp_path / "armv8").mkdir(exist_ok=True)
    path = tmp_path / "armv8" / f"{name}.S"
    path.write_text(text, encoding="utf-8")
    kernel = neonlab.load(path, contract=contract).kernel
    assert kernel is not None
    return kernel


def profiled(kernel: Kernel, shape: str, core: str, **options: object) -> Profile:
    found = profile(kernel, shape, memory=MemoryOptions(core, **options))  # type: ignore[arg-type]
    assert isinstance(found, Profile) and found.cycles is not None
    assert sum(found.cycles.causes.values()) == found.cycles.cycles and min(found.cycles.causes.values()) >= 0
    return found


def cycles(kernel: Kernel, shape: str, core: str, **options: object) -> float:
    found = profiled(kernel, shape, core, **options).cycles
    assert found is not None
    return found.per_call


@pytest.mark.parametrize("offset", [0, 3, 16, 60])
def test_accesses_that_cross_lines_are_those_of_the_offset(tmp_path: Path, offset: int) -> None:
    found = profiled(written(tmp_path, "loads", COPY, **{"a.offset": offset}), "1024", "cortex-a53")
    assert found.traffic is not None
    place = found.traffic.of("a")
    starts = offset + 16 * np.arange(64)
    assert place is not None and place.unaligned == np.count_nonzero(starts % 16)
    assert place.split_lines == np.count_nonzero(starts // 64 != (starts + 15) // 64)


@pytest.mark.parametrize(
    ("core", "aligned", "unaligned"),
    [("cortex-a53", 0.5, 0.33), ("cortex-a72", 1.0, 0.5), ("neoverse-n1", 2.0, 1.0), ("neoverse-v1", 3.0, 1.9)],
)
def test_loads_at_an_offset_take_as_much_longer_as_measured(
    tmp_path: Path, core: str, aligned: float, unaligned: float
) -> None:
    """As github.com/ocxtal/insn_bench_aarch64 measured it: loads of 16 bytes per cycle, aligned and one byte behind."""
    at = {offset: written(tmp_path, "loads", COPY, **{"a.offset": offset}) for offset in (0, 1, 16)}
    found = [cycles(kernel, "4096", core, warm=True) for kernel in at.values()]
    assert found[2] == found[0]
    assert (found[1] - found[0]) / 256 == pytest.approx(1 / unaligned - 1 / aligned, abs=0.3)


def test_an_alignment_that_is_promised_changes_nothing_below_a_line(tmp_path: Path) -> None:
    plain, aligned = (written(tmp_path, "loads", COPY, **said) for said in ({}, {"a.align": 16}))
    assert profiled(plain, "1024", "cortex-a53").to_json() == profiled(aligned, "1024", "cortex-a53").to_json()


def test_arrays_that_are_passed_lie_where_the_contract_says_unless_they_have_a_place(tmp_path: Path) -> None:
    written(tmp_path, "loads", COPY)
    function = neonlab.load(tmp_path / "armv8" / "loads.S", contract={"a.offset": 3})
    a, c = np.zeros(256, np.uint8), np.zeros(16, np.uint8)
    for given, unaligned in ((a, 16), (neonlab.Buffer("a", a, alignment=16), 0)):
        found = function.profile(given, c, 256)
        assert found.traffic is not None
        place = found.traffic.of("a")
        assert place is not None and place.unaligned == unaligned


def test_stated_data_decide_what_is_executed(tmp_path: Path) -> None:
    np.save(tmp_path / "half.npy", np.array([0, 255] * 100, np.uint8))
    stated: dict[str, dict[str, Any]] = {
        "low": {"a.data.start": 0, "a.data.step": 0},
        "high": {"a.data.start": 128, "a.data.step": 0},
        "ramp": {"a.data": "ramp"},
        "file": {"a.data": str(tmp_path / "half.npy")},
    }
    executed = {}
    for name, data in stated.items():
        found = profile(written(tmp_path, "count", BRANCHES, **data), "200")
        assert isinstance(found, Profile)
        executed[name] = found.counts.instructions
    ones = {"low": 0, "high": 200, "ramp": 72, "file": 100}
    assert executed == {name: 2 + 4 * 200 + 1 + count for name, count in ones.items()}


def test_a_file_of_data_that_is_not_there_is_an_error_and_no_figure(tmp_path: Path) -> None:
    kernel = written(tmp_path, "count", BRANCHES, **{"a.data": str(tmp_path / "none.npy")})
    with pytest.raises(InputError, match=r"none\.npy: no such file"):
        profile(kernel, "200")


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_weights_that_are_cold_cost_between_nothing_and_everything_cold(core: str) -> None:
    name, shape = "armv8/conv1x1_s8s32_hwc_4x4", "4x4x16x16"
    states = {
        state: profile(name, shape, memory=MemoryOptions(core, **{state: True})) for state in ("warm", "cold_weights")
    }
    states["cold"] = profile(name, shape, memory=MemoryOptions(core))
    found = {state: one.cycles.cycles for state, one in states.items()}  # type: ignore[union-attr]
    assert found["warm"] < found["cold_weights"] < found["cold"]
    caches = states["cold_weights"].caches  # type: ignore[union-attr]
    assert caches is not None and caches.state == "warm, weights cold" and caches.cold == ("weights",)
    refills = {place.name: place.l2d_cache_refill for place in caches.places}
    prefetched = caches.prefetches["hardware_fills"] + caches.prefetches["software_fills"]
    assert refills["weights"] + prefetched >= 16 * 16 // 64 and refills["weights"] >= 1
    assert all(count == 0 for place, count in refills.items() if place != "weights")


def test_weights_are_what_the_contract_marks_or_else_what_the_operator_names(tmp_path: Path) -> None:
    marked = written(tmp_path, "loads", COPY, **{"a.cold": True})
    assert cold_buffers(marked) == ("a",)
    assert profiled(marked, "1024", "cortex-a53", cold_weights=True).cycles.state == "warm, a cold"  # type: ignore[union-attr]
    with pytest.raises(InputError, match="no buffer is known to hold weights: mark those with `cold = true`"):
        profile(written(tmp_path, "loads", COPY), "1024", memory=MemoryOptions("cortex-a53", cold_weights=True))
    library = {kernel.title: kernel for kernel in neonlab.open_library().kernels}
    for kernel in library.values():
        if kernel.operator is not None and kernel.operator.weights:
            assert cold_buffers(kernel)[0] == kernel.operator.weights[0], kernel.title


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55", "cortex-a72", "neoverse-n1"])
def test_calls_in_a_row_share_what_the_ends_of_the_row_cost(tmp_path: Path, core: str) -> None:
    kernel = written(tmp_path, "loads", COPY)
    one, four, many, more = (cycles(kernel, "256", core, calls=calls) for calls in (1, 4, 256, 512))
    bubble = load_pipeline(core).far_bubble  # behind the return of the call before, which a single call has not
    assert one + bubble >= four and four + bubble >= many - 0.1
    assert many == pytest.approx(more, rel=0.01) == pytest.approx(cycles(kernel, "256", core, warm=True), abs=1)
    # The way into the pipeline and out of it is paid once.
    assert 4 * (four - more) == pytest.approx(one - more, abs=4 + 3 * bubble)


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55", "cortex-a72"])
def test_a_row_of_calls_is_over_when_its_last_result_is_there(tmp_path: Path, core: str) -> None:
    plain = written(tmp_path, "loads", COPY)
    text = COPY.replace("    str     q3, [x1]", "    str     q3, [x1]\n    fdiv    d4, d5, d6")
    twice = text.replace("    fdiv    d4, d5, d6\n", 2 * "    fdiv    d4, d4, d6\n")
    longer, chain = (
        written(tmp_path, name, one.replace("loads", name)) for name, one in (("one", text), ("two", twice))
    )
    latency = cycles(chain, "64", core, calls=1) - cycles(longer, "64", core, calls=1)  # of the second division
    assert latency >= 5
    assert cycles(longer, "64", core, calls=1) - cycles(plain, "64", core, calls=1) >= latency / 2
    # A call behind another does not wait for that.
    assert cycles(longer, "64", core, warm=True) - cycles(plain, "64", core, warm=True) < latency


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"calls": 2, "warm": True}, "give `calls` or `warm`"),
        ({"calls": -1}, "`calls` is a number of calls, 1 to 1024, not -1"),
        ({"calls": 1025}, "1 to 1024"),
    ],
)
def test_states_that_exclude_each_other_are_refused(options: dict[str, int], words: str) -> None:
    with pytest.raises(InputError, match=words):
        MemoryOptions("cortex-a53", **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="give `core` too"):
        MemoryOptions(cold_weights=True)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("core", "shape", "averaged"),
    [("cortex-a73", "128", 2), ("cortex-a72", "64", 1), ("neoverse-v1", "64", 1), ("cortex-a53", "128", 1)],
)
def test_a_warm_call_takes_what_many_calls_take_on_average(
    tmp_path: Path, core: str, shape: str, averaged: int
) -> None:
    kernel = written(tmp_path, "loads", COPY)
    few, many = (profiled(kernel, shape, core, calls=calls).cycles for calls in (240, 480))
    warm = profiled(kernel, shape, core, warm=True).cycles
    assert few is not None and many is not None and warm is not None
    assert warm.averaged == averaged  # calls that take turns, or call after call the same once the window is full
    assert warm.per_call == (many.elapsed - few.elapsed) / 240
    assert warm.cycles == int(warm.per_call + 0.5)
    assert warm.calls == 0 and warm.state == "warm"


#: Eight loads of 16 bytes for each 64 bytes of `a`, each at the same address.
LOADS = COPY[: COPY.index("    ldr     q0")] + "{loads}" + COPY[COPY.index("    add     x0, x0") :]


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
@pytest.mark.parametrize(
    ("load", "more"), [("ld1 {v%d.8h}, [x0]", 2), ("ldr q%d, [x0]", 1), ("ld1 {v%d.8b}, [x0]", 1), ("ldr x%d, [x0]", 1)]
)
def test_each_unit_of_a_structure_that_crosses_takes_a_cycle_more_in_order(
    tmp_path: Path, core: str, load: str, more: int
) -> None:
    text = LOADS.replace("{loads}", "".join(f"    {load % (3 + n)}\n" for n in range(8)))
    found = {}
    for offset in (0, 2):
        contract = text.replace('x0", read = "n"', f'x0", read = "n", offset = {offset}')
        kernel = written(tmp_path, "loads", contract)
        short, long = (profiled(kernel, shape, core, warm=True).cycles for shape in ("1024", "2048"))
        assert short is not None and long is not None
        found[offset] = (long.cycles - short.cycles) / (1024 / 64 * 8)
    assert found[2] - found[0] == pytest.approx(more, abs=0.15)


#: A loop of many cheap instructions, then one of a few that take most of the cycles.
TWO_LOOPS = COPY.replace(
    "    str     q3, [x1]\n",
    """\
    mov     x3, #200
divide:
    udiv    x4, x3, x3
    add     x3, x3, x4
    sub     x3, x3, #2
    cbnz    x3, divide
    str     q3, [x1]
""",
)


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_an_object_without_lines_has_the_loops_of_its_source(tmp_path: Path, warm: bool) -> None:
    source = written(tmp_path, "loads", TWO_LOOPS)
    place = tmp_path / "armv8" / "loads.o"
    subprocess.run([*require_compiler(Isa.A64), "-g0", "-c", str(source.path), "-o", str(place)], check=True)
    described = TWO_LOOPS.split("/*toml\n")[1].split("*/")[0].replace("[args]", 'symbol = "loads"\n[args]')
    place.with_name("loads.contract.toml").write_text(described, encoding="utf-8")
    thing = neonlab.load(place).kernel
    assert thing is not None
    ours, theirs = (profiled(kernel, "4096", "cortex-a53", loop=True, warm=warm).loops for kernel in (source, thing))
    assert sorted(loop.lines[0].text.split()[0] for loop in ours) == ["ldr", "udiv"]
    for one, other in zip(ours, theirs, strict=True):
        assert (one.iterations, one.cycles, one.share) == (other.iterations, other.cycles, other.share)
        assert (one.cycles_in_run, one.missed, one.bounds) == (other.cycles_in_run, other.missed, other.bounds)
        assert one.cycles <= one.cycles_in_run * 1.01 and {line.line for line in other.lines} == {0}
