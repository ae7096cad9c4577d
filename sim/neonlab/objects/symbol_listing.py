"""List the functions that an object defines, and its undefined names."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.objects.demangle import demangle
from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.archive import Archive
from neonlab.objects.elf.module import UNDEFINED, Module
from neonlab.objects.image.source_lines import source_lines
from neonlab.objects.linker import link_modules
from neonlab.objects.load import read_object

_BINDINGS = {elf.STB_LOCAL: "local", elf.STB_GLOBAL: "global", elf.STB_WEAK: "weak", elf.STB_GNU_UNIQUE: "global"}
_MOST_USERS = 64


@dataclass(frozen=True, slots=True)
class ListedFunction:
    """One function.  `address` is its offset in `section`, or its address in a shared object; `size` is in bytes.

    `state` is a64, a32 or thumb.  `where` is file:line of its first instruction, "" where it is not known.
    """

    name: str
    readable: str
    address: int
    size: int
    section: str
    binding: str
    state: str
    where: str


@dataclass(frozen=True, slots=True)
class ListedUndefined:
    """A name that others have to define, and the functions or sections that refer to it."""

    name: str
    readable: str
    weak: bool
    users: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedObject:
    """One object, or one member of an archive. `constructors` are sections of functions that a loader would call."""

    title: str
    isa: Isa
    shared: bool
    functions: tuple[ListedFunction, ...]
    undefined: tuple[ListedUndefined, ...]
    constructors: tuple[str, ...]


def list_objects(path: str | Path) -> tuple[ListedObject, ...]:
    """Return the objects in a file, in its order.  Raises InputError where it has none, or is damaged."""
    opened = read_object(path)
    modules = list(opened.modules()) if isinstance(opened, Archive) else [opened]
    if not modules:
        raise InputError(f"{path}: is an archive without objects")
    return tuple(list_module(module) for module in modules)


def list_module(module: Module) -> ListedObject:
    """Return the functions and the undefined names of one object."""
    functions = _functions(module)
    image = link_modules([module])
    places = {(index, value): image.sections.get((0, index), -1) + value for index, value in functions}
    lines = source_lines(image, sorted(set(places.values())))
    listed = []
    for (index, value), rows in sorted(functions.items()):
        line = lines.get(places[index, value])
        where = f"{line.path}:{line.line}" if line is not None else ""
        listed += [_function(module, row, where) for row in rows]
    return ListedObject(
        module.title,
        module.isa,
        module.is_shared,
        tuple(listed),
        tuple(_undefined(module)),
        module.constructors,
    )


def _functions(module: Module) -> dict[tuple[int, int], list[int]]:
    """Return the rows of the symbols that name code, by section and offset."""
    symbols = module.symbols
    code = [index for index, section in module.sections.items() if section.executable and section.loaded]
    in_code = np.isin(symbols["section"], code)
    named = np.isin(symbols["type"], (elf.STT_FUNC, elf.STT_GNU_IFUNC)) | (
        (symbols["type"] == elf.STT_NOTYPE) & (symbols["binding"] != elf.STB_LOCAL)
    )
    found: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(in_code & named).tolist():
        if module.names[row]:
            found.setdefault((int(symbols["section"][row]), int(symbols["value"][row])), []).append(row)
    return found


def _function(module: Module, row: int, where: str) -> ListedFunction:
    symbol, name = module.symbols[row], module.names[row]
    section = module.sections[int(symbol["section"])]
    state = "a64" if module.isa is Isa.A64 else "thumb" if symbol["thumb"] else "a32"
    return ListedFunction(
        name,
        demangle(name),
        int(symbol["value"]) + module.positions.get(section.number, 0),
        int(symbol["size"]),
        section.name,
        _BINDINGS.get(int(symbol["binding"]), "other"),
        state,
        where,
    )


def _undefined(module: Module) -> Iterator[ListedUndefined]:
    symbols = module.symbols
    rows = [
        row
        for row in np.flatnonzero((symbols["section"] == UNDEFINED) & (symbols["binding"] != elf.STB_LOCAL)).tolist()
        if module.names[row]
    ]
    table = module.relocations[np.isin(module.relocations["symbol"], rows)]
    starts = _starts(module)
    users: dict[int, dict[str, None]] = {}
    for section, offset, symbol in zip(
        table["section"].tolist(), table["offset"].tolist(), table["symbol"].tolist(), strict=True
    ):
        if section in module.sections and module.sections[section].loaded:
            known = users.setdefault(symbol, {})
            if len(known) < _MOST_USERS:
                known[_name_at(module, starts, section, offset)] = None
    for row in rows:
        name = module.names[row]
        weak = int(symbols["binding"][row]) == elf.STB_WEAK
        yield ListedUndefined(name, demangle(name), weak, tuple(users.get(row, {})))


def _starts(module: Module) -> dict[int, list[tuple[int, str]]]:
    """Return the named functions and data of each section, in order."""
    found: dict[int, list[tuple[int, str]]] = {}
    symbols = module.symbols
    named = np.isin(symbols["type"], (elf.STT_FUNC, elf.STT_OBJECT)) | (
        (symbols["type"] == elf.STT_NOTYPE) & (symbols["binding"] != elf.STB_LOCAL)
    )
    for row in np.flatnonzero(named & (symbols["section"] > 0)).tolist():
        found.setdefault(int(symbols["section"][row]), []).append((int(symbols["value"][row]), module.names[row]))
    return {section: sorted(places) for section, places in found.items()}


def _name_at(module: Module, starts: dict[int, list[tuple[int, str]]], section: int, offset: int) -> str:
    places = starts.get(section, [])
    number = bisect.bisect_right(places, (offset, "\U0010ffff")) - 1
    return places[number][1] if number >= 0 else module.sections[section].name
