"""Load one function from a file of any kind, to call, check and profile it from Python.

import neonlab, numpy as np
dot = neonlab.load("dot.c", isa="armv8", symbol="dot_s8")
run = dot.call(np.arange(32, dtype=np.int8), np.ones(32, np.int8), 32)
print(run.returned, dot.profile(core="cortex-a53").cycles)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.extent import Extent
from neonlab.contract.header import Contract, ContractError
from neonlab.contract.options import ARCHITECTURES, Build, Given, Reference, setting_text
from neonlab.contract.size_expression import SizeExpression
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET, Machine
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.run import Fault, Run
from neonlab.errors import InputError, NoContract
from neonlab.host.input_file import is_file, no_file
from neonlab.isa.c.prototype import Parameter
from neonlab.isa.model.isa import Isa, isa_named
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check
from neonlab.lab.run.profile import profile, profile_call, refuse_core
from neonlab.measure.cores.modelled import AskedCore
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.sources.open import open_bare
from neonlab.verify.cases.case import CaseName
from neonlab.verify.memory.placement import place_measured
from neonlab.verify.sanitized_machine import SanitizedMachine
from neonlab.verify.verdict import Failure, Verdict


class FaultError(RuntimeError):
    """Raised for a call that did not return, or that broke a rule.

    `fault` is the Fault: its kind, a message, and the line of source that is responsible.
    """

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
    """Load one function of a file: assembly (.S), C or C++ (.c, .cpp), an object, an archive or a shared object.

    `symbol` is the function's name; the default is the file's name without its suffix.  `isa` is "armv7" or "armv8",
    needed where neither the contract nor the file says it.  `include`, `define`, `flags` and `compiler` say how source
    is preprocessed and compiled.

    How to call the function comes from the contract, in the file or beside it.  `contract` names another contract file,
    or changes entries of the one that is there: {"n.range": [1, 64]}.  Without a contract, `prototype` (C, such as
    "int32_t dot(const int8_t *a, size_t n)") or debug information says how to call it, and then the function can be
    called and profiled with arguments, but not checked.

    `reference_symbol` names a C function that computes the right result, in the file `reference` or in the same file.

    Raises InputError for a file that is not there or does not build, and for a bad contract, prototype or name.
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
    """One function of a file, as `load` returns it: to be called, checked and profiled.

    `path` is the file, `program` its assembled or compiled code.  `kernel` is the Kernel that `check` and `profile`
    work on; it is None for a function without a contract.
    """

    def __init__(self, path: Path, given: Given) -> None:
        if not is_file(path):
            raise no_file(path)
        self.path, self.given = path, given
        self.kernel: Kernel | None
        try:
            self.kernel = open_kernel(path, given)
        except NoContract:
            self.kernel = None
        except ContractError:
            # A prototype is enough to call the function, even if sizes are unknown.
            if given.contract or given.settings or not given.prototype:
                raise
            self.kernel = None
        self._code = self.kernel.code if self.kernel is not None else open_bare(path, given)
        self._contract = self._code.contract
        self.program: Program = self._code.program()

    def __repr__(self) -> str:
        contract = "" if self.kernel is not None else ", without a contract"
        architecture = ARCHITECTURES[self.isa]
        return f"<neonlab.Function {self.symbol} of {self.path}, {architecture}: {self.prototype}{contract}>"

    @property
    def symbol(self) -> str:
        """Return the function's name."""
        return self._contract.name

    @property
    def isa(self) -> Isa:
        """Return the instruction set that its code is for."""
        return self._contract.isa

    @property
    def prototype(self) -> str:
        """Return its prototype in C."""
        return self._contract.prototype

    def call(
        self,
        *arguments: np.ndarray[Any, Any] | Buffer | float,
        watched: bool = True,
        seed: int = 0,
        step_budget: int = DEFAULT_STEP_BUDGET,
    ) -> Run:
        """Call the function on the emulated CPU and return the Run: what it returned, and what it wrote.

        Give one argument for each parameter of the prototype: a number for a number, and for a pointer a numpy array
        (any shape and dtype; its bytes in C order are what the function sees) or a Buffer.  The function works on
        copies: `outputs` of the Run holds, by parameter name, each array whose parameter is not const, as the call
        left it.  `addresses` holds where each lay, `returned` the returned value, None for void.

        With `watched`, an access outside of the arrays, a write through a const pointer, and a breach of the procedure
        call standard are faults.  Without, only what the emulated CPU itself refuses is.  `seed` fixes what registers
        and stack hold at entry; `step_budget` is the most instructions that the call may execute.

        Raises FaultError where the call faults, and InputError for arguments that do not fit the prototype.
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
        """Try the function on many cases; takes the options of `neonlab.check`, and returns the Verdict as it does.

        Raises InputError for a function without a contract.
        """
        return check(self._known(), **options)

    def profile(
        self,
        *arguments: np.ndarray[Any, Any] | Buffer | float,
        shape: str | Shape = "",
        core: AskedCore | None = None,
        warm: bool = False,
        macs: int | None = None,
        seed: int = 1,
    ) -> Profile:
        """Count what one call does, and its traffic by buffer; with `core`, estimate what it costs there.

        The call is made with `arguments` as in `call`, or else on random data at `shape`, for which the function needs
        a contract.  With `core` ("cortex-a53"), the Profile also has cache events, cycles and the hot loops of the
        core's models; `warm` models one of many calls back to back.  `macs` is the number of
        multiply-accumulates of the call; the default is what the contract states, if it states any.

        Raises FaultError where the call faults, and InputError for arguments, a shape or a core that does not fit.
        """
        memory = MemoryOptions(core, warm, loop=True)
        if arguments:
            passed = place_measured(self._contract, self._passed(arguments))
            contract = self._contract_for(passed)
            if self.kernel is not None:
                refuse_core(self.kernel, memory.core)
            kernel = self.kernel or Kernel(replace(self._code, contract=contract), None, None)
            numbers = _numbers(contract, passed)
            case = CaseName(Shape(tuple(numbers), tuple(numbers.values())), "random", seed)

            def call(machine: Machine) -> Run | Fault:
                return self._run(machine, contract, passed, seed, DEFAULT_STEP_BUDGET)

            work = self._macs(passed) if macs is None else macs
            found = profile_call(kernel, self.program, call, case, macs=work, memory=memory)
        else:
            kernel = self._known()
            found = profile(kernel, shape, seed=seed, memory=memory)
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

    def _macs(self, passed: Sequence[Passed]) -> int:
        """Return the multiply-accumulates that the contract declares for these arguments; 0 if none are known."""
        macs, numbers = self._contract.macs, _numbers(self._contract, passed)
        return macs.evaluate(numbers) if macs is not None and macs.names <= numbers.keys() else 0

    def _contract_for(self, passed: Sequence[Passed]) -> Contract:
        """Return the contract of one call: each buffer may be read completely, and written if it is writable."""
        arguments = []
        for argument, value in zip(self._contract.arguments, passed, strict=True):
            if isinstance(value, Buffer):
                size = Extent(SizeExpression(str(value.size)))
                argument = replace(argument, read=size, write=size if value.writable else None, dtype=value.data.dtype)
            arguments.append(replace(argument, value_range=None, origin=None, fields=(), rows=None))
        return replace(self._contract, arguments=tuple(arguments), macs=None)

    @property
    def compiler(self) -> str:
        """Return the compiler that made the code, with its version and flags; "" for code not compiled here."""
        return self._code.compiler


def _numbers(contract: Contract, passed: Sequence[Passed]) -> dict[str, int]:
    """Return the integers among the arguments, by name."""
    pairs = zip(contract.arguments, passed, strict=True)
    return {argument.name: value for argument, value in pairs if isinstance(value, int)}


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
    raise InputError(f"argument `{parameter.name}`: give an array, a Buffer or a number, not {type(value).__name__}")
