"""Rewrite instructions that can be spelled in many ways to one spelling, without interpreting them.

`spell` takes the text of an instruction, as a person, GNU objdump or Capstone writes it, to a mnemonic and operands in
one spelling: lower case, immediates as `#` and a decimal number, register synonyms resolved, register lists written out
(`{d0-d3}`, `{q0, q1}`, `{v0.16b-v3.16b}`), lanes as `v2.4b[1]`, addresses as `[x0, x1, lsl #3]`, `[r0:64]!`.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from neonlab.isa.model.isa import Isa

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)(?!\w)"
    r"|(?P<name>[A-Za-z_][\w.]*)|(?P<sign>[-+#{}\[\],!:^]))"
)
_MNEMONIC = re.compile(r"\s*([A-Za-z][\w.]*)(?=\s|$|\{)")
_REGISTER_NUMBER = re.compile(r"([a-z]+)(\d+)(.*)")
_LIST_LIMIT = 32

_SYNONYMS = {
    Isa.A64: {"lr": "x30", "fp": "x29", "ip0": "x16", "ip1": "x17"},
    Isa.A32: {
        **dict(
            zip(
                ("sb", "sl", "fp", "ip", "r13", "r14", "r15"),
                ("r9", "r10", "r11", "r12", "sp", "lr", "pc"),
                strict=True,
            )
        ),
        **{f"a{i}": f"r{i - 1}" for i in range(1, 5)},
        **{f"v{i}": f"r{i + 3}" for i in range(1, 9)},
        **{f"cr{i}": f"c{i}" for i in range(16)},
    },
}
# Vector arrangements that GNU as takes with or without the number of lanes when one lane is picked.
_LANES = {"16b": "b", "8b": "b", "8h": "h", "4h": "h", "4s": "s", "2s": "s", "2d": "d", "1d": "d"}


def words(text: str) -> frozenset[str]:
    """Return the words of a list written as one text."""
    return frozenset(text.split())


def pairs(text: str) -> dict[str, str]:
    """Return a dictionary written as one text: `key=value key=value`."""
    return dict(item.split("=") for item in text.split())


class SpellingError(ValueError):
    """Raised for text that is not an instruction's; the message says what cannot be read."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A mnemonic and its operands in the one spelling."""

    mnemonic: str
    operands: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.mnemonic} {', '.join(self.operands)}".rstrip()


@functools.lru_cache(maxsize=1 << 15)
def spell(isa: Isa, text: str) -> Spelled:
    """Return the one spelling of `text`.  Raises SpellingError when it cannot be read."""
    found = _MNEMONIC.match(text)
    if found is None:
        raise SpellingError("this is not an instruction")
    return Spelled(found[1].lower(), tuple(_OperandReader(isa, text, found.end()).operands()))


