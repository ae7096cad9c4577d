"""Define the parts of JSON schemas."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}


def described(schema: Schema, text: str) -> Schema:
    """Return `schema` with a description."""
    return {**schema, "description": text}


def nullable(schema: Schema) -> Schema:
    """Return a schema for `schema` or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def list_of(of: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": of}


def object_of(**properties: Schema) -> Schema:
    """Return the schema of an object with these properties, all required, and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def optional(schema: Schema, *names: str) -> Schema:
    """Return the object `schema` with some of its properties not required."""
    return {**schema, "required": [name for name in schema["required"] if name not in names]}


def band_of_estimate(cycles: Schema) -> Schema:
    """Return the schema of the range of an estimate, whose ends are `cycles`."""
    return object_of(
        share=described({"const": 0.8}, "share of measured functions that such a range holds"),
        low=described(cycles, "cycles at the lower end"),
        high=described(cycles, "cycles at the upper end; both may lie above the estimate, or below it"),
        functions=described(INTEGER, "functions not used for fitting whose errors make the band"),
        of=described(STRING, "the core that they were measured on, or `in order`, `out of order`: such cores"),
        pooled=described(BOOLEAN, "whether they were measured on several cores"),
        measured_before_last_change=described(BOOLEAN, "whether tables have changed since"),
    )


def document(command: str, **properties: Schema) -> Schema:
    """Return the schema of a command's --json output."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"neonlab {command} --json",
        **object_of(command={"const": command}, neonlab=described(STRING, "version that wrote this"), **properties),
    }
