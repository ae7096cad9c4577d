"""Write ladders: kernels that do the same work, each a step from the one before, with change, cost and reason.

The steps and their reasons are those of `kernels/ladder.toml`; every figure is counted or modelled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import profile_each
from neonlab.lab.repository.able_cores import runs_on
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, Library
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.cores.bands import NO_DIFFERENCE
from neonlab.measure.cores.modelled import cores_named
from neonlab.measure.options import COUNTS_ALONE, MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.report.band_words import basis_line, ratio_line
from neonlab.report.tables.goals import Reached, goal_lines, ladder_file
from neonlab.report.tables.hot_loop_cost import hot_loop_cost
from neonlab.report.tables.loops.bounds import BoundedLoop, bound_lines
from neonlab.report.tables.variants import VariantRow
from neonlab.verify.verdict import Failure

#: The cores of the table.
CORES = ("cortex-a7", "cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76", "neoverse-v1")


@dataclass(frozen=True, slots=True)
class Step:
    """One kernel, its difference from the step before, and why that helps; `packs` pack a layer's input.

    `shape` is the ladder's, in the terms of this kernel's operator.
    """

    kernel: Kernel
    changed: str
    why: str
    shape: Shape
    packs: tuple[tuple[Kernel, Shape], ...] = ()


@dataclass(frozen=True, slots=True)
class Ladder:
    """Steps on one shape."""

    title: str
    shape: str
    text: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """One step's figures per multiply-accumulate.

    `hot_loop` and `instructions` count those of the hot loop and of the whole call, `packing` those of the packing
    kernels.  `loaded` and `stored` are bytes, `cycles` are by core.
    """

    hot_loop: float | None
    instructions: float
    packing: float | None
    loaded: float
    stored: float
    cycles: Mapping[str, float]


def read_ladders(library: Library) -> tuple[Ladder, ...]:
    """Return the ladders of `kernels/ladder.toml`; none if there is no such file.  Raises InputError."""
    path, table = ladder_file(library)
    if table is None:
        return ()
    kernels = {kernel.title: kernel for kernel in library.kernels}

    def named(title: str) -> Kernel:
        if title not in kernels:
            raise InputError(f"{path}: no kernel `{title}`")
        return kernels[title]

    def step(entry: Mapping[str, Any], shape: str) -> Step:
        kernel = named(entry["kernel"])
        packs = [(named(title), shape) for title, shape in entry.get("packs", {}).items()]
        return Step(
            kernel,
            entry["changed"],
            entry["why"],
            parse_shape(kernel, entry.get("shape", shape)),
            tuple((pack, parse_shape(pack, shape)) for pack, shape in packs),
        )

    try:
        return tuple(
            Ladder(
                entry["title"],
                entry["shape"],
                entry.get("text", ""),
                tuple(step(one, entry["shape"]) for one in entry["step"]),
            )
            for entry in table["ladder"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: has no key {error}") from None


def costs_of(
    workers: Workers, ladders: Sequence[Ladder], advance: Callable[[int], None] = lambda _: None
) -> dict[tuple[str, str], Cost]:
    """Return each kernel's cost, by title of ladder and kernel.  Raises InputError if one does not run."""
    found = {}
    work = calls_of(ladders)
    profiles: dict[tuple[str | None, str, Shape], Profile] = {}
    for (kernel, shape, memory), profile in zip(work, profile_each(workers, work, advance=advance), strict=True):
        if isinstance(profile, Failure):
            raise InputError(f"{kernel.title}: does not run on {shape}")
        profiles[memory.core.name if memory.core is not None else None, kernel.title, shape] = profile
    for ladder in ladders:
        for step in ladder.steps:
            key = step.kernel.title, step.shape
            runs = {core: profiles[core, *key] for core in CORES if (core, *key) in profiles}
            some = next(iter(runs.values()))
            hot = hot_loop_cost(kernel_program(step.kernel), some.counts)
            packing = sum(profiles[None, pack.title, shape].counts.instructions for pack, shape in step.packs)
            found[ladder.title, step.kernel.title] = Cost(
                hot.instructions_per_mac if hot is not None else None,
                some.instructions_per_mac,
                packing / some.macs if step.packs else None,
                some.loaded_per_mac,
                some.stored_per_mac,
                {core: 1 / run.macs_per_cycle for core, run in runs.items()},
            )
    return found


def calls_of(ladders: Sequence[Ladder]) -> list[tuple[Kernel, Shape, MemoryOptions]]:
    """Return the calls that `costs_of` profiles, each once: kernels on cores that run them, packing without a core."""
    calls: dict[tuple[Kernel, Shape, MemoryOptions], None] = {}
    cores = cores_named(CORES)
    for step in (step for ladder in ladders for step in ladder.steps):
        calls |= {(kernel, shape, COUNTS_ALONE): None for kernel, shape in step.packs}
        calls |= {(step.kernel, step.shape, MemoryOptions(c)): None for c in cores if runs_on(step.kernel, c)}
    return list(calls)


