"""Read the tables of a contract that say how code and its C reference are built: [build] and [reference]."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neonlab.contract.options import Build, Reference
from neonlab.contract.text import ContractText

_BUILD_KEYS = ("include", "define", "flags", "compiler", "preprocess")
_REFERENCE_KEYS = ("file", "symbol", "on_host", *_BUILD_KEYS)


def read_build(table: Mapping[str, Any], text: ContractText, folder: Path) -> Build:
    """Return how the code of the contract `table` is built; `folder` is that of its file.  Raises ContractError."""
    build = table.get("build", {})
    if not isinstance(build, dict):
        raise text.error("[build] is a table", "build")
    text.known(build, _BUILD_KEYS, "[build]", "build")
    return _build(build, text, folder)


def read_reference(table: Mapping[str, Any], text: ContractText, folder: Path) -> Reference | None:
    """Return the C reference that the contract `table` names; None without one.  Raises ContractError."""
    reference = table.get("reference", "none")
    if reference == "none":  # an allowance
        return None
    if not isinstance(reference, dict):
        message = 'reference is "none", or a table such as { file = "scalar.c", symbol = "dot_c" }'
        raise text.error(message, "reference")
    text.known(reference, _REFERENCE_KEYS, "[reference]", "reference")
    file = text.string(reference, "file")
    on_host = reference.get("on_host", False)
    if type(on_host) is not bool:
        raise text.error("on_host is true or false", "on_host")
    path = str(folder / file) if file else ""
    symbol = text.string(reference, "symbol", required=True)
    return Reference(path, symbol, _build(reference, text, folder), on_host)


def _build(table: Mapping[str, Any], text: ContractText, folder: Path) -> Build:
    include = tuple(str(folder / entry) for entry in _strings(table, "include", text))
    define, flags = _strings(table, "define", text), _strings(table, "flags", text)
    preprocess = table.get("preprocess")
    if preprocess is not None and type(preprocess) is not bool:
        raise text.error("preprocess is true or false", "preprocess")
    return Build(include, define, flags, text.string(table, "compiler"), preprocess)


def _strings(table: Mapping[str, Any], key: str, text: ContractText) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise text.error(f"{key} is a list of strings", key)
    return tuple(value)
