"""Append what a board measured to a table that `neonlab cores --functions` reads."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from neonlab.contract.options import ARCHITECTURES, Given
from neonlab.errors import InputError
from neonlab.host.input_file import is_file, read_input_text
from neonlab.host.output_file import write_whole
from neonlab.lab.board.beside_model import open_again
from neonlab.lab.board.result import BoardKernel, BoardResult, Timing
from neonlab.lab.repository.library import Kernel
from neonlab.lab.silicon.table import read_functions

_HEAD = """# Kernels that boards ran, appended by `neonlab board import --into`; `neonlab cores --functions` reads this.
calibration = false  # set to true once a model was adjusted with these figures
origin = "kernels measured on boards by neonlab board"
"""
#: Keys of a contract that a row of the table may have outside of `args`.
_TOP = ("structs", "below_stack", "float_abi")


def append_measured(result: BoardResult, core: str, table: Path) -> int:
    """Append a [[function]] for each kernel and shape that was exact and has cycles; return how many were new.

    A row that is there already, with the same figure from the same run, is not written again.  The table is made where
    it is not there.  Raises InputError for a bad table, a kernel that is not there, or an option that a table has no
    key for; then nothing is written.
    """
    text = _HEAD
    known = set()
    if is_file(table):
        known = {
            (one.name, tuple(shape.text for shape in one.shapes), one.source) for one in read_functions(table).functions
        }
        text = read_input_text(table).rstrip("\n") + "\n"
    rows = []
    for measured in result.kernels:
        if measured.verdict == "WRONG" or not any(timing.measured for timing in measured.timings):
            continue
        kernel = open_again(measured)
        for timing in measured.timings:
            source = _source(result, measured)
            if timing.measured and (kernel.name, (timing.shape,), source) not in known:
                rows.append(_row(kernel, measured, timing, core, source, table))
    if not rows:
        return 0
    text += "".join(f"\n{row}" for row in rows)
    try:
        tomllib.loads(text)
    except ValueError as error:
        raise InputError(f"{table}: nothing can be appended to it: {error}") from None
    write_whole(table, text.encode())
    return len(rows)


def _source(result: BoardResult, measured: BoardKernel) -> str:
    midr = "unknown MIDR" if result.machine.midr is None else f"MIDR {result.machine.midr:#010x}"
    counted = f"{result.counter} at {result.hz / 1e6:.0f} MHz" if result.hz else result.counter
    return f"{result.name}: neonlab board, {midr}, {counted}, code {measured.digest[:12]}"


def _row(kernel: Kernel, measured: BoardKernel, timing: Timing, core: str, source: str, table: Path) -> str:
    folder, given = table.resolve().parent, measured.given
    lines = [
        "[[function]]",
        f"name = {_text(kernel.name)}",
        f"file = {_text(_path(kernel.path, folder))}",
        f"symbol = {_text(kernel.name)}",
        f"isa = {_text(ARCHITECTURES[kernel.isa])}",
        *(f"{key} = {_text(value)}" for key, value in _texts(given, folder) if value),
        *(f"{key} = {_texts_of(value)}" for key, value in _lists(given, folder) if value),
        f"shapes = [{_text(timing.shape)}]",
        f"source = {_text(source)}",
        f"code = {_text(measured.digest)}",
        f"measured = {{ {core} = {round(timing.measured or 0.0, 3)} }}",
        *_settings(measured),
    ]
    return "\n".join(lines) + "\n"


def _texts(given: Given, folder: Path) -> Iterator[tuple[str, str]]:
    yield "prototype", given.prototype
    yield "contract", _path(Path(given.contract), folder) if given.contract else ""
    yield "compiler", given.build.compiler


def _lists(given: Given, folder: Path) -> Iterator[tuple[str, Sequence[str]]]:
    yield "include", [_path(Path(one), folder) for one in given.build.include]
    yield "define", given.build.define
    yield "flags", given.build.flags


def _settings(measured: BoardKernel) -> Iterator[str]:
    """Yield the entries of the contract that options gave: those of arguments stand in a table of their own."""
    arguments = []
    for key, value in measured.given.settings:
        name = key.removeprefix("args.")
        if key in _TOP:
            yield f"{key} = {_text(value)}"
        elif "." in name:
            arguments.append(f"{'.'.join(map(_text, name.split('.')))} = {_text(value)}")
        else:
            raise InputError(
                f"{measured.title}: a table has no key for --set {key}={value}: say it in a contract beside the file"
            )
    if arguments:
        yield "[function.args]"
        yield from arguments


def _path(path: Path, folder: Path) -> str:
    return os.path.relpath(path.resolve(), folder)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _texts_of(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"
