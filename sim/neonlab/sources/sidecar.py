"""Find contracts of code that cannot carry one: in a sidecar file, or from the command line.

For kernel.c the first of these in its folder is used: SYMBOL.contract.toml (if a symbol is asked for),
kernel.c.contract.toml, kernel.contract.toml.  Such a file is the table that would stand in the block of an assembly
file, and may also hold

    [build]                                  # how the source is built
    include = ["include"]
    define  = ["ROWS=4"]
    flags   = ["-O3"]
    compiler = "clang"

    [reference]                              # the C function that gives the expected results
    file    = "scalar.c"
    symbol  = "dot_c"

    [functions.dot_s8]                       # one for each function, if there are several: entries that
    prototype = "..."                        # differ from those above

Folders and files in it are relative to its own folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.contract.extends import find_block, merged
from neonlab.contract.header import Contract, contract_of, read_contract, toml_table
from neonlab.contract.options import ARCHITECTURES, PLAIN, Build, Given, Reference
from neonlab.contract.text import ContractText
from neonlab.errors import InputError, NoContract
from neonlab.host.input_file import is_file, read_input, read_input_text
from neonlab.isa.from_path import isa_of_path
from neonlab.isa.model.isa import Isa

_SUFFIX = ".contract.toml"
_TABLES = ("args", "counts", "build", "reference", "functions")
_BUILD_KEYS = ("include", "define", "flags", "compiler", "preprocess")
_REFERENCE_KEYS = ("file", "symbol", "on_host", *_BUILD_KEYS)


@dataclass(frozen=True)
class Found:
    """A contract, and how to build the code and its reference."""

    contract: Contract
    build: Build = PLAIN
    reference: Reference | None = None


def find_contract(path: Path, given: Given) -> Found:
    """Return the contract of the code in `path`.  Raises InputError if there is none, or it cannot be read."""
    file = _contract_file(path, given)
    if file is None and not given.prototype and path.suffix in ASSEMBLY:
        contract = read_contract(path)
        if contract is not None and given.says_nothing:
            return Found(contract)
        if contract is not None:
            return _changed(path, contract, given)
    if file is None and not given.prototype and (path.suffix in ASSEMBLY or not given.settings):
        raise NoContract(
            f"{path}: no contract says how to call it: write one in {path.with_suffix('').name}{_SUFFIX} beside it, "
            f"say --prototype and the sizes, or let `neonlab contract {path}` propose one"
        )
    said = _said(given)
    text = _text(file, said) if file is not None else ContractText("the command line", "", 1, said)
    table = toml_table(text) if file is not None else {}
    table = _of_function(table, text, given, path)
    if given.prototype:
        table["prototype"] = given.prototype
    _apply_settings(table, given)
    if "prototype" not in table and path.suffix not in ASSEMBLY:
        from neonlab.sources.declarations import declaration_of_file

        named = table.get("symbol")
        of = replace(given, symbol=named) if isinstance(named, str) and not given.symbol else given
        declaration = declaration_of_file(path, of)
        table["prototype"] = declaration.prototype
        table.setdefault("structs", declaration.structs)
    folder = file.parent if file is not None else Path()
    build = _build(table.pop("build", {}), text, folder)
    # `reference = "none"` stays in the table, since it belongs to the contract; a table describes how to build one.
    reference = _reference(table.pop("reference"), text, folder) if _has_reference(table) else None
    contract = contract_of(table, text, isa=_isa(path, table, given), symbol=given.symbol or path.stem)
    return Found(contract, given.build.over(build), given.reference or reference)


def functions_of(path: Path, given: Given) -> tuple[str, ...]:
    """Return the names of the functions that the contract beside `path` describes; empty if it describes only one."""
    file = _contract_file(path, given)
    if file is None or given.symbol:
        return ()
    table = toml_table(_text(file)).get("functions", {})
    return tuple(table) if isinstance(table, dict) else ()


def isas_of(path: Path, given: Given) -> tuple[Isa, ...]:
    """Return the instruction sets of the contract beside `path`, if it has several and `path` does not name one."""
    file = _contract_file(path, given)
    if file is None or _is_object(path) or (path.suffix in ASSEMBLY and _names_isa(path)):
        return ()
    text = _text(file)
    said = _of_function(toml_table(text), text, given, path).get("isa")
    return tuple(isa for isa, name in ARCHITECTURES.items() if name in said) if isinstance(said, dict) else ()


def _names_isa(path: Path) -> bool:
    """Tell whether the file's name or folder names its instruction set."""
    try:
        isa_of_path(path)
    except InputError:
        return False
    return True


def _is_object(path: Path) -> bool:
    from neonlab.objects.load import is_object

    return is_object(path)


