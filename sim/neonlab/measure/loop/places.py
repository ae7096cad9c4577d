"""Name the source lines of a loop, with a letter for the file where there are several."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class LinePlace:
    """A source line."""

    path: str
    line: int


def file_letters(paths: Iterable[str]) -> Mapping[str, str]:
    """Return a letter for each file, in this order, to follow line numbers; empty where there is one file."""
    files = list(dict.fromkeys(paths))
    letters = string.ascii_lowercase
    return {path: letters[at % len(letters)] if len(files) > 1 else "" for at, path in enumerate(files)}
