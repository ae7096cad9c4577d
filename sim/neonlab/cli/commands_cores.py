"""`neonlab cores`: the cores there are models of, and how good the models are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli.shared import JsonOption, console, print_json, progress

if TYPE_CHECKING:
    from neonlab.measure.core_errors import ModelError


def cores(
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE.csv", help="Compare the models with a table of measured timings."),
    ] = None,
    core: Annotated[list[str] | None, typer.Option("--core", help="Only this core; repeatable.")] = None,
    functions: Annotated[
        Path | None,
        typer.Option("--functions", metavar="TABLE.toml", help="Compare the models with whole functions measured."),
    ] = None,
    files: Annotated[
        Path | None,
        typer.Option("--files", metavar="FOLDER", help="With --functions: where their files are, if not beside it."),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", help="Folder to write cores.md and .json to; with --functions, functions.md and .json."),
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Keep the errors as those that profiles print.")] = False,
    mca: Annotated[
        str,
        typer.Option(
            "--mca",
            metavar="PROGRAM",
            help="llvm-mca 19: with --against, for cores not in the table; with --functions, on the same loops.",
        ),
    ] = "",
    json: JsonOption = False,
) -> None:
    """List the cores; with --against or --functions, compare their models with what was measured on silicon.

    FILE.csv has a column `form`, and for each core `CORE latency` (cycles a link of a dependent chain) and
    `CORE per_cycle` (instructions a cycle of an independent stream), rows named as insn_bench_aarch64 names them. With
    --mca the programs of these rows go through llvm-mca, for cores that it knows and no such table does; for cores of
    A32 alone, the innermost loops of the repository's kernels for ARMv7.

    TABLE.toml has a [[function]] for each function measured: its file and how it is called, one or two shapes, and
    cycles by core; the manual has its keys, under "What the models leave out".
    """
    from neonlab.errors import InputError

    if functions is not None and against is not None:
        raise InputError("--against and --functions are two comparisons: ask for one at a time")
    if files is not None and functions is None:
        raise InputError("--files goes with --functions TABLE.toml")
    if functions is not None:
        _run_functions(functions, files, core or (), mca, into, record, json)
        return
    if against is None:
        if into is not None or record or mca:
            raise InputError("--into, --record and --mca go with --against FILE.csv or --functions TABLE.toml")
        _list(core or (), json)
        return
    if mca and into is not None:
        raise InputError("with --mca nothing but errors is kept: ask for --into in a run without it")
    if mca:
        _compare_with_mca(against, mca, record, json)
        return
    _compare(against, core or (), into, record, json)


def _compare_with_mca(against: Path, program: str, record: bool, json: bool) -> None:
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
        _keep(core_errors.LLVM_MCA, found)
    if json:
        cores = [{**summary_json(summary_of(name)), "errors": [error_json(error)]} for name, error in found.items()]
        print_json("cores", cores=cores, comparisons=[])
        return
    out = console()
    for line in difference_lines(found):
        out.print(line, markup=False)


def _run_functions(
    path: Path,
    files: Path | None,
    names: list[str] | tuple[str, ...],
    mca: str,
    into: Path | None,
    record: bool,
    json: bool,
) -> None:
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.function_table import read_functions
    from neonlab.function_truth import errors_by_core, measure_functions
    from neonlab.measure import core_errors
    from neonlab.report.functions import function_lines, functions_document, functions_json, functions_markdown
    from neonlab.workers import Workers

    table = read_functions(path)
    folder = files if files is not None else path.parent
    with Workers() as workers, progress("comparing", len(table.functions), quiet=json) as advance:
        figures = measure_functions(workers, table, folder, cores=names, mca=mca, done=lambda _: advance(1))
    if into is not None:
        _make(into)
        write_whole(into / "functions.json", functions_document(figures).encode())
        write_whole(into / "functions.md", functions_markdown(figures, table.about).encode())
    if record:
        _keep(core_errors.FUNCTIONS, errors_by_core(figures))
    if json:
        print_json("cores", cores=[], comparisons=[], functions=functions_json(figures))
        return
    out = console()
    for line in function_lines(figures):
        out.print(line, markup=False, highlight=False)


def _keep(against: str, found: Mapping[str, ModelError]) -> None:
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.measure import core_errors

    errors = core_errors.recorded()
    for name, error in found.items():
        errors.setdefault(name, {})[against] = error
    write_whole(core_errors.PATH, core_errors.errors_text(errors).encode())
    core_errors.read_again()


def _make(folder: Path) -> None:
    from neonlab.errors import InputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None


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
    if record:
        _keep(core_errors.SILICON, {truth.core: model_error(truth) for truth in truths})
    if into is not None:
        _make(into)
        write_whole(into / "cores.json", json_document(summaries(), truths).encode())
        write_whole(into / "cores.md", markdown_document(summaries(), truths).encode())
    if json:
        print_json("cores", cores=[], comparisons=[comparison_json(truth) for truth in truths])
        return
    out = console()
    for line in comparison_lines(truths):
        out.print(line, markup=False)
