"""The bench's arithmetic and shape; no speed is asserted, since the machine is not ours alone."""

from __future__ import annotations

import json

import pytest
from tests.emulate.guest_programs import assembled

from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.measure.counting_bench import BenchError, BenchResult, bench_counts

LOOP = {
    Isa.A64: "1: add v0.4s, v0.4s, v1.4s\nsubs x0, x0, #1\nb.ne 1b\nret",
    Isa.A32: "1: vadd.i32 q0, q0, q1\nsubs r0, r0, #1\nbne 1b\nbx lr",
}


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_three_ways_of_running_are_timed(isa: Isa) -> None:
    signature = parse_prototype("void f(size_t n)", isa)
    result = bench_counts(assembled(isa, LOOP[isa]), "kernel", [2000], signature, repetitions=2)
    assert result.instructions == 6001
    assert min(result.bare, result.counts, result.python) > 0
    document = json.loads(json.dumps(result.to_json()))
    assert document["counts_of_bare"] == pytest.approx(result.counts / result.bare, abs=1e-3)
    assert all(len(line) <= 78 for line in result.lines())


def test_ratios_compare_counts_with_the_other_two() -> None:
    result = BenchResult(instructions=10, bare=100e6, counts=90e6, python=2e6)
    assert result.of_bare == pytest.approx(0.9)
    assert result.over_python == pytest.approx(45)


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_a_kernel_that_does_not_run_is_not_timed(isa: Isa) -> None:
    with pytest.raises(BenchError, match="unmapped-access"):
        load = "ldr x1, [x0]\nret" if isa is Isa.A64 else "ldr r1, [r0]\nbx lr"
        bench_counts(assembled(isa, load), "kernel", [16], parse_prototype("void f(size_t n)", isa))
