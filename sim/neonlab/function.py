"""The lab as a library: one function, loaded from a file of any kind, to be called, checked and profiled.

import neonlab, numpy as np
dot = neonlab.load("dot.c", isa="armv8", symbol="dot_s8")
run = dot.call(np.arange(32, dtype=np.int8), np.ones(32, np.int8), 32)
print(run.returned, dot.profile(core="cortex-a53").cycles)
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.assemble.contract import Contract, ContractError
from neonlab.assemble.extent import Extent
from neonlab.assemble.program import Program
from neonlab.assemble.size_expression import SizeExpression
from neonlab.checking import check
from neonlab.code import load_program
from neonlab.emulate.buffer import Buffer
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET, Machine
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.run import Fault, Run
from neonlab.errors import InputError, NoContract
from neonlab.given import Build, Given, Reference, setting_text
from neonlab.isa.isa import Isa, isa_named
from neonlab.isa.prototype import Parameter
from neonlab.library import Kernel, open_kernel
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.plan import parse_shape
from neonlab.profiling import profile, profile_call, refuse_core
from neonlab.verify.case import NO_SIZES, Shape
from neonlab.verify.sanitized_machine import SanitizedMachine
from neonlab.verify.verdict import Failure, Verdict


class FaultError(RuntimeError):
    """A call that did not come back, or broke a rule on its way; `fault` says what, and at which line."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        where = f"{fault.source.path}:{fault.source.line}: " if fault.source is not None else ""
        super().__init__(f"{where}{fault.kind.value}: {fault.message}")


def load(
    path: str | Path,
    *,
    isa: Isa | str | None = None,
    symbol: str = "",
    prototype: str = "",
    contract: str | Path | Mapping[str, Any] = "",
    include: Sequence[str | Path] = (),
    define: Sequence[str] | Mapping[str, object] = (),
    flags: Sequence[str] = (),
    compiler: str = "",
    reference: str | Path = "",
    reference_symbol: str = "",
) -> Function:
    """The function `symbol` (by default the file's name) of assembly (.S), C or C++ (.c), or an object (.o, .a, .so).

    What is not said is taken from the contract, in the file or beside it; without one from `prototype`, or from debug
    information, and then the function can be called and profiled but not checked.  `contract` is a file, or settings
    over those of the file: {"n.range": [1, 64]}.  `reference_symbol` names a C function that says what is right, in
    `reference` or in the same file.  InputError where anything is amiss.
    """
    settings = (
        tuple((key, setting_text(value)) for key, value in contract.items()) if isinstance(contract, Mapping) else ()
    )
    defines = [f"{k}={v}" for k, v in define.items()] if isinstance(define, Mapping) else list(define)
    given = Given(
        isa=isa_named(isa) if isinstance(isa, str) else isa,
        symbol=symbol,
        prototype=prototype,
        contract="" if isinstance(contract, Mapping) else str(contract),
        settings=settings,
        build=Build(tuple(map(str, include)), tuple(defines), tuple(flags), compiler),
        reference=Reference(str(reference), reference_symbol) if reference or reference_symbol else None,
    )
    return Function(Path(path), given)


