"""On which cores a kernel is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.lab.repository.library import Kernel
from neonlab.measure.cores.caches import load_core

#: In order and out of order, for kernels that none of the cores can run that were asked for.
_OTHERS = (("cortex-a55", "cortex-a76"), ("neoverse-v1",))


def able_cores(kernel: Kernel, cores: Sequence[str]) -> tuple[str, ...]:
    """Those of `cores` that can run it; where none can, some others that do.  None where none is asked for, or can."""
    for some in (cores, *_OTHERS) if cores else ():
        able = tuple(core for core in some if runs_on(kernel, core))
        if able:
            return able
    return ()


def runs_on(kernel: Kernel, core: str) -> bool:
    """Whether the core has what the kernel's contract asks for."""
    return load_core(core).refusal(kernel.isa, kernel.contract.features) is None
