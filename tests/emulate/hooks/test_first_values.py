"""The values that registers hold when an instruction first runs are those of a whole trace."""

from __future__ import annotations

import pytest
from tests.sample import ONE_OF_EACH

from neonlab.emulate.hooks.first_values import FirstValuesProbe
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.emulate.trace import TraceProbe
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.verify.check_case import run_case


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
@pytest.mark.sweep(keep=6)
def test_first_values_are_those_of_a_trace(kernel: Kernel) -> None:
    program = kernel_program(kernel)
    registers = {
        one.address: [register for register in one.reads if register.file == "general"] for one in program.instructions
    }
    names = plan_cases(kernel, turning=False)[:40:13]
    first, whole = FirstValuesProbe(program, registers), TraceProbe(program)
    with Machine(program, probes=(first, whole)) as machine:
        for name in names:
            assert isinstance(run_case(machine, kernel.contract, draw_case(kernel, name)), Run)
            trace = whole.collect(machine)
            executed = {address for address in trace.executions if address in program.by_address}
            assert executed == set(first.executed.tolist())
            for address in executed:
                step = int(trace.executions[address][0])
                wanted = [trace.before(step, register) for register in registers[address]]
                assert first.values(address) == tuple(value & (1 << 64) - 1 for value in wanted), hex(address)
            for address in registers.keys() - executed:
                assert first.values(address) is None
