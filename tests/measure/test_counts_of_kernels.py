"""The counts of every kernel of the library, against a Python hook on every instruction; built by GNU as and cpp."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.emulate.guest_programs import built
from unicorn import UC_HOOK_CODE

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.shapes import planned_shapes
from neonlab.measure.counts import CountsProbe
from neonlab.verify.check_case import call_arguments, run_case

KERNELS = open_library(Path(__file__).parents[2]).kernels


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)
@pytest.mark.sweep
def test_every_instruction_of_every_kernel_is_counted_exactly(kernel: Kernel) -> None:
    operator, contract = kernel.operator, kernel.contract
    assert operator is not None
    program = built(kernel.isa, kernel.path)
    accepted = planned_shapes(kernel, 1).small
    shapes = [accepted[index] for index in np.random.default_rng(3).choice(len(accepted), 12, replace=False)]
    probe = CountsProbe(program)
    seen: Counter[int] = Counter()

    def execute(_engine: Any, address: int, _size: int, _user: Any) -> None:
        seen[address] += 1

    with Machine(program, probes=(probe,)) as machine, Machine(program, meter=False) as stepwise:
        stepwise.engine.hook_add(UC_HOOK_CODE, execute)
        for shape in shapes:
            case = operator.case(contract, shape, "random", 1)
            outcome = run_case(machine, contract, case)
            assert isinstance(outcome, Run), outcome
            counts = probe.collect()
            seen.clear()
            stepwise.call(
                contract.name, call_arguments(contract, case), contract.signature, float_abi=contract.float_abi
            )
            print(shape)
            got = {int(a): int(e) for a, e in zip(counts.addresses, counts.executions, strict=True) if e}
            assert got == dict(seen)
            assert counts.instructions == seen.total() == sum(counts.by_class.values())
