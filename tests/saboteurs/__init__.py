"""Right kernels, and their faults beside them: each fault is a change of the text, and says what must be reported.

`armv8/copy_rows.S` is right.  `armv8/copy_rows.toml` has one table for each fault:

    [[fault]]
    name = "oob_read_no_end"                  # begins with the identifier that must be reported
    why = "the loop tests the count too late" # what the mistake is, for the reader
    replace = "subs    x3, x3, #1"            # text that the right kernel has once
    with = "subs    x3, x3, #0"

The fault is expected at the one line that the change writes.  Where the change writes several lines, or none, or the
fault shows elsewhere, `at` is text that the changed kernel has once: the fault is expected at the last line of it.
`at = ""` expects it at no line.  A mistake that shows in two places has lists of equal length in `replace` and `with`.

A table without `replace` says that the kernel is wrong as it stands.

Beside `armv8/shifted_down.S` may stand `armv8/shifted_down.contract.toml`, which names a function of the folder `c` as
the reference.  It is for the right kernel and for its faults.

`python -m tests.saboteurs` writes every wrong kernel to build/saboteurs.
"""

from __future__ import annotations

import difflib
import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from neonlab.emulate.run import FaultKind

FOLDER = Path(__file__).resolve().parent
_SIDECAR, _FAULTS = ".contract.toml", "armv[78]/*.toml"
#: Where `python -m tests.saboteurs` writes, relative to the repository.
BUILD = Path("build") / "saboteurs"
_KEYS = {"name", "why", "replace", "with", "at"}


class SaboteurError(ValueError):
    """Say which saboteur is badly written, and how."""


@dataclass(frozen=True)
class Saboteur:
    """Hold one kernel with one mistake: its whole `text`, the fault that must be reported, and its line in the text.

    `isa` is the folder, armv7 or armv8.  `kernel` is the file that was changed.  `line` counts from 1; it is None where
    no instruction is to blame.
    """

    name: str
    isa: str
    kernel: Path
    text: str
    fault: str
    line: int | None
    why: str

    @property
    def title(self) -> str:
        """Return `armv8/NAME`."""
        return f"{self.isa}/{self.name}"

    def write(self, folder: Path) -> Path:
        """Write the text to `folder`/ISA/NAME/KERNEL.S and return that path.

        The file keeps the kernel's name, by which operators know it; the assembler takes the instruction set from the
        folder.  Another process may write the same file.
        """
        path = folder / self.isa / self.name / self.kernel.name
        path.parent.mkdir(parents=True, exist_ok=True)
        _put(path, self.text)
        sidecar = self.kernel.with_suffix(_SIDECAR)
        if sidecar.is_file():
            references = (sidecar.parent.parent / "c").as_posix()
            _put(path.with_suffix(_SIDECAR), sidecar.read_text(encoding="utf-8").replace("../c/", f"{references}/"))
        return path

    def where(self, path: Path) -> str:
        """Return the place that a verdict must name, `path:line`; empty where no line is to blame."""
        return "" if self.line is None else f"{path}:{self.line}"


