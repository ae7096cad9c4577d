"""Write what hot loops take on a core beside its bound: the fewest cycles for their instructions, in whatever order.

The operators, cores and shapes are those of `kernels/ladder.toml`; every figure is modelled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import profile_each
from neonlab.lab.repository.able_cores import runs_on
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, Library
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.cores.modelled import ModelledCore, cores_named
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.options import MemoryOptions
from neonlab.measure.pipeline.bounds import issue_bound
from neonlab.measure.pipeline.program import compile_instructions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.report.tables.goals import ladder_file
from neonlab.report.tables.loops.orders import NO_ORDERS, Known, code_digest, known_orders, order_words

#: A loop is near its bound if it takes at most so many times as long.
NEAR = 1.1
_WORK = ("issue width", "port")  # what is no wait for something else
_TOLD = 2  # causes of waits that are named
_LEAST = 0.5  # cycles of a cause that is named

Call = tuple[Kernel, Shape, MemoryOptions]
Key = tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Say which loops stand in the table: those of `operators` on `cores`, at the first shape that a kernel accepts."""

    cores: tuple[str, ...]
    operators: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Bounded:
    """Hold the cycles of an iteration on one core, and the bound: the largest of those of `limits`, by name.

    `waits` are the cycles by cause that no bound explains by itself.  `orders` says what other orders take.
    """

    cycles: float
    limits: Mapping[str, float]
    waits: Mapping[str, float]
    orders: str = ""

    @property
    def largest(self) -> tuple[str, float]:
        """The name of the largest limit, and its cycles."""
        name = max(self.limits, key=lambda one: self.limits[one])
        return name, self.limits[name]

    @property
    def over(self) -> float:
        """The cycles above the bound, as a part of it."""
        return self.cycles / self.largest[1] - 1

    @property
    def is_near(self) -> bool:
        """Tell whether the loop comes near to its bound."""
        return self.cycles <= self.largest[1] * NEAR

    @property
    def words(self) -> str:
        """Return what the cycles above the bound go to: waits by cause, and places that are taken."""
        name, least = self.largest
        above = self.cycles - least
        causes = {**self.waits, "ports and slots that other work has": above - sum(self.waits.values())}
        longest = sorted(causes.items(), key=lambda one: (-one[1], one[0]))[:_TOLD]
        told = " and ".join(f"{cycles:.3g} by {cause}" for cause, cycles in longest if cycles >= _LEAST)
        return f"{self.cycles:.4g} cycles, {above:.3g} above the {least:.4g} of its {name}: {told}"


@dataclass(frozen=True, slots=True)
class BoundedLoop:
    """Hold a loop, with the titles of the kernels that have it, its instructions and its MACs (0: it scales sums)."""

    kernels: tuple[str, ...]
    instructions: int
    macs: int
    on: Mapping[str, Bounded]

    @property
    def title(self) -> str:
        """Return the first kernel, and how many others have the loop."""
        others = len(self.kernels) - 1
        return f"`{self.kernels[0]}`" + (f" and {others} more" if others else "")


