"""Implement `neonlab check` and `profile`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_patterns
from neonlab.cli.formats import FormatOption, chosen_format, print_remarks
from neonlab.cli.kept import NoCacheOption, open_results, say_found
from neonlab.cli.options import takes_given
from neonlab.cli.shared import (
    CallsOption,
    ColdWeightsOption,
    JobsOption,
    JsonOption,
    KernelArgument,
    KernelsArgument,
    SeedOption,
    ShapeOption,
    WarmOption,
    console,
    core_option,
    find_kernels,
    kernels_for,
    print_json,
    shapes_asked,
    shapes_by_kernel,
    what_calls_find,
)
from neonlab.cli.spread import ALONE, Spread, takes_spread
from neonlab.contract.options import Given
from neonlab.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.repository.library import Kernel
    from neonlab.measure.options import MemoryOptions
    from neonlab.measure.profile import Profile
    from neonlab.measure.shape import Shape
    from neonlab.verify.verdict import Verdict


@takes_given
@takes_spread
def check(
    kernels: KernelsArgument = None,
    shape: ShapeOption = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            metavar="PATTERN",
            help="Use data of this pattern, such as random or extremes. Repeatable.",
            autocompletion=complete_patterns,
        ),
    ] = None,
    seed: SeedOption = 1,
    every_tail: Annotated[
        bool, typer.Option("--every-tail", help="Try every combination of small sizes, not a choice.")
    ] = False,
    layers: Annotated[bool, typer.Option("--layers", help="Try the layers of real networks too.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Apply every check to large cases too.")] = False,
    search: Annotated[
        int | None, typer.Option("--search", min=1, metavar="N", help="Let Hypothesis choose N cases instead.")
    ] = None,
    again: Annotated[
        Path | None,
        typer.Option("--again", metavar="FILE", help="Run only the case that a failure has saved in FILE."),
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", "-x", help="Stop at the first failure.")] = False,
    jobs: JobsOption = None,
    no_cache: NoCacheOption = False,
    form: FormatOption = None,
    json: JsonOption = False,
    given: Given | None = None,
    spread: Spread = ALONE,
) -> int:
    """Run kernels on many cases and compare the results; report faults with their lines.

    A kernel is `exact` where all results are equal to the reference, all code ran, and no fault is found. Without
    KERNEL, all kernels of the library are checked. The cases cover small shapes, in which every two sizes meet, and all
    patterns of data. Every memory access, register and vector lane is checked too. Verdicts are kept, and found again
    until a kernel, its operator or neonlab changes.
    """
    from neonlab.lab.parallel.checks import explain_all
    from neonlab.lab.parallel.searches import search_all
    from neonlab.report.terminal.verdict import print_verdicts

    form = chosen_format(form, json)
    found = find_kernels(kernels or (), given)
    if again is not None:
        _refuse_beside_again(found, pattern or shape or every_tail or layers or full or search is not None or seed != 1)
    for option, said in (("--fail-fast", fail_fast), ("--search", search), ("--again", again)):
        if said:
            spread.refuse(option, "needs the results of all")
    with spread.working(jobs, not (no_cache or fail_fast)) as workers:
        if again is not None:
            seed, verdicts = _again(workers, found[0], again)
        elif search is not None:
            progress.begin(f"searching among {search:,} cases of each kernel")
            verdicts = search_all(workers, found, search, seed)
        else:
            wanted = shapes_asked(found, shape, "planning the cases")
            options = {
                "patterns": pattern or [], "seed": seed, "every_tail": every_tail, "layers": layers, "full": full,
            }  # fmt: skip
            verdicts = _checked(workers, wanted, fail_fast, options)
        if again is not None or search is not None:
            _tell_of_failures(verdicts)
            verdicts = explain_all(workers, found, verdicts)
        say_found(workers.results, "verdict", "verdicts")
        if spread.shard:
            return spread.write(workers)
    if shape or pattern or again:
        verdicts = [replace(verdict, chosen=True) for verdict in verdicts]
    if form == "json":
        print_json("check", seed=seed, verdicts=[verdict.to_json() for verdict in verdicts])
    elif form == "text":
        print_verdicts(console(), verdicts)
    else:
        print_remarks(form, verdicts)
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def _checked(
    workers: Workers,
    wanted: Sequence[tuple[Kernel, Sequence[Shape]]],
    fail_fast: bool,
    options: dict[str, Any],
) -> list[Verdict]:
    """Return the verdicts on the kernels at their shapes, explained: those that are kept, and new ones of the rest."""
    from neonlab.lab.parallel.checks import explain_all
    from neonlab.lab.parallel.plans import plan_and_check
    from neonlab.lab.parallel.verdicts import ask_verdicts, keep_verdicts, kept_verdicts

    results = workers.results
    questions = ask_verdicts(results, wanted, **options)
    known = kept_verdicts(results, questions)
    left = [one for one in wanted if one[0] not in known]
    begin = partial(progress.begin, "checking")
    fresh = plan_and_check(workers, left, begin, fail_fast=fail_fast, ranges=True, **options)
    _tell_of_failures(fresh)
    kernels = [kernel for kernel, _ in left]
    fresh = explain_all(workers, kernels, fresh)
    keep_verdicts(results, questions, workers, kernels, fresh)
    by_title = {verdict.kernel: verdict for verdict in (*known.values(), *fresh)}
    return [by_title[kernel.title] for kernel, _ in wanted if kernel.title in by_title]


def _tell_of_failures(verdicts: list[Verdict]) -> None:
    if failures := sum(len(verdict.failures) for verdict in verdicts):
        progress.begin(f"explaining {failures} failure{'s' * (failures != 1)}")


def _refuse_beside_again(found: list[Kernel], chosen: object) -> None:
    """Raise InputError for --again with more than one kernel, or with options that choose cases."""
    if len(found) != 1:
        raise InputError(f"--again runs one case of one kernel, and {len(found)} are named: name one")
    if chosen:
        raise InputError("--again runs the case in its file: leave out all options that choose cases or data")


def _again(workers: Workers, kernel: Kernel, file: Path) -> tuple[int, list[Verdict]]:
    """Return the seed of the case in a file, and the verdict on the kernel at it."""
    from neonlab.lab.parallel.checks import check_again
    from neonlab.lab.run.saved import saved_case

    case = saved_case(kernel, file)
    progress.begin("checking")
    return case.seed, [check_again(workers, kernel, case, str(file))]


@takes_given
def profile(
    kernel: KernelArgument,
    shape: ShapeOption = None,
    layers: Annotated[
        bool, typer.Option("--layers", help="Show one row for each layer of real networks that the operator names.")
    ] = False,
    core: Annotated[
        str | None,
        core_option("Estimate caches and cycles on this core, such as cortex-a53."),
    ] = None,
    warm: WarmOption = False,
    cold_weights: ColdWeightsOption = False,
    calls: CallsOption = 0,
    no_prefetcher: Annotated[
        bool, typer.Option("--no-prefetcher", help="Model the core without its hardware prefetcher.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show costs by class, buffer, port and line; needs --core.")
    ] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Draw two iterations of the hot loop, and its critical path.")
    ] = False,
    loop: Annotated[
        bool,
        typer.Option(
            "--loop", help="Print the hot loop as it executes: each instruction, its cycles, ports and waits."
        ),
    ] = False,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    no_cache: NoCacheOption = False,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Count what a kernel does on a shape, and estimate what it costs on a core.

    Instructions, registers and traffic are counted exactly. With --core, cache events and cycles are estimates of the
    core's models.
    """
    from neonlab.lab.repository.library import reports_folder
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.measure.cores.pipeline import pipeline_names
    from neonlab.measure.options import MemoryOptions
    from neonlab.measure.shape import NO_SIZES
    from neonlab.report.tables.loops.rows import found_before
    from neonlab.report.terminal.cycles import print_layers
    from neonlab.report.terminal.verdict import print_profiles

    found = find_kernels([kernel], given)
    modelled = ModelledCore.named(core, cycles=layers) if core is not None else None
    if not shape and not layers and not any(one.contract.integers for one in found):
        shape = [NO_SIZES]
    if bool(shape) == layers:
        raise InputError("give the shape to profile with --shape, or --layers for the layers of real networks")
    if (timeline or loop) and (modelled is None or modelled.pipeline is None):
        option = "--timeline draws" if timeline else "--loop shows"
        raise InputError(f"{option} cycles: name a core with --core, one of {', '.join(pipeline_names())}")
    if layers and (timeline or full or loop):
        raise InputError(
            f"{'--timeline' if timeline else '--full' if full else '--loop'} shows one --shape: leave out --layers"
        )
    if full and modelled is None:
        raise InputError("--full shows more of a core's estimates: name a core with --core")
    if layers and modelled is None:
        raise InputError("--layers shows cycles: name a core with --core")
    what_calls_find(warm, cold_weights, calls, on_core=modelled is not None)
    if modelled is None and no_prefetcher:
        raise InputError("--no-prefetcher changes the estimate for a core: name one with --core")
    memory = MemoryOptions(modelled, warm, not no_prefetcher, loop=not layers, cold_weights=cold_weights, calls=calls)
    shows_loop = core is not None and not layers and not json
    optimized = found_before(reports_folder() / "optimize.json", found, core or "") if shows_loop else {}
    show = print_layers if layers else partial(
        print_profiles, full=full, timeline=timeline, flat=loop, optimized=optimized
    )  # fmt: skip
    return _profiles(found, shape or [], seed, jobs, not no_cache, json, show, memory)


