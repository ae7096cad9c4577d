"""What is known of general registers from the contract: nothing that ever runs may contradict it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sample import KERNELS, ONE_OF_EACH

from neonlab.emulate.machine import Machine
from neonlab.emulate.trace import TraceProbe
from neonlab.isa.model.isa import general
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.verify.cases.call_arguments import call_arguments
from neonlab.verify.mutation.intervals import Intervals

#: Of the cases that `check` plans.
CASES = 6


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kernel", ONE_OF_EACH[::3], ids=lambda kernel: kernel.title)
def test_registers_lie_where_the_intervals_say(kernel: Kernel) -> None:
    program, contract = kernel_program(kernel), kernel.contract
    known = Intervals(program, contract).before
    whole = np.uint64((1 << 8 * program.isa.pointer_bytes) - 1)
    probe = TraceProbe(program, 1 << 16)
    looked_at, narrow = 0, 0
    with Machine(program, probes=(probe,)) as machine:
        names = plan_cases(kernel)
        for name in names[:: max(len(names) // CASES, 1)]:
            case = draw_case(kernel, name)
            machine.call(contract.name, call_arguments(contract, case), contract.signature, seed=case.seed)
            trace = probe.collect(machine)
            for address, steps in trace.executions.items():
                assert address in known, f"{address:#x} is taken to be out of reach"
                for index, (low, high) in known[address].registers.items():
                    held = trace.befores(steps, general(index))[:, 0]
                    # How far each is above the lower end, modulo the size of a register.
                    above = (held - np.uint64(low % (1 << 64))) & whole
                    assert int(above.max()) <= high - low, (hex(address), index, low, high, name)
                    looked_at += len(steps)
                    narrow += len(steps) * (high - low < 1 << 31)
    assert looked_at > 100 and narrow > 0.5 * looked_at


@pytest.mark.parametrize(
    ("title", "text", "register", "interval"),
    [
        # A remainder of a loop that takes 64 at a time, less 16 or 8, and what the loop that takes as many leaves.
        ("armv8/relu_s8s8_flat_64", "b.mi", 2, (-16, 47)),
        ("armv8/relu_s8s8_flat_64", "b.eq", 2, (0, 15)),
        ("armv7/relu_s8s8_flat_64", "bmi", 2, (-8, 55)),
    ],
)
def test_conditions_narrow_what_a_counter_may_be(
    title: str, text: str, register: int, interval: tuple[int, int]
) -> None:
    kernel = next(kernel for kernel in KERNELS if kernel.title == title)
    program = kernel_program(kernel)
    branch = next(instruction for instruction in program.instructions if instruction.mnemonic == text)
    assert Intervals(program, kernel.contract).before[branch.address].registers[register] == interval
