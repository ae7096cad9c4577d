"""Read how a row of a table of functions calls its function: entries of its contract, shapes, state of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.contract.conditions import SUFFIXES
from neonlab.contract.options import setting_text
from neonlab.errors import InputError
from neonlab.measure.options import MOST_CALLS

Settings = tuple[tuple[str, str], ...]
_SHAPE_KEYS = ("shape", "args")


@dataclass(frozen=True, slots=True)
class CalledShape:
    """A shape as text, and the entries of the contract that hold for it alone."""

    text: str
    settings: Settings = ()


@dataclass(frozen=True, slots=True)
class State:
    """Say what calls find: `warm` caches, and `calls` back to back from an empty pipeline until all is done.

    `calls` is 0 for a row of calls without an end.

    Buffers that the contract marks as cold are in no cache when a warm call begins.
    """

    warm: bool = True
    calls: int = 0


def read_arguments(row: Mapping[str, Any], where: str, folder: Path) -> Settings:
    """Return the entries under `args`; files with data are relative to `folder`.  Raises InputError."""
    arguments = row.get("args", {})
    if not isinstance(arguments, dict) or not all(isinstance(one, dict) for one in arguments.values()):
        raise InputError(f"{where}: `args` must be a table with an entry for each parameter, as in a contract")
    return tuple(_flat(arguments, "args.", folder))


def _flat(table: Mapping[str, Any], before: str, folder: Path) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.", folder)
        elif key == "data" and isinstance(value, str) and value.endswith(SUFFIXES):
            yield before + key, str((folder / value).absolute())
        else:
            yield before + key, setting_text(value)


def read_shapes(row: Mapping[str, Any], where: str, folder: Path) -> tuple[CalledShape, ...]:
    """Return one or two shapes, each a text, or a table of `shape` and the `args` that it changes.

    Raises InputError.
    """
    shapes = row.get("shapes")
    if not isinstance(shapes, list):
        raise InputError(f"{where}: `shapes` must be a list of texts, or of tables with `shape` and `args`")
    if len(shapes) > 2:
        raise InputError(f"{where}: `shapes` must be one shape, or two shapes whose times are subtracted")
    found = []
    for shape in shapes:
        if isinstance(shape, str):
            found.append(CalledShape(shape))
            continue
        if not isinstance(shape, dict) or not isinstance(shape.get("shape"), str):
            raise InputError(f"{where}: `shapes` must be a list of texts, or of tables with `shape` and `args`")
        for key in shape:
            if key not in _SHAPE_KEYS:
                raise InputError(f"{where}: `shapes`: unknown key `{key}`; known are {', '.join(_SHAPE_KEYS)}")
        found.append(CalledShape(shape["shape"], read_arguments(shape, f"{where}: `shapes`", folder)))
    return tuple(found)


def read_state(row: Mapping[str, Any], where: str) -> State:
    """Return the state under `warm` and `calls`.  Raises InputError."""
    warm, calls = row.get("warm", True), row.get("calls", 0)
    if not isinstance(warm, bool):
        raise InputError(f"{where}: `warm` must be true or false")
    if type(calls) is not int or not (1 <= calls <= MOST_CALLS or "calls" not in row):
        raise InputError(f"{where}: `calls` must be a whole number of calls back to back, 1 to {MOST_CALLS}")
    if calls and not warm:
        raise InputError(f"{where}: `calls` are warm: leave out `warm = false`, or leave out `calls`")
    return State(warm, calls)
