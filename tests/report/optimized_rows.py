"""Rows of `neonlab optimize --into` for a kernel, made without a search."""

from __future__ import annotations

from typing import Any

from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import Kernel
from neonlab.measure.shape import Shape
from neonlab.optimize.loop.code import Change
from neonlab.optimize.outcome import LoopFigures, Optimized, Standing
from neonlab.report.tables.loops.rows import record_of

OLD, NEW = LoopFigures(20.0, 14, 8.0, 13.0, {"ld1": 4}), LoopFigures(16.0, 14, 8.0, 12.25, {"ld1": 4})
CHANGE = Change("loads of 64 bits", 3, "they issue between multiplies")


def row_of(kernel: Kernel, core: str = "cortex-a53", *, added: str = "    nop", better: bool = True) -> dict[str, Any]:
    """Return a row in which the line `added` comes ahead of the last line of the kernel's text."""
    text = kernel.path.read_text()
    head, last = text.splitlines(keepends=True)[:-1], text.splitlines(keepends=True)[-1]
    found = Optimized(
        kernel.title, str(kernel.path), kernel.isa.value, core, code_digest(kernel), Shape(("n",), (8,)), 1, 10,
        "lines 1 to 2", 0.9, OLD, NEW if better else OLD, (CHANGE,) if better else (), 2 if better else 0, 10, 7280,
        5352 if better else 7280, Standing.PROVED if better else Standing.UNCHANGED,
        "" if better else "no order costs less", 17 if better else 0, 30, original=text,
        text="".join([*head, f"{added}\n", last]) if better else text,
    )  # fmt: skip
    return record_of(found.to_json(), found.diff(kernel.path.name, kernel.path.name), 1.2, (44.0, None))
