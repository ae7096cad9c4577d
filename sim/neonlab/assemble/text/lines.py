"""The lines that the front end passes on, and the errors that point into them."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.assemble.source import AssemblyError, SourceLine, printable


@dataclass(frozen=True, slots=True)
class Line:
    """A logical line after the C preprocessor.  `raw` is the physical line as written, for quoting in errors."""

    text: str
    path: str
    number: int
    raw: str

    def source(
        self, column: int | None = None, *, expanded: str = "", trail: tuple[str, ...] = (), token: str = ""
    ) -> SourceLine:
        """Return the position of this line: of `token` in it when it is there, else of its first character."""
        raw = self.raw
        if column is None:
            column = len(raw) - len(raw.lstrip()) + 1
            first = expanded.partition(" ")[0]
            if not raw.startswith(first, column - 1):  # behind a comment, or made by a macro
                column = raw.find(first) + 1 or column
        if token:
            found = raw.find(token, column - 1)
            if found < 0:
                found = raw.find(token)
            if found >= 0:
                column = found + 1
        return SourceLine(self.path, self.number, column, raw, printable(expanded), trail)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of GNU as, scrubbed: labels, then a directive, macro call or instruction.

    `column` is where it starts in `line.raw`, 0 when a macro of the C preprocessor made it.
    """

    text: str
    line: Line
    column: int = 0


class SyntaxFault(Exception):
    """Raised for an error in a statement; `token` is the piece of text to put the caret under."""

    def __init__(self, message: str, token: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message, self.token, self.hint = message, token, hint

    def at(self, source: SourceLine) -> AssemblyError:
        """Return the error with its position."""
        return AssemblyError(self.message, source, self.hint)
