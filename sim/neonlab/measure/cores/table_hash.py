"""Compute hashes of the tables of a core's model, which tell whether a recorded error belongs to the present model."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neonlab.measure import forms
from neonlab.measure.cores.caches import ALIASES

_FOLDER = Path(__file__).parent / "tables"
_PROSE = frozenset({"source", "sources", "title"})
_NAMING = ("form.py", "form_a32.py", "nearest.py")
_DIGITS = 16


@functools.cache
def tables_hash(core: str) -> str:
    """Return the first 16 hexadecimal digits of a SHA-256 of the core's tables, and of those that they start from.

    It covers the values in the files: neither comments, layout, titles nor sources.  It covers the code that names
    forms and finds the nearest ones, because that decides what is found in the tables.  It does not cover the code that
    runs a pipeline.
    """
    tables = [_without_prose(table) for table in _tables(core)]
    text = json.dumps([tables, _naming()], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def hash_of_all(cores: Iterator[str] | tuple[str, ...]) -> str:
    """Return one hash of the tables of several cores, whatever their order."""
    text = " ".join(f"{core}={tables_hash(core)}" for core in sorted(cores))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


@functools.cache
def _naming() -> list[str]:
    """Return the lines of the modules that name forms, without blank lines, comments, docstrings and imports."""
    folder = Path(forms.__file__).parent
    lines = [line for name in _NAMING for line in _code_lines((folder / name).read_text(encoding="utf-8"))]
    return [line for line in map(str.strip, lines) if line and not line.startswith("#")]


def _code_lines(text: str) -> Iterator[str]:
    """Yield the lines of a module that belong neither to an import nor to a docstring."""
    passed_over = set[int]()
    for node in ast.walk(ast.parse(text)):
        is_string = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_string or isinstance(node, ast.Import | ast.ImportFrom):
            assert isinstance(node, ast.stmt) and node.end_lineno is not None
            passed_over.update(range(node.lineno, node.end_lineno + 1))
    return (line for number, line in enumerate(text.splitlines(), start=1) if number not in passed_over)


def _tables(core: str) -> Iterator[dict[str, Any]]:
    caches = _FOLDER / f"{ALIASES.get(core, core)}.toml"
    pipeline = _FOLDER / f"{core}.pipeline.toml"
    if caches.is_file():
        yield tomllib.loads(caches.read_text(encoding="utf-8"))
    while pipeline.is_file():
        table = tomllib.loads(pipeline.read_text(encoding="utf-8"))
        yield table
        pipeline = _FOLDER / f"{table.get('like', '')}.pipeline.toml"


def _without_prose(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_prose(one) for key, one in value.items() if key not in _PROSE}
    if isinstance(value, list):
        return [_without_prose(one) for one in value]
    return " ".join(value.split()) if isinstance(value, str) else value
