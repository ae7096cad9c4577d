"""Test that the bound of issue is what the model of an in-order core takes at least, in any order."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from tests.measure.pipeline.loops import CORES, IN_ORDER, code

from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.bounds import issue_bound
from neonlab.measure.pipeline.cost import loop_cycles
from neonlab.measure.pipeline.program import compile_instructions

#: What takes one place of vectors, two, or none, and several slots.
POOL = (
    "smull v{a}.8h, v{b}.8b, v{c}.8b", "sadalp v{a}.4s, v{b}.8h", "add v{a}.2s, v{b}.2s, v{c}.2s", "ldr d{a}, [x20]",
    "ldr q{a}, [x20]", "ldr x{a}, [x20]", "str d{a}, [x21]", "str q{a}, [x21]", "add x{a}, x{b}, x{c}",
    "ld1 {{v{a}.d}}[1], [x20]", "ins v{a}.d[1], x{b}", "ldp d{a}, d{b}, [x20]", "prfm pldl1keep, [x20]",
)  # fmt: skip
ONE_LOAD_A_CYCLE = [
    "smull v8.8h, v16.8b, v17.8b", "smull v9.8h, v16.8b, v17.8b", "smull v10.8h, v16.8b, v17.8b",
    "ldr d0, [x0]", "ldr d1, [x0, #8]", "ldr d2, [x0, #16]", "ldr d3, [x0, #24]",
]  # fmt: skip


def bound_of(lines: list[str], core: str) -> float:
    pipeline = load_pipeline(core)
    return issue_bound(compile_instructions(code(*lines), pipeline), np.ones(len(lines), np.int64), pipeline)


@pytest.mark.parametrize(("core", "seed"), [*itertools.product(IN_ORDER, range(24))])
@pytest.mark.sweep(keep=40)
def test_no_loop_is_issued_in_fewer_cycles(core: str, seed: int) -> None:
    chooser = random.Random(seed)
    forms = chooser.sample(POOL, chooser.randrange(1, len(POOL)))
    lines = []
    for _ in range(chooser.randrange(4, 40)):
        a, b, c = chooser.sample(range(16), 3)
        lines.append(chooser.choice(forms).format(a=a, b=b, c=c))
    assert 0 < bound_of(lines, core) <= loop_cycles(code(*lines), load_pipeline(core)).total


def test_on_cortex_a53_loads_of_64_bits_take_cycles_of_their_own_beside_work_on_128_bits() -> None:
    seven = loop_cycles(code(*ONE_LOAD_A_CYCLE), load_pipeline("cortex-a53")).total
    assert bound_of(ONE_LOAD_A_CYCLE, "cortex-a53") == seven == 7
    assert bound_of(ONE_LOAD_A_CYCLE, "cortex-a55") == 3.5, "which has slots alone"


def test_loads_of_64_bits_share_a_cycle_with_work_on_64_bits() -> None:
    pairs = [line for at in range(4) for line in (f"ldr d{at}, [x0]", f"add v{at + 8}.2s, v16.2s, v17.2s")]
    assert bound_of(pairs, "cortex-a53") == loop_cycles(code(*pairs), load_pipeline("cortex-a53")).total == 4


def test_an_instruction_counts_as_often_as_it_is_executed() -> None:
    pipeline = load_pipeline("cortex-a53")
    compiled = compile_instructions(code(*ONE_LOAD_A_CYCLE), pipeline)
    assert issue_bound(compiled, np.array([5, 5, 5, 2, 2, 2, 2], np.int64), pipeline) == 23


@pytest.mark.parametrize("core", sorted(set(CORES) - set(IN_ORDER)))
def test_cores_that_issue_out_of_order_have_no_such_bound(core: str) -> None:
    assert bound_of(["add x0, x1, x2"], core) == 0


def test_a_bound_that_counts_a_load_as_work_on_128_bits_is_noticed() -> None:
    pairs = ["ldr d0, [x0]", "add v8.2s, v16.2s, v17.2s"] * 4
    assert loop_cycles(code(*pairs), load_pipeline("cortex-a53")).total < len(pairs)
