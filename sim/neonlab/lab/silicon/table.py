"""Read a table of whole functions with measured cycles: what to run, how, and the cycles by core."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neonlab.contract.options import ARCHITECTURES, Build, Given, setting_text
from neonlab.contract.size_expression import SizeExpression, SizeExpressionError
from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.isa.model.isa import Isa, isa_named
from neonlab.lab.silicon.called import CalledShape, State, read_arguments, read_shapes, read_state

_TEXTS = ("name", "file", "symbol", "isa", "prototype", "structs", "contract", "per", "unit", "source", "code")
_LISTS = ("files", "include", "define", "flags")
_NEEDED = ("name", "shapes", "source", "measured")
_OTHERS = ("args", "shapes", "compiler", "warm", "calls", "measured", "below_stack", "float_abi", "used")
#: Fewest digits of a digest that tell one code from another.
_LEAST_DIGITS = 12
#: What `used` of a row may say that the function was used for.
USED = "calibration"


@dataclass(frozen=True, slots=True)
class Figure:
    """Measured cycles of one unit of work, from `lowest` to `highest` if a range was given."""

    lowest: float
    highest: float

    @property
    def middle(self) -> float:
        """Return the middle of the range, which models are compared with."""
        return (self.lowest + self.highest) / 2

    def __str__(self) -> str:
        return f"{self.lowest:g}" if self.lowest == self.highest else f"{self.lowest:g}-{self.highest:g}"


@dataclass(frozen=True, slots=True)
class MeasuredFunction:
    """One row: a function of `file`, called as `given` says, and its cycles by core.

    The others of `files` are linked with it.  `state` is what the calls find.  With one shape the cycles are those of
    the whole call; with two, the difference of the second and the first.  Both are divided by the units of work that
    `per` counts from the integer arguments.  `used` tells whether the models were adjusted with the row, by its own key
    or by the table's `calibration`.  `code` is the digest of the code that was measured, or its first digits; "" if
    unknown.
    """

    name: str
    files: tuple[str, ...]
    given: Given
    shapes: tuple[CalledShape, ...]
    per: str
    unit: str
    source: str
    state: State
    measured: Mapping[str, Figure]
    used: bool = False
    code: str = ""

    @property
    def file(self) -> str:
        """The file with the function; where there are several, all of them."""
        return " + ".join(self.files)


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """All rows of a table in order, and its text `about` them.

    `calibration` tells whether these functions were used to adjust the models, None if the table does not say; rows
    may be marked as used one by one besides.  `origin` is one line on where the figures are from.
    """

    about: str
    functions: tuple[MeasuredFunction, ...]
    calibration: bool | None = None
    origin: str = ""


def read_functions(path: Path) -> FunctionTable:
    """Read the table at `path`.  Raises InputError with the place of the first mistake."""
    try:
        table = tomllib.loads(read_input_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    for key in sorted(table.keys() - {"about", "calibration", "origin", "function"}):
        raise InputError(
            f"{path}: unknown key `{key}`; a table has `about`, `calibration`, `origin` and a [[function]] for each row"
        )
    calibration = table.get("calibration")
    if calibration is not None and not isinstance(calibration, bool):
        raise InputError(f"{path}: `calibration` must be true or false: whether these functions adjusted the models")
    rows = table.get("function", [])
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: has no [[function]]: add one for each measured function")
    return FunctionTable(
        _text(table, "about", str(path)).strip(),
        tuple(
            _function(row, f"{path}: function {number}", path.parent, calibration)
            for number, row in enumerate(rows, start=1)
        ),
        calibration,
        _text(table, "origin", str(path)).strip(),
    )


def with_calls(table: FunctionTable, calls: int) -> FunctionTable:
    """Return the table with `calls` back to back for each warm function that does not say how many; 0 changes none."""
    if not calls:
        return table
    functions = [
        replace(one, state=replace(one.state, calls=calls)) if one.state.warm and not one.state.calls else one
        for one in table.functions
    ]
    return replace(table, functions=tuple(functions))


def _function(row: Mapping[str, Any], where: str, folder: Path, calibration: bool | None) -> MeasuredFunction:
    name = _text(row, "name", where)
    where += f" (`{name}`)" if name else ""
    known = {*_TEXTS, *_LISTS, *_OTHERS}
    for key in row:
        if key not in known:
            raise InputError(f"{where}: unknown key `{key}`; known are {', '.join(sorted(known))}")
    for key in _NEEDED:
        if not row.get(key):
            raise InputError(f"{where}: `{key}` is missing")
    texts = {key: _text(row, key, where) for key in (*_TEXTS, "compiler")}
    lists = {key: _texts(row, key, where) for key in _LISTS}
    if bool(texts["file"]) is bool(lists["files"]) or "" in lists["files"]:
        raise InputError(f"{where}: name its file with `file`, or several that are linked with `files`: one of them")
    per = texts["per"] or "1"
    try:
        _ = SizeExpression(per).names
    except SizeExpressionError as error:
        raise InputError(f"{where}: `per`: {error}") from None
    return MeasuredFunction(
        name=name,
        files=lists["files"] or (texts["file"],),
        given=_given(row, texts, lists, where, folder),
        shapes=read_shapes(row, where, folder),
        per=per,
        unit=texts["unit"] or "call",
        source=texts["source"],
        state=read_state(row, where),
        measured=_measured(row["measured"], where),
        used=_used(row, where) or calibration is True,
        code=_code(texts["code"], where),
    )


def _used(row: Mapping[str, Any], where: str) -> bool:
    used = row.get("used")
    if used not in (None, USED):
        raise InputError(f'{where}: `used` must be "{USED}", or left out where the row adjusted no model')
    return used == USED


def _code(text: str, where: str) -> str:
    if text and (len(text) < _LEAST_DIGITS or not set(text) <= set("0123456789abcdef")):
        raise InputError(f"{where}: `code` must be a digest of {_LEAST_DIGITS} or more of the digits 0 to 9 and a to f")
    return text


def _given(
    row: Mapping[str, Any], texts: Mapping[str, str], lists: Mapping[str, tuple[str, ...]], where: str, folder: Path
) -> Given:
    settings = list(read_arguments(row, where, folder))
    settings += [(key, texts[key]) for key in ("structs",) if texts[key]]
    settings += [(key, setting_text(row[key])) for key in ("below_stack", "float_abi") if key in row]
    return Given(
        isa=_isa(texts["isa"], where),
        symbol=texts["symbol"],
        prototype=texts["prototype"],
        contract=texts["contract"],
        settings=tuple(settings),
        build=Build(lists["include"], lists["define"], lists["flags"], texts["compiler"], link=lists["files"][1:]),
    )


def _isa(text: str, where: str) -> Isa | None:
    if not text:
        return None
    try:
        return isa_named(text)
    except InputError:
        raise InputError(f"{where}: `isa` is {' or '.join(ARCHITECTURES.values())}, not `{text}`") from None


def _measured(table: object, where: str) -> Mapping[str, Figure]:
    if not isinstance(table, dict):
        raise InputError(f"{where}: `measured` must be a table of cores, each with its cycles or [lowest, highest]")
    return {core: _figure(value, f"{where}: `measured.{core}`") for core, value in table.items()}


def _figure(value: Any, where: str) -> Figure:
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) != 2 or any(isinstance(end, bool) or not isinstance(end, (int, float)) for end in ends):
        raise InputError(f"{where} must be a number of cycles, or [lowest, highest]")
    lowest, highest = float(ends[0]), float(ends[1])
    if not (math.isfinite(highest) and 0 < lowest <= highest):
        raise InputError(f"{where}: cycles must be above 0, the lowest first")
    return Figure(lowest, highest)


def _text(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"{where}: `{key}` must be text")
    return value


def _texts(row: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value: Sequence[object] = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError(f"{where}: `{key}` must be a list of texts")
    return tuple(map(str, value))