def _profiles(
    found: list[Kernel],
    shapes: list[str],
    seed: int,
    jobs: int | None,
    keeps: bool,
    json: bool,
    show: Callable[[Console, list[Profile]], None],
    memory: MemoryOptions,
) -> int:
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.parallel.profiles import profile_all
    from neonlab.lab.run.plan import layers_of
    from neonlab.report.terminal.verdict import print_failures
    from neonlab.verify.verdict import Failure

    if memory.core is not None:
        found = kernels_for(memory.core, found)
    if shapes:
        wanted = shapes_by_kernel(found, shapes)
    else:
        wanted = [(kernel, layers_of(kernel)) for kernel in found]
        if not any(layers for _, layers in wanted):
            raise InputError(f"{found[0].title}: its operator names no layers: give a shape with --shape")
    work = [(kernel, shape) for kernel, taken in wanted for shape in taken]
    advance = progress.begin("profiling", len(work), "calls")
    with open_results(keeps) as kept, Workers(jobs, results=kept) as workers:
        results = profile_all(workers, work, seed=seed, memory=memory, advance=advance)
        say_found(kept, "profiles._profile", "profiles")
    profiles = [result for result in results if not isinstance(result, Failure)]
    failures = [(k.title, result) for (k, _), result in zip(work, results, strict=True) if isinstance(result, Failure)]
    if json:
        print_json(
            "profile",
            seed=seed,
            profiles=[profile.to_json() for profile in profiles],
            failures=[{"kernel": title, **failure.to_json()} for title, failure in failures],
        )
    else:
        show(console(), profiles)
        print_failures(console(), failures)
    return 1 if failures else 0
