"""Run systems: kernels called one after another on an emulated core, as a library or a network calls them.

A repository defines them in kernels/systems/*.py, each with SYSTEMS, a sequence of `System`s.  A check of one kernel
covers one call; a system shows that packing, products, sums, scaling and the data between layers fit together.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import Kernel, Library
from neonlab.lab.repository.operator_files import load_package
from neonlab.verify.cases.case import Array

_TILE = r"\d+(x\d+)*"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold what kernels computed (`got`) and what the reference computes (`expected`), arrays of one shape."""

    got: Array
    expected: Array

    @property
    def exact(self) -> bool:
        """Tell whether all values and the dtypes are equal."""
        return self.got.dtype == self.expected.dtype and np.array_equal(self.got, self.expected)


class System(ABC):
    """Compute one thing of a library, a paper or a network with several kernels: derive from this class.

    A repository holds instances in SYSTEMS of kernels/systems/*.py.  `system` names the library, paper or network,
    `title` what it computes.
    """

    #: The library, paper or network, and what is computed.
    system: str
    title: str

    @abstractmethod
    def run(self, calls: Calls) -> Outcome:
        """Compute it with kernels, through `calls` only, and with reference arithmetic; return both."""


class Calls:
    """Call kernels of a library by name, all of one instruction set, with arrays for their arguments.

    `called` holds the kernels that were called, by title, in the order of the first call.
    """

    def __init__(self, library: Library, isa: Isa, *, watched: bool = True) -> None:
        self._kernels = [kernel for kernel in library.kernels if kernel.isa is isa]
        self._caller = Caller(watched=watched)
        self.called: dict[str, Kernel] = {}

    def kernel(self, name: str) -> Kernel:
        """Return the kernel called `name`, in which `@` stands for any tile.  Raises InputError unless one matches."""
        pattern = re.compile(re.escape(name).replace("@", _TILE))
        found = [kernel for kernel in self._kernels if pattern.fullmatch(kernel.name)]
        if len(found) != 1:
            raise InputError(f"{len(found)} kernels of this instruction set are called `{name}`; wanted one")
        return found[0]

    def __call__(self, name: str, **arguments: Array | int) -> dict[str, Array]:
        """Call the kernel of that name (see `kernel`) and return what it wrote: flat arrays by argument name.

        Give integers and arrays by argument name, as `neonlab.lab.caller.Caller` takes them; outputs may be left out.
        Raises InputError for an argument that is missing, unknown, too small, too large, of another dtype, or has
        elements outside of the range that the contract declares or of the codes that the operator names, and FaultError
        where the call faults.
        """
        kernel = self.kernel(name)
        self.called[kernel.title] = kernel
        return self._caller(kernel, arguments)


def open_systems(root: Path) -> tuple[System, ...]:
    """Return every system of the repository, by file, then in the order of the file; empty if there is no such folder.

    Raises InputError for a file without SYSTEMS.
    """
    found: list[System] = []
    for module in load_package(root, "systems"):
        systems = getattr(module, "SYSTEMS", ())
        if not systems or not all(isinstance(system, System) for system in systems):
            raise InputError(f"{module.__file__}: defines no SYSTEMS, instances of subclasses of neonlab.System")
        found += systems
    return tuple(found)
