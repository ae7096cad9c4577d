"""The shape of what the bench says of traffic and caches; no speed is asserted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled

from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.measure.modelling_bench import MemoryBench, bench_memory

LOOP = {
    Isa.A64: "1: ldr q0, [x1]\nsubs x0, x0, #1\nb.ne 1b\nret",
    Isa.A32: "1: vld1.8 {q0}, [r1]\nsubs r0, r0, #1\nbne 1b\nbx lr",
}


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_traffic_and_caches_are_timed(isa: Isa) -> None:
    signature = parse_prototype("void f(size_t n, const uint8_t *a)", isa)
    arguments: list[Argument] = [2000, Buffer("a", np.zeros(64, np.uint8))]
    result = bench_memory(assembled(isa, LOOP[isa]), "kernel", arguments, signature, repetitions=2)
    assert min(result.bare, result.traffic, result.caches, result.pipeline) > 0
    document = json.loads(json.dumps(result.to_json()))
    assert document["core"] == "cortex-a53"
    assert document["caches_of_bare"] == pytest.approx(result.caches / result.bare, abs=1e-3)
    assert document["pipeline_of_bare"] == pytest.approx(result.pipeline / result.bare, abs=1e-3)


def test_lines_name_the_ratios_and_what_is_wanted() -> None:
    lines = MemoryBench("cortex-a53", 100e6, 70e6, 40e6, 30e6).lines()
    assert "0.700 of bare (wanted: 0.6)" in lines[0] and "0.400 of bare (wanted: 0.35), of cortex-a53" in lines[1]
    assert "0.300 of bare (wanted: 0.25)" in lines[2]
    assert all(len(line) <= 78 for line in lines)
