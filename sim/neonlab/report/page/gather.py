"""Gather what the pages show: the calls to profile, and their results by kernel, shape and core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from neonlab.lab.compare.comparison import Comparison
from neonlab.lab.repository.able_cores import able_cores, runs_on
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.plan import layers_of
from neonlab.lab.run.shapes import integers_of, planned_shapes
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.report.tables.loops.rows import Row
from neonlab.verify.verdict import Verdict

#: Default cores of a page: the in-order cores of most phones, and two generations of out-of-order ones.
CORES = ("cortex-a7", "cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76")
_LAYERS = 6  # most layers of an operator in the chart of cycles


@dataclass(frozen=True, slots=True)
class Work:
    """One call to profile."""

    kernel: Kernel
    shape: Shape
    memory: MemoryOptions


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Cycles of one kernel on one shape; `macs` is 0 if none are declared."""

    shape: Shape
    macs: int
    cycles: int

    @property
    def work(self) -> int:
        """Return the value that orders layers: MACs, or elements if none are declared."""
        return self.macs or prod(self.shape.sizes)


@dataclass(frozen=True, slots=True)
class KernelPage:
    """Everything that the page of one kernel shows.

    `profiles` are those on `shape`, by core, each with cycles.  `variants` are those of the kernels that compute the
    same, including this one, on the same shape, by core and title.  `curves` are their cycles over layers, by core and
    title.  `since` compares it on this shape with what it was at a git revision, if one was named.  `optimized` are the
    rows that `neonlab optimize --into` has kept for it.
    """

    kernel: Kernel
    verdict: Verdict
    shape: Shape
    profiles: Mapping[str, Profile]
    variants: Mapping[str, Mapping[str, Profile]]
    curves: Mapping[str, Mapping[str, tuple[CurvePoint, ...]]]
    since: Comparison | None = None
    optimized: Sequence[Row] = ()


def work_of_pages(kernels: Sequence[Kernel], cores: Sequence[ModelledCore], *, on_layers: bool = True) -> list[Work]:
    """Return the calls for the pages: each kernel on its page's shape and other layers, on each core that can run it.

    Variants in their libraries that compute the same and have no page are included; on the page's shape alone unless
    `on_layers`.  If none of the `cores` can run a kernel, others are used.
    """
    relatives = {kernel: _relatives(kernel) for kernel in kernels}
    usual = _usual_shapes(list(dict.fromkeys(one for kernel in kernels for one in (kernel, *relatives[kernel]))))
    found: dict[Work, None] = {}
    for kernel in kernels:
        shape = _page_shape(kernel, usual)
        layers = [shape, *(one for one in _layers(kernel) if one != shape)]
        able = able_cores(kernel, cores)
        if not able:
            found[Work(kernel, shape, MemoryOptions(loop=True))] = None  # the kernel gets a page without a core
        for core in able:
            found[Work(kernel, shape, MemoryOptions(core, loop=True))] = None
            found |= {Work(kernel, one, MemoryOptions(core)): None for one in layers[1:]}
            for other in relatives[kernel]:
                has_own = other in kernels and core in able_cores(other, cores)
                if runs_on(other, core) and not has_own:
                    taken = layers_of(other)
                    shared = [one for one in (layers if on_layers else layers[:1]) if one in taken]
                    found |= {Work(other, one, MemoryOptions(core)): None for one in shared}
    return list(found)


def _relatives(kernel: Kernel) -> list[Kernel]:
    """Return the other kernels of the same library that compute the same."""
    if kernel.root is None or kernel.operator is None:
        return []
    return [k for k in open_library(kernel.root).kernels if k.title != kernel.title and _same_family(k, kernel)]


