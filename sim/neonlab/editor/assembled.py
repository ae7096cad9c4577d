"""Know what the lines of a text assemble to, for an editor that asks about one of them.

A text is assembled where it differs from the last one.  While it does not assemble, as with half a word, the lines of
the last one that did stand for those that read the same; at first those of the file.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.output.object_file import ObjectFile
from neonlab.assemble.source import SourceLine
from neonlab.contract.options import PLAIN, Build
from neonlab.errors import InputError
from neonlab.isa.decode import UndecodableWord, decode
from neonlab.isa.from_path import isa_of_path
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa


@dataclass(frozen=True, slots=True)
class Emitted:
    """An instruction, with the line that it is from."""

    instruction: Instruction
    source: SourceLine


@dataclass(frozen=True, slots=True)
class Lines:
    """Hold what each line of a text emitted: by itself, and within the macros that it calls."""

    own: Mapping[int, tuple[Emitted, ...]] = field(default_factory=dict)
    called: Mapping[int, tuple[Emitted, ...]] = field(default_factory=dict)


class AssembledText:
    """The newest text of one file that assembles, line by line."""

    def __init__(self, path: Path, isa: Isa | None = None, build: Build = PLAIN) -> None:
        self.path = path
        self._given, self._build = isa, build
        self._isa: Isa | None = None
        self._tried: str | None = None
        self._good: list[str] = []
        self._lines = Lines()

    @property
    def isa(self) -> Isa | None:
        """Return the instruction set, or None where neither options nor the file's name tell."""
        if self._isa is None:
            try:
                self._isa = self._given or isa_of_path(self.path)
            except InputError:
                return None
        return self._isa

    @property
    def folders(self) -> tuple[Path, ...]:
        """Return the folders in which included files are searched, besides that of the file that includes them."""
        return tuple(Path(one) for one in self._build.include)

    def at(self, text: str, line: int) -> tuple[tuple[Emitted, ...], tuple[Emitted, ...]]:
        """Return what line `line` (from 1) of `text` emits, and what the macros emit that it calls."""
        self._follow(text)
        lines = text.split("\n")
        if not 0 < line <= len(lines):
            return (), ()
        known = self._same_line(lines[line - 1], line)
        return self._lines.own.get(known, ()), self._lines.called.get(known, ())

    def _same_line(self, words: str, line: int) -> int:
        """Return the number of the line that reads so in the text that was assembled, the nearest; 0 for none."""
        wanted = words.strip()
        same = [number for number, other in enumerate(self._good, 1) if other.strip() == wanted]
        if not wanted or not same:
            return 0
        at = bisect_left(same, line)
        return min(same[max(at - 1, 0) : at + 1], key=lambda number: abs(number - line))

    def _follow(self, text: str) -> None:
        if text == self._tried or self.isa is None:
            return
        self._tried = text
        if self._took(text, self.isa) or self._good:
            return
        with contextlib.suppress(OSError, UnicodeDecodeError):
            self._took(self.path.read_text(encoding="utf-8"), self.isa)

    def _took(self, text: str, isa: Isa) -> bool:
        """Take a text as the newest that assembles; return False where it does not."""
        build = self._build
        try:
            found = assemble_text(
                text, isa=isa, path=str(self.path), include_paths=build.include, defines=build.defines
            )
        except InputError:
            return False
        self._good = text.split("\n")
        self._lines = lines_of(found, self.path)
        return True


def lines_of(found: ObjectFile, path: Path) -> Lines:
    """Return what the lines of the file at `path` emitted."""
    own: dict[int, list[Emitted]] = defaultdict(list)
    called: dict[int, list[Emitted]] = defaultdict(list)
    for emitted in _emitted(found):
        source = emitted.source
        if Path(source.path) == path:  # a line of a macro's body, too
            own[source.line].append(emitted)
        for line in _calls(source.trail, path):
            called[line].append(emitted)
    return Lines(*({line: tuple(some) for line, some in each.items()} for each in (own, called)))


def _calls(trail: Iterable[str], path: Path) -> Iterable[int]:
    """Return the lines of the file in a trail of calls."""
    start = f"{path}:"
    return dict.fromkeys(int(step[len(start) :].partition(":")[0]) for step in trail if step.startswith(start))


def _emitted(found: ObjectFile) -> Iterable[Emitted]:
    for name, runs in found.code.items():
        data = found.sections[name].data
        starts = sorted(offset for section, offset in found.lines if section == name)
        for start, end in runs:
            try:
                decoded = decode(found.isa, data[start:end], start)
            except UndecodableWord:
                continue
            for instruction in decoded:
                at = bisect_left(starts, instruction.address + 1) - 1
                if at >= 0:
                    yield Emitted(instruction, found.lines[name, starts[at]])
