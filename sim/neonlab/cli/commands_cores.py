"""`neonlab cores`: the cores there are models of, and how good the models are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli.shared import JsonOption, console, print_json, progress


def cores(
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE.csv", help="Compare the models with a table of measured timings."),
    ] = None,
    core: Annotated[list[str] | None, typer.Option("--core", help="Only this core; repeatable.")] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="With --against: folder to write cores.md and cores.json to.")
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="With --against: keep the errors as those that profiles print.")
    ] = False,
    mca: Annotated[
        str, typer.Option("--mca", metavar="PROGRAM", help="With --against: llvm-mca 19, for cores not in the table.")
    ] = "",
    json: JsonOption = False,
) -> None:
    """List the cores; with --against, compare their models with timings measured on silicon, figure by figure.

    FILE.csv has a column `form`, and for each core `CORE latency` (cycles a link of a dependent chain) and
    `CORE per_cycle` (instructions a cycle of an independent stream), rows named as insn_bench_aarch64 names them. With
    --mca the programs of these rows go through llvm-mca, for cores that it knows and no such table does; for cores of
    A32 alone, the innermost loops of the repository's kernels for ARMv7.
    """
    from neonlab.errors import InputError

    if against is None:
        if into is not None or record or mca:
            raise InputError("--into, --record and --mca go with --against FILE.csv")
        _list(core or (), json)
        return
    if mca:
        _compare_with_mca(against, mca, record, json)
        return
    _compare(against, core or (), into, record, json)


def _compare_with_mca(against: Path, program: str, record: bool, json: bool) -> None:
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.isa.isa import Isa
    from neonlab.kernel_code import kernel_program
    from neonlab.library import find_root, open_library
    from neonlab.measure import core_errors
    from neonlab.measure.core_summary import summary_of
    from neonlab.measure.mca import MODELS, difference, loops_of, loops_within
    from neonlab.measure.measured_table import read_table
    from neonlab.report.cores import difference_lines, error_json, summary_json

    rows = {row.form: row for table in read_table(against).values() for row in table}
    programs = (kernel_program(kernel) for kernel in open_library(find_root()).kernels if kernel.isa is Isa.A32)
    loops = {Isa.A64: loops_of(list(rows.values())), Isa.A32: loops_within(programs)}
    found = {}
    with progress("comparing", len(MODELS), quiet=json) as advance:
        for name, isa in MODELS.items():
            found[name] = difference(program, name, loops[isa])
            advance(1)
    if record:
        errors = core_errors.recorded()
        for name, error in found.items():
            errors.setdefault(name, {})[core_errors.LLVM_MCA] = error
        write_whole(core_errors.PATH, core_errors.errors_text(errors).encode())
    if json:
        cores = [{**summary_json(summary_of(name)), "errors": [error_json(error)]} for name, error in found.items()]
        print_json("cores", cores=cores, comparisons=[])
        return
    out = console()
    for line in difference_lines(found):
        out.print(line, markup=False)


def _list(names: list[str] | tuple[str, ...], json: bool) -> None:
    from neonlab.measure.core_summary import summaries, summary_of
    from neonlab.report.cores import summary_json, summary_table

    chosen = [summary_of(name) for name in names] if names else list(summaries())
    if json:
        print_json("cores", cores=[summary_json(summary) for summary in chosen], comparisons=[])
        return
    out = console()
    for line in summary_table(chosen):
        out.print(line, markup=False)


def _compare(against: Path, names: list[str] | tuple[str, ...], into: Path | None, record: bool, json: bool) -> None:
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.errors import InputError
    from neonlab.measure import core_errors
    from neonlab.measure.core_summary import summaries
    from neonlab.measure.measured_table import read_table
    from neonlab.measure.pipeline_core import load_pipeline, pipeline_names
    from neonlab.measure.pipeline_truth import compare
    from neonlab.report.cores import comparison_json, comparison_lines, json_document, markdown_document, model_error

    table = read_table(against)
    known = {core.lower(): rows for core, rows in table.items() if core.lower() in pipeline_names()}
    for name in names:
        if name not in known:
            raise InputError(f"{against}: no model of a core `{name}` in it; it has {', '.join(known) or 'none'}")
    chosen = list(names or known)
    if not chosen:
        raise InputError(f"{against}: none of its cores ({', '.join(table)}) is one of {', '.join(pipeline_names())}")
    truths = []
    with progress("comparing", len(chosen), quiet=json) as advance:
        for name in chosen:
            truths.append(compare(load_pipeline(name), known[name], hold_out=True))
            advance(1)
    if into is not None:
        try:
            into.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{into}: cannot be made: {error.strerror}") from None
        write_whole(into / "cores.json", json_document(summaries(), truths).encode())
        write_whole(into / "cores.md", markdown_document(summaries(), truths).encode())
    if record:
        errors = core_errors.recorded()
        for truth in truths:
            errors.setdefault(truth.core, {})[core_errors.SILICON] = model_error(truth)
        write_whole(core_errors.PATH, core_errors.errors_text(errors).encode())
    if json:
        print_json("cores", cores=[], comparisons=[comparison_json(truth) for truth in truths])
        return
    out = console()
    for line in comparison_lines(truths):
        out.print(line, markup=False)