def _changed(path: Path, contract: Contract, given: Given) -> Found:
    """Return the block in the file, merged with the options."""
    block = find_block(read_input(path).decode("utf-8", "surrogateescape"), str(path))
    assert block is not None  # the contract was read from it
    found = ContractText(str(path), block.block, block.first_line, _said(given))
    table = toml_table(found)
    _apply_settings(table, given)
    isa = given.isa or contract.isa
    return Found(contract_of(table, found, isa=isa, symbol=given.symbol or contract.name), given.build, given.reference)


def _contract_file(path: Path, given: Given) -> Path | None:
    if given.contract:
        return Path(given.contract)
    names = [f"{given.symbol}{_SUFFIX}"] if given.symbol else []
    names += [f"{path.name}{_SUFFIX}", f"{path.stem}{_SUFFIX}"]
    return next((path.parent / name for name in names if is_file(path.parent / name)), None)


def _said(given: Given) -> dict[str, str]:
    """Return the option that sets each key, for those set on the command line."""
    said = {part: f"--set {key}={value}" for key, value in given.settings for part in key.split(".")[-2:]}
    return said | {"prototype": "--prototype"} if given.prototype else said


def _text(file: Path, said: Mapping[str, str] | None = None) -> ContractText:
    return ContractText(str(file), read_input_text(file), 1, said)


def _of_function(table: dict[str, Any], text: ContractText, given: Given, path: Path) -> dict[str, Any]:
    """Return the table of one function: its own entries over the shared ones."""
    functions = table.pop("functions", None)
    if functions is None:
        return table
    if not isinstance(functions, dict) or not all(isinstance(entry, dict) for entry in functions.values()):
        raise text.error("[functions.NAME] is a table of what differs for the function NAME", "functions")
    name = given.symbol or (
        path.stem if path.stem in functions else next(iter(functions)) if len(functions) == 1 else ""
    )
    if name not in functions:
        known = ", ".join(functions)
        raise text.error(f"describes the functions {known}: say which with --symbol", "functions")
    of_function = merged(table, functions[name])
    of_function.setdefault("symbol", name)
    return of_function


def _apply_settings(table: dict[str, Any], given: Given) -> None:
    """Put `a.read=4*n`, `args.a.read=4*n` or `stack=64` into the table, and create the tables on the path.

    A field of a struct in the table may be named by its path, `params.scale.range`, without `fields` in between.
    """
    for key, value in given.settings:
        parts = key.split(".")
        top = parts[0] in (*_TABLES, "isa") or len(parts) == 1
        way = parts if top else ["args", *parts]
        place = table
        for part in way[:-1]:
            fields = place.get("fields")
            if isinstance(fields, dict) and part not in place and part in fields:
                place = fields
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                raise InputError(f"--set {key}: `{part}` is no table")
            place = inner
        place[way[-1]] = _value(value)


def _value(text: str) -> Any:
    """Return a value parsed as TOML, or else the text itself, so that sizes need no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _isa(path: Path, table: Mapping[str, Any], given: Given) -> Isa | None:
    """Return the requested instruction set; else the contract's, if it has one; else that of file name or folder."""
    if given.isa is not None:
        return given.isa
    said = table.get("isa")
    if isinstance(said, list) or (isinstance(said, dict) and len(said) == 1):
        return None
    if _is_object(path):
        from neonlab.objects.load import isa_of_object

        return isa_of_object(path)
    try:
        return isa_of_path(path)
    except InputError:
        if isinstance(said, dict):
            return None
        return Isa.A64


def _strings(table: Mapping[str, Any], key: str, text: ContractText) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise text.error(f"{key} is a list of strings", key)
    return tuple(value)


def _build(table: Any, text: ContractText, folder: Path) -> Build:
    if not isinstance(table, dict):
        raise text.error("[build] is a table", "build")
    text.known(table, _BUILD_KEYS, "[build]", "build")
    return _build_of(table, text, folder)


def _build_of(table: Mapping[str, Any], text: ContractText, folder: Path) -> Build:
    include = tuple(str(folder / entry) for entry in _strings(table, "include", text))
    define, flags = _strings(table, "define", text), _strings(table, "flags", text)
    preprocess = table.get("preprocess")
    if preprocess is not None and type(preprocess) is not bool:
        raise text.error("preprocess is true or false", "preprocess")
    return Build(include, define, flags, text.string(table, "compiler"), preprocess)


def _has_reference(table: Mapping[str, Any]) -> bool:
    return "reference" in table and table["reference"] != "none"


def _reference(table: Any, text: ContractText, folder: Path) -> Reference:
    if not isinstance(table, dict):
        message = 'reference is "none", or a table such as { file = "scalar.c", symbol = "dot_c" }'
        raise text.error(message, "reference")
    text.known(table, _REFERENCE_KEYS, "[reference]", "reference")
    file = text.string(table, "file")
    on_host = table.get("on_host", False)
    if type(on_host) is not bool:
        raise text.error("on_host is true or false", "on_host")
    path = str(folder / file) if file else ""
    return Reference(path, text.string(table, "symbol", required=True), _build_of(table, text, folder), on_host)
