"""Compare kernels side by side on the same shapes and cores: variants, or one kernel now and at a revision.

A comparison is a value that needs no emulator.  `profiling.compare` makes one in this process; `fold_sides` makes one
from sides that were examined in several processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neonlab.host.display import html_of
from neonlab.lab.compare.figures import Figures, changes, figures_of, total
from neonlab.verify.verdict import Failure

if TYPE_CHECKING:
    from neonlab.lab.repository.library import Kernel
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.measure.loop.difference import LoopDifference
    from neonlab.measure.profile import Profile
    from neonlab.measure.shape import Shape


@dataclass(frozen=True, slots=True)
class Side:
    """One kernel on one shape, as it is now or as it was at `revision`.

    `profiles` holds one for each core, or one without a core.  It is empty if the kernel faults (`failure` says how) or
    does not accept the shape.  `exact` tells whether quick cases on the shape were right; None if none was tried or
    there is no reference.  `label` is how a person named it, with its options; "" where that is its name.
    `unchecked` is True if there is no reference and the contract does not declare that.
    """

    kernel: str
    isa: str
    revision: str | None
    profiles: tuple[Profile, ...] = ()
    failure: Failure | None = None
    exact: bool | None = None
    unchecked: bool = False
    label: str = ""

    @property
    def name(self) -> str:
        """Return the name for display: `armv8/name`, `dense.c@clang:-O3`, or `armv8/name at main`."""
        name = self.label or self.kernel
        return name if self.revision is None else f"{name} at {self.revision}"

    @property
    def compiler(self) -> str:
        """Return the compiler of the code, with version and flags; "" for code that was not compiled or did not run."""
        return self.profiles[0].compiler if self.profiles else ""

    @property
    def figures(self) -> Figures | None:
        """Return the figures, or None if there are none."""
        return figures_of(self.profiles) if self.profiles else None

    @property
    def macs(self) -> int:
        """Return the multiply-accumulates of the call; 0 if none are declared."""
        return self.profiles[0].macs if self.profiles else 0

    @property
    def wrong(self) -> bool:
        """Tell whether it failed or gave wrong results."""
        return self.failure is not None or self.exact is False

    def on(self, core: str) -> Profile | None:
        """Return the profile on `core`, or None."""
        return next((p for p in self.profiles if p.cycles is not None and p.cycles.core == core), None)


@dataclass(frozen=True, slots=True)
class Group:
    """The sides compared on one shape; the others are compared with the first that has figures."""

    shape: Shape
    sides: tuple[Side, ...]

    @property
    def reference(self) -> Side | None:
        """Return the side that the others are compared with, or None."""
        return next((side for side in self.sides if side.profiles), None)


@dataclass(frozen=True, slots=True)
class ContractChange:
    """The entries of a kernel's contract that differ from those at a revision, such as `args.input.read`."""

    kernel: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Hold kernels set side by side: one of `groups` per shape, and the differences of their hot `loops` per core.

    Against a git `revision`, each group has two sides: the kernel as it was, and as it is.  `same`, `added` and
    `removed` name the kernels whose code and contract did not change since the revision, those that are new, and those
    that are gone; `contracts` are the changes of contracts.
    """

    groups: tuple[Group, ...]
    cores: tuple[str, ...] = ()
    loops: tuple[LoopDifference, ...] = ()
    revision: str | None = None
    same: tuple[str, ...] = ()
    contracts: tuple[ContractChange, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    seed: int = 1

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Return the shapes that were compared, each once, whatever a kernel calls its sizes."""
        found: dict[tuple[int, ...], Shape] = {}
        for group in self.groups:
            found.setdefault(group.shape.sizes, group.shape)
        return tuple(found.values())

    @property
    def failures(self) -> tuple[tuple[str, Failure], ...]:
        """Return the failures of kernels as they are now, with the kernels' names."""
        sides = (side for group in self.groups for side in group.sides)
        return tuple((s.kernel, s.failure) for s in sides if s.failure is not None and s.revision is None)

    @property
    def passed(self) -> bool:
        """Tell whether every kernel, as it is now, ran and gave right results in the cases tried."""
        return not any(side.wrong for group in self.groups for side in group.sides if side.revision is None)

    def totals(self) -> tuple[tuple[str, int, Figures, Figures], ...]:
        """Return, against a revision, kernel, number of shapes, and sums of the figures before and after.

        Kernels that were compared on one shape only are left out.
        """
        found: dict[str, list[tuple[Figures, Figures]]] = {}
        for group in self.groups:
            before, after = (side.figures for side in group.sides) if len(group.sides) == 2 else (None, None)
            if before is not None and after is not None:
                found.setdefault(group.sides[1].kernel, []).append((before, after))
        return tuple(
            (kernel, len(pairs), total(pair[0] for pair in pairs), total(pair[1] for pair in pairs))
            for kernel, pairs in found.items()
            if len(pairs) > 1
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {
            "seed": self.seed,
            "revision": self.revision,
            "cores": list(self.cores),
            "groups": [
                {"shape": str(group.shape), "sides": [_side_json(side, group.reference) for side in group.sides]}
                for group in self.groups
            ],
            "loops": [loop.to_json() for loop in self.loops],
            "same": list(self.same),
            "contracts": [{"kernel": one.kernel, "entries": list(one.entries)} for one in self.contracts],
            "added": list(self.added),
            "removed": list(self.removed),
        }

    def _repr_html_(self) -> str | None:
        """Return the HTML that a notebook shows."""
        return html_of(self)


def _side_json(side: Side, reference: Side | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "kernel": side.kernel,
        "label": side.name,
        "compiler": side.compiler,
        "isa": side.isa,
        "revision": side.revision,
        "exact": side.exact,
        "unchecked": side.unchecked,
        "macs": side.macs,
        "figures": None,
        "relative": {},
        "no_difference": [],
        "failure": side.failure.to_json() if side.failure is not None else None,
    }
    figures = side.figures
    base = reference.figures if reference is not None else None
    if figures is not None and base is not None:
        document["figures"] = figures.to_json()
        found = changes(base, figures)
        document["relative"] = {change.name: round(change.relative, 6) for change in found}
        document["no_difference"] = [change.core for change in found if change.core and not change.told]
    return document


#: A kernel to examine on a shape, and whether to examine its hot loop.
Look = tuple["Kernel", "Shape", bool]


def plan_comparison(work: Sequence[tuple[Kernel, Sequence[Shape]]], cores: Sequence[ModelledCore]) -> list[Look]:
    """Return the work, shape by shape, with hot loops on the shape with most work.

    Shapes that a kernel's contract does not allow are left out.
    """
    shapes = list(dict.fromkeys(shape for _, taken in work for shape in taken))
    largest = max(shapes, key=lambda shape: shape.work, default=None)
    return [
        (kernel, shape, bool(cores) and shape == largest)
        for shape in shapes
        for kernel, taken in work
        if shape in taken and (kernel.operator is None or kernel.operator.accepts(kernel.contract, shape))
    ]


def fold_sides(plan: Sequence[Look], sides: Sequence[Side], cores: Sequence[ModelledCore], seed: int) -> Comparison:
    """Return the comparison of variants from their sides, which are in the order of the plan."""
    by_sizes: dict[tuple[int, ...], tuple[Shape, list[Side]]] = {}  # kernels have different names for the same sizes
    for (_, shape, _), side in zip(plan, sides, strict=True):
        by_sizes.setdefault(shape.sizes, (shape, []))[1].append(side)
    groups = tuple(Group(shape, tuple(same)) for shape, same in by_sizes.values())
    return Comparison(groups, tuple(core.name for core in cores), loop_differences(groups, cores), seed=seed)


def loop_differences(groups: Iterable[Group], cores: Sequence[ModelledCore]) -> tuple[LoopDifference, ...]:
    """Return the differences between hot loops in each group, core by core, relative to the first side that has one."""
    from neonlab.measure.loop.difference import loop_difference

    found = []
    for group in groups:
        for core in cores:
            looked = [(side, side.on(core.name)) for side in group.sides]
            loops = [(s, p.loop) for s, p in looked if p is not None and p.loop is not None]
            for side, loop in loops[1:]:
                first, base = loops[0]
                if side.isa == first.isa:
                    found.append(loop_difference(base, loop, group.shape, (first.name, side.name)))
    return tuple(found)
