"""Choose the cases and the shapes of a kernel that a bench for a board has, within a number of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neonlab.emulate.guest.buffer import distinct_buffers
from neonlab.errors import InputError
from neonlab.lab.board.case_bytes import CaseFile
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import draw_case, layers_or_largest, plan_cases
from neonlab.lab.run.shapes import integers_of
from neonlab.lab.watch.layer import layer_to_watch
from neonlab.measure.shape import Shape
from neonlab.verify.cases.call_arguments import call_arguments, touched_bytes
from neonlab.verify.cases.case import Case, CaseName
from neonlab.verify.checker import placed_arguments

#: Of the budget one case takes at most one part of so many.
_SHARE = 8
_TOO_LARGE = "larger than its share of the budget"


@dataclass(frozen=True)
class PlannedKernel:
    """List what a bench has of one kernel: offsets of its cases, shapes to time with their offsets, what is left out.

    `left_out` has the reason for each case or shape that `check` tries and the bench does not, by its title.
    """

    kernel: Kernel
    cases: tuple[int, ...]
    timings: tuple[tuple[Shape, int], ...]
    compared: bool
    left_out: Mapping[str, str] = field(default_factory=dict)


def plan_kernel(file: CaseFile, kernel: Kernel, shapes: Sequence[Shape], seed: int, budget: int) -> PlannedKernel:
    """Add the kernel's shapes to time and its cases to `file`, up to `budget` bytes in all.

    Shapes to time come first: `shapes`, or without any the layer that `watch` measures, or else a smaller one.  The
    cases are those of `neonlab check` in its order; one that does not fit, or takes more than an eighth of the budget,
    is left out, and smaller ones after it are not.  Each shape that is timed is a case, too.  Raises InputError if a
    shape that was asked for does not fit.
    """
    start, left_out = file.size, {}
    timings, cases, compared = [], [], False
    for shape in shapes or _layer(kernel, seed, budget):
        name = CaseName(shape, "random", seed)
        if not _fits(kernel, name, budget - (file.size - start)):
            raise InputError(f"{kernel.title}: data of shape {shape} do not fit: give more with --budget")
        case = draw_case(kernel, name)
        timings.append((shape, file.add(kernel.contract, case, call_arguments(kernel.contract, case))))
        cases.append(timings[-1][1])
        compared |= _is_compared(case)
    for name in plan_cases(kernel, seed=seed):
        room = min(budget - (file.size - start), budget // _SHARE)
        if not _fits(kernel, name, room):
            left_out[str(name)] = _TOO_LARGE
            continue
        case = draw_case(kernel, name)
        arguments = placed_arguments(kernel.contract, call_arguments(kernel.contract, case), case, name.depth)
        if sum(buffer.size for buffer in distinct_buffers(arguments)) > room:  # rows far apart, with what is between
            left_out[str(name)] = _TOO_LARGE
            continue
        cases.append(file.add(kernel.contract, case, arguments))
        compared |= _is_compared(case)
    if not cases:
        raise InputError(f"{kernel.title}: no case fits: give more with --budget")
    return PlannedKernel(kernel, tuple(cases), tuple(timings), compared, left_out)


def _layer(kernel: Kernel, seed: int, budget: int) -> list[Shape]:
    """Return the layer to time: that of `watch`, or else the one with the most work that leaves room for cases."""
    layers = [layer_to_watch(kernel), *sorted(layers_or_largest(kernel), key=lambda shape: -shape.work)]
    return [shape for shape in layers if _fits(kernel, CaseName(shape, "random", seed), budget * 3 // 4)][:1]


def _fits(kernel: Kernel, name: CaseName, room: int) -> bool:
    """Tell whether the case surely fits: its buffers, and what is expected of them."""
    return 2 * touched_bytes(kernel.contract, integers_of(kernel, name.shape)) + 4096 <= room


def _is_compared(case: Case) -> bool:
    return bool(case.expected) or case.returned is not None
