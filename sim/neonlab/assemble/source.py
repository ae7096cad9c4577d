"""Record where a byte came from: the source line and its macro calls; and define the errors that quote lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from neonlab.errors import InputError

#: Prefix of the paths of lines in functions that the lab serves.
SERVED = "<neonlab>"
_SHOWN = 100  # characters of a line on either side of the column
_STEPS = 16  # of an expansion trail


#: Languages that are compiled, by the ends of files' names.
C_SUFFIXES, CXX_SUFFIXES = (".c",), (".cc", ".cpp", ".cxx", ".C", ".c++")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source line.  `line` and `column` count from 1; `trail` lists the macro calls around it, outermost first.

    For a statement inside a macro, `path`, `line` and `text` are those of the macro's body.  `expanded` is the
    statement as it was assembled.
    """

    path: str
    line: int
    column: int
    text: str
    expanded: str = ""
    trail: tuple[str, ...] = ()  # each "file:line: in macro `name`"

    @property
    def names_instruction(self) -> bool:
        """Tell whether the line is assembly.

        A line of a compiled language stands for many instructions and names none.
        """
        return bool(self.expanded) or not self.path.endswith((*C_SUFFIXES, *CXX_SUFFIXES, ".h", ".hpp"))

    @property
    def where(self) -> str:
        """The position as compilers print it, `file:line:column`."""
        return f"{self.path}:{self.line}:{self.column}"


def folder_and_name(path: str) -> str:
    """Return the last two parts of `path`, which tell an included file from its includer: `include/tile.inc`."""
    return "/".join(PurePath(path).parts[-2:])


class AssemblyError(InputError):
    """Raised for source that cannot be assembled.

    `str()` is the whole report: position, line, caret, expansion trail, hint.
    """

    def __init__(self, message: str, at: SourceLine | None = None, hint: str = "") -> None:
        self.message, self.at, self.hint = message, at, hint
        super().__init__(self.render())

    def __reduce__(self) -> tuple[type[AssemblyError], tuple[str, SourceLine | None, str]]:
        # From a worker process it must come as it was made: made again of its text it would say `error:` twice.
        return type(self), (self.message, self.at, self.hint)

    def render(self) -> str:
        """Return several lines of text, the first `file:line:column: error: message`."""
        if self.at is None:
            return f"error: {self.message}" + (f"\n  hint: {self.hint}" if self.hint else "")
        at = self.at
        # of a very long line only the part around the column
        start = max(0, at.column - _SHOWN) if len(at.text) > 2 * _SHOWN else 0
        shown = _clipped(at.text[start:].replace("\t", " "))
        lines = [f"{at.where}: error: {self.message}", f"  {shown}", "  " + " " * (at.column - 1 - start) + "^"]
        if at.expanded and "".join(at.expanded.split()) != "".join(at.text.split()):
            lines.append(f"  expanded to: {_clipped(at.expanded.strip())}")
        steps = [f"  {step}" for step in reversed(at.trail)]
        if len(steps) > _STEPS:
            steps[_STEPS // 2 : -_STEPS // 2] = [f"  ... {len(steps) - _STEPS} more ..."]
        lines += steps
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return printable("\n".join(lines))


def printable(text: str) -> str:
    """Return source text for a terminal.

    Bytes that are not UTF-8 are in it as lone surrogates, which terminals do not accept.
    """
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _clipped(text: str) -> str:
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}..."
