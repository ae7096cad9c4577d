"""The case at whose shape ranges are analysed executes as much of the code as a short call can."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.emulate.machine import Machine
from neonlab.emulate.trace import TraceProbe
from neonlab.lab.parallel import checks
from neonlab.lab.parallel.checks import check_all
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.check import check
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.lab.run.ranged import Reach, furthest
from neonlab.measure.shape import Shape
from neonlab.verify.cases.call_arguments import call_arguments
from neonlab.verify.cases.case import CaseName
from neonlab.verify.check_case import call_case
from neonlab.verify.coverage import Extent

KERNELS = {kernel.title: kernel for kernel in open_library(Path(__file__).resolve().parents[3]).kernels}


def _executed(kernel: Kernel, names: list[CaseName]) -> dict[Shape, tuple[int, int]]:
    """The different instructions and the steps of a call at each shape, by its trace."""
    program, contract = kernel_program(kernel), kernel.contract
    recorder = TraceProbe(program, 8_000)
    found: dict[Shape, tuple[int, int]] = {}
    with Machine(program, probes=(recorder,)) as machine:
        for name in names:
            if name.shape not in found:
                case = draw_case(kernel, name)
                call_case(machine, contract, case, call_arguments(contract, case))
                trace = recorder.collect(machine)
                if not trace.overflow:
                    found[name.shape] = len(trace.executions), len(trace)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("title", ["armv7/conv3x3_s8s8_hwc_2x4_ruy", "armv8/avgpool2x2s2_s8s8_hwc_1x16"])
def test_ranges_are_analysed_where_a_call_executes_most_code_in_the_fewest_steps(title: str) -> None:
    kernel = KERNELS[title]
    verdict = check(kernel)
    assert verdict.ranges is not None and verdict.ranges.status == "safe"
    executed = _executed(kernel, plan_cases(kernel))
    most = max(different for different, _ in executed.values())
    least = min(steps for different, steps in executed.values() if different == most)
    assert executed[verdict.ranges.shape] == (most, least)


@pytest.mark.slow
def test_the_shape_is_the_same_however_the_cases_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = KERNELS["armv7/relu_s8s8_flat_64"]
    work = [(kernel, plan_cases(kernel))]
    with Workers(2) as workers:
        parts = check_all(workers, work, ranges=True)
        monkeypatch.setattr(checks, "_LEAST", len(work[0][1]))
        assert check_all(workers, work, ranges=True) == parts
    assert parts[0].ranges is not None and parts[0].ranges == check(kernel).ranges


def _reach(number: int, different: int, executed: int) -> Reach:
    return Reach(CaseName(Shape(("count",), (number,)), "random", 1), Extent(different, executed))


@pytest.mark.parametrize(
    ("extents", "chosen"),
    [
        ([(40, 100), (80, 900), (80, 300), (80, 300)], 2),
        ([(40, 100), (80, 33_000)], 0),  # a long call, though it executes more
        ([(80, 90_000), (40, 50_000)], 1),  # where all are long, the shortest
        ([(80, 400_000)], None),
        ([], None),
    ],
)
def test_a_call_is_chosen_by_what_it_executes_then_by_its_length(
    extents: list[tuple[int, int]], chosen: int | None
) -> None:
    cases = [_reach(number, *extent) for number, extent in enumerate(extents)]
    found = furthest([None, *cases])
    assert found is (None if chosen is None else cases[chosen])
    halves = [furthest(cases[:2]), furthest(cases[2:])]
    assert furthest(halves) is found
