"""Use a scalar C function as the reference of a kernel: called with the same arguments, it gives the expected results.

It runs on an emulated machine like the kernel's, compiled for the same instruction set, or on the host itself.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from neonlab.contract.header import Argument, Contract
from neonlab.contract.options import Build, Reference
from neonlab.errors import InputError
from neonlab.host.input_file import is_file
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Array, Case, Expected
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.cases.operator import Operator

if TYPE_CHECKING:
    from neonlab.assemble.program import Program
    from neonlab.emulate.machine import Machine


class _CallsReference(Protocol):
    """Calls the reference on a case; returns the contents of each writable buffer, and the returned value."""

    def __call__(self, case: Case) -> tuple[Mapping[str, Array], int | float | None]: ...


class ScalarReference(Operator):
    """The operator of a kernel with a C reference; its dimensions are the contract's integers."""

    def __init__(self, contract: Contract, kernel: Path, reference: Reference, build: Build) -> None:
        self.contract, self.reference = contract, reference
        self.path = Path(reference.path) if reference.path else kernel
        # The reference shares the kernel's include folders, macros and compiler, but not its flags.
        self._build = reference.build.over(Build(build.include, build.define, (), build.compiler))
        if not reference.symbol:
            raise InputError(f"{self.path}: name the reference function with --reference-symbol")
        if reference.path and not is_file(self.path):
            raise InputError(f"{self.path}: no such file, which should contain the reference `{reference.symbol}`")
        self.name = f"{reference.symbol} of {self.path}"
        self.dimensions = tuple(argument.name for argument in contract.integers)

    def claims(self, contract: Contract) -> bool:
        """Tell whether this is the contract that names the reference."""
        return contract == self.contract

    def integers(self, shape: Shape) -> Mapping[str, int]:
        """Return the sizes of the shape, which are the integers."""
        return dict(zip(shape.names, shape.sizes, strict=True))

    def inputs(self, contract: Contract, shape: Shape, data: object) -> Mapping[str, Array]:
        """Raise NotImplementedError: `case` draws inputs together with the rows that they belong to."""
        raise NotImplementedError("a case of a C reference is drawn whole")

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        """Raise NotImplementedError: results depend on all of a case, so `refilled` computes them."""
        raise NotImplementedError("a case of a C reference is answered whole")

    def case(self, contract: Contract, shape: Shape, pattern: str, seed: int, *, compared: bool = True) -> Case:
        """Draw the case within the contract's ranges, and if `compared` call the reference for its results."""
        drawn = generated_case(contract, shape, pattern, seed)
        return self._answered(drawn) if compared else drawn

    def refilled(self, contract: Contract, case: Case, inputs: Mapping[str, Array]) -> Case:
        """Return the case with other inputs and the reference's results for them."""
        return self._answered(replace(case, inputs=inputs))

    def code_to_follow(self) -> tuple[Program, Contract]:
        """Return the reference as it is compiled for the guest, and the contract that names it.

        Raises InputError where it does not compile.
        """
        from neonlab.sources.program import load_program

        contract = replace(self.contract, alias=(), symbol=self.reference.symbol)
        return load_program(self.path, contract, self._build), contract

    def _answered(self, case: Case) -> Case:
        outputs, returned = self._caller(case)
        expected = {
            argument.name: _expected(argument, outputs[argument.name], case)
            for argument in self.contract.pointers
            if argument.write is not None and argument.name in outputs
        }
        return replace(case, expected=expected, returned=returned)

    @functools.cached_property
    def _caller(self) -> _CallsReference:
        apart = replace(self.contract, alias=())  # what is right does not depend on where it is written
        if self.reference.on_host:
            from neonlab.lab.reference.host_call import HostFunction

            return HostFunction(self.path, self.reference.symbol, apart, self._build)
        return _GuestFunction(self.path, self.reference.symbol, apart, self._build)


class _GuestFunction:
    """The reference on an emulated machine of its own."""

    def __init__(self, path: Path, symbol: str, contract: Contract, build: Build) -> None:
        self._path, self._build = path, build
        self._contract = replace(contract, symbol=symbol)

    @functools.cached_property
    def _machine(self) -> Machine:
        from neonlab.emulate.machine import Machine
        from neonlab.sources.program import load_program

        return Machine(load_program(self._path, self._contract, self._build))

    def __call__(self, case: Case) -> tuple[Mapping[str, Array], int | float | None]:
        from neonlab.emulate.run import Fault
        from neonlab.verify.check_case import run_case

        outcome = run_case(self._machine, self._contract, case)
        if isinstance(outcome, Fault):
            line = f"{outcome.source.path}:{outcome.source.line}: " if outcome.source else f"{self._path}: "
            wrong = f"the reference `{self._contract.name}` goes wrong itself at shape {case.shape}"
            raise InputError(f"{line}{wrong}: {outcome.message}")
        return outcome.outputs, outcome.returned


def _expected(argument: Argument, output: Array, case: Case) -> Expected:
    """Return the bytes that the contract says are written, row by row, as elements if a row is whole elements."""
    assert argument.write is not None
    flat = np.ascontiguousarray(output).reshape(-1).view(np.uint8)
    written = np.ascontiguousarray(flat[argument.block(case.integers).written])
    row = argument.write.size.evaluate(case.integers)
    whole = row % argument.dtype.itemsize == 0
    array, unit = (written.view(argument.dtype), "element") if whole else (written, "byte")
    length = row // argument.dtype.itemsize if whole else row
    if argument.write.rows and length > 0:
        return Expected(array.reshape(-1, length), ("row", unit))
    return Expected(array, (unit,))