def read_asked(library: Library) -> Asked | None:
    """Return what `kernels/ladder.toml` asks for; None if it asks for nothing.  Raises InputError."""
    path, table = ladder_file(library)
    entry = (table or {}).get("bounds")
    if entry is None:
        return None
    try:
        cores = tuple(str(one) for one in entry["cores"])
        operators = {str(name): tuple(str(one) for one in shapes) for name, shapes in entry["shapes"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: `bounds` cannot be read: {error}") from None
    if strange := set(entry) - {"cores", "shapes"}:
        raise InputError(f"{path}: `bounds` has no key {', '.join(sorted(strange))}")
    if unknown := set(operators) - {one.name for one in library.operators}:
        raise InputError(f"{path}: no operator {', '.join(sorted(unknown))}")
    for name in cores:
        ModelledCore.named(name, cycles=True)
    return Asked(cores, operators)


def calls_of_bounds(library: Library, asked: Asked | None) -> list[Call]:
    """Return the calls that `bounded_loops` profiles: each kernel on each core that runs it and picks it."""
    if asked is None:
        return []
    passed = {
        core: {name for one in library.dispatches.values() if one.cores for name in one.passed_over(core)}
        for core in asked.cores
    }
    return [
        (kernel, shape, MemoryOptions(core, warm=True, loop=True))
        for operator, shapes in asked.operators.items()
        for kernel in library.kernels
        if kernel.operator is not None and kernel.operator.name == operator
        for shape in _shapes(kernel, shapes)
        for core in cores_named(asked.cores)
        if runs_on(kernel, core) and kernel.name not in passed[core.name]
    ]


def _shapes(kernel: Kernel, texts: Sequence[str]) -> list[Shape]:
    """Return the first shape that the kernel accepts, or none."""
    assert kernel.operator is not None, "kernels are chosen by their operators"
    shapes = [parse_shape(kernel, text) for text in texts]
    return [shape for shape in shapes if kernel.operator.accepts(kernel.contract, shape)][:1]


def bounded_loops(
    workers: Workers, library: Library, asked: Asked | None, advance: Callable[[int], None] = lambda _: None
) -> tuple[BoundedLoop, ...]:
    """Return the hot loops, each once, in the order of kernels.  Raises InputError if a kernel does not run."""
    calls = calls_of_bounds(library, asked)
    found: dict[Key, tuple[list[str], LoopReport, dict[str, Bounded]]] = {}
    orders = known_orders(library.root / "reports")
    for (kernel, shape, memory), profile in zip(calls, profile_each(workers, calls, advance=advance), strict=True):
        if not isinstance(profile, Profile):
            raise InputError(f"{kernel.title}: does not run on {shape}")
        assert memory.core is not None, "calls are made on cores"
        for loop in profile.loops:
            key = tuple((line.path, line.line, line.form) for line in loop.lines)
            kernels, _, on = found.setdefault(key, ([], loop, {}))
            if kernel.title not in kernels:
                kernels.append(kernel.title)
            on[memory.core.name] = bounded(kernel, memory.core, loop, orders)
    return tuple(BoundedLoop(tuple(names), loop.instructions, loop.macs, on) for names, loop, on in found.values())


def bounded(kernel: Kernel, core: ModelledCore, loop: LoopReport, orders: Known = NO_ORDERS) -> Bounded:
    """Return a loop of the kernel beside its bounds on the core, and what is known of other orders."""
    assert core.pipeline is not None, "a loop was modelled"
    code = {instruction.address: instruction for instruction in kernel_program(kernel).instructions}
    lines = [code[line.address] for line in loop.lines]
    body = compile_instructions(lines, core.pipeline)
    issue = issue_bound(body, np.ones(loop.instructions, np.int64), core.pipeline)
    waits: dict[str, float] = {}
    for line in loop.lines:
        for cause, cycles in line.stalled.items():
            if cause not in _WORK:
                waits[cause] = waits.get(cause, 0.0) + cycles
    limits = {"ports": loop.bounds.ports, "issue": max(issue, loop.bounds.dispatch)}
    told = order_words(orders.get((code_digest(lines), core.name), ()), max(limits.values()))
    return Bounded(loop.cycles, limits, waits, told)


def bound_lines(loops: Sequence[BoundedLoop], cores: Sequence[str]) -> Iterator[str]:
    """Yield the section of reports/ladder.md; nothing if there are no loops."""
    if not loops:
        return
    yield from ("", "## Bounds of the core", "")
    yield from (
        "Hot loops on the cores for which their kernels are picked: *cycles* of an iteration, with all data in the",
        "nearest cache, and the *bound*, which no order of these instructions is below: what the core's ports need for",
        "them, or what it needs to issue them (i), in slots and in places for work on vector registers. *over*: what",
        "the loop takes more. A loop stands once, with the first kernel that has it, and what scales sums has no MACs.",
        f"Bold: more than {_percent(NEAR - 1)} over.",
    )
    heads = [core.removeprefix("cortex-").upper() for core in cores]
    yield from ("", "| kernel | instructions | MACs | " + " | ".join(f"{head} | bound | over" for head in heads) + " |")
    yield "|---|---:|---:|" + "---:|" * (3 * len(cores))
    for loop in loops:
        cells = [cell for core in cores for cell in _cells(loop.on.get(core))]
        yield f"| {loop.title} | {loop.instructions} | {loop.macs or '–'} | " + " | ".join(cells) + " |"
    yield from ("", f"{near_words(loops)}.")
    far = [(loop, core, one) for loop in loops for core, one in loop.on.items() if not one.is_near]
    if far:
        yield from (
            "",
            "What limits the others. Where CP-SAT was asked about a loop (`reports/orders.json`), its orders may use",
            "all registers that are free there, and spread an iteration over several stages:",
            "",
        )
        yield from (
            f"- {loop.title}, {loop.instructions} instructions, on {core}: {one.words}.{one.orders}"
            for loop, core, one in far
        )


def near_words(loops: Sequence[BoundedLoop]) -> str:
    """Return how many loops come near to their bounds."""
    each = [one for loop in loops for one in loop.on.values()]
    return f"{sum(one.is_near for one in each)} of {len(each)} are within {_percent(NEAR - 1)} of their bounds"


def _cells(one: Bounded | None) -> tuple[str, str, str]:
    if one is None:
        return "", "", ""
    name, least = one.largest
    over = _percent(one.over)
    return f"{one.cycles:.4g}", f"{least:.4g}" + " i" * (name == "issue"), over if one.is_near else f"**{over}**"


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %"
