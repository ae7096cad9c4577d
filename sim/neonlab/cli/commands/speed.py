"""Implement `neonlab bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_kernels, complete_shapes
from neonlab.cli.shared import JsonOption, console, find_kernels, print_json
from neonlab.errors import InputError

#: The marker of the table of the largest works.
_SCALE = "scale"


def bench(
    kernel: Annotated[
        str, typer.Argument(metavar="KERNEL", help="The name of a kernel.", autocompletion=complete_kernels)
    ] = "armv8/conv1x1_s8s32_chw_8x4",
    shape: Annotated[
        str, typer.Option("--shape", metavar="SHAPE", help="The shape to run.", autocompletion=complete_shapes)
    ] = "14x14x256x256",
    workers: Annotated[
        list[int] | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=64,
            help="Time units of work instead, on N processes and on a cluster of N. Repeatable.",
        ),
    ] = None,
    library: Annotated[
        int | None,
        typer.Option(
            "--library",
            metavar="N",
            min=1,
            help="Estimate instead what mutation, proofs and costs of all kernels take, from N units of each.",
        ),
    ] = None,
    embed: Annotated[
        Path | None,
        typer.Option("--embed", metavar="FILE", help="With --library: refresh the marked table of this Markdown file."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure how fast neonlab itself is.

    The times are those of a kernel that is run, counted and checked, compared with bare emulation; of a report after a
    save; and of loading 5 MB of object code. With --workers they are those of units of work in processes and on a
    cluster of this machine; with --library, those of the largest works on all kernels, by a sample.
    """
    from neonlab.lab.repository.kernel_code import kernel_program
    from neonlab.lab.run.plan import draw_case, parse_shape
    from neonlab.lab.watch.saving_bench import bench_saves
    from neonlab.measure.counting_bench import bench_counts
    from neonlab.measure.modelling_bench import bench_memory
    from neonlab.objects.loading_bench import bench_load
    from neonlab.report.terminal.watch import session_text
    from neonlab.verify.cases.case import CaseName
    from neonlab.verify.check_case import call_arguments
    from neonlab.verify.checking_bench import bench_sanitizer

    if embed is not None and library is None:
        raise InputError("--embed: the table is that of --library: give both")
    if library is not None:
        _bench_library(library, embed, json)
        return
    if workers:
        _bench_units(kernel, workers, json)
        return
    results = []
    for one in find_kernels([kernel]):
        contract, program = one.contract, kernel_program(one)
        arguments = call_arguments(contract, draw_case(one, CaseName(parse_shape(one, shape), "random", 1)))
        progress.begin(f"{one.title}: timing emulation and counting")
        counts = bench_counts(program, one.name, arguments, contract.signature, float_abi=contract.float_abi)
        progress.begin(f"{one.title}: timing traffic, caches and cycles")
        memory = bench_memory(program, one.name, arguments, contract.signature, float_abi=contract.float_abi)
        progress.begin(f"{one.title}: timing checks")
        checks = bench_sanitizer(program, contract, arguments)
        progress.begin(f"{one.title}: timing the wait after a save")
        results.append((one, counts, memory, checks, bench_saves(one, session_text)))
    progress.begin("timing the loading of an object of 5 MB")
    load = bench_load()
    if json:
        figures = [
            {"kernel": one.title, **counts.to_json(), **memory.to_json(), **checks.to_json(), "save": saves.to_json()}
            for one, counts, memory, checks, saves in results
        ]
        print_json("bench", shape=shape, results=figures, load=load.to_json(), units=[], library=[])
        return
    out = console()
    for one, counts, memory, checks, saves in results:
        out.print(f"{one.title} on {shape}", markup=False)
        for line in (*counts.lines(), *memory.lines(), *checks.lines(), *saves.lines()):
            out.print(f"  {line}", markup=False)
    out.print(load.line(), markup=False)


def _bench_units(kernel: str, workers: list[int], json: bool) -> None:
    from neonlab.lab.cluster.spreading_bench import bench_units, figures

    progress.begin("timing units of work")
    one = find_kernels([kernel])[0]
    times = bench_units(one, workers)
    if json:
        print_json("bench", shape="", results=[], load=None, units=figures(times), library=[])
        return
    console().print(f"{one.title}: units of work, each some cases of a check", markup=False)
    for line in (line for row in times for line in row.lines()):
        console().print(f"  {line}", markup=False)


def _bench_library(sample: int, embed: Path | None, json: bool) -> None:
    from neonlab.host.output_file import write_whole
    from neonlab.lab.cluster.library_bench import bench_library, figures, message_seconds, scale_table
    from neonlab.report.tables.variants import embed_table

    found = find_kernels(())
    if embed is not None:
        embed_table(embed, _SCALE, "")  # says before the work what is wrong
    progress.begin("timing messages of a cluster")
    message = message_seconds(found[0])
    costs = list(bench_library(found, sample, progress.begin))
    if embed is not None:
        write_whole(embed, embed_table(embed, _SCALE, scale_table(costs, message)).encode())
    if json:
        print_json("bench", shape="", results=[], load=None, units=[], library=figures(costs))
        return
    for one in costs:
        console().print(one.line(), markup=False)
    console().print(f"a message of a cluster: {1e3 * message:.1f} ms of command and scheduler", markup=False)