def ladder_document(
    ladders: Sequence[Ladder],
    costs: Mapping[tuple[str, str], Cost],
    rows: Sequence[VariantRow],
    goals: Sequence[Reached] = (),
    bounds: Sequence[BoundedLoop] = (),
) -> str:
    """Return the text of reports/ladder.md."""
    lines = [
        "# The ladder",
        "",
        "Generated by `neonlab report` from the steps in `kernels/ladder.toml`; do not edit. Each ladder is a",
        "sequence of kernels that do the same work. All figures are per multiply-accumulate. *Hot loop*:",
        "instructions of the innermost loop. *Layer*: instructions of the whole call. *Packing*: instructions",
        "of the kernels that pack the input; weights are packed once, in advance, and do not count. *Loaded*,",
        "*stored*: bytes. All of these are counted. The columns of cores have the cycles of a call on cold",
        "caches, which are estimates of models; reports/cores.md and docs/pages/models.md say how far off",
        "they are. Bold: the lowest figure of a ladder. No figure: the core lacks the instructions, or the",
        "kernel needs no packing.",
        "",
        "A figure of cycles stands for a range, which holds 80 % of measured functions: the figure times",
        "",
        *(f"- {basis_line(core)};" for core in CORES),
        "",
        f"Two figures of a core whose ratio is inside {ratio_line(CORES)}",
        f"have {NO_DIFFERENCE}.",
    ]
    for ladder in ladders:
        lines += ["", f"## {ladder.title}", "", f"Shape `{ladder.shape}`. {ladder.text}".strip(), ""]
        lines += _table(ladder, [costs[ladder.title, step.kernel.title] for step in ladder.steps])
        lines.append("")
        for number, step in enumerate(ladder.steps, 1):
            lines.append(f"{number}. `{step.kernel.title}`: {step.changed} {step.why}")
    lines += goal_lines(goals)
    lines += bound_lines(bounds, [core for core in CORES if any(core in loop.on for loop in bounds)])
    lines += ["", "## Whole layers", ""]
    lines += [
        "What the instructions outside the hot loop add, over every layer of reports/variants.md that the",
        "kernel accepts (for conv1x1 and matmul: every pointwise layer of MobileNet v1). First all layers",
        "together, then the layer where they add most. Without packing.",
        "",
        "| kernel | hot loop | all layers | | worst layer | | |",
        "|---|---:|---:|---:|---|---:|---:|",
    ]
    seen = dict.fromkeys(step.kernel.title for ladder in ladders for step in ladder.steps)
    lines += [line for title in seen for line in _layers(title, rows)]
    return "\n".join(lines) + "\n"


def _table(ladder: Ladder, costs: Sequence[Cost]) -> Iterator[str]:
    titles = [core.removeprefix("cortex-").removeprefix("neoverse-").upper() for core in CORES]
    yield "| | kernel | hot loop | layer | packing | loaded | stored | " + " | ".join(titles) + " |"
    yield "|---:|---|" + "---:|" * (5 + len(CORES))
    columns: list[list[float | None]] = [
        [cost.hot_loop for cost in costs],
        [cost.instructions for cost in costs],
        [cost.packing for cost in costs],
        [cost.loaded for cost in costs],
        [cost.stored for cost in costs],
        *([cost.cycles.get(core) for cost in costs] for core in CORES),
    ]
    for number, step in enumerate(ladder.steps):
        cells = [_cell(column, number, bold=at != 2) for at, column in enumerate(columns)]
        yield f"| {number + 1} | `{step.kernel.name}` | " + " | ".join(cells) + " |"


def _cell(column: Sequence[float | None], number: int, *, bold: bool) -> str:
    value = column[number]
    if value is None:
        return ""
    text = f"{value:.4f}"
    least = min(f"{other:.4f}" for other in column if other is not None)
    return f"**{text}**" if bold and text == least else text


def _layers(title: str, rows: Sequence[VariantRow]) -> Iterator[str]:
    ran = [(row, row.profile) for row in rows if row.kernel == title and row.profile is not None]
    hot = next((row.hot_loop for row, _ in ran if row.hot_loop is not None), None)
    if hot is None:
        return
    loop = hot.instructions_per_mac
    whole = sum(p.counts.instructions for _, p in ran) / sum(p.macs for _, p in ran)
    row, worst = max(ran, key=lambda pair: pair[1].instructions_per_mac)
    most = worst.instructions_per_mac
    yield (
        f"| `{title}` | {loop:.4f} | {whole:.4f} | +{100 * (whole / loop - 1):.1f} % "
        f"| {row.layer} | {most:.4f} | +{100 * (most / loop - 1):.1f} % |"
    )
