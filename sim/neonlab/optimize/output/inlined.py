"""Bring a kernel and the included files down to the one that its loop stands in into one text.

What an include file on the way says stands in place of its `#include`; other includes stay, with their paths as they
are from the folder of the new file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.assemble.expand.c_preprocessor import read_source
from neonlab.assemble.expand.include_path import find_include
from neonlab.errors import InputError

_INCLUDE = re.compile(r'^(\s*#\s*include\s+|\s*\.include\s+)"([^"]+)"')
_CONTRACT = re.compile(r"\A\s*/\*toml[ \t]*\r?\n.*?\*/[ \t]*\r?\n", re.S)
_EXTENDS = re.compile(r'^(extends\s*=\s*")([^"]+)(")')
_DEEPEST = 32


@dataclass(frozen=True, slots=True)
class Origin:
    """A line of the text, and where it stood: its file, and its number there, from 1."""

    path: Path
    number: int
    text: str


def inlined(kernel: Path, wanted: Path, include: Sequence[Path], folder: Path) -> list[Origin]:
    """Return the lines of a kernel's file with those of all files down to `wanted` in them, for a file in `folder`.

    Raises InputError where the kernel does not include `wanted`.
    """
    reader = _Reader(wanted.resolve(), include, folder)
    lines = reader.read(kernel, 0)
    if not any(line.path.resolve() == wanted.resolve() for line in lines):
        raise InputError(f"{kernel}: does not include {wanted} by name, so its loop cannot be changed")
    return lines


class _Reader:
    def __init__(self, wanted: Path, include: Sequence[Path], folder: Path) -> None:
        self._wanted, self._include, self._folder = wanted, include, folder
        self._leads: dict[Path, bool] = {}
        self._taken: set[Path] = set()

    def read(self, path: Path, depth: int) -> list[Origin]:
        """Return the lines of a file with those of the files that lead to the wanted one."""
        if depth > _DEEPEST:
            raise InputError(f"{path}: files are included deeper than {_DEEPEST}")
        text = read_source(path)
        skipped = 0
        if depth:
            without = _CONTRACT.sub("", text)
            skipped = text.count("\n") - without.count("\n")
            text = without
        found: list[Origin] = []
        for number, line in enumerate(text.splitlines(), start=skipped + 1):
            match = _INCLUDE.match(line)
            target = self._target(path, match[2]) if match else None
            if target is not None and self._leads_to(target, 0) and target.resolve() not in self._taken:
                self._taken.add(target.resolve())
                found += self.read(target, depth + 1)
                continue
            if target is not None and match is not None:
                line = f'{match[1]}"{self._seen(target)}"{line[match.end() :]}'
            elif extends := _EXTENDS.match(line):
                line = f"{extends[1]}{self._seen(path.parent / extends[2])}{line[extends.end(2) :]}"
            found.append(Origin(path, number, line))
        return found

    def _seen(self, path: Path) -> str:
        """Return the path of a file as it is from the folder of the new one."""
        return os.path.relpath(path.resolve(), self._folder.resolve())

    def _target(self, path: Path, name: str) -> Path | None:
        return find_include(name, path.parent, self._include, own=True)

    def _leads_to(self, path: Path, depth: int) -> bool:
        resolved = path.resolve()
        if resolved == self._wanted:
            return True
        if resolved not in self._leads:
            self._leads[resolved] = False
            if depth < _DEEPEST:
                matches = (_INCLUDE.match(line) for line in read_source(path).splitlines())
                targets = [self._target(path, match[2]) for match in matches if match]
                self._leads[resolved] = any(one is not None and self._leads_to(one, depth + 1) for one in targets)
        return self._leads[resolved]
