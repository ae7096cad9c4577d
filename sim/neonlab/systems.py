"""Systems: kernels called one after another on an emulated core, as a library or a network calls them.

A repository defines them in kernels/systems/*.py, each with SYSTEMS, a sequence of `System`s.  What checks a kernel
alone sees one call; here packing, products, sums, scaling and what one layer leaves for the next have to fit together.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neonlab.assemble.contract_model import Argument, Contract
from neonlab.errors import InputError
from neonlab.function import Function
from neonlab.isa.isa import Isa
from neonlab.library import Kernel, Library, load_package
from neonlab.verify.case import Array

_TILE = r"\d+(x\d+)*"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the kernels gave, and what the reference arithmetic says; of the same shape."""

    got: Array
    expected: Array

    @property
    def exact(self) -> bool:
        """Whether every value is equal, and of the same type."""
        return self.got.dtype == self.expected.dtype and np.array_equal(self.got, self.expected)


class System(ABC):
    """One thing that a library, a paper or a network computes."""

    #: Whose it is, and what.
    system: str
    title: str

    @abstractmethod
    def run(self, calls: Calls) -> Outcome:
        """Compute it with kernels, by `calls` alone, and with the reference."""


class Calls:
    """Kernels of one instruction set, called by what they do; `called` is which, in the order of their first call."""

    def __init__(self, library: Library, isa: Isa, *, watched: bool = True) -> None:
        self._kernels = [kernel for kernel in library.kernels if kernel.isa is isa]
        self._functions: dict[str, Function] = {}
        self._watched = watched
        self.called: dict[str, Kernel] = {}

    def kernel(self, name: str) -> Kernel:
        """The kernel called `name`, in which `@` stands for its tile.  Raises InputError unless there is one."""
        pattern = re.compile(re.escape(name).replace("@", _TILE))
        found = [kernel for kernel in self._kernels if pattern.fullmatch(kernel.name)]
        if len(found) != 1:
            raise InputError(f"{len(found)} kernels of this instruction set are called `{name}`; wanted one")
        return found[0]

    def __call__(self, name: str, **arguments: Array | int) -> dict[str, Array]:
        """Call the kernel of that name (see `kernel`); returns what it wrote, each in one dimension, by argument.

        Arrays are filled up with zeros to the bytes that the contract asks for; outputs need not be given.  Raises
        InputError for an array whose elements leave the range that the contract declares, and FaultError.
        """
        kernel = self.kernel(name)
        contract = kernel.contract
        numbers = {key: value for key, value in arguments.items() if isinstance(value, int)}
        for argument in contract.arguments:
            if not argument.is_pointer and argument.name not in numbers:
                raise InputError(f"{contract.name}: argument `{argument.name}` is a number, and was not given")
        passed = [self._passed(contract, argument, arguments, numbers) for argument in contract.arguments]
        if kernel.title not in self._functions:
            self._functions[kernel.title] = Function(kernel.path, kernel.given)
        self.called[kernel.title] = kernel
        return dict(self._functions[kernel.title].call(*passed, watched=self._watched).outputs)

    def _passed(
        self, contract: Contract, argument: Argument, given: Mapping[str, Array | int], numbers: Mapping[str, int]
    ) -> Array | int:
        value = given.get(argument.name)
        if not argument.is_pointer:
            return numbers[argument.name]
        size = -(-(argument.block(numbers).size + argument.over_read) // argument.dtype.itemsize)
        held = np.zeros(0, argument.dtype) if value is None else np.asarray(value)
        if value is not None and argument.read is not None:
            _hold_to_range(contract, argument, held)
        return np.concatenate([held.reshape(-1), np.zeros(max(0, size - held.size), argument.dtype)])


def open_systems(root: Path) -> tuple[System, ...]:
    """Every system of the repository, by file, then in the order of the file; none where there is no such folder."""
    found: list[System] = []
    for module in load_package(root, "systems"):
        systems = getattr(module, "SYSTEMS", ())
        if not systems or not all(isinstance(system, System) for system in systems):
            raise InputError(f"{module.__file__}: defines no SYSTEMS, instances of subclasses of neonlab.System")
        found += systems
    return tuple(found)


def _hold_to_range(contract: Contract, argument: Argument, held: Array) -> None:
    if held.dtype != argument.dtype:
        raise InputError(f"{contract.name}: `{argument.name}` holds {argument.dtype}, not {held.dtype}")
    low, high = argument.value_range or (-np.inf, np.inf)
    if held.size and not (low <= held.min() and held.max() <= high):
        raise InputError(f"{contract.name}: `{argument.name}` holds what is not in {low:g} to {high:g}")