def _put(path: Path, text: str) -> None:
    """Write a file at once, unless it has this text already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        number, new = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
        Path(new).replace(path)


@cache
def saboteurs(folder: Path = FOLDER) -> tuple[Saboteur, ...]:
    """Return the saboteurs of both instruction sets, sorted by title.

    Raises SaboteurError for a table that is badly written, and for two saboteurs of one name.
    """
    found: dict[str, Saboteur] = {}
    for path in sorted(path for path in folder.glob(_FAULTS) if not path.name.endswith(_SIDECAR)):
        for one in _read(path):
            if one.title in found:
                raise SaboteurError(f"{path}: {one.name}: {found[one.title].kernel} has a fault of this name too")
            found[one.title] = one
    return tuple(found[title] for title in sorted(found))


def find_saboteur(title: str) -> Saboteur:
    """Return the saboteur called `armv8/NAME`.  Raises KeyError where there is none."""
    return {one.title: one for one in saboteurs()}[title]


@cache
def right_kernels(folder: Path = FOLDER) -> tuple[Path, ...]:
    """Return the files of the right kernels, sorted: all but those that are wrong as they stand."""
    wrong = {one.kernel for one in saboteurs(folder) if one.text == one.kernel.read_text(encoding="utf-8")}
    return tuple(path for path in sorted(folder.glob("armv[78]/*.S")) if path not in wrong)


def write_all(folder: Path) -> None:
    """Write every saboteur to `folder`/ISA/NAME/KERNEL.S."""
    for one in saboteurs():
        one.write(folder)


def _read(path: Path) -> Iterator[Saboteur]:
    """Return the saboteurs of one TOML file.  Raises SaboteurError."""
    kernel = path.with_suffix(".S")
    if not kernel.is_file():
        raise SaboteurError(f"{path}: there is no {kernel.name} beside it")
    right = kernel.read_text(encoding="utf-8")
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SaboteurError(f"{path}: {error}") from None
    if set(tables) != {"fault"}:
        raise SaboteurError(f"{path}: has {', '.join(sorted(tables)) or 'nothing'}, not [[fault]] alone")
    for table in tables["fault"]:
        name = table.get("name", "")
        try:
            yield _made(kernel, right, table)
        except SaboteurError as error:
            raise SaboteurError(f"{path}: {name or 'a fault without a name'}: {error}") from None


def _made(kernel: Path, right: str, table: Mapping[str, Any]) -> Saboteur:
    """Return the saboteur that one table makes of the right text."""
    if strange := set(table) - _KEYS:
        raise SaboteurError(f"unknown: {', '.join(sorted(strange))}")
    if absent := {"name", "why"} - set(table):
        raise SaboteurError(f"lacks {', '.join(sorted(absent))}")
    olds, news = _strings(table, "replace"), _strings(table, "with")
    if len(olds) != len(news):
        raise SaboteurError(f"replaces {len(olds)} texts with {len(news)}")
    text = _changed(right, olds, news)
    if olds and text == right:
        raise SaboteurError("changes nothing")
    name, why = table["name"], table["why"]
    return Saboteur(name, kernel.parent.name, kernel, text, _identifier(name), _line(right, text, table), why)


def _strings(table: Mapping[str, Any], key: str) -> list[str]:
    value = table.get(key, [])
    return [value] if isinstance(value, str) else list(value)


def _identifier(name: str) -> str:
    """Return the identifier of the fault that a name begins with."""
    for kind in FaultKind:
        if name.startswith(f"{kind.value.replace('-', '_')}_"):
            return kind.value
    raise SaboteurError("the name does not begin with the identifier of a fault, as oob_read_ does")


def _changed(text: str, olds: Sequence[str], news: Sequence[str]) -> str:
    """Return `text` with each of `olds`, which it must have once, replaced by the one of `news` beside it."""
    places = sorted((_only(text, old, "replace"), old, new) for old, new in zip(olds, news, strict=True))
    for (place, old, _), (after, _, _) in pairwise(places):
        if after < place + len(old):
            raise SaboteurError(f"`replace` has texts that overlap: {old!r} and the next")
    for place, old, new in reversed(places):
        text = text[:place] + new + text[place + len(old) :]
    return text


def _line(right: str, text: str, table: Mapping[str, Any]) -> int | None:
    """Return the line, from 1, at which the fault is expected; None for no line."""
    at = table.get("at")
    if at == "":
        return None
    if at is not None:
        end = _only(text, at, "at") + len(at.rstrip("\n"))
        return text.count("\n", 0, end) + 1
    lines = right.splitlines(), text.splitlines()
    steps = difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes()
    written = [line for step, _, _, start, end in steps if step != "equal" for line in range(start, end)]
    if len(written) != 1:
        raise SaboteurError(f"writes {len(written)} lines: say with `at` which one is reported")
    return written[0] + 1


def _only(text: str, part: str, key: str) -> int:
    """Return where `part` begins in `text`.  Raises SaboteurError where it is not found exactly once."""
    count = text.count(part)
    if count == 1:
        return text.index(part)
    found = "not found" if count == 0 else f"found {count} times"
    raise SaboteurError(f"`{key}` is {found}: {part!r}")
