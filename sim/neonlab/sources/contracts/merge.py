"""Merge what several sources state into the one table that a contract is made from.

A source is a function from `Asked` to `Stated`: the header of an assembly file, the file beside the code, the command
line, debug information.  It returns None where it states nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neonlab.contract.model import Contract
from neonlab.contract.text import ContractText
from neonlab.errors import InputError


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of a contract, and the keys that lead to it from the top: ("args", "a", "read").

    `said` is the entry as a message names it where the value does not fit in: `--set a.read`.
    """

    way: tuple[str, ...]
    value: Any
    said: str = ""


@dataclass(frozen=True)
class Stated:
    """Hold the statements of one source: entries in order, and the place of each key.

    A key stands in `options`, by the option of the command line that sets it, or on a line of `text`; both are empty
    for debug information.  File names in the entries are relative to `folder`.  `whole` is the contract that the
    entries make alone, for a header, which must be complete.
    """

    entries: tuple[Entry, ...]
    text: ContractText | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()
    whole: Contract | None = None


def entries_of(table: Mapping[str, Any]) -> tuple[Entry, ...]:
    """Return the entries of a table that is read from TOML: one for each key at its top."""
    return tuple(Entry((key,), value) for key, value in table.items())


@dataclass(frozen=True)
class Merged:
    """The table of all sources, the place of each of its keys, and the folder that file names are relative to."""

    table: dict[str, Any]
    text: ContractText
    folder: Path


def merge(sources: Sequence[Stated]) -> Merged:
    """Merge what the sources state; where several state an entry, the last counts.

    Tables on the way to an entry are made where they are missing.  Raises InputError where an entry leads through a
    value that is no table.
    """
    table: dict[str, Any] = {}
    options: dict[str, str] = {}
    text, folder = ContractText("the command line", "", 1), Path()
    for stated in sources:
        for entry in stated.entries:
            table = _with(table, entry, entry.way)
        if stated.text is not None:
            text, folder = stated.text, stated.folder
        options |= stated.options
    return Merged(table, text.under(options), folder)


def _with(table: Mapping[str, Any], entry: Entry, way: Sequence[str]) -> dict[str, Any]:
    """Return a copy of the table in which `way` leads to the value of the entry.

    The member of a struct may be named without `fields` in between: `params.scale.range`.
    """
    part, rest = way[0], way[1:]
    if not rest:
        return {**table, part: entry.value}
    fields = table.get("fields")
    if isinstance(fields, dict) and part not in table and part in fields:
        return {**table, "fields": _with(fields, entry, way)}
    inner = table.get(part, {})
    if not isinstance(inner, dict):
        raise InputError(f"{entry.said}: `{part}` is no table")
    return {**table, part: _with(inner, entry, rest)}
