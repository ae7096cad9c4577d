"""Implement `neonlab optimize`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.options import takes_given
from neonlab.cli.shared import (
    JobsOption,
    JsonOption,
    KernelsArgument,
    LayerOption,
    SeedOption,
    console,
    core_option,
    find_kernels,
    print_json,
)
from neonlab.contract.options import Given
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.repository.library import Kernel
    from neonlab.optimize.outcome import Optimized


@takes_given
def optimize(
    kernels: KernelsArgument = None,
    core: Annotated[
        list[str] | None,
        core_option("Optimize for this core. Repeatable."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the new kernel to FILE.")
    ] = None,
    shape: LayerOption = None,
    seconds: Annotated[
        int, typer.Option("--time", metavar="SECONDS", min=1, help="Try 250 orders for each of so many seconds.")
    ] = 120,
    steps: Annotated[
        int | None, typer.Option("--steps", metavar="N", min=0, help="Try N orders, instead of --time.")
    ] = None,
    seed: SeedOption = 1,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FOLDER", help="Update optimize.md and optimize.json in FOLDER."),
    ] = None,
    mca: Annotated[
        str, typer.Option("--mca", metavar="PROGRAM", help="With --into, ask this llvm-mca 19 about both loops too.")
    ] = "",
    of: Annotated[
        str,
        typer.Option("--of", metavar="PROJECT", help="With --into, keep figures alone of kernels that are PROJECT's."),
    ] = "",
    jobs: JobsOption = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Make the hot loop of a kernel cheaper on a core: rewrite it, order it anew, and prove the outcome.

    The loop must be straight-line code that ends in its branch back. Rewrites are tried, such as sums of more products
    in int16, or loads of 64 bits. Of each, many orders are costed on the core's model, where instructions may run an
    iteration ahead. The cheapest is checked on all cases of `neonlab check`, and proved at the small shapes that run
    the new code. What is wrong is thrown away. The change is printed, and written with -o.

    The same kernel, options and seed give the same result, however long it takes. Ctrl-C ends the search, and keeps the
    best so far.
    """
    from neonlab.host.output_file import write_whole
    from neonlab.lab.parallel.pool import Workers
    from neonlab.optimize.kernel import STEPS_A_SECOND
    from neonlab.optimize.output.edit import with_symbol
    from neonlab.report.terminal.optimization import print_optimized

    if not kernels or not core:
        raise InputError(f"name {'a core with --core' if kernels else 'a kernel, or a file with one'} to optimize")
    found = find_kernels(kernels, given)
    if output is not None and len(found) * len(core) != 1:
        raise InputError(f"-o writes one kernel for one core, and {len(found) * len(core)} are asked for")
    for folder in (output.parent if output is not None else None, into):
        if folder is not None and not folder.is_dir():
            raise InputError(f"{folder}: there is no such folder")
    for option, value in (("--mca", mca), ("--of", of)):
        if value and into is None:
            raise InputError(f"{option} is for the table of --into: give --into too")
    number = STEPS_A_SECOND * seconds if steps is None else steps
    records, outcomes = [], []
    with Workers(jobs) as workers:
        for one in found:
            for name in core:
                start = time.monotonic()
                outcome = _search(one, name, shape or "", number, seed, output, workers)
                outcomes.append(outcome)
                records.append((outcome, time.monotonic() - start))
                if into is not None:
                    _write(into, records, mca, of, found)
    if output is not None and outcomes[0].is_better:
        text, name = outcomes[0].text, found[0].name
        write_whole(output, (text if output.stem == name else with_symbol(text, name)).encode())
    if json:
        print_json("optimize", seed=seed, steps=number, loops=[outcome.to_json() for outcome in outcomes])
        return 0
    out = console()
    for outcome in outcomes:
        written = str(output) if output is not None and outcome.is_better else ""
        print_optimized(out, outcome, written, diff=into is None)
    return 0


def _search(
    kernel: Kernel, core: str, shape: str, steps: int, seed: int, output: Path | None, workers: Workers
) -> Optimized:
    """Optimize one kernel for one core, and tell how far the search is; Ctrl-C ends it with the best so far."""
    from neonlab.host.interrupts import first_interrupt_noted
    from neonlab.optimize.kernel import optimize as optimized

    best = float("inf")
    with first_interrupt_noted() as interrupted:

        def advance(_steps: int, cycles: float) -> bool:
            nonlocal best
            if cycles < best:
                best = cycles
                progress.rename(f"trying orders, best {cycles:.4g} cycles")
            return not interrupted()

        return optimized(
            kernel, core, shape=shape, steps=steps, seed=seed, into=output.parent if output is not None else None,
            workers=workers, begin=progress.begin, advance=advance,
        )  # fmt: skip


def _write(
    folder: Path, records: Sequence[tuple[Optimized, float]], mca: str, of: str, kernels: Sequence[Kernel]
) -> None:
    """Update both documents in `folder` with what was found so far for `kernels`, which may be those `of` a project."""
    from neonlab.host.output_file import write_whole
    from neonlab.report.tables.loops.optimizations import markdown_document
    from neonlab.report.tables.loops.rows import foreign, json_document, merged, older_rows, record_of

    made = []
    for one, seconds in records:
        name = Path(one.path).name  # not where the file is on this computer
        row = record_of(one.to_json(), one.diff(name, name), seconds, _second_judge(one, mca))
        made.append(foreign(row, of, Path(one.path).absolute()) if of else row)
    rows = merged(folder / "optimize.json", made)
    write_whole(folder / "optimize.json", json_document(rows).encode())
    write_whole(folder / "optimize.md", markdown_document(rows, older_rows(rows, kernels)).encode())


def _second_judge(outcome: Optimized, program: str) -> tuple[float | None, float | None]:
    """Return llvm-mca's cycles of the loop before and after; None where it is not asked, or has no model."""
    from neonlab.isa.model.isa import isa_named
    from neonlab.measure.silicon.mca import answers_for, cycles_of

    if not program or not answers_for(outcome.core, isa_named(outcome.isa)):
        return None, None
    before, after = cycles_of(program, outcome.core, [outcome.old_body, outcome.new_body])
    return before, None if after is None else after / outcome.new.times
