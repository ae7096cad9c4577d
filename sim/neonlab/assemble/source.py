"""Where a byte came from: the position in the text and the macros it went through, and the errors that quote it."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.errors import InputError


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of source.  `line` and `column` count from 1; `trail` lists the macro calls around it, outermost first.

    For a statement inside a macro, `path`, `line` and `text` are those of the macro's body; `expanded` is the statement
    as it was assembled.
    """

    path: str
    line: int
    column: int
    text: str
    expanded: str = ""
    trail: tuple[str, ...] = ()  # each "file:line: in macro `name`"

    @property
    def where(self) -> str:
        """`file:line:column`, as compilers print it."""
        return f"{self.path}:{self.line}:{self.column}"


class AssemblyError(InputError):
    """The source cannot be assembled.  `str()` is the whole report: place, line, caret, expansion trail, hint."""

    def __init__(self, message: str, at: SourceLine | None = None, hint: str = "") -> None:
        self.message, self.at, self.hint = message, at, hint
        super().__init__(self.render())

    def render(self) -> str:
        """Several lines of text, the first `file:line:column: error: message`."""
        if self.at is None:
            return f"error: {self.message}" + (f"\n  hint: {self.hint}" if self.hint else "")
        at = self.at
        shown = at.text.replace("\t", " ")
        lines = [f"{at.where}: error: {self.message}", f"  {shown}", "  " + " " * (at.column - 1) + "^"]
        if at.expanded and at.expanded.strip() != at.text.strip():
            lines.append(f"  expanded to: {at.expanded.strip()}")
        lines += [f"  {step}" for step in reversed(at.trail)]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)
