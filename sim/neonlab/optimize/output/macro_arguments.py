"""Find the arguments with which the macro around a loop was called, from the trail of macro calls to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from neonlab.assemble.expand.c_preprocessor import read_source
from neonlab.assemble.expand.macros import Macro, MacroTable
from neonlab.assemble.source import SourceLine
from neonlab.assemble.text.lines import SyntaxFault

_STEP = re.compile(r"(.*):(\d+): in macro `(.+)`\Z", re.S)
_COMMENT = re.compile(r"(//|/\*).*$")


def arguments_of(source: SourceLine, macros: Mapping[str, Macro]) -> Mapping[str, str] | None:
    """Return the arguments of the innermost macro call around a line, by the names of its parameters.

    `macros` are those that are defined there, by their names in small letters.  Return None where the arguments cannot
    be found out, as in a loop of `.irp`.
    """
    table = MacroTable()
    known: dict[str, str] = {}
    for step in source.trail:
        match = _STEP.match(step)
        if match is None or match[3].lower() not in macros:
            return None
        lines = read_source(Path(match[1])).splitlines()
        call = _COMMENT.sub("", lines[int(match[2]) - 1]).strip()
        name = match[3]
        at = call.lower().find(name.lower())
        given = call[at + len(name) :].strip() if at >= 0 else _called_by_parameter(call, known, name)
        if given is None:
            return None
        text = _substituted(given, known)
        try:
            known = table.bind(macros[name.lower()], text, lambda one: (int(one, 0), len(one)))
        except SyntaxFault:
            return None
    return known


def _called_by_parameter(call: str, known: Mapping[str, str], name: str) -> str | None:
    r"""Return the arguments of a call of the macro that a parameter names, as in `\some 4`."""
    match = re.match(r"\\([\w.$]+)(?:\(\))?\s*(.*)$", call)
    if match is None or known.get(match[1], "").lower() != name.lower():
        return None
    return match[2].strip()


def _substituted(text: str, known: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        return known.get(match[1], match[0])

    return re.sub(r"\\([\w.$]+)(?:\(\))?", value, text)
