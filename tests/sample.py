"""The kernels that tests of the lab itself run, where every kernel of the library would say the same again."""

from __future__ import annotations

from pathlib import Path

from neonlab.lab.repository.kernel_name import KernelName
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.plan import plan_cases
from neonlab.verify.cases.case import CaseName

KERNELS = open_library(Path(__file__).resolve().parents[1]).kernels
#: Pointwise convolutions to int32 or int16: loops of every shape, deep and shallow ones, with remainders inside.
CONV1X1 = tuple(kernel for kernel in KERNELS if kernel.name.startswith(("conv1x1_s8s32_", "conv1x1_s8s16_")))


def _kind(kernel: Kernel) -> tuple[object, ...]:
    name = KernelName.parse(kernel.name)
    return kernel.isa, name.operator, name.window, name.level


#: Of each instruction set, operator and level one kernel.
ONE_OF_EACH = tuple({_kind(kernel): kernel for kernel in reversed(KERNELS)}.values())


def some_cases(kernel: Kernel) -> list[CaseName]:
    """Return every eighth case of the kernel's plan; all of them run in the test of `neonlab check` of the library."""
    return plan_cases(kernel)[::8]
