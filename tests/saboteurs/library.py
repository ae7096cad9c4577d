"""Mistakes in kernels of the library: `library.toml` has one table for each, with the file that is changed.

They are at sizes and values that a choice of cases may leave out, so each must be found by a plain `check`.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.saboteurs import FOLDER, SaboteurError

_ASM = FOLDER.parents[1] / "asm"


@dataclass(frozen=True)
class LibrarySaboteur:
    """Hold one kernel of the library, `armv8/NAME`, with `file` changed: its new text, and the expected fault."""

    name: str
    kernel: str
    file: str
    text: str
    fault: str
    why: str

    @property
    def title(self) -> str:
        """Return `armv8/KERNEL/NAME`."""
        return f"{self.kernel}/{self.name}"

    def write(self, folder: Path) -> Path:
        """Write the kernel with all that it includes below `folder`; return the kernel's path."""
        isa, name = self.kernel.split("/")
        to = folder / name / self.name / isa
        shutil.copytree(_ASM / isa, to, dirs_exist_ok=True)
        (to / self.file).write_text(self.text, encoding="utf-8")
        return next(to.glob(f"*/{name}.S"))


@cache
def library_saboteurs() -> tuple[LibrarySaboteur, ...]:
    """Return them in the order of the file.  Raises SaboteurError for a table that is badly written."""
    tables = tomllib.loads((FOLDER / "library.toml").read_text(encoding="utf-8"))["fault"]
    return tuple(map(_made, tables))


def _made(table: Mapping[str, str]) -> LibrarySaboteur:
    isa = table["kernel"].split("/")[0]
    right = (_ASM / isa / table["file"]).read_text(encoding="utf-8")
    if (count := right.count(table["replace"])) != 1:
        raise SaboteurError(f"library.toml: {table['name']}: `replace` is found {count} times in {table['file']}")
    text = right.replace(table["replace"], table["with"])
    words = table["name"].split("_")
    fault = "-".join(words[: 1 if words[0] in ("mismatch", "nondeterministic") else 2])
    return LibrarySaboteur(table["name"], table["kernel"], table["file"], text, fault, table["why"])
