"""Loops to optimize, as text: their bodies, which `code_of_text` makes a LoopCode of."""

from __future__ import annotations

from pathlib import Path

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.isa.model.isa import Isa, general, vector
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.measure.silicon.mca import closed_loops
from neonlab.optimize.loop.code import LoopCode, Step
from neonlab.optimize.loop.find import FoundLoop
from neonlab.optimize.loop.provenance import ANYWHERE

KERNELS = Path(__file__).parent / "kernels"
SAFE_A64 = KERNELS / "armv8" / "conv1x1_s8s32_hwc_4x4_safe.S"
SAFE_A32 = KERNELS / "armv7" / "conv1x1_s8s32_hwc_2x4_safe.S"
CONTRACT = open_kernel(SAFE_A64).contract

#: Each half of 16 products goes into the sums by itself: 4 pixels, 4 channels, 16 deep.
SAFE = """
    ldr q0, [x0], #16
    ldr q1, [x1], #16
    smull v8.8h, v0.8b, v1.8b
    sadalp v16.4s, v8.8h
    smull2 v8.8h, v0.16b, v1.16b
    sadalp v16.4s, v8.8h
    subs x2, x2, #16
    b.ne loop
"""
SAFE_OF_A32 = """
    vld1.8 {d0, d1}, [r0]!
    vld1.8 {d2, d3}, [r1]!
    vmull.s8 q6, d0, d2
    vpadal.s16 q8, q6
    vmull.s8 q6, d1, d3
    vpadal.s16 q8, q6
    subs r2, r2, #16
    bne loop
"""


def code_of_text(text: str, isa: Isa, *, kept: tuple[int, ...] = (16, 17), free: tuple[int, ...] = ()) -> LoopCode:
    """Return the loop `loop:` with this body.

    Vector registers `kept` matter behind it, general ones all do; `free` vector registers may be used.  A register that
    holds an address points into a buffer of its own.
    """
    program = link(assemble_text(f"loop:\n{text}", isa=isa))
    steps = [Step(one, one.text) for one in program.instructions]
    bases = {access.base for one in program.instructions for access in one.accesses if access.base is not None}
    return LoopCode(
        isa, tuple(steps[:-1]), steps[-1],
        frozenset([vector(one) for one in kept] + [general(one) for one in range(31)]),
        frozenset(vector(one) for one in free),
        {base: frozenset({base.name(isa)}) for base in bases} or {general(0): frozenset({ANYWHERE})},
    )  # fmt: skip


def longest_loop(kernel: Kernel) -> FoundLoop:
    """Return the longest of a kernel's loops that are straight-line code."""
    program = kernel_program(kernel)
    numbers = {one.address: at for at, one in enumerate(program.instructions)}
    body = max(closed_loops(program), key=len)
    return FoundLoop(numbers[body[0].address], numbers[body[-1].address], 1, 1.0)
