"""Handle `.if` and similar directives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neonlab.assemble.source import SourceLine
from neonlab.assemble.text.lines import SyntaxFault

_COMPARISONS: dict[str, Callable[[int], bool]] = {
    ".if": lambda value: value != 0,
    ".ifne": lambda value: value != 0,
    ".ifeq": lambda value: value == 0,
    ".ifge": lambda value: value >= 0,
    ".ifgt": lambda value: value > 0,
    ".ifle": lambda value: value <= 0,
    ".iflt": lambda value: value < 0,
}
_STRINGS = frozenset({".ifc", ".ifnc", ".ifb", ".ifnb", ".ifeqs", ".ifnes"})
_DEFINITIONS = frozenset({".ifdef", ".ifndef", ".ifnotdef"})
_OPENERS = frozenset(_COMPARISONS) | _STRINGS | _DEFINITIONS
CONDITIONALS = _OPENERS | {".else", ".elseif", ".endif"}


@dataclass(slots=True)
class _Group:
    opened: SourceLine
    outer_active: bool
    taken: bool
    has_else: bool = False


class Conditionals:
    """The open groups; `active` says whether statements are assembled."""

    def __init__(self, evaluate: Callable[[str], int], is_defined: Callable[[str], bool]) -> None:
        self._evaluate = evaluate
        self._is_defined = is_defined
        self._groups: list[_Group] = []
        self.active = True

    @property
    def depth(self) -> int:
        """The number of open groups."""
        return len(self._groups)

    @property
    def innermost(self) -> SourceLine:
        """The line where the innermost open group begins."""
        return self._groups[-1].opened

    def cut(self, depth: int) -> None:
        """Drop groups beyond `depth`, as `.exitm` does."""
        while len(self._groups) > depth:
            self.active = self._groups.pop().outer_active

    def apply(self, name: str, operands: str, source: Callable[[], SourceLine]) -> None:
        """Obey one directive of CONDITIONALS, given in lower case."""
        if name in _OPENERS:
            taken = self.active and self._holds(name, operands)
            self._groups.append(_Group(source(), self.active, taken or not self.active))
            self.active = taken
            return
        if not self._groups:
            raise SyntaxFault(f"`{name}` without `.if`", name)
        group = self._groups[-1]
        if name == ".endif":
            self.active = group.outer_active
            self._groups.pop()
            return
        if group.has_else:
            raise SyntaxFault(f"`{name}` after `.else`", name)
        if name == ".else":
            group.has_else = True
            self.active = not group.taken
        else:
            self.active = not group.taken and self._evaluate(operands) != 0
        group.taken = group.taken or self.active

    def _holds(self, name: str, operands: str) -> bool:
        if name in _COMPARISONS:
            return _COMPARISONS[name](self._evaluate(operands))
        if name in _DEFINITIONS:
            return self._is_defined(operands.strip().strip('"')) == (name == ".ifdef")
        if name in {".ifb", ".ifnb"}:
            return (not operands.strip()) == (name == ".ifb")
        left, right = _two_strings(name, operands)
        return (left == right) == (name in {".ifc", ".ifeqs"})


def _two_strings(name: str, operands: str) -> tuple[str, str]:
    if name in {".ifeqs", ".ifnes"}:
        if operands.count('"') < 4:
            raise SyntaxFault(f"`{name}` needs two strings in quotes", operands)
        left, _, right = operands.partition(",")
        return left.strip().strip('"'), right.strip().strip('"')
    left, comma, right = operands.partition(",")
    if not comma:
        raise SyntaxFault(f"`{name}` needs two texts with a comma between", operands)
    return left.strip(), right.strip()