def pages_of(
    work: Sequence[Work],
    profiled: Sequence[Profile | object],
    verdicts: Mapping[str, Verdict],
    optimized: Mapping[str, Sequence[Row]] | None = None,
) -> list[KernelPage]:
    """Join the work of `work_of_pages` with its results; `verdicts` and rows of `optimized` loops by title.

    A kernel without a profile on any core, because it faults or none can run it, has a page with only its verdict.
    """
    by_core: dict[str, dict[str, dict[Shape, Profile]]] = {}
    shapes: dict[str, Shape] = {}
    for one, result in zip(work, profiled, strict=True):
        if one.memory.loop:
            shapes[one.kernel.title] = one.shape
        if isinstance(result, Profile) and result.cycles is not None and one.memory.core is not None:
            by_core.setdefault(one.memory.core.name, {}).setdefault(one.kernel.title, {})[one.shape] = result
    pages = []
    for kernel in dict.fromkeys(one.kernel for one in work if one.memory.loop):
        shape = shapes[kernel.title]
        family = {other.kernel.title for other in work if _same_family(other.kernel, kernel)}
        profiles, variants, curves = {}, {}, {}
        for core, titles in by_core.items():
            if shape in titles.get(kernel.title, {}):
                profiles[core] = titles[kernel.title][shape]
                members = {title: titles[title] for title in sorted(titles) if title in family}
                variants[core] = {title: found[shape] for title, found in members.items() if shape in found}
                curves[core] = {title: _curve(found) for title, found in members.items()}
        rows = (optimized or {}).get(kernel.title, ())
        pages.append(KernelPage(kernel, verdicts[kernel.title], shape, profiles, variants, curves, optimized=rows))
    return pages


def _curve(found: Mapping[Shape, Profile]) -> tuple[CurvePoint, ...]:
    points = [CurvePoint(shape, one.macs, one.cycles.cycles) for shape, one in found.items() if one.cycles is not None]
    return tuple(sorted(points, key=lambda point: (point.work, str(point.shape))))


def _same_family(one: Kernel, other: Kernel) -> bool:
    """Tell whether both compute the same on the same instruction set, so that their cycles can be compared."""
    if one.operator is None or other.operator is None:
        return one == other
    return one.isa is other.isa and one.operator.name == other.operator.name


def _usual_shapes(kernels: Sequence[Kernel]) -> dict[str, list[Shape]]:
    """Return the layers of each operator: those that most kernels accept first, then those of middling work."""
    taken: dict[str, Counter[Shape]] = {}
    for kernel in kernels:
        if kernel.operator is not None:
            taken.setdefault(kernel.operator.name, Counter()).update(layers_of(kernel))
    found = {}
    for name, counts in taken.items():
        ordered = sorted(counts, key=lambda shape: (prod(shape.values().values()), str(shape)))
        rank = {shape: abs(at - len(ordered) // 2) for at, shape in enumerate(ordered)}
        found[name] = sorted(counts, key=lambda shape: (-counts[shape], rank[shape]))
    return found


def _page_shape(kernel: Kernel, usual: Mapping[str, Sequence[Shape]]) -> Shape:
    """Return the layer that most variants accept, else the largest shape that `check` tries."""
    if kernel.operator is not None and (layers := layers_of(kernel)):
        return next(shape for shape in usual[kernel.operator.name] if shape in layers)
    shapes = planned_shapes(kernel, seed=1).small
    return max(shapes, key=lambda shape: (_size(kernel, shape), str(shape)))


def _size(kernel: Kernel, shape: Shape) -> int:
    values = integers_of(kernel, shape)
    if kernel.contract.macs is not None:
        return kernel.contract.macs.evaluate(values)
    return prod(max(1, value) for value in values.values())


def _layers(kernel: Kernel) -> list[Shape]:
    """Return up to `_LAYERS` layers, from the least work to the most."""
    layers = sorted(layers_of(kernel), key=lambda shape: (_size(kernel, shape), str(shape)))
    if len(layers) <= _LAYERS:
        return layers
    return [layers[round(at * (len(layers) - 1) / (_LAYERS - 1))] for at in range(_LAYERS)]