class _OperandReader:
    """Parses the operands by recursive descent."""

    def __init__(self, isa: Isa, text: str, position: int) -> None:
        self._isa = isa
        self._tokens: list[tuple[str, str]] = []
        text = text.lower()
        for found in _TOKEN.finditer(text, position):
            if found.start() != position:
                break
            kind = found.lastgroup or ""
            self._tokens.append((kind, found[kind]))
            position = found.end()
        if text[position:].strip():
            raise SpellingError(f"`{text[position:].strip()[:20]}` cannot be read")
        self._next = 0

    def operands(self) -> list[str]:
        """Return all operands to the end of the text."""
        result: list[str] = []
        if not self._tokens:
            return result
        while True:
            result.append(self._operand())
            if self._next == len(self._tokens):
                return result
            self._expect(",")

    def _peek(self) -> str:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else ""

    def _take(self) -> tuple[str, str]:
        if self._next == len(self._tokens):
            raise SpellingError("an operand is missing")
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _accept(self, sign: str) -> bool:
        if self._peek() == sign:
            self._next += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            raise SpellingError(f"`{sign}` expected" + (f" before `{self._peek()}`" if self._peek() else " at the end"))

    def _operand(self) -> str:
        sign = self._peek()
        if sign == "{":
            operand = self._list()
        elif sign == "[":
            operand = self._address()
        elif sign in ("#", "-", "+") or self._tokens[self._next : self._next + 1] == []:
            operand = self._signed()
        else:
            kind, name = self._take()
            if kind == "number":
                self._next -= 1
                return f"#{self._number()}"
            if kind != "name":
                raise SpellingError(f"`{name}` is no operand")
            operand = self._register(name)
            following = self._tokens[self._next][0] if self._next < len(self._tokens) else ""
            if following in ("number", "name") or self._peek() in ("#", "-", "+"):
                operand += f" {self._signed()}"
        if self._accept("!"):
            operand += "!"
        if self._accept("^"):
            operand += "^"
        return operand

    def _signed(self) -> str:
        """Parse a number or register with a sign: `#-8`, `-8`, `-r3`, `8`, `r3`."""
        self._accept("#")
        minus = False
        while self._peek() in ("-", "+"):
            minus ^= self._take()[1] == "-"
        if self._tokens[self._next : self._next + 1] and self._tokens[self._next][0] == "name":
            return ("-" if minus else "") + self._register(self._take()[1])
        return f"#{'-' if minus else ''}{self._number()}"

    def _number(self) -> str:
        kind, text = self._take()
        if kind != "number":
            raise SpellingError(f"a number is expected before `{text}`")
        if text.startswith(("0x", "0b")):
            value = int(text, 0)
        elif text.isdecimal():
            # A leading zero means octal, in GNU as and in Keystone.
            try:
                value = int(text, 8 if text.startswith("0") else 10)
            except ValueError:
                raise SpellingError(f"`{text}` is no octal number") from None
        else:
            return repr(float(text))
        if value >= 1 << 64:
            raise SpellingError(f"`{text}` does not fit 64 bits")
        return str(value)

    def _register(self, name: str) -> str:
        """Return a register or keyword, with the lane that may follow it."""
        name = _SYNONYMS[self._isa].get(name, name)
        if not self._accept("["):
            return name
        if self._accept("]"):
            return f"{name}[]"
        self._accept("#")
        lane = self._number()
        self._expect("]")
        base, _, arrangement = name.partition(".")
        if self._isa is Isa.A64:
            return f"{base}.{_LANES.get(arrangement, arrangement)}[{lane}]"
        return f"{name}[{lane}]"

    def _list(self) -> str:
        self._expect("{")
        registers: list[str] = []
        while True:
            kind, name = self._take()
            if kind == "number":  # the option of a coprocessor transfer
                self._next -= 1
                registers.append(self._number())
            elif kind != "name":
                raise SpellingError(f"`{name}` is no register")
            else:
                registers += self._registers(name)
            if len(registers) > _LIST_LIMIT:
                raise SpellingError("the list has too many registers")
            if not self._accept(","):
                break
        self._expect("}")
        text = "{" + ", ".join(registers) + "}"
        if self._isa is Isa.A64 and self._accept("["):
            self._accept("#")
            lane = self._number()
            self._expect("]")
            return f"{text}[{lane}]"
        return text

    def _registers(self, name: str) -> list[str]:
        """Return one member of a list, written out: `d0`, `d0-d3`, `q1` (two d registers), `v0.8b-v3.8b`, `d0[1]`."""
        first = self._register(name)
        last = first
        if self._accept("-"):
            kind, name = self._take()
            if kind != "name":
                raise SpellingError(f"`{name}` is no register")
            last = self._register(name)
            if "[" in first + last:
                # GNU as 2.40 silently takes whole registers here: `vld1.8 {d0[]-d1[]}` becomes `vld1.8 {d0-d1}`.
                raise SpellingError("a range of lanes is read as whole registers by GNU as; list the lanes one by one")
        named = {"sp": "r13", "lr": "r14", "pc": "r15"} if self._isa is Isa.A32 else {}
        low = _REGISTER_NUMBER.fullmatch(named.get(first, first))
        high = _REGISTER_NUMBER.fullmatch(named.get(last, last))
        if low is None or high is None or (low[1], low[3]) != (high[1], high[3]):
            raise SpellingError(f"`{first}-{last}` is no range of registers" if first != last else f"`{first}`?")
        start, end = int(low[2]), int(high[2])
        if self._isa is Isa.A64 and end < start:
            end += 32  # {v31.8b-v1.8b} wraps around
        if not start <= end <= start + _LIST_LIMIT:
            raise SpellingError(f"`{first}-{last}` is no range of registers")
        if self._isa is Isa.A32 and low[1] == "q" and not low[3]:
            return [f"d{i}" for i in range(2 * start, 2 * end + 2)]
        if self._isa is Isa.A64:
            return [f"{low[1]}{i % 32}{low[3]}" for i in range(start, end + 1)]
        special = {f"r{13 + i}": name for i, name in enumerate(("sp", "lr", "pc"))} if low[1] == "r" else {}
        return [special.get(f"{low[1]}{i}", f"{low[1]}{i}") + low[3] for i in range(start, end + 1)]

    def _address(self) -> str:
        self._expect("[")
        kind, name = self._take()
        if kind != "name":
            raise SpellingError(f"`{name}` is no base register")
        text = self._register(name)
        while not self._accept("]"):
            if self._next == len(self._tokens):
                raise SpellingError("`]` is missing")
            self._accept(",")
            if self._accept(":"):
                text += f":{self._number()}"
            else:
                text += f", {self._operand()}"
        return f"[{text}]"
