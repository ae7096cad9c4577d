"""`neonlab check`, `profile`, `report`, `bench`: the lab's verbs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli.given_options import takes_given
from neonlab.cli.shared import (
    JobsOption,
    JsonOption,
    SeedOption,
    ShapeOption,
    console,
    find_kernels,
    kernels_for,
    print_json,
    progress,
    shapes_by_kernel,
)
from neonlab.errors import InputError
from neonlab.given import Given

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.library import Kernel
    from neonlab.measure.options import MemoryOptions
    from neonlab.measure.profile import Profile

KernelsArgument = Annotated[list[str] | None, typer.Argument(metavar="[KERNEL|FILE]...", show_default=False)]


@takes_given
def check(
    kernels: KernelsArgument = None,
    shape: ShapeOption = None,
    pattern: Annotated[
        list[str] | None, typer.Option("--pattern", help="Only data of this pattern; repeatable.")
    ] = None,
    seed: SeedOption = 1,
    every_tail: Annotated[bool, typer.Option("--every-tail", help="Every small shape, not a covering choice.")] = False,
    layers: Annotated[bool, typer.Option("--layers", help="The layers of real networks too.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Every check on every case, large ones too.")] = False,
    search: Annotated[
        int | None, typer.Option("--search", min=1, metavar="N", help="Let Hypothesis choose N cases instead.")
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", "-x", help="Stop at the first failure.")] = False,
    jobs: JobsOption = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Prove kernels right on many cases, or say which instruction on which line is wrong. All of them by default."""
    from neonlab.report.terminal import print_verdicts
    from neonlab.workers import Workers, check_all, explain_all, plan_all, search_all

    found = find_kernels(kernels or (), given)
    with Workers(jobs) as workers:
        if search is not None:
            verdicts = search_all(workers, found, search, seed)
        else:
            wanted = shapes_by_kernel(found, shape) if shape else [(kernel, []) for kernel in found]
            work = plan_all(
                workers, wanted, patterns=pattern or (), seed=seed, every_tail=every_tail, layers=layers, full=full
            )
            with progress("checking", sum(len(plan) for _, plan in work), quiet=json) as advance:
                verdicts = check_all(workers, work, seed=seed, fail_fast=fail_fast, ranges=True, advance=advance)
        verdicts = explain_all(workers, found, verdicts)
    if json:
        print_json("check", seed=seed, verdicts=[verdict.to_json() for verdict in verdicts])
    else:
        # Of one shape, or of data chosen for it, nobody expects that it runs all code.
        print_verdicts(console(), verdicts, not_run=not (shape or pattern))
    return 0 if all(verdict.passed for verdict in verdicts) else 1


