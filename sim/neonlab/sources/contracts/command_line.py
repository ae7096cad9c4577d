"""Take a contract from the options --prototype and --set, or from those of `neonlab.load`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from neonlab.contract.conditions import SUFFIXES
from neonlab.sources.contracts.asked import Asked
from neonlab.sources.contracts.merge import Entry, Stated

_TABLES = ("args", "counts", "build", "reference", "functions")


def command_line(asked: Asked) -> Stated | None:
    """Return what the options state; None if they state nothing of the contract."""
    given = asked.given
    if not given.prototype and not given.settings:
        return None
    entries = [Entry(("prototype",), given.prototype)] if given.prototype else []
    entries += [Entry(_way(key), _placed(key, _value(value)), f"--set {key}") for key, value in given.settings]
    options = {part: f"--set {key}={value}" for key, value in given.settings for part in key.split(".")[-2:]}
    return Stated(tuple(entries), options=options | ({"prototype": "--prototype"} if given.prototype else {}))


def _way(key: str) -> tuple[str, ...]:
    """Return the keys from the top to `a.read`, `args.a.read` or `stack`."""
    parts = key.split(".")
    top = parts[0] in (*_TABLES, "isa") or len(parts) == 1
    return tuple(parts if top else ["args", *parts])


def _placed(key: str, value: Any) -> Any:
    """Return the value of `a.data`, if it names a file, relative to the working folder and not to the contract's."""
    is_file = key.rpartition(".")[2] == "data" and isinstance(value, str) and value.endswith(SUFFIXES)
    return str(Path(value).absolute()) if is_file else value


def _value(text: str) -> Any:
    """Return a value parsed as TOML, or else the text itself, so that sizes need no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text
