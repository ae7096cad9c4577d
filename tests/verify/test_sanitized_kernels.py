"""The library's own kernels break no rule, and what watching them costs can be printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neonlab.emulate.run import Run
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run import plan
from neonlab.verify.check_case import call_arguments, step_budget
from neonlab.verify.checking_bench import bench_sanitizer
from neonlab.verify.memory.placement import place_arguments
from neonlab.verify.sanitized_machine import SanitizedMachine

ROOT = Path(__file__).parents[2]
KERNELS = open_library(ROOT).kernels


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)
@pytest.mark.sweep
def test_no_kernel_of_the_library_breaks_a_rule_on_any_tail(kernel: Kernel) -> None:
    contract = kernel.contract
    names = plan.plan_cases(kernel, seed=2)[::24]  # of those of seed 1 `check` runs all
    deepest = 0
    with SanitizedMachine(kernel_program(kernel), contract) as machine:
        for number, name in enumerate(names):
            case = plan.draw_case(kernel, name)
            arguments = place_arguments(contract, call_arguments(contract, case), number % 5)
            budget = step_budget(contract, case.integers)
            outcome = machine.call(contract.name, arguments, contract.signature, step_budget=budget, seed=number)
            assert isinstance(outcome, Run), (case.title, outcome)
            for output, expected in case.expected.items():
                written = contract.argument(output).block(case.integers).written  # without what lies between rows
                got = outcome.outputs[output].view(np.uint8).reshape(-1)[written].view(expected.array.dtype)
                assert np.array_equal(got, expected.array.reshape(-1)), case.title
            deepest = max(deepest, machine.memory.stack_used)
    assert deepest == contract.stack  # what is declared is what is used


def test_the_bench_times_the_same_call_each_way() -> None:
    kernel = next(k for k in KERNELS if k.title == "armv8/conv1x1_s8s32_chw_8x4")
    case = plan.draw_case(kernel, plan.plan_cases(kernel)[-1])
    arguments = call_arguments(kernel.contract, case)
    result = bench_sanitizer(kernel_program(kernel), kernel.contract, arguments, repetitions=2)
    assert result.instructions > result.accesses > 0
    assert result.bare > 0
    assert result.sanitized > 0
    assert result.watched > 0
    figures = {"instructions", "accesses", "bare", "sanitizer", "sanitizer_of_bare", "sanitizer_and_lanes"}
    assert set(result.to_json()) == figures
    assert all("MIPS" in line for line in result.lines())
