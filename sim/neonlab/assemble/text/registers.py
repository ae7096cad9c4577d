"""Register names of both instruction sets, and the names that `.req`, `.dn` and `.qn` add."""

from __future__ import annotations

import re
from dataclasses import dataclass

from neonlab.assemble.text.lines import SyntaxFault
from neonlab.isa.model.isa import Isa

_A64 = re.compile(
    r"[xw](?:[12]?[0-9]|30)|[xw]zr|w?sp|[bhsdqv](?:[12]?[0-9]|3[01])|z(?:[12]?[0-9]|3[01])|pn?(?:[0-9]|1[0-5])"
)
_A32 = re.compile(
    r"r(?:[0-9]|1[0-5])|sp|lr|pc|ip|s(?:[12]?[0-9]|3[01])|d(?:[12]?[0-9]|3[01])|q(?:[0-9]|1[0-5])|[pc](?:[0-9]|1[0-5])|cr(?:[0-9]|1[0-5])"
    r"|(?:c|s|a)psr(?:_\w+)?|[ci]?psr|fpscr|fpexc|fpsid|fpinst2?|mvfr[0-2]"
)
# The procedure-call names of general registers.
_ALIASES = {
    Isa.A64: {"fp": "x29", "lr": "x30", "ip0": "x16", "ip1": "x17"},
    Isa.A32: {
        **{f"a{i}": f"r{i - 1}" for i in range(1, 5)},
        **{f"v{i}": f"r{i + 3}" for i in range(1, 9)},
        "sb": "r9", "sl": "r10", "fp": "r11", "wr": "r7",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Alias:
    """The meaning of a register name; only `.dn` and `.qn` give `element` (`s16`) and `index`."""

    register: str
    element: str = ""
    index: str = ""


class RegisterNames:
    """Looks up register names, built-in or defined in the source."""

    def __init__(self, isa: Isa) -> None:
        self._pattern = _A64 if isa is Isa.A64 else _A32
        self._built_in_aliases = _ALIASES[isa]
        self.aliases: dict[str, Alias] = {}
        self.has_elements = False  # True once a name carries a type
        self._known: dict[str, str | None] = {}

    def find(self, name: str) -> str | None:
        """Return the register that `name` means, as it is to be written; None when it is no register."""
        alias = self.aliases.get(name)
        if alias is not None:
            return alias.register + alias.index
        if name not in self._known:
            lower = name.lower()
            found = lower if self._pattern.fullmatch(lower) else self._built_in_aliases.get(lower)
            self._known[name] = found
        return self._known[name]

    def define(self, name: str, register: str, element: str = "", index: str = "") -> str | None:
        """Handle `.req` and similar directives.

        Returns a warning where GNU as would warn and keep the old meaning, else None.
        """
        if name not in self.aliases and self.find(name) is not None:
            return f"`{name}` is a register and keeps this meaning"
        target = self.aliases.get(register)
        if target is not None:
            alias = Alias(target.register, element or target.element, index or target.index)
        else:
            found = self.find(register)
            if found is None:
                raise SyntaxFault(f"`{register}` is not a register", register)
            alias = Alias(found, element, index)
        old = self.aliases.get(name)
        if old is not None:
            return None if old == alias else f"`{name}` already stands for {old.register}, and keeps doing so"
        # as also knows the name all in capitals and all in small letters.
        for spelling in (name, name.upper(), name.lower()):
            self.aliases.setdefault(spelling, alias)
        self.has_elements = self.has_elements or bool(alias.element)
        return None

    def undefine(self, name: str) -> bool:
        """Handle `.unreq`; return whether there was such a name."""
        found = self.aliases.pop(name, None) is not None
        for spelling in (name.upper(), name.lower()):
            self.aliases.pop(spelling, None)
        return found
