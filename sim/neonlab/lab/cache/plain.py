"""Write values of the lab as JSON and read them again: numbers, text, arrays, and the lab's own dataclasses and enums.

Nothing is pickled: a file that somebody else has written can at worst hold another value, and never runs code.  Only
classes of `_HOMES` are read, and only by their own constructors.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import functools
import importlib
import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

#: What is read back: dataclasses and enums of these packages and modules below `neonlab`, which are values.
_HOMES = (
    "assemble.source", "contract", "emulate.run", "isa", "lab.run", "measure", "network.run.cost",
    "prove", "report.tables.hot_loop_cost", "report.tables.layers", "verify",
)  # fmt: skip
#: The kinds of numpy's arrays that are written: booleans, integers, floats.
_KINDS = "biuf"


class NotPlain(TypeError):
    """Raised for a value that cannot be written, or for text that is not what `written` writes."""


def written(value: Any) -> str:
    """Return the value as JSON text, the same for equal values.  Raises NotPlain."""
    return json.dumps(_plain(value), ensure_ascii=True, separators=(",", ":"))


def read(text: str) -> Any:
    """Return the value that `written` made the text of.  Raises NotPlain for any other text."""
    try:
        return _value(json.loads(text))
    except NotPlain:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise NotPlain(f"not a value of the lab: {error}") from None


def _plain(value: Any) -> Any:
    """Return what JSON can hold.  A list stands for itself; all else that JSON lacks is an object of one entry."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is tuple:
        return {"()": [_plain(one) for one in value]}
    if type(value) is list:
        return [_plain(one) for one in value]
    if isinstance(value, enum.Enum):
        return {"enum": [_name(type(value)), _plain(value.value)]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {name: _plain(getattr(value, name)) for name in _field_names(type(value))}
        return {"of": [_name(type(value)), fields]}
    return _further(value)


def _further(value: Any) -> Any:
    if isinstance(value, (frozenset, set)):
        return {"set": sorted((_plain(one) for one in value), key=json.dumps)}
    if isinstance(value, Mapping):
        return {"{}": [[_plain(key), _plain(one)] for key, one in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"array": [value.dtype.str, list(value.shape), data]}
    if isinstance(value, np.generic) and value.dtype.kind in _KINDS:
        return value.item()
    if isinstance(value, np.dtype):
        return {"dtype": value.str}
    if isinstance(value, PurePath):
        return {"path": str(value)}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    raise NotPlain(f"a {type(value).__name__} is not written down")


@functools.cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@functools.cache
def _name(kind: type) -> str:
    return f"{kind.__module__.removeprefix('neonlab.')}:{kind.__qualname__}"


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_value(one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    [(kind, inner)] = plain.items()
    match kind:
        case "()":
            return tuple(_value(one) for one in inner)
        case "of":
            name, fields = inner
            return _class(name)(**{field: _value(one) for field, one in fields.items()})
        case "enum":
            return _class(inner[0])(_value(inner[1]))
        case "set":
            return frozenset(_value(one) for one in inner)
        case "{}":
            return {_value(key): _value(one) for key, one in inner}
        case "array":
            return _array(*inner)
        case "path":
            return PurePath(inner)
        case "bytes":
            return base64.b64decode(inner, validate=True)
    raise NotPlain(f"no value of the lab is written as `{kind}`")


def _array(name: str, shape: list[int], data: str) -> np.ndarray[Any, Any]:
    dtype = np.dtype(name)
    if dtype.kind not in _KINDS:
        raise NotPlain(f"no array of the lab is of {name}")
    return np.frombuffer(base64.b64decode(data, validate=True), dtype).reshape(shape).copy()


@functools.cache
def _class(name: str) -> Any:
    home, _, kind = name.partition(":")
    if not any(home == one or home.startswith(f"{one}.") for one in _HOMES):
        raise NotPlain(f"`{name}` is not read back")
    try:
        found = getattr(importlib.import_module(f"neonlab.{home}"), kind)
    except (ImportError, AttributeError):
        raise NotPlain(f"there is no `{name}`") from None
    value = isinstance(found, type) and (dataclasses.is_dataclass(found) or issubclass(found, enum.Enum))
    if not value or _name(found) != name:
        raise NotPlain(f"`{name}` is no value of the lab")
    return found
