"""Find what is asked for: each function of a file, for each instruction set, with the contract file that is beside it.

For kernel.c the first of these in its folder is that file: SYMBOL.contract.toml (if a symbol is asked for),
kernel.c.contract.toml, kernel.contract.toml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neonlab.contract.extends import merged, toml_table
from neonlab.contract.options import ARCHITECTURES, Given
from neonlab.contract.text import ContractText
from neonlab.host.input_file import is_file, read_input_text
from neonlab.sources.instruction_set import may_be_several

SUFFIX = ".contract.toml"


@dataclass(frozen=True)
class Sidecar:
    """Hold a contract file: its `table`, and the `text` that gives each key its line."""

    path: Path
    text: ContractText
    table: Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """The function that is asked for: code at `path`, as the options `given` say, and what its contract file says."""

    path: Path
    given: Given
    sidecar: Sidecar | None = None


def ask_one(path: Path, given: Given) -> Asked:
    """Ask for the one function that `given` means.

    Raises ContractError for a contract file that is not TOML or does not describe it, and InputError if the file cannot
    be read.
    """
    file = _find(path, given)
    return Asked(path, given, _of_function(_read(file), path, given) if file is not None else None)


def ask_each(path: Path, given: Given) -> Iterator[Asked]:
    """Ask for every function that `given` allows, for each instruction set, as far as a contract file tells them apart.

    Raises as `ask_one` does.
    """
    file = _find(path, given)
    if file is None:
        yield Asked(path, given)
        return
    whole = _read(file)
    functions = whole.table.get("functions") if not given.symbol else None
    for symbol in functions if isinstance(functions, dict) and functions else (given.symbol,):
        named = replace(given, symbol=symbol)
        its_file = _find(path, named) or file
        its = _of_function(whole if its_file == file else _read(its_file), path, named)
        stated = its.table.get("isa") if given.isa is None and may_be_several(path) else None
        isas = [isa for isa, name in ARCHITECTURES.items() if isinstance(stated, dict) and name in stated]
        for isa in isas or (given.isa,):
            yield Asked(path, replace(named, isa=isa), its)


def _find(path: Path, given: Given) -> Path | None:
    """Return the contract file that is given, or else the first that stands beside the code; None without."""
    if given.contract:
        return Path(given.contract)
    names = [f"{given.symbol}{SUFFIX}"] if given.symbol else []
    names += [f"{path.name}{SUFFIX}", f"{path.stem}{SUFFIX}"]
    return next((path.parent / name for name in names if is_file(path.parent / name)), None)


def _read(file: Path) -> Sidecar:
    text = ContractText(str(file), read_input_text(file), 1)
    return Sidecar(file, text, toml_table(text))


def _of_function(sidecar: Sidecar, path: Path, given: Given) -> Sidecar:
    """Return what the file says of one function: its own entries over the shared ones.

    Without a symbol that is the function with the name of the code's file, or the only one.
    """
    table, error = sidecar.table, sidecar.text.error
    if "functions" not in table:
        return sidecar
    functions = table["functions"]
    if not isinstance(functions, dict) or not all(isinstance(entry, dict) for entry in functions.values()):
        raise error("[functions.NAME] is a table of what differs for the function NAME", "functions")
    only = next(iter(functions)) if len(functions) == 1 else ""
    name = given.symbol or (path.stem if path.stem in functions else only)
    if name not in functions:
        raise error(f"describes the functions {', '.join(functions)}: say which with --symbol", "functions")
    shared = {key: value for key, value in table.items() if key != "functions"}
    return replace(sidecar, table={"symbol": name, **merged(shared, functions[name])})
