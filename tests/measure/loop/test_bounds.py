"""Bounds of loops that are limited by one thing, and the sentence that says so."""

from __future__ import annotations

import pytest
from tests.measure.pipeline.loops import code

from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.loop.bounds import LoopBounds, first_target, loop_bounds
from neonlab.measure.pipeline.cost import loop_cycles

LOADED = ["ldr x5, [x10]", "ldr x6, [x10]"]
MANY = [f"mul v{n}.8h, v30.8h, v31.8h" for n in range(8)]
WIDE = [line for n in range(5) for line in (f"add x{n}, x9, #1", f"add v{n}.8b, v30.8b, v31.8b")] + LOADED
CHAIN = ["ldr x0, [x0]", "add x1, x1, #1"]
LOADS = [f"ldr q{n}, [x1, #{16 * n}]" for n in range(8)]
ORDER = ["ldr q0, [x1]", "mul v1.8h, v0.8h, v31.8h", "mul v1.8h, v1.8h, v31.8h", "str q1, [x2]"]


def told(core: str, lines: list[str], missed: float = 0.0, fetched: float = 0.0) -> tuple[LoopBounds, str]:
    body, pipeline = code(*lines), load_pipeline(core)
    cycles = loop_cycles(body, pipeline)
    bounds = loop_bounds(body, pipeline, cycles.bounds, fetched)
    return bounds, first_target(body, pipeline, cycles, bounds, missed, lambda at: str(100 + at))


@pytest.mark.parametrize(
    ("core", "lines", "name", "least"),
    [
        ("neoverse-n1", MANY, "ports", 16),  # two cycles each, on one of the two ports
        ("cortex-a53", MANY, "ports", 8),
        ("cortex-a72", WIDE, "dispatch", 4),
        ("cortex-a72", CHAIN, "dependencies", 4),
        ("cortex-a53", CHAIN, "dependencies", 3),
    ],
)
def test_the_largest_bound_is_what_the_loop_takes(core: str, lines: list[str], name: str, least: float) -> None:
    bounds, sentence = told(core, lines)
    assert bounds.largest == (name, least)
    assert loop_cycles(code(*lines), load_pipeline(core)).total == pytest.approx(least, rel=0.01)
    assert sentence.startswith({"dependencies": "Bound by one dependency chain"}.get(name, f"Bound by {name}"))


def test_loads_are_what_memory_is_bound_by() -> None:
    bounds, _ = told("cortex-a53", [*LOADS, "mul v9.8h, v30.8h, v31.8h"])
    assert bounds.memory == 16  # two cycles each
    assert told("cortex-a53", ["add x0, x0, #1"])[0].memory == 0
    assert told("cortex-a53", LOADS, fetched=99)[0].memory == 99


def test_a_port_that_is_full_is_named_with_what_it_does() -> None:
    sentence = told("neoverse-n1", MANY)[1]
    assert sentence.startswith("Bound by ports (16 of 16 cycles): V0 is full, with mul 100 %. ")


def test_a_loop_that_waits_in_order_is_told_which_line_waits_for_which() -> None:
    sentence = told("cortex-a55", ORDER)[1]
    assert sentence.startswith("No single limit")
    last = "line 102 stalls longest, for 3 cycles (dependency, on line 101). Put independent work before it."
    assert sentence.endswith(last)


def test_waiting_for_caches_comes_first() -> None:
    assert told("cortex-a53", MANY, missed=5)[1].startswith("Waits 5 cycles per iteration for lines")
    assert not told("cortex-a53", MANY, missed=0.5)[1].startswith("Waits")
