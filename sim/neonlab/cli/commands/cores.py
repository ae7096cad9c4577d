"""Implement `neonlab cores` and `neonlab forms`: the modelled cores, their errors, and what forms cost there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.commands.models.fit import run_fit
from neonlab.cli.completion import complete_mnemonics
from neonlab.cli.shared import IsaOption, JsonOption, calls_option, console, core_option, print_json

if TYPE_CHECKING:
    from neonlab.measure.cores.errors import ModelError, RatioError

_FunctionsOption = Annotated[
    Path | None,
    typer.Option(
        "--functions", metavar="TABLE.toml", help="Compare the models with whole functions measured on silicon."
    ),
]
_FilesOption = Annotated[
    Path | None,
    typer.Option(
        "--files", metavar="FOLDER", help="The folder with the functions' files; the default is that of TABLE.toml."
    ),
]
_LeftOutOption = Annotated[
    Path | None,
    typer.Option(
        "--left-out", metavar="FILE.csv", help="Compute errors on functions left out with their family, and bands."
    ),
]
_FitOption = Annotated[
    Path | None,
    typer.Option(
        "--fit",
        metavar="PLAN.toml",
        help="With --functions, choose numbers of the models without each family, and judge them on it.",
    ),
]
_CallsOption = Annotated[
    int,
    calls_option(
        "With --functions, model N calls back to back, then drained, for each warm row that says no other number."
    ),
]


def cores(
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", metavar="FILE.csv", help="Compare the models with latencies and rates measured on silicon."
        ),
    ] = None,
    core: Annotated[
        list[str] | None,
        core_option("List or compare this core only. Repeatable."),
    ] = None,
    functions: _FunctionsOption = None,
    files: _FilesOption = None,
    left_out: _LeftOutOption = None,
    fit: _FitOption = None,
    calls: _CallsOption = 0,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FOLDER",
            help="Write cores.md and cores.json to FOLDER; with --functions, functions.md and functions.json; "
            "with --fit, left_out.csv.",
        ),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Save the errors found, and which forms were measured.")
    ] = False,
    mca: Annotated[
        str,
        typer.Option(
            "--mca",
            metavar="PROGRAM",
            help="Compare with this llvm-mca 19 too: with --against, on cores that the table lacks; with --functions, "
            "on the same loops.",
        ),
    ] = "",
    json: JsonOption = False,
) -> None:
    """List the cores that there are models of, or compare the models with measurements on silicon.

    FILE.csv has a column `form` with the names that insn_bench_aarch64 gives to instructions. For each core it has the
    columns `CORE latency` (cycles per instruction of a dependent chain) and `CORE per_cycle` (instructions per cycle of
    an independent stream). With --mca, the same programs also run through llvm-mca, for the cores that llvm-mca knows
    and the table lacks. For cores that execute A32 only, the innermost loops of the ARMv7 kernels are used instead.
    --left-out reads cycles of functions, each modelled with numbers that were chosen without its family, and measured.

    TABLE.toml has an entry [[function]] for each measured function: its file, how it is called, one or two shapes, and
    its cycles by core. The manual describes the keys under "What the models leave out". PLAN.toml has the families of
    functions, and the numbers that are chosen for each core.
    """
    from neonlab.errors import InputError

    if functions is not None and against is not None:
        raise InputError("--against and --functions are different comparisons: give one of them")
    if left_out is not None and any((functions, against, files, into, core, mca, fit)):
        raise InputError("--left-out goes with --record and --json alone")
    if functions is None and (files is not None or calls):
        raise InputError(f"{'--calls' if calls else '--files'} needs --functions TABLE.toml")
    if left_out is not None:
        _judge(left_out, record, json)
        return
    if fit is not None:
        if functions is None or any((record, mca, core, calls)):
            raise InputError("--fit goes with --functions, --files, --into and --json alone, and needs --functions")
        run_fit(fit, functions, files, into, json)
        return
    if functions is not None:
        _run_functions(functions, files, core or (), mca, into, record, json, calls)
        return
    if against is None:
        if into is not None or record or mca:
            raise InputError("--into, --record and --mca need --against FILE.csv or --functions TABLE.toml")
        _list(core or (), json)
        return
    if mca and into is not None:
        raise InputError("--against with --mca writes no files: leave out --into, or leave out --mca")
    if mca:
        _compare_with_mca(against, mca, record, json)
        return
    _compare(against, core or (), into, record, json)


def _judge(path: Path, record: bool, json: bool) -> None:
    from neonlab.lab.silicon.left_out import left_out_errors, ratio_errors, read_left_out
    from neonlab.report.tables.cores import left_out_json, left_out_lines

    table = read_left_out(path)
    errors, ratios = left_out_errors(table), ratio_errors(table)
    if record:
        _keep(errors.items(), ratios)
    if json:
        print_json("cores", cores=[], comparisons=[], left_out=left_out_json(errors, ratios))
        return
    out = console()
    for line in left_out_lines(errors, ratios):
        out.print(line, markup=False, highlight=False)


def _compare_with_mca(against: Path, program: str, record: bool, json: bool) -> None:
    from neonlab.isa.model.isa import Isa
    from neonlab.lab.repository.kernel_code import kernel_program
    from neonlab.lab.repository.library import find_root, open_library
    from neonlab.measure.silicon.core_summary import summary_of
    from neonlab.measure.silicon.mca import MODELS, difference, loops_of, loops_within
    from neonlab.measure.silicon.measured_table import read_table
    from neonlab.report.tables.cores import difference_lines, error_json, summary_json

    progress.begin("reading the loops of the library's kernels")
    rows = {row.form: row for table in read_table(against).values() for row in table}
    programs = (kernel_program(kernel) for kernel in open_library(find_root()).kernels if kernel.isa is Isa.A32)
    loops = {Isa.A64: loops_of(list(rows.values())), Isa.A32: loops_within(programs)}
    found = {}
    advance = progress.begin("comparing with llvm-mca", len(MODELS), "cores")
    for name, isa in MODELS.items():
        found[name] = difference(program, name, loops[isa])
        advance(1)
    if record:
        _keep(found.items())
    if json:
        cores = [{**summary_json(summary_of(one)), "errors": [error_json(error, one)]} for one, error in found.items()]
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
    calls: int,
) -> None:
    from neonlab.host.output_file import make_folder, write_whole
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.silicon.table import read_functions, with_calls
    from neonlab.lab.silicon.truth import check_recordable, errors_by_core, measure_functions
    from neonlab.report.tables.functions import function_lines, functions_document, functions_json, functions_markdown

    table = with_calls(read_functions(path), calls)
    if record:
        check_recordable(table)
    folder = files if files is not None else path.parent
    advance = progress.begin("comparing", len(table.functions), "functions")
    with Workers() as workers:
        figures = measure_functions(workers, table, folder, cores=names, mca=mca, done=lambda _: advance(1))
    if into is not None:
        make_folder(into)
        write_whole(into / "functions.json", functions_document(figures, table).encode())
        write_whole(into / "functions.md", functions_markdown(figures, table).encode())
    if record:
        _keep(errors_by_core(figures, table))
    if json:
        print_json("cores", cores=[], comparisons=[], functions=functions_json(figures, table))
        return
    out = console()
    for line in function_lines(figures, table):
        out.print(line, markup=False, highlight=False)


def _keep(found: Iterable[tuple[str, ModelError]], ratios: Mapping[str, RatioError] = MappingProxyType({})) -> None:
    from neonlab.host.output_file import write_whole
    from neonlab.measure.cores import errors as core_errors

    errors = core_errors.recorded()
    for name, error in found:
        errors.setdefault(name, {})[error.against] = error
    ratios = {**core_errors.recorded_ratios(), **ratios}
    write_whole(core_errors.PATH, core_errors.errors_text(errors, core_errors.pair_error(), ratios).encode())
    core_errors.read_again()


def _list(names: list[str] | tuple[str, ...], json: bool) -> None:
    from neonlab.measure.silicon.core_summary import summaries, summary_of
    from neonlab.report.tables.cores import summary_json, summary_table

    chosen = [summary_of(name) for name in names] if names else list(summaries())
    if json:
        print_json("cores", cores=[summary_json(summary) for summary in chosen], comparisons=[])
        return
    out = console()
    for line in summary_table(chosen, together=not names):
        out.print(line, markup=False)


def _compare(against: Path, names: list[str] | tuple[str, ...], into: Path | None, record: bool, json: bool) -> None:
    from neonlab.errors import InputError
    from neonlab.host.output_file import make_folder, write_whole
    from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names
    from neonlab.measure.form_table import origin
    from neonlab.measure.silicon.core_summary import summaries
    from neonlab.measure.silicon.measured_table import read_table
    from neonlab.measure.silicon.truth import compare
    from neonlab.report.tables.cores import (
        comparison_json,
        comparison_lines,
        json_document,
        markdown_document,
        model_error,
    )

    table = read_table(against)
    known = {core.lower(): rows for core, rows in table.items() if core.lower() in pipeline_names()}
    for name in names:
        if name not in known:
            raise InputError(f"{against}: has no core `{name}` with a model; it has {', '.join(known) or 'none'}")
    chosen = list(names or known)
    if not chosen:
        known_cores = ", ".join(pipeline_names())
        raise InputError(f"{against}: none of its cores, {', '.join(table)}, has a model; there are {known_cores}")
    truths = []
    advance = progress.begin("comparing", len(chosen), "cores")
    for name in chosen:
        truths.append(compare(load_pipeline(name), known[name], hold_out=True))
        advance(1)
    if record:
        _keep((truth.core, model_error(truth)) for truth in truths)
        write_whole(origin.PATH, origin.record_text(truths, origin.measured()).encode())
    if into is not None:
        make_folder(into)
        write_whole(into / "cores.json", json_document(summaries(), truths).encode())
        write_whole(into / "cores.md", markdown_document(summaries(), truths).encode())
    if json:
        print_json("cores", cores=[], comparisons=[comparison_json(truth) for truth in truths])
        return
    out = console()
    for line in comparison_lines(truths):
        out.print(line, markup=False)


def forms(
    pattern: Annotated[
        str,
        typer.Argument(
            metavar="PATTERN",
            help="A mnemonic, a pattern with *, the name of a form, or an instruction; letters alone are registers.",
            autocompletion=complete_mnemonics,
        ),
    ],
    core: Annotated[
        list[str] | None,
        core_option("Show this core only. Repeatable."),
    ] = None,
    isa: IsaOption = None,
    json: JsonOption = False,
) -> None:
    """Print what instructions cost on each core: latency, rate, ports, and how that is known.

    PATTERN may be `smlal`, `smlal*`, `vmla*`, `add shift`, `sdot.16b[]`, or an instruction with its registers or with
    letters for them: `vmlal.s8 q, d, d`, `smlal v.8h, v.8b, v.8b`, `ldr q, [x], #`. A form is all that decides how long
    an instruction takes: mnemonic, sizes, kinds of operands.

    `measured` means that the figure was measured on this core and that the model has it. Figures of another core, of
    another form, or of a default for a kind of instruction say so.
    """
    from neonlab.isa.model.isa import isa_named
    from neonlab.measure.cores.caches import core_names
    from neonlab.measure.cores.modelled import cores_named
    from neonlab.measure.form_table.asked import forms_asked
    from neonlab.report.terminal.forms import form_lines, form_rows

    cores = cores_named(core or core_names())
    rows = form_rows(forms_asked(pattern, None if isa is None else isa_named(isa)), cores)
    if json:
        document = [
            {"form": asked.form, "instruction": asked.text or None, "cores": [one.to_json() for one in figures]}
            for asked, figures in rows
        ]
        print_json("forms", pattern=pattern, forms=document)
        return
    out = console()
    for line in form_lines(rows):
        out.print(line, markup=False, highlight=False)
