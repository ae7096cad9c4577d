"""Offer what can stand at a place of an assembly text: mnemonics, macros, registers by their role, labels."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.assemble.encode.known import assembled_mnemonics
from neonlab.isa.model.isa import Isa

_WORD = re.compile(r"[\w.$\\]*\Z")
_FIRST = re.compile(r"\s*(?:[\w.$]+:\s*)*[\w.$\\]*\Z")
_MACRO = re.compile(r"^\s*\.macro\s+([\w.$]+)[ \t,]*([^\n/@]*)", re.M | re.I)
_ROLE = re.compile(r"^\s*([\w.$]+)\s+\.(?:req|dn|qn)\s+([\w.\[\]]+)([^\n]*)", re.M | re.I)
_LABEL = re.compile(r"^\s*([A-Za-z_.$][\w.$]*):", re.M)
_DEFINE = re.compile(r"^\s*#\s*define\s+([A-Za-z_]\w*)(\([^)\n]*\))?[ \t]*([^\n]*)", re.M)
_SET = re.compile(r"^\s*(?:\.(?:set|equ)\s+([\w.$]+)\s*,|([A-Za-z_.$][\w.$]*)\s*=(?!=))\s*([^\n/@]*)", re.M | re.I)
_INCLUDED = re.compile(r"^\s*(?:#\s*include|\.include)\s+\"([^\"\n]+)\"", re.M)
_HEADER = re.compile(r"\A\s*/\*toml\n.*?\*/", re.S)
_DEPTH = 8  # of files that include each other


class Kind(enum.Enum):
    """Name the kinds of words."""

    MNEMONIC = "mnemonic"
    MACRO = "macro"
    REGISTER = "register"
    LABEL = "label"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True, order=True)
class Offer:
    """A word that can stand at the place, what it is, and what to say beside it."""

    word: str
    kind: Kind
    told: str = ""


def offers(text: str, line: int, column: int, path: Path, isa: Isa | None, folders: Sequence[Path] = ()) -> list[Offer]:
    """Return what can complete the word that ends at `column` (from 0) of line `line` (from 1), in order of name.

    Included files are searched beside the file that includes them, then in `folders`.
    At the start of a statement these are mnemonics and macros, behind it registers by role, labels and constants.
    """
    lines = text.split("\n")
    before = lines[line - 1][:column] if 0 < line <= len(lines) else ""
    if _in_comment(lines, line, before):
        return []
    statement = before.rpartition(";")[2]
    word = _WORD.search(statement)
    typed = word[0].lower() if word is not None else ""
    found = _all_words(text, path, isa, folders)
    first = _FIRST.match(statement) is not None
    kinds = (Kind.MNEMONIC, Kind.MACRO) if first else (Kind.REGISTER, Kind.LABEL, Kind.CONSTANT)
    able = [one for one in found if one.kind in kinds and one.word.lower().startswith(typed)]
    return sorted(dict.fromkeys(able), key=lambda one: (one.word, one.told))


def _in_comment(lines: list[str], line: int, before: str) -> bool:
    text = "\n".join([*lines[: line - 1], before])
    return "//" in before or text.rfind("/*") > text.rfind("*/")


def _all_words(text: str, path: Path, isa: Isa | None, folders: Sequence[Path]) -> list[Offer]:
    found = [*_words(text)]
    for other in included(text, path.parent, folders):
        found += _words(other)
    return [*found, *(_mnemonics(isa) if isa is not None else ())]


@functools.cache
def _mnemonics(isa: Isa) -> tuple[Offer, ...]:
    return tuple(Offer(name, Kind.MNEMONIC) for name in sorted(assembled_mnemonics(isa)))


@functools.lru_cache(maxsize=64)
def _words(text: str) -> tuple[Offer, ...]:
    return tuple(_found(text))


def _found(text: str) -> Iterator[Offer]:
    text = _HEADER.sub("", text, count=1)  # arguments of a contract are no constants of the code
    for macro in _MACRO.finditer(text):
        yield Offer(macro[1], Kind.MACRO, " ".join(macro[2].split()))
    for role in _ROLE.finditer(text):
        comment = re.sub(r"^\s*(?://|@|/\*)\s*|\s*\*/\s*$", "", role[3]).strip()
        yield Offer(role[1], Kind.REGISTER, f"{role[2]}{f': {comment}' if comment else ''}")
    for label in _LABEL.finditer(text):
        yield Offer(label[1], Kind.LABEL)
    for macro in _DEFINE.finditer(text):
        # A name of the preprocessor can be a register, an instruction or a number.
        told = f"{macro[2] or ''} {macro[3]}".strip()
        yield Offer(macro[1], Kind.MACRO if macro[2] else Kind.REGISTER, told)
    for constant in _SET.finditer(text):
        yield Offer(constant[1] or constant[2], Kind.CONSTANT, constant[3].strip())


def included(
    text: str, folder: Path, folders: Sequence[Path] = (), depth: int = 0, seen: frozenset[Path] = frozenset()
) -> Iterator[str]:
    """Yield the texts of the files that a text in `folder` includes, and those that these include."""
    for name in _INCLUDED.findall(text):
        places = [(one / name).resolve() for one in (folder, *folders)]
        path = next((one for one in places if one.is_file()), None)
        if path is None or path in seen or depth > _DEPTH:
            continue
        try:
            other = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        yield other
        yield from included(other, path.parent, folders, depth + 1, seen | {path})
