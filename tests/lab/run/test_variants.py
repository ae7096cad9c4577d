"""Variants of a core side by side, against profiles of each by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import neonlab
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.run.lookup import one_kernel
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile_case
from neonlab.lab.run.settling import Settling
from neonlab.lab.run.variants import cycles_on_variants
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import varied
from neonlab.measure.options import MemoryOptions
from neonlab.measure.pipeline.parts import READ_WHEN_RUN
from neonlab.measure.pipeline.program import compile_instructions
from neonlab.verify.cases.case import CaseName


@pytest.mark.parametrize(
    ("core", "tables"),
    [
        ("cortex-a53", [{}, {"queue": 8}, {"store_writeback": 3}, {"results": 0, "fetch_queue": 8}]),
        ("cortex-a72", [{"queue_hold": 0}, {}, {"taken_bubble": 1}, {"wide_places": 1}]),
        ("neoverse-n1", [{}, {"port_queue": 0}, {"queue_hold": 3}]),
    ],
)
def test_cycles_are_those_of_each_variant_by_itself(core: str, tables: list[dict[str, int]]) -> None:
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")
    name = CaseName(parse_shape(kernel, "2x2x16x8"), "random", 1)
    known = ModelledCore.named(core)
    assert known.pipeline is not None
    variants = [varied(known.pipeline, {"pipeline": table}) for table in tables]
    expected = []
    for one in variants:
        outcome = profile_case(kernel, name, MemoryOptions(ModelledCore(core, known.chip, one), warm=True))
        assert isinstance(outcome, neonlab.Profile) and outcome.cycles is not None
        expected.append(outcome.cycles.per_call)
    assert cycles_on_variants(kernel, name, known, variants) == expected
    assert len(set(expected)) > 1, "the variants differ"


@pytest.mark.slow
def test_compiled_instructions_do_not_depend_on_what_is_read_when_they_run() -> None:
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")
    instructions = kernel_program(kernel).instructions
    for name in ("cortex-a53", "cortex-a72"):
        core = ModelledCore.named(name).pipeline
        assert core is not None
        plain = compile_instructions(instructions, core)
        for key in sorted(READ_WHEN_RUN - {"sources", "_found"}):
            value = getattr(core, key)
            other: Any = () if key == "crossings" else (9, 9) if isinstance(value, tuple) else value + 1
            changed = compile_instructions(instructions, replace(core, **{key: other}))
            for array in ("code", "reads", "writes", "uses"):
                assert (getattr(changed, array) == getattr(plain, array)).all(), key


@pytest.mark.parametrize(
    ("times", "turn"), [([100] * 24, 0), ([100, 103] * 12, 2), ([100, 101, 105] * 20, 3), ([7] * 300, 0)]
)
def test_calls_settle_where_their_cycles_stay_or_recur(times: list[int], turn: int) -> None:
    settling, calls = Settling(), 0
    while not settling.over and calls < len(times):
        settling.add(times[calls])
        calls += 1
    assert settling.turn == turn
    if turn == 0:
        assert settling.over and calls == max(24, -(-2048 // times[0]))
