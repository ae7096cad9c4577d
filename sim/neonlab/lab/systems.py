"""Run systems: kernels called one after another on an emulated core, as a library or a network calls them.

A repository defines them in kernels/systems/*.py, each with SYSTEMS, a sequence of `System`s.  A check of one kernel
covers one call; a system shows that packing, products, sums, scaling and the data between layers fit together.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.call_profiles import CallProfiles, memory_in_a_network
from neonlab.lab.caller import Caller
from neonlab.lab.function import FaultError
from neonlab.lab.repository.kernel_name import KernelName, KernelNameError
from neonlab.lab.repository.library import Kernel, Library
from neonlab.lab.repository.operator_files import load_package
from neonlab.lab.run.profile import refuse_core
from neonlab.measure.cores.modelled import AskedCore, cores_named
from neonlab.measure.profile import Profile
from neonlab.verify.cases.case import Array
from neonlab.verify.cases.operator_guard import OperatorError
from neonlab.verify.verdict import Failure

#: The variants of names that say how, or up to which sizes and weights, a kernel computes what others compute too.
_WAYS = frozenset({"left4", "ic3", "ic32", "ic64", "w7", "inorder", "bylane"})
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

    `called` holds the kernels that were called, by title, in the order of the first call.  `core` is where `profile`
    and `cheapest` estimate cycles; without one they count instructions and bytes.
    """

    def __init__(self, library: Library, isa: Isa, *, watched: bool = True, core: AskedCore | None = None) -> None:
        self.isa, self.core = isa, None if core is None else cores_named([core])[0]
        self._kernels = [kernel for kernel in library.kernels if kernel.isa is isa]
        self._caller, self._profiles = Caller(watched=watched), CallProfiles()
        self._known: dict[str, Kernel] = {}
        self.called: dict[str, Kernel] = {}

    def kernel(self, name: str | Kernel) -> Kernel:
        """Return the kernel called `name`, in which `@` stands for any tile; a Kernel is itself.

        Raises InputError unless one of this instruction set matches.
        """
        if isinstance(name, Kernel) and name.isa is self.isa:
            return name
        if not isinstance(name, str):
            raise InputError(f"a kernel is meant by its name or by a Kernel of {self.isa.value}, not by {name!r}")
        if name not in self._known:
            pattern = re.compile(re.escape(name).replace("@", _TILE))
            found = [kernel for kernel in self._kernels if pattern.fullmatch(kernel.name)]
            if len(found) != 1:
                raise InputError(f"{len(found)} kernels of this instruction set are called `{name}`; wanted one")
            self._known[name] = found[0]
        return self._known[name]

    def packed(self, kernel: str | Kernel, argument: str, values: Array) -> Array:
        """Return `values` of an argument, given in the plain order, as the kernel takes them: one dimension.

        `Operator.packed` says which order is plain.  Raises InputError for an argument that the kernel does not have,
        for values that do not fit, and for a kernel without an operator.
        """
        return _packed(self.kernel(kernel), argument, values)

    def profile(self, kernel: str | Kernel, /, **arguments: Array | int) -> Profile:
        """Return what a call costs: counts, and with a core the cycles there between calls of other layers.

        Weights are in no cache when it begins, all else is warm, as `neonlab network` has it.  Raises InputError as a
        call does, and for a core that cannot run the kernel, and FaultError where the call faults.
        """
        found = self.kernel(kernel)
        refuse_core(found, self.core)
        profile = self._profiles.of(found, memory_in_a_network(found, self.core), arguments)
        if isinstance(profile, Failure):
            assert profile.fault is not None
            raise FaultError(profile.fault)
        return profile

    def cheapest(self, name: str | Kernel, /, **arguments: Array | int) -> Kernel:
        """Return the kernel that takes the fewest cycles on the core for these arguments, without one instructions.

        Those that compute what `name` does compete: of any tile, instructions and order of operands, where the core can
        run them and their contracts allow the arguments.  Give these in the plain order; `packed` then packs them for
        the kernel.  Raises InputError where `name` means no kernel, or none of these takes the arguments.
        """
        rivals, costs = self._rivals(name), {}
        for kernel in rivals:
            try:
                given = {
                    one: _packed(kernel, one, np.asarray(value)) if _is_operand(kernel, one) else value
                    for one, value in arguments.items()
                }
                profile = self.profile(kernel, **given)
            except InputError as error:
                refusal = error
                continue
            costs[kernel.title] = profile.counts.instructions if profile.cycles is None else profile.cycles.cycles
        if not costs:
            raise refusal
        return next(kernel for kernel in rivals if kernel.title == min(costs, key=lambda title: costs[title]))

    def _rivals(self, name: str | Kernel) -> list[Kernel]:
        """Return the kernels that compute what those called `name` do, in the order of names."""
        text = name if isinstance(name, str) else self.kernel(name).name
        wanted = _meaning(text.replace("@", "1"))
        found = [] if wanted is None else [one for one in self._kernels if _meaning(one.name) == wanted]
        return found or [self.kernel(name)]

    def __call__(self, kernel: str | Kernel, /, **arguments: Array | int) -> dict[str, Array]:
        """Call the kernel of that name (see `kernel`) and return what it wrote: flat arrays by argument name.

        Give integers and arrays by argument name, as `neonlab.lab.caller.Caller` takes them.  Outputs may be left out;
        of one that is given, as where a kernel writes rows of a larger image, the bytes between the rows come back too.
        Raises InputError for an argument that is missing, unknown, too small, too large, of another dtype, or has
        elements outside of the range that the contract declares or of the codes that the operator names, and FaultError
        where the call faults.
        """
        found = self.kernel(kernel)
        self.called[found.title] = found
        return self._caller(found, arguments)


def _packed(kernel: Kernel, argument: str, values: Array) -> Array:
    contract = kernel.contract
    if kernel.operator is None:
        raise InputError(f"{kernel.title}: no operator says how it takes its operands")
    if not _is_operand(kernel, argument):
        raise InputError(f"{contract.name}: no array that it reads is called `{argument}`")
    try:
        return np.ascontiguousarray(kernel.operator.packed(contract, argument, np.asarray(values)))
    except OperatorError as error:
        shape = list(np.shape(values))
        raise InputError(f"{contract.name}: `{argument}` of shape {shape} cannot be packed: {error}") from None


def _is_operand(kernel: Kernel, argument: str) -> bool:
    held = kernel.contract.by_name.get(argument)
    return held is not None and held.is_pointer and held.read is not None and held.rows is None


def _meaning(name: str) -> KernelName | None:
    """Return a name without what only says how a kernel computes; None for a name of another grammar."""
    try:
        parts = KernelName.parse(name)
    except KernelNameError:
        return None
    kept = tuple(variant for variant in parts.variants if variant not in _WAYS)
    return replace(parts, tile=(), level="", variants=kept)


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
