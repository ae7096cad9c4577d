"""Run an exported bench on a board that is reached by ssh or adb, and bring its result back."""

from __future__ import annotations

from pathlib import Path

from neonlab.errors import InputError
from neonlab.lab.board.compiling import build_bench, find_board_compiler, no_compiler, not_built
from neonlab.lab.board.connection import Connection
from neonlab.lab.board.export import Exported

_BUILD, _SHORT = 600.0, 30.0


def run_on_board(
    board: Connection, exported: Exported, *, compiler: str = "", cpu: int | None = None, limit: float = 900.0
) -> str:
    """Return what the bench printed on the board, which is the text of a result.json.

    It is built here by `compiler`, or by one that is found here; else on the board, where that has `cc` and `make`.
    The folder on the board is removed.  `cpu` is the CPU of the board to run on, `limit` the most seconds that the
    bench may take.  Raises InputError where a step fails.
    """
    program = compiler or find_board_compiler(exported.isa, android=board.android)
    if not program and board.android:
        raise no_compiler(exported.isa)
    bench = build_bench(exported.folder, program) if program else None
    folder = board.new_folder()
    try:
        if bench is not None:
            board.copy(bench, f"{folder}/bench")
        else:
            _build_there(board, exported, folder)
        pinned = "" if cpu is None else f" --cpu {cpu}"
        answer = board.run(f"chmod 755 {folder}/bench && {folder}/bench{pinned}", limit)
    finally:
        _remove(board, folder)
    if answer.status not in (0, 1) or not answer.output.lstrip().startswith("{"):
        told = answer.last or f"it ended with status {answer.status}"
        raise InputError(f"{board.title}: the bench does not run there: {told}")
    return answer.output


def _build_there(board: Connection, exported: Exported, folder: str) -> None:
    if board.run("command -v make && command -v cc", _SHORT).status:
        raise InputError(f"{board.title} has no `make` and `cc`, and there is {no_compiler(exported.isa)}")
    for name in exported.files:
        board.copy(Path(exported.folder) / name, f"{folder}/{name}")
    answer = board.run(f"make -C {folder} bench", _BUILD)
    if answer.status:
        raise not_built(f"{board.title}: the bench does not build there", answer.errors)


def _remove(board: Connection, folder: str) -> None:
    try:
        board.run(f"rm -rf {folder}", _SHORT)
    except InputError:
        return  # the error that ended the run tells more
