"""Build the annotated source: every line of the files that ran, coloured, with its cost on each core."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from pygments import lex
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

from neonlab.measure.profile import Profile
from neonlab.measure.run_cycles import LineCycles
from neonlab.report.page.inclusive import inclusive_cycles

_CLASSES = {
    Comment: "c", Comment.Preproc: "p", Keyword: "k", Name.Function: "m", Name.Label: "l", Name.Builtin: "r",
    Number: "n", String: "s", Name.Decorator: "a",
}  # fmt: skip
_REGISTER = r"(?i:(?:[vqdsbhxwr][0-9]{1,2}|sp|lr|pc|xzr|wzr|fp|ip)(?:\.(?:[0-9]{0,2}[bhsdq]))?)\b"


class AssemblyLexer(RegexLexer):
    """A lexer for GNU as on ARM that only colours: comments, directives, labels, mnemonics, registers, numbers."""

    name = "ARM assembly"
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"/\*", Comment, "comment"),
            (r"//[^\n]*|@[^\n]*", Comment),
            (r"^[ \t]*#[ \t]*[a-z]+[^\n]*", Comment.Preproc),
            (r"[ \t]+", Text),
            (r"[A-Za-z_.$\\][\w.$\\@()]*:|[0-9]+:", Name.Label),
            (r"\.[a-z_0-9]+", Keyword, "operands"),
            (r"\\?[A-Za-z_][\w.\\]*", Name.Function, "operands"),
            (r"[\n;]", Text),
            (r".", Text),
        ],
        "comment": [(r"\*/", Comment, "#pop"), (r"[^*\n]+|\*|\n", Comment)],
        "operands": [
            (r"/\*", Comment, "comment"),
            (r"//[^\n]*|@[^\n]*", Comment),
            (r"[\n;]", Text, "#pop"),
            (r'"(?:\\.|[^"\\\n])*"', String),
            (r"\\[A-Za-z_]\w*|\\\(\)|\\@", Name.Decorator),
            (r"#?-?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?)", Number),
            (_REGISTER, Name.Builtin),
            (r"[A-Za-z_$.][\w$.]*", Text),
            (r"[ \t]+|.", Text),
        ],
    }


def coloured_lines(text: str) -> list[str]:
    """Return the HTML of each line of an assembly source, with its tokens in spans."""
    lines = [""]
    for token, value in lex(text, AssemblyLexer(stripnl=False, ensurenl=False)):
        name = _CLASSES.get(token)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append("")
            if piece:
                shown = html.escape(piece, quote=False)
                lines[-1] += f'<span class="{name}">{shown}</span>' if name else shown
    return lines


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of source: `code` is HTML; `executions` is 0 and `cost` -1 if nothing of it was executed.

    `cost` is the index of the line in the columns of `Listing.costs`.
    """

    number: int
    code: str
    executions: int
    cost: int


@dataclass(frozen=True, slots=True)
class Listing:
    """One file, at `path`.

    `costs` has, by core, a row for each executed line: cycles, stalled cycles, the causes in words, and heat from 0 to
    9, which is 9 for the most expensive line of all files.  `hot` are the lines in the hot loop of a core.
    `inside` has, by core and line number, the cycles of all that a line brings in, by a macro or an include.
    """

    title: str
    path: Path
    is_main: bool
    hot: frozenset[int]
    lines: tuple[ListedLine, ...]
    costs: Mapping[str, tuple[tuple[int, int, str, int], ...]]
    inside: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


def listings(path: Path, profiles: Mapping[str, Profile]) -> tuple[Listing, ...]:
    """Return the kernel's file, then the included files that ran."""
    if not profiles:
        return (_listing(path, True, {}, {}, frozenset(), {}),)
    first = next(iter(profiles.values()))
    executions: dict[Path, dict[int, int]] = {}
    for line in first.counts.lines:
        executions.setdefault(Path(line.path), {})[line.line] = line.executions
    files = [path, *sorted(file for file in executions if file.resolve() != path.resolve() and file.is_file())]
    by_file: dict[Path, dict[str, dict[int, LineCycles]]] = {}
    for core, profile in profiles.items():
        for cost in profile.cycles.lines if profile.cycles is not None else ():
            by_file.setdefault(Path(cost.path).resolve(), {}).setdefault(core, {})[cost.line] = cost
    found = {file.resolve(): counts for file, counts in executions.items()}
    loops = [loop for profile in profiles.values() for loop in profile.loops]
    hot: dict[Path, set[int]] = {}
    for one in (one for loop in loops for one in loop.lines if one.path):
        hot.setdefault(Path(one.path).resolve(), set()).add(one.line)
    most = {
        core: max((line.cycles for line in profile.cycles.lines), default=0)
        for core, profile in profiles.items()
        if profile.cycles is not None
    }
    found_inside = {
        file: {
            core: inclusive_cycles(file, file.read_text(encoding="utf-8", errors="replace"), profile.cycles, files)
            for core, profile in profiles.items()
            if profile.cycles is not None
        }
        for file in files
    }
    return tuple(
        _listing(
            file, file == path, found.get(file.resolve(), {}), by_file.get(file.resolve(), {}),
            frozenset(hot.get(file.resolve(), ())), most, found_inside[file],
        )
        for file in files
    )  # fmt: skip


def _listing(
    path: Path, is_main: bool, executions: Mapping[int, int], by_core: Mapping[str, Mapping[int, LineCycles]],
    hot: frozenset[int], most: Mapping[str, int], inside: Mapping[str, Mapping[int, int]] = MappingProxyType({}),
) -> Listing:  # fmt: skip
    text = path.read_text(encoding="utf-8", errors="replace").rstrip("\n")
    lines, executed = [], []
    for number, code in enumerate(coloured_lines(text), 1):
        times = executions.get(number, 0)
        if times:
            executed.append(number)
        lines.append(ListedLine(number, code, times, len(executed) - 1 if times else -1))
    costs = {core: tuple(_costs(executed, found, most[core])) for core, found in by_core.items()}
    return Listing(path.name, path.resolve(), is_main, hot, tuple(lines), costs, inside)


def _costs(executed: Iterable[int], found: Mapping[int, LineCycles], most: int) -> Iterable[tuple[int, int, str, int]]:
    for number in executed:
        line = found.get(number)
        if line is None or not line.cycles:
            yield 0, 0, "", 0
            continue
        stalls = {cause: cycles for cause, cycles in line.causes.items() if cause != "issue width" and cycles}
        words = ", ".join(f"{cause} {cycles:,}" for cause, cycles in sorted(stalls.items(), key=lambda one: -one[1]))
        heat = 9 + log(line.cycles / most) * 9 / log(1000) if most else 0.0
        yield line.cycles, sum(stalls.values()), words, max(1, round(heat))
