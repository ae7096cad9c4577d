"""Define symbols while a source is read: labels, numeric labels, and names set to expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neonlab.assemble.source import SourceLine
from neonlab.assemble.text.lines import SyntaxFault

if TYPE_CHECKING:
    from neonlab.assemble.values.sections import Fragment

_LARGEST_LOCAL = (1 << 31) - 1  # as GNU as has it


class Symbol:
    """A name, or a nameless location.  It is undefined until `fragment` or `equated` is set."""

    __slots__ = (
        "busy",
        "equated",
        "fixed",
        "fragment",
        "is_function",
        "is_global",
        "is_weak",
        "name",
        "offset",
        "set_at",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.fragment: Fragment | None = None
        self.offset = 0
        self.equated: Any = None  # an expression tree
        self.fixed = False  # defined by .equiv or .eqv: not to be changed
        self.is_global = self.is_weak = self.is_function = False
        self.busy = False
        self.set_at: SourceLine | None = None

    @property
    def is_defined(self) -> bool:
        """Tell whether it has a location or a value."""
        return self.fragment is not None or self.equated is not None

    @property
    def is_local_name(self) -> bool:
        """Tell whether GNU as keeps it out of the symbol table."""
        return self.name.startswith(".L") or not self.name

    def distance(self, other: Symbol) -> int | None:
        """Return the bytes from `other` to here, None when they are in different sections or undefined."""
        if self is other:
            return 0
        if self.fragment is None or other.fragment is None or self.fragment.section is not other.fragment.section:
            return None
        if self.fragment.subsection is not other.fragment.subsection and not self.fragment.section.is_laid_out:
            return None
        return self.fragment.address + self.offset - other.fragment.address - other.offset

    @property
    def address(self) -> int:
        """The offset in its section."""
        assert self.fragment is not None
        return self.fragment.address + self.offset


class SymbolTable:
    """All names of one source."""

    def __init__(self) -> None:
        self.by_name: dict[str, Symbol] = {}
        self._local_latest: dict[int, Symbol] = {}
        self._local_awaited: dict[int, Symbol] = {}

    def reference(self, name: str) -> Symbol:
        """Return the symbol of that name, which is created if it is new."""
        symbol = self.by_name.get(name)
        if symbol is None:
            symbol = self.by_name[name] = Symbol(name)
        return symbol

    def is_defined(self, name: str) -> bool:
        """Return whether the name has a location or a value by now."""
        symbol = self.by_name.get(name)
        return symbol is not None and symbol.is_defined

    def define_label(self, name: str, fragment: Fragment, offset: int) -> Symbol:
        """Define a label at a location.  Raises SyntaxFault when the name is taken."""
        symbol = self.reference(name)
        if symbol.is_defined:
            raise SyntaxFault(f"the symbol `{name}` is already defined", name)
        symbol.fragment, symbol.offset = fragment, offset
        return symbol

    def define_local(self, digits: str, fragment: Fragment, offset: int) -> Symbol:
        """Define a numeric label `digits:` at a location.  Raises SyntaxFault when the number is too large."""
        number = _local_number(digits)
        symbol = self._local_awaited.pop(number, None) or Symbol("")
        symbol.fragment, symbol.offset = fragment, offset
        self._local_latest[number] = symbol
        return symbol

    def local_reference(self, digits: str, *, forward: bool) -> Symbol:
        """Return the numeric label that `1b` or `1f` means here.

        Raises SyntaxFault when there is none before, or when the number is too large.
        """
        number = _local_number(digits)
        if forward:
            symbol = self._local_awaited.get(number)
            if symbol is None:
                symbol = self._local_awaited[number] = Symbol("")
                symbol.name = f"{number}f"
            return symbol
        latest = self._local_latest.get(number)
        if latest is None:
            raise SyntaxFault(f"there is no label `{number}:` before this", f"{number}b")
        return latest

    def equate(self, name: str, value: Any, *, once: bool) -> Symbol:
        """Handle `.set` and similar directives; `once` refuses a second definition."""
        symbol = self.reference(name)
        if symbol.fragment is not None or (symbol.equated is not None and (once or symbol.fixed)):
            raise SyntaxFault(f"the symbol `{name}` is already defined", name)
        symbol.equated, symbol.fixed = value, once
        return symbol


def _local_number(digits: str) -> int:
    """Return the number of a numeric label: `01:` is `1:`.  Raises SyntaxFault when it is too large."""
    digits = digits.lstrip("0") or "0"
    if len(digits) > len(str(_LARGEST_LOCAL)) or int(digits) > _LARGEST_LOCAL:
        raise SyntaxFault("this number is too large for a label", digits)
    return int(digits)
