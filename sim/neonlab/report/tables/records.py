"""Read documents of `--into`, which have a record for each kernel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neonlab.errors import InputError


def records_by_kernel(document: Path, command: str) -> dict[str, Mapping[str, Any]]:
    """Return the records of a document by kernel, none where it is not there.

    Raises InputError if `neonlab COMMAND --into` did not write it.
    """
    if not document.is_file():
        return {}
    try:
        return {record["kernel"]: record for record in json.loads(document.read_text(encoding="utf-8"))["kernels"]}
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{document}: was not written by `neonlab {command} --into`; remove it, or choose another folder"
        ) from None
