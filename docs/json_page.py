"""Generate the page about --json: every property of every command's output, from the schemas that tests validate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_OPENING = """\
# JSON

With `--json` a command prints one JSON document on standard output. `neonlab schema` lists the commands that have it.
`neonlab schema COMMAND` prints the schema of one (JSON Schema, draft 2020-12). Tests validate the output of each
command against its schema. This page is generated from the schemas when the site is built.

`[]` stands for each entry of an array, `.*` for any name. A property is always present unless its row says *may be
absent*. `--json` does not change the exit status: 0 all kernels pass, 1 a kernel fails, 2 bad usage or input. With
status 2 there is no document, and the message is on standard error.
"""


def json_page(schemas: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page as Markdown: a section and a table for each command."""
    parts = [_OPENING]
    for command, schema in schemas.items():
        rows = "\n".join(f"| `{path}` | {kind} | {text} |" for path, kind, text in rows_of(schema))
        parts.append(
            f"## {command} {{ #{command} }}\n\n`neonlab {command} --json`; "
            f"[the schema itself](schemas/{command}.json)\n\n| property | type | meaning |\n|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def rows_of(schema: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield path, type and meaning of every property, outer ones before inner ones."""
    for name, entry in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        absent = "" if name in schema.get("required", ()) else "may be absent"
        text = "; ".join(part for part in (_text(entry), absent) if part)
        yield here, _kind(entry), text.replace("|", "\\|")
        yield from _within(entry, here)
    extra = schema.get("additionalProperties")
    if isinstance(extra, Mapping) and "properties" in extra:
        yield from rows_of(extra, f"{path}.*")


def _within(entry: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    for choice in entry.get("anyOf", ()):
        yield from _within(choice, path)
    if "items" in entry:
        yield from _within(entry["items"], f"{path}[]")
    yield from rows_of(entry, path)


def _text(entry: Mapping[str, Any]) -> str:
    said = [entry.get("description", "")] + [_text(choice) for choice in entry.get("anyOf", ())]
    if "items" in entry and not said[0]:
        said.append(_text(entry["items"]))
    return "; ".join(part for part in said if part)


def _kind(entry: Mapping[str, Any]) -> str:
    if "const" in entry:
        return f"`{entry['const']}`"
    if "enum" in entry:
        return " or ".join(f"`{value}`" for value in entry["enum"])
    if "anyOf" in entry:
        return " or ".join(_kind(choice) for choice in entry["anyOf"])
    kind = entry.get("type", "any")
    if kind == "array":
        return f"array of {_kind(entry['items'])}" if "items" in entry else "array"
    extra = entry.get("additionalProperties")
    if kind == "object" and isinstance(extra, Mapping):
        return f"object of {_kind(extra)}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
