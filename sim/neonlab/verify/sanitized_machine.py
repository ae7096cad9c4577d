"""Run a kernel under all checks for what the contract or the procedure call standard forbids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.registers import RegisterState
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET, Argument, Machine
from neonlab.emulate.probe import Probe
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.host.closing import Closing
from neonlab.isa.c.procedure_call import FloatAbi
from neonlab.isa.c.prototype import Signature
from neonlab.verify.abi.lost_return import jumped_astray, lost_return
from neonlab.verify.abi.obligations import StaticCheck, check_exit, clause_of, clock_read
from neonlab.verify.cases.call_arguments import known_integers
from neonlab.verify.memory.sanitizer import SanitizerProbe, stack_bytes_for

#: Kinds of faults of instructions that the emulated CPU lacks or restricts.
_REFUSALS = (FaultKind.UNDEFINED_INSTRUCTION, FaultKind.ALIGNMENT_HINT)


class SanitizedMachine(Closing):
    """Calls a kernel as `Machine` does, and returns the first Fault of: memory, execution, features, exit.

    `probes` watch the same calls.  A BlockMeter among them also serves as the budget and the count of executions.
    """

    def __init__(self, program: Program, contract: Contract, *, probes: Sequence[Probe] = ()) -> None:
        self.program, self.contract = program, contract
        self._stack_bytes = stack_bytes_for(contract)
        given = next((probe for probe in probes if isinstance(probe, BlockMeter)), None)
        self.meter = given or BlockMeter(program)
        self.memory = SanitizerProbe(program, contract)
        watching: list[Probe] = [self.memory, *probes] if given else [self.meter, self.memory, *probes]
        self.machine = Machine(program, probes=watching, stack_bytes=self._stack_bytes)
        self._static = StaticCheck(program, contract)

    def call(
        self,
        symbol: str,
        arguments: Sequence[Argument],
        signature: Signature,
        *,
        float_abi: FloatAbi = FloatAbi.HARD,
        step_budget: int = DEFAULT_STEP_BUDGET,
        seed: int = 0,
        widened: Mapping[str, bool] | None = None,
    ) -> Run | Fault:
        """Call `symbol` with arguments as in `Machine.call`.  Return a Run only if it broke no rule, else the Fault."""
        self.memory.integers = known_integers(self.contract, arguments)

        def call(machine: Machine) -> Run | Fault:
            return machine.call(
                symbol,
                arguments,
                signature,
                float_abi=float_abi,
                step_budget=step_budget,
                seed=seed,
                widened=widened,
            )

        def rerun(*probes: Probe) -> None:
            with Machine(self.program, probes=probes, stack_bytes=self._stack_bytes) as machine:
                call(machine)

        outcome = call(self.machine)
        fault = self.memory.collect(seed)
        if fault is not None:
            fault = self.machine.at_caller(fault)
        if fault is None and isinstance(outcome, Fault):
            fault = self._static.undeclared_at(outcome.address) if outcome.kind in _REFUSALS else None
            fault = fault or clock_read(self.program, outcome) or outcome
        if fault is not None and fault.kind is FaultKind.UNDEFINED_INSTRUCTION and fault.source is None:
            fault = jumped_astray(self.program, fault, rerun) or fault
        if fault is not None:
            fault = lost_return(self.program, self.contract, fault, self.machine.entry_state, rerun) or fault
        if fault is None:
            fault = self._static.collect(self.meter)
        if fault is None:
            fault = check_exit(self.program, self.contract, self.machine.entry_state, self.machine.exit_state, rerun)
        if fault is None:
            return outcome
        return replace(fault, seed=seed, clause=fault.clause or clause_of(fault.kind, self.program.isa, self.contract))

    @property
    def entry_state(self) -> RegisterState:
        """Return the registers on entry of the last call."""
        return self.machine.entry_state

    @property
    def exit_state(self) -> RegisterState:
        """Return the registers on return from the last call."""
        return self.machine.exit_state

    @property
    def guest_seconds(self) -> float:
        """Return the seconds that the guest itself took in the last call."""
        return self.machine.guest_seconds

    def close(self) -> None:
        """Free the machine."""
        self.machine.close()
