"""Implement `neonlab board`: kernels on a board, its figures beside the models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_kernels
from neonlab.cli.options import takes_given
from neonlab.cli.shared import (
    JsonOption,
    SeedOption,
    ShapeOption,
    console,
    core_option,
    find_kernels,
    print_json,
    shapes_asked,
)
from neonlab.contract.options import Given
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.lab.board.export import Exported
    from neonlab.lab.board.result import BoardResult

BOARD_HELP = """Run kernels on a board, and set what it measures beside the models.

`export` writes a bench that a board builds and runs, `run` does all in one step by ssh or adb, and `import` reads the
result.
"""

_Kernels = Annotated[
    list[str],
    typer.Argument(
        metavar="KERNEL|FILE",
        help="Names of kernels of one instruction set, or files with kernels.",
        autocompletion=complete_kernels,
    ),
]
_Budget = Annotated[
    int,
    typer.Option(
        "--budget",
        metavar="KIB",
        min=16,
        help="Write at most so many KiB of cases for each kernel; the default is 4096. Cases beyond it are left out.",
    ),
]
_Core = Annotated[
    str | None,
    core_option("Compare with the model of this core; the default is what the board says it is."),
]
_Into = Annotated[
    Path | None,
    typer.Option(
        "--into", metavar="TABLE.toml", help="Append the figures to this table for `neonlab cores --functions`."
    ),
]


@takes_given
def board_export(
    kernels: _Kernels,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Write the bench to this folder.")],
    shape: ShapeOption = None,
    seed: SeedOption = 1,
    budget: _Budget = 4096,
    given: Given | None = None,
) -> None:
    """Write a bench for a board: C and assembly with a Makefile, the kernels' code, and their cases.

    `make CC=...` builds one static program for Linux or Android. It runs the cases of `neonlab check`, compares the
    results as `check` does, times each SHAPE, and prints result.json. The default shape is a layer of about
    14x14x256x256, or else the largest shape that `neonlab check` tries.
    """
    from neonlab.report.terminal.board import export_lines

    exported = _export(kernels, given, shape, output, seed, budget)
    out = console()
    for line in export_lines(exported):
        out.print(line, markup=False)


@takes_given
def board_run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="The board: ssh:HOST, adb: for the only device, or adb:SERIAL for one of several."
        ),
    ],
    kernels: _Kernels,
    shape: ShapeOption = None,
    core: _Core = None,
    into: _Into = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Keep the board's result.json in this file.")
    ] = None,
    cpu: Annotated[int | None, typer.Option("--cpu", metavar="N", min=0, help="Run on this CPU of the board.")] = None,
    cc: Annotated[
        str,
        typer.Option("--cc", metavar="PROGRAM", help="Build the bench here with this compiler for the board."),
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", metavar="SECONDS", min=1, help="Give the bench so many seconds on the board.")
    ] = 900,
    seed: SeedOption = 1,
    budget: _Budget = 4096,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Export kernels, build the bench, run it on a board by ssh or adb, and import its result, in one step.

    The bench is built on this computer if there is a compiler for the board (GCC, Android's NDK, zig), else on the
    board.
    """
    import tempfile

    from neonlab.host.output_file import write_whole
    from neonlab.lab.board.beside_model import core_of, refuse_without_model
    from neonlab.lab.board.connection import connection_to
    from neonlab.lab.board.remote import run_on_board
    from neonlab.lab.board.result import parse_result

    if core is not None:  # before the board works for nothing
        refuse_without_model(core)
    if output is not None and not output.parent.is_dir():
        raise InputError(f"{output}: there is no such folder")
    board = connection_to(target)
    with tempfile.TemporaryDirectory(prefix="neonlab-board-") as folder:
        exported = _export(kernels, given, shape, Path(folder), seed, budget)
        progress.begin(f"running on {board.title}")
        text = run_on_board(board, exported, compiler=cc, cpu=cpu, limit=float(limit))
    result = parse_result(text, str(output or "result.json"))
    if output is not None:
        write_whole(output, text.encode())
    return _show(result, core_of(result, core), into, json)


def board_import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The result.json that a board's bench printed.")],
    core: _Core = None,
    into: _Into = None,
    json: JsonOption = False,
) -> int:
    """Show what a board found: which kernels are exact on silicon, and measured beside modelled cycles.

    Cycles are those of one of many calls back to back, without the caller's loop; the model's are the same. With
    --into, the figures of kernels that are not WRONG are appended to a table.
    """
    from neonlab.host.input_file import is_file, no_file
    from neonlab.lab.board.beside_model import core_of
    from neonlab.lab.board.result import read_result

    if not is_file(file):
        raise no_file(file)
    result = read_result(file)
    return _show(result, core_of(result, core), into, json)


def _export(
    names: list[str], given: Given | None, shapes: list[str] | None, folder: Path, seed: int, budget: int
) -> Exported:
    from neonlab.lab.board.export import export_kernels

    work = shapes_asked(find_kernels(names, given), shapes, "drawing cases")
    advance = progress.begin("drawing cases", len(work), "kernels")
    return export_kernels(work, folder, seed=seed, budget=budget << 10, advance=advance)


def _show(result: BoardResult, core: str, into: Path | None, json: bool) -> int:
    from neonlab.lab.board.beside_model import beside_model
    from neonlab.lab.board.measured_table import append_measured
    from neonlab.lab.parallel.pool import Workers
    from neonlab.report.json.board import board_json
    from neonlab.report.terminal.board import board_lines

    appended = None
    if into is not None:
        if not core:
            raise InputError(f"--into {into}: no model of this board's core: name one with --core")
        appended = append_measured(result, core, into)
    rows_wanted = sum(len(kernel.timings) for kernel in result.kernels) if core else 0
    advance = progress.begin("modelling", rows_wanted, "calls")
    with Workers() as workers:
        rows = beside_model(workers, result, core, advance)
    if json:
        print_json("board", **board_json(result, rows, core, appended))
    else:
        out = console()
        for line in board_lines(result, rows, core):
            out.print(line, markup=False)
        if into is not None:
            out.print(f"{into}: {appended} functions appended", markup=False)
    return 0 if result.exact else 1
