"""Cost a call of the library's other kernels of the same results, whose tile, level or layout differs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neonlab.contract.model import Argument
from neonlab.errors import InputError
from neonlab.lab.repository.able_cores import runs_on
from neonlab.lab.repository.kernel_name import SCHEMES
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.lookup import one_shape
from neonlab.lab.run.profile import profile_case
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import MemoryOptions
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Failure

_MOST = 3


@dataclass(frozen=True, slots=True)
class OtherTile:
    """Another kernel of the same results, and the cycles of its whole call, warm, at the same shape and core.

    `differences` say of which operands its contract wants another layout, or takes fewer values.
    """

    kernel: str
    call_cycles: int
    differences: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "kernel": self.kernel,
            "call_cycles": self.call_cycles,
            "differences": list(self.differences),
        }


def other_tiles(
    kernel: Kernel,
    core: ModelledCore,
    shape: Shape,
    seed: int,
    below: int,
    begin: Callable[[int], Callable[[int], None]],
) -> tuple[OtherTile, ...]:
    """Return kernels whose whole call takes fewer cycles than `below`, the cheapest first, three at most.

    They are those of the kernel's library, or of neonlab's where a file stands alone.  A kernel that does not take the
    shape, or that the core cannot run, is none.
    """
    results = _results(kernel)
    others = [k for k in open_library(kernel.root).kernels if k.title != kernel.title and _results(k) == results]
    advance = begin(len(others))
    found = []
    for other in others:
        cycles = _call_cycles(other, core, shape, seed) if runs_on(other, core) else None
        advance(1)
        if cycles is not None and cycles < below:
            found.append(OtherTile(other.title, cycles, _differences(kernel, other)))
    return tuple(sorted(found, key=lambda one: (one.call_cycles, one.kernel))[:_MOST])


def _results(kernel: Kernel) -> tuple[object, ...]:
    """Return what kernels of the same results have in common."""
    operands = frozenset(
        (one.name, one.dtype, one.read is None, one.write is None)
        for one in kernel.contract.arguments
        if one.is_pointer
    )
    operator = kernel.operator.name if kernel.operator is not None else ""
    return kernel.isa, operator, frozenset(SCHEMES) & set(kernel.name.split("_")), operands


def _call_cycles(kernel: Kernel, core: ModelledCore, shape: Shape, seed: int) -> int | None:
    try:
        asked = one_shape(kernel, str(shape))
        outcome = profile_case(kernel, CaseName(asked, "random", seed), MemoryOptions(core, True, loop=False))
    except InputError:
        return None
    return None if isinstance(outcome, Failure) or outcome.cycles is None else outcome.cycles.cycles


def _differences(kernel: Kernel, other: Kernel) -> tuple[str, ...]:
    own = {one.name: one for one in kernel.contract.arguments}
    found = []
    for wanted in other.contract.arguments:
        given = own.get(wanted.name)
        if given is None or not wanted.is_pointer:
            continue
        if given.layout != wanted.layout:
            found.append(f"{wanted.name} in the layout {wanted.layout}")
        if wanted.value_range is not None and _intersection(given, wanted.value_range) != given.value_range:
            low, high = wanted.value_range
            found.append(f"{wanted.name} from {low:g} to {high:g} alone")
    return tuple(found)


def _intersection(given: Argument, values: tuple[float, float]) -> tuple[float, float]:
    """Return the values of an operand that lie in a range too."""
    low, high = given.value_range or (-math.inf, math.inf)
    return max(low, values[0]), min(high, values[1])
