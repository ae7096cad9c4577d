"""Choose the cores that a kernel is measured on."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.lab.repository.library import Kernel
from neonlab.measure.cores.modelled import ModelledCore, cores_named

#: Cores for kernels that none of the requested cores can run: one in order and one out of order, else a larger one.
_OTHERS = (("cortex-a55", "cortex-a76"), ("neoverse-v1",))


def able_cores(kernel: Kernel, cores: Sequence[ModelledCore]) -> tuple[ModelledCore, ...]:
    """Return those of `cores` that can run the kernel; if none can, other cores that do.

    The result is empty if `cores` is empty or no core can run the kernel.
    """
    for some in (cores, *map(cores_named, _OTHERS)) if cores else ():
        able = tuple(core for core in some if runs_on(kernel, core))
        if able:
            return able
    return ()


def runs_on(kernel: Kernel, core: ModelledCore) -> bool:
    """Tell whether the core has the features that the kernel's contract needs."""
    return core.refusal(kernel.isa, kernel.contract.features) is None