@takes_given
def profile(
    kernel: Annotated[str, typer.Argument(metavar="KERNEL|FILE")],
    shape: ShapeOption = None,
    layers: Annotated[
        bool, typer.Option("--layers", help="All layers of real networks that its operator names, a row each.")
    ] = False,
    core: Annotated[
        str | None, typer.Option("--core", metavar="CORE", help="The core to model, such as cortex-a53.")
    ] = None,
    warm: Annotated[bool, typer.Option("--warm", help="Show a second call, as a first left caches and core.")] = False,
    no_prefetcher: Annotated[bool, typer.Option("--no-prefetcher", help="The core's own prefetcher is off.")] = False,
    full: Annotated[bool, typer.Option("--full", help="With --core: by class, buffer, port and line too.")] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Draw two iterations of the hot loop, and what its length hangs on.")
    ] = False,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Count what a kernel does on a shape: instructions, registers, traffic; on a core, cache events and cycles too."""
    from neonlab.measure.core import load_core
    from neonlab.measure.options import MemoryOptions
    from neonlab.measure.pipeline_core import pipeline_names
    from neonlab.report.terminal import print_profiles
    from neonlab.report.terminal_cycles import print_layers
    from neonlab.verify.case import NO_SIZES

    found = find_kernels([kernel], given)
    if not shape and not layers and not any(one.contract.integers for one in found):
        shape = [NO_SIZES]
    if bool(shape) == layers:
        raise InputError("say which --shape to profile, or --layers for those of real networks")
    if timeline and core not in pipeline_names():
        raise InputError(f"--timeline draws cycles: say on which --core, one of {', '.join(pipeline_names())}")
    if layers and (timeline or full):
        raise InputError(f"{'--timeline' if timeline else '--full'} is of one --shape, not of --layers")
    if full and core is None:
        raise InputError("--full shows all that a model says of a core: say of which --core")
    if layers and core is None:
        raise InputError("--layers shows cycles: say on which --core")
    if layers and core not in pipeline_names():
        raise InputError(f"no pipeline model of {core}; there are {', '.join(pipeline_names())}")
    if core is not None:
        load_core(core)
    elif warm or no_prefetcher:
        raise InputError(f"{'--warm' if warm else '--no-prefetcher'} says how to model a core: say of which --core")
    memory = MemoryOptions(core, warm, not no_prefetcher, loop=not layers)
    show = print_layers if layers else partial(print_profiles, full=full, timeline=timeline)
    return _profiles("profile", found, shape or [], seed, jobs, json, show, memory)


def bench(
    kernel: Annotated[str, typer.Argument(metavar="KERNEL")] = "armv8/conv1x1_s8s32_chw_8x4",
    shape: Annotated[str, typer.Option("--shape", metavar="SHAPE")] = "14x14x256x256",
    json: JsonOption = False,
) -> None:
    """Time the lab: a kernel run, counted and checked, against bare emulation; the wait after a save; 5 MB loaded."""
    from neonlab.kernel_code import kernel_program
    from neonlab.measure.bench import bench_counts
    from neonlab.measure.bench_memory import bench_memory
    from neonlab.objects.bench import bench_load
    from neonlab.plan import CaseName, draw_case, parse_shape
    from neonlab.verify.bench import bench_sanitizer
    from neonlab.verify.check_case import call_arguments
    from neonlab.watch_bench import bench_saves

    results = []
    for one in find_kernels([kernel]):
        contract, program = one.contract, kernel_program(one)
        arguments = call_arguments(contract, draw_case(one, CaseName(parse_shape(one, shape), "random", 1)))
        counts = bench_counts(program, one.name, arguments, contract.signature, float_abi=contract.float_abi)
        memory = bench_memory(program, one.name, arguments, contract.signature, float_abi=contract.float_abi)
        results.append((one, counts, memory, bench_sanitizer(program, contract, arguments), bench_saves(one)))
    load = bench_load()
    if json:
        figures = [
            {"kernel": one.title, **counts.to_json(), **memory.to_json(), **checks.to_json(), "save": saves.to_json()}
            for one, counts, memory, checks, saves in results
        ]
        print_json("bench", shape=shape, results=figures, load=load.to_json())
        return
    out = console()
    for one, counts, memory, checks, saves in results:
        out.print(f"{one.title} on {shape}", markup=False)
        for line in (*counts.lines(), *memory.lines(), *checks.lines(), *saves.lines()):
            out.print(f"  {line}", markup=False)
    out.print(load.line(), markup=False)


def _profiles(
    command: str,
    found: list[Kernel],
    shapes: list[str],
    seed: int,
    jobs: int | None,
    json: bool,
    show: Callable[[Console, list[Profile]], None],
    memory: MemoryOptions | None = None,
) -> int:
    from neonlab.plan import layers_of
    from neonlab.report.terminal import print_failures
    from neonlab.verify.verdict import Failure
    from neonlab.workers import Workers, profile_all

    if memory is not None and memory.core is not None:
        found = kernels_for(memory.core, found)
    if shapes:
        wanted = shapes_by_kernel(found, shapes)
    else:
        wanted = [(kernel, layers_of(kernel)) for kernel in found]
        if not any(layers for _, layers in wanted):
            raise InputError(f"{found[0].title} has no operator that names layers: say which --shape")
    work = [(kernel, shape) for kernel, taken in wanted for shape in taken]
    with Workers(jobs) as workers, progress("profiling", len(work), quiet=json) as advance:
        results = profile_all(workers, work, seed=seed, memory=memory, advance=advance)
    profiles = [result for result in results if not isinstance(result, Failure)]
    failures = [(k.title, result) for (k, _), result in zip(work, results, strict=True) if isinstance(result, Failure)]
    if json:
        print_json(
            command,
            seed=seed,
            profiles=[profile.to_json() for profile in profiles],
            failures=[{"kernel": title, **failure.to_json()} for title, failure in failures],
        )
    else:
        show(console(), profiles)
        print_failures(console(), failures)
    return 1 if failures else 0
