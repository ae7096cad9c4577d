"""Where the instructions of a loop stand, and what to call their lines where they are of several files."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Place(NamedTuple):
    """A line of source."""

    path: str
    line: int


def file_letters(paths: Iterable[str]) -> Mapping[str, str]:
    """A letter for each file, in this order, to be put behind numbers of lines; none where there is one file."""
    files = list(dict.fromkeys(paths))
    letters = string.ascii_lowercase
    return {path: letters[at % len(letters)] if len(files) > 1 else "" for at, path in enumerate(files)}