class Function:
    """One function of a file.  `kernel` is what the commands work on, None where nothing says what it may touch."""

    def __init__(self, path: Path, given: Given) -> None:
        if not path.is_file():
            raise InputError(f"{path}: no such file")
        self.path, self.given = path, given
        self.kernel: Kernel | None
        try:
            self.kernel = open_kernel(path, given)
        except NoContract:
            self.kernel = None
        except ContractError:
            # A prototype alone, with sizes left open, is enough to call it.
            if given.contract or given.settings or not given.prototype:
                raise
            self.kernel = None
        self._contract = self.kernel.contract if self.kernel is not None else self._bare_contract()
        self.program: Program = load_program(path, self._contract, self._build)

    @property
    def _build(self) -> Build:
        return self.kernel.build if self.kernel is not None else self.given.build

    @property
    def symbol(self) -> str:
        """Its name."""
        return self._contract.name

    @property
    def isa(self) -> Isa:
        """Its instruction set."""
        return self._contract.isa

    @property
    def prototype(self) -> str:
        """As C."""
        return self._contract.prototype

    def _bare_contract(self) -> Contract:
        """What is known without a contract: a prototype, and an instruction set that includes everything."""
        from neonlab.proposal import bare_contract

        return bare_contract(self.path, self.given)

    def call(
        self,
        *arguments: np.ndarray[Any, Any] | Buffer | float,
        watched: bool = True,
        seed: int = 0,
        step_budget: int = DEFAULT_STEP_BUDGET,
    ) -> Run:
        """Call it; one argument for each of the prototype's, pointers as arrays or Buffers.  Raises FaultError.

        An array is called as its parameter, and can be written unless that is const; what was written is in `outputs`
        of the result, copies.  `watched`, every access is held to the arrays' bytes, and the procedure call standard
        to its word.
        """
        passed = self._passed(arguments)
        contract = self._contract_for(passed)
        machine: Machine | SanitizedMachine
        machine = SanitizedMachine(self.program, contract) if watched else Machine(self.program)
        with machine:
            outcome = self._run(machine, contract, passed, seed, step_budget)
        if isinstance(outcome, Fault):
            raise FaultError(outcome)
        return outcome

    def check(self, **options: Any) -> Verdict:
        """Prove it right on many cases, or say what is wrong; options as of `neonlab.check`.  Needs a contract."""
        return check(self._known(), **options)

    def profile(
        self,
        *arguments: np.ndarray[Any, Any] | Buffer | float,
        shape: str | Shape = "",
        core: str | None = None,
        warm: bool = False,
        macs: int = 0,
        seed: int = 1,
    ) -> Profile:
        """What a call costs: one with `arguments`, else one of `shape` as the contract has it.  Raises FaultError.

        With `core` (`cortex-a53`) its caches and cycles too, cold, or `warm` after a call like it.
        """
        memory = MemoryOptions(core, warm)
        if arguments:
            passed = self._passed(arguments)
            contract = self._contract_for(passed)
            if self.kernel is not None:
                refuse_core(self.kernel, memory)
            kernel = self.kernel or Kernel(contract, self.path, None, None, self.given, self._build)
            sizes = "x".join(str(value) for value in passed if isinstance(value, int)) or NO_SIZES

            def call(machine: Machine) -> Run | Fault:
                return self._run(machine, contract, passed, seed, DEFAULT_STEP_BUDGET)

            found = profile_call(kernel, self.program, call, sizes, macs=macs, seed=seed, memory=memory)
        else:
            kernel = self._known()
            wanted = parse_shape(kernel, shape or NO_SIZES) if isinstance(shape, str) else shape
            found = profile(kernel, wanted, seed=seed, memory=memory)
        if isinstance(found, Failure):
            assert found.fault is not None
            raise FaultError(found.fault)
        return found

    def _known(self) -> Kernel:
        if self.kernel is None:
            raise InputError(
                f"{self.path}: no contract says what `{self.symbol}` may touch: write one beside it "
                f"(`neonlab contract {self.path}` proposes it), or give arguments"
            )
        return self.kernel

    def _run(
        self, machine: Machine | SanitizedMachine, contract: Contract, passed: Sequence[Passed], seed: int, budget: int
    ) -> Run | Fault:
        return machine.call(
            contract.name, passed, contract.signature, float_abi=contract.float_abi, step_budget=budget, seed=seed
        )

    def _passed(self, arguments: Sequence[np.ndarray[Any, Any] | Buffer | float]) -> list[Passed]:
        parameters = self._contract.signature.parameters
        if len(arguments) != len(parameters):
            raise InputError(
                f"{self.symbol}: {len(arguments)} arguments for {len(parameters)} parameters of `{self.prototype}`"
            )
        shared: dict[int, Buffer] = {}
        return [_as_passed(parameter, value, shared) for parameter, value in zip(parameters, arguments, strict=True)]

    def _contract_for(self, passed: Sequence[Passed]) -> Contract:
        """The contract of one call: each buffer may be read as far as it goes, and written if it is writable."""
        arguments = []
        for argument, value in zip(self._contract.arguments, passed, strict=True):
            if isinstance(value, Buffer):
                size = Extent(SizeExpression(str(value.size)))
                argument = replace(argument, read=size, write=size if value.writable else None, dtype=value.data.dtype)
            arguments.append(replace(argument, value_range=None, origin=None, fields=(), rows=None))
        return replace(self._contract, arguments=tuple(arguments), macs=None)

    @functools.cached_property
    def compiler(self) -> str:
        """The compiler that made the code, its version and flags; empty for code that was not compiled here."""
        from neonlab.toolchain import made_by, target_of

        return made_by(self.path, target_of(self._contract), self._build)


def _as_passed(parameter: Parameter, value: Any, shared: dict[int, Buffer]) -> Passed:
    if isinstance(value, Buffer):
        return value
    if isinstance(value, np.ndarray):
        if parameter.ctype.kind != "pointer":
            raise InputError(f"argument `{parameter.name}` is {parameter.ctype.name}, not an array")
        if id(value) not in shared:
            pointee = parameter.ctype.pointee
            const = pointee is not None and pointee.const
            shared[id(value)] = Buffer(parameter.name, value, writable=not const)
        elif not shared[id(value)].writable and not (parameter.ctype.pointee and parameter.ctype.pointee.const):
            raise InputError(
                f"`{parameter.name}` and `{shared[id(value)].name}` are one array, and one of them is const"
            )
        return shared[id(value)]
    if isinstance(value, (bool, int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    raise InputError(f"argument `{parameter.name}`: an array, a Buffer or a number, not {type(value).__name__}")
