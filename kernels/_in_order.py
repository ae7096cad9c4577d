"""Pick variants by core: those for cores that issue in order there, and others elsewhere."""

from __future__ import annotations

from neonlab import Dispatch

#: Cores that issue NEON instructions in order, by what they execute: A32, A64, dot products.
A32 = ("cortex-a7", "cortex-a8", "cortex-a9", "cortex-a53", "cortex-a55")
A64 = ("cortex-a53", "cortex-a55", "cortex-a510")
DOTPROD = ("cortex-a55",)


def by_core(kernel: str, other: str, *cores: str) -> Dispatch:
    """Return a dispatch that picks `other` in place of `kernel` on these cores."""
    return Dispatch(
        f"{kernel}_by_core",
        (kernel, other),
        lambda _: kernel,
        f"inorder on {', '.join(cores)}, where loads beside products pay, else the one with fewer instructions",
        dict.fromkeys(cores, other),
    )
