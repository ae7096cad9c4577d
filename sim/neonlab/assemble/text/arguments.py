"""Split the operands of directives."""

from __future__ import annotations

import re

from neonlab.assemble.text.lines import SyntaxFault

_PART = re.compile(r'"(?:\\.|[^"\\])*"|[(),]|[^"(),]+', re.S)
_STRINGS = re.compile(r'[ \t]*"((?:\\.|[^"\\])*)"[ \t]*(,?)', re.S)


def split_arguments(text: str) -> list[str]:
    """Return the parts between commas that are outside of strings and parentheses; none for blank text."""
    if "(" not in text and '"' not in text:
        parts = [part.strip() for part in text.split(",")]
        return [] if parts == [""] else parts
    parts, current, depth = [], "", 0
    for match in _PART.finditer(text):
        piece = match.group()
        if piece == "," and depth <= 0:
            parts.append(current.strip())
            current = ""
            continue
        depth += {"(": 1, ")": -1}.get(piece, 0)
        current += piece
    parts.append(current.strip())
    return [] if parts == [""] else parts


def split_strings(text: str) -> list[list[str]]:
    """Return groups of quoted strings: adjacent ones together, a comma between groups."""
    groups: list[list[str]] = []
    position, joined = 0, False
    while position < len(text):
        match = _STRINGS.match(text, position)
        if match is None:
            raise SyntaxFault("expected a string in quotes", text[position:].strip())
        quoted = f'"{match.group(1)}"'
        if joined:
            groups[-1].append(quoted)
        else:
            groups.append([quoted])
        joined = not match.group(2)
        position = match.end()
    return groups
