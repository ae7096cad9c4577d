"""Split lines into statements, as GNU as scrubs them before it parses.

Comments are removed, and `;` separates.  Only those blanks stay that the parser could need: between two characters that
may be part of a name.  Macro arguments are split at the remaining blanks, so this decides what a macro receives.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from neonlab.assemble.text.lines import Line, Statement, SyntaxFault
from neonlab.isa.model.isa import Isa

# Characters beyond ASCII can stand in names.  Sets list the excluded ones: a range to U+10FFFF compiles slowly.
_NOT_OF_NAMES = r"\x00-#%-\-/:-@\[-^`{-\x7f"
NAME = rf"[^{_NOT_OF_NAMES}0-9][^{_NOT_OF_NAMES}]*"

_STRING = "\x02"  # stands for a quoted string while blanks are taken out
_ESCAPES = {"b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_QUOTED = re.compile(r""""((?:\\.|[^"\\])*)("|\Z)|'(\\(?:[0-7]{1,3}|.)|[^\\])?'?""", re.S)
_QUOTED_OR_END = {
    # a quoted string, a comment, or a separator of statements
    Isa.A64: re.compile(r""""(?:\\.|[^"\\])*"?|'(?:\\.|[^\\])'?|//.*|;""", re.S),
    Isa.A32: re.compile(r""""(?:\\.|[^"\\])*"?|'(?:\\.|[^\\])'?|//.*|(?<!\\)@.*|;""", re.S),
}
_AT_COMMENT = re.compile(r"(?<!\\)@")  # `\@` is the number of a macro call
_HEAD = re.compile(rf"((?:(?:{NAME}|[0-9]+)[ \t]*:(?!=)[ \t]*)*)([^ \t]*)([ \t]*)(.*)", re.S)
_BEFORE_COLON = re.compile(r"[ \t]*:[ \t]*")
# as --target=arm counts # [ ] { } among the characters of names for this purpose, and aarch64 does not.
_NAME_CHARACTER = {Isa.A64: r"\w.$", Isa.A32: r"\w.$#\[\]{}"}
_USELESS_BLANK = {
    isa: re.compile(rf"[ \t]+(?![{characters}\\\x02 \t]|[^\x00-\x7f])|(?<![{characters} \t])(?<![^\x00-\x7f])[ \t]+")
    for isa, characters in _NAME_CHARACTER.items()
}
_BLANKS = re.compile(r"[ \t]+")


class Scrubber:
    """Splits and squeezes lines for one instruction set."""

    def __init__(self, isa: Isa) -> None:
        self._ends = _QUOTED_OR_END[isa]
        self._useless_blank = _USELESS_BLANK[isa]
        self._has_at_comments = isa is Isa.A32

    def statements(self, line: Line) -> Iterator[Statement]:
        """Yield the statements of a line, without empty ones."""
        parts = self.split(line.text)
        if len(parts) == 1:
            text = self.squeeze(parts[0])
            if text:
                yield Statement(text, line, 0)
            return
        position = 0
        for part in parts:
            text = self.squeeze(part)
            if text:
                first = part.split(None, 1)[0]
                found = line.raw.find(first, position)
                if found >= 0:
                    position = found + len(first)
                yield Statement(text, line, found + 1)

    def split(self, text: str) -> list[str]:
        """Return the text between separators, without comments; strings stay whole."""
        if text.lstrip().startswith("#"):
            return [""]
        if '"' not in text and "'" not in text:
            if self._has_at_comments:
                text = _AT_COMMENT.split(text, maxsplit=1)[0]
            text = text.partition("//")[0] if "//" in text else text
            parts = text.split(";") if ";" in text else [text]
        else:
            parts, start = [], 0
            for match in self._ends.finditer(text):
                found = match.group()
                if found == ";":
                    parts.append(text[start : match.start()])
                    start = match.end()
                elif found[0] in "/@":
                    text = text[: match.start()]
                    break
            parts.append(text[start:])
        # `#` comments at the start of any statement, up to the end of the line
        return list(itertools.takewhile(lambda part: not part.lstrip().startswith("#"), parts))

    def squeeze(self, text: str) -> str:
        """Return one statement without superfluous blanks, with character constants as numbers."""
        strings: list[str] = []
        text = text.replace("\f", " ").replace("\v", " ").strip(" \t\r\n")
        if _STRING in text:
            raise SyntaxFault("a control character", _STRING)
        if '"' in text or "'" in text:
            text = _QUOTED.sub(lambda match: self._quoted(match, strings), text)
        head = _HEAD.match(text)
        if head is None:
            return text
        labels, opcode, blank, operands = head.groups()
        if " " in operands or "\t" in operands:
            operands = _BLANKS.sub(" ", self._useless_blank.sub("", operands))
        if labels:
            labels = _BEFORE_COLON.sub(": ", labels)
        result: str = f"{labels}{opcode} {operands}" if blank else f"{labels}{opcode}"
        result = result.rstrip(" ")
        if strings:
            pieces = result.split(_STRING)
            result = pieces[0] + "".join(string + piece for string, piece in zip(strings, pieces[1:], strict=True))
        return result

    @staticmethod
    def _quoted(match: re.Match[str], strings: list[str]) -> str:
        if match.group(1) is not None:
            if match.group(2) != '"':
                raise SyntaxFault('this string is never closed by `"`', match.group()[:20])
            strings.append(match.group())
            return _STRING
        character = match.group(3)
        if character is None:
            raise SyntaxFault("a quote with no character behind it", "'")
        if len(character) == 1:
            return str(ord(character.encode("utf-8", "surrogateescape")[:1]))
        return str(escape_value(character[1:]))


def escape_value(escape: str) -> int:
    """Return the byte for an escape in a character constant, given the text behind its backslash."""
    if escape[0] in "01234567":
        return int(escape, 8) & 0xFF
    return _ESCAPES.get(escape[0], ord(escape[0]) & 0xFF)


_STRING_ESCAPE = re.compile(r"\\([0-7]{1,3}|[xX][0-9a-fA-F]*|.)", re.S)


def string_bytes(quoted: str) -> bytes:
    """Return the bytes of a string literal; the argument includes its quotes."""

    def replace(match: re.Match[str]) -> str:
        escape = match.group(1)
        if escape[0] in "xX":
            return chr(0xDC00 + (int(escape[1:] or "0", 16) & 0xFF))
        return chr(0xDC00 + escape_value(escape))

    text = _STRING_ESCAPE.sub(replace, quoted[1:-1])
    # Escaped bytes travel as U+DC00 to U+DCFF, where surrogateescape keeps the bytes above 0x7F already.
    return b"".join(
        bytes([ord(c) & 0xFF]) if 0xDC00 <= ord(c) <= 0xDCFF else c.encode("utf-8", "replace") for c in text
    )
