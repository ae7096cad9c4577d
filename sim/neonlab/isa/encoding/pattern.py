"""Compile rows of an encoding table, each usable both ways: operands to word and word to operands.

A row is `feature | mnemonic operands | bits`, for example

    dotprod | sdot v<d>.{q:2s,4s}, v<n>.{q:8b,16b}, v<m>.{q:8b,16b} | 0q001110100mmmmm100101nnnnnddddd

Bits are 0, 1, or the letter of a field.  The bits of a field, most significant first, need not be adjacent. Operands
are literal text except for

    <d>         the field d as a decimal number; <HLM> is several fields joined, the most significant first
    <16-f>      the number 16 - f; <f+1> and <f*8> likewise
    <W:d> <X:d> a general register, 31 being wzr or xzr;  <WSP:d> <XSP:d> the same, 31 being wsp or sp
    <s:i>       the field i as a signed number
    <R:d>       an A32 general register, 13 to 15 being sp, lr and pc
    <A:i>       an A32 modified immediate: the value, or `imm8, #rotation` where that is not the smallest rotation
    <F:i>       the 8-bit floating-point constant i
    {q:2s,4s}   the choice that the field q makes; a choice written - does not exist
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

_PART = re.compile(r"<([^>]+)>|\{(\w+):([^}]*)\}")
_KIND = re.compile(
    r"(?:(?P<kind>W|X|WSP|XSP|R|A|F|s):)?(?:(?P<minuend>\d+)-)?(?P<fields>[A-Za-z]+)(?:(?P<sign>[+*])(?P<constant>\d+))?"
)
_CAPTURES = {"F": r"-?\d+\.\d+", "s": r"-?\d+", "": r"\d+", "W": r"w\d+|wzr", "X": r"x\d+|xzr", "WSP": r"w\d+|wsp"}
_CAPTURES |= {"XSP": r"x\d+|sp", "R": r"r\d+|sp|lr|pc", "A": r"\d+(?:, #\d+)?"}
_R_NAMES = {"sp": 13, "lr": 14, "pc": 15}


@dataclass(frozen=True, slots=True)
class _Value:
    """The variable part of an operand that holds a number."""

    kind: str
    fields: str
    minuend: int | None
    addend: int
    factor: int

    def shown(self, raw: int, width: int) -> str | None:
        """Return the text for the raw field value; None where it has none."""
        if self.kind in ("W", "X", "WSP", "XSP"):
            if raw == 31:
                return {"W": "wzr", "X": "xzr", "WSP": "wsp", "XSP": "sp"}[self.kind]
            return f"{self.kind[0].lower()}{raw}"
        if self.kind == "R":
            return {13: "sp", 14: "lr", 15: "pc"}.get(raw, f"r{raw}")
        if self.kind == "A":
            return _shown_modified_immediate(raw)
        if self.kind == "F":
            return repr(expand_float8(raw))
        if self.kind == "s" and raw >> (width - 1):
            raw -= 1 << width
        number = self.minuend - raw if self.minuend is not None else raw * self.factor + self.addend
        return None if number < 0 and self.minuend is not None else str(number)

    def read(self, text: str, width: int) -> int | None:
        """Return the raw field value for the text, None when it has none."""
        raw: int | None
        if self.kind in ("W", "X", "WSP", "XSP"):
            raw = 31 if text in ("wzr", "xzr", "wsp", "sp") else int(text[1:])
            return raw if raw < 31 or not text[1:].isdecimal() else None
        if self.kind == "R":
            raw = _R_NAMES.get(text, int(text[1:]) if text[1:].isdecimal() else None)
        elif self.kind == "A":
            raw = _read_modified_immediate(text)
        elif self.kind == "F":
            raw = _float8_codes().get(float(text))
        else:
            number = int(text)
            if self.minuend is not None:
                raw = self.minuend - number
            else:
                raw, remainder = divmod(number - self.addend, self.factor)
                if remainder:
                    return None
            if self.kind == "s" and -(1 << (width - 1)) <= raw < 0:
                raw += 1 << width
            elif self.kind == "s" and raw >= 1 << (width - 1):
                return None
        return raw if raw is not None and 0 <= raw < 1 << width else None


@dataclass(frozen=True, slots=True)
class _Choice:
    """The variable part of an operand that is one of several words."""

    fields: str
    words: tuple[str, ...]


class Row:
    """One line of a table, compiled at its first use."""

    def __init__(self, line: str) -> None:
        feature, syntax, bits = (column.strip() for column in line.split("|"))
        self.feature = feature
        self.syntax = syntax
        self.mnemonic_template, _, self.operands_template = syntax.partition(" ")
        bits = bits.replace(" ", "")
        if len(bits) != 32:
            raise ValueError(f"{len(bits)} bits in {line!r}")
        self.mask = sum(1 << (31 - i) for i, bit in enumerate(bits) if bit in "01")
        self.value = sum(1 << (31 - i) for i, bit in enumerate(bits) if bit == "1")
        self._bits: dict[str, list[int]] = {}
        for i, bit in enumerate(bits):
            if bit not in "01":
                self._bits.setdefault(bit, []).append(31 - i)

    @functools.cached_property
    def mnemonics(self) -> tuple[str, ...]:
        """Every mnemonic that the row can have."""
        names = [""]
        for part in self._parts(self.mnemonic_template):
            words = (
                [part]
                if isinstance(part, str)
                else [w for w in part.words if w != "-"]
                if isinstance(part, _Choice)
                else []
            )
            names = [name + word for name in names for word in words]
        return tuple(names)

    def encode(self, mnemonic: str, operands: str) -> int | None:
        """Return the word, or None when the operands are not this row's."""
        pattern, parts = self._matcher
        found = pattern.fullmatch(f"{mnemonic} {operands}".rstrip())
        if found is None:
            return None
        fields: dict[str, int] = {}
        for part, text in zip(parts, found.groups(), strict=True):
            raw = part.words.index(text) if isinstance(part, _Choice) else part.read(text, self._width(part.fields))
            if raw is None:
                return None
            for name in reversed(part.fields):
                width = len(self._bits[name])
                value = raw & ((1 << width) - 1)
                raw >>= width
                if fields.setdefault(name, value) != value:
                    return None
        word = self.value
        for name, value in fields.items():
            positions = self._bits[name]
            for i, position in enumerate(positions):
                word |= (value >> (len(positions) - 1 - i) & 1) << position
        return word

    def decode(self, word: int) -> tuple[str, str] | None:
        """Return mnemonic and operands of `word`, or None when it is not this row's."""
        if word & self.mask != self.value:
            return None
        texts = []
        for template in (self.mnemonic_template, self.operands_template):
            text = ""
            for part in self._parts(template):
                if isinstance(part, str):
                    text += part
                    continue
                raw = self._field(word, part.fields)
                if isinstance(part, _Choice):
                    if raw >= len(part.words) or part.words[raw] == "-":
                        return None
                    text += part.words[raw]
                    continue
                shown = part.shown(raw, self._width(part.fields))
                if shown is None:
                    return None
                text += shown
            texts.append(text)
        return texts[0], texts[1]

    def _width(self, fields: str) -> int:
        return sum(len(self._bits[name]) for name in fields)

    def _field(self, word: int, fields: str) -> int:
        raw = 0
        for name in fields:
            for position in self._bits[name]:
                raw = raw << 1 | word >> position & 1
        return raw

    @functools.cached_property
    def _matcher(self) -> tuple[re.Pattern[str], list[_Value | _Choice]]:
        pattern, variable = "", []
        for part in self._parts(f"{self.mnemonic_template} {self.operands_template}".rstrip()):
            if isinstance(part, str):
                pattern += re.escape(part)
                continue
            variable.append(part)
            if isinstance(part, _Choice):
                pattern += f"({'|'.join(re.escape(word) for word in part.words if word != '-')})"
            else:
                pattern += f"({_CAPTURES[part.kind]})"
        return re.compile(pattern), variable

    @staticmethod
    def _parts(template: str) -> Iterable[str | _Value | _Choice]:
        position = 0
        for found in _PART.finditer(template):
            if found.start() > position:
                yield template[position : found.start()]
            position = found.end()
            if found[1] is None:
                yield _Choice(found[2], tuple(found[3].split(",")))
                continue
            value = _KIND.fullmatch(found[1])
            if value is None:
                raise ValueError(f"cannot read <{found[1]}>")
            constant = int(value["constant"] or 0)
            yield _Value(
                value["kind"] or "",
                value["fields"],
                int(value["minuend"]) if value["minuend"] else None,
                constant if value["sign"] == "+" else 0,
                constant if value["sign"] == "*" else 1,
            )
        if position < len(template):
            yield template[position:]


class Table:
    """Rows by mnemonic and by bits; the first that matches wins."""

    def __init__(self, *texts: str) -> None:
        self.rows = [Row(line) for text in texts for line in text.strip().splitlines() if "|" in line]
        self._by_mnemonic: dict[str, list[Row]] = {}
        self._by_mask: dict[int, dict[int, list[Row]]] = {}
        for row in self.rows:
            for mnemonic in row.mnemonics:
                self._by_mnemonic.setdefault(mnemonic, []).append(row)
        # The narrowest class first: a displacement of 0 has rows without one.
        for row in sorted(self.rows, key=lambda row: -row.mask.bit_count()):
            self._by_mask.setdefault(row.mask, {}).setdefault(row.value, []).append(row)

    @property
    def mnemonics(self) -> Iterable[str]:
        """Every mnemonic that some row has."""
        return self._by_mnemonic.keys()

    def encode(self, mnemonic: str, operands: str) -> int | None:
        """Return the word of the first row that takes these operands; None where none does."""
        for row in self._by_mnemonic.get(mnemonic, ()):
            word = row.encode(mnemonic, operands)
            if word is not None:
                return word
        return None

    def find(self, word: int) -> tuple[Row, tuple[str, str]] | None:
        """Return the row of `word`, with mnemonic and operands; None for a word of no row."""
        for mask, rows in self._by_mask.items():
            for row in rows.get(word & mask, ()):
                decoded = row.decode(word)
                if decoded is not None:
                    return row, decoded
        return None


def modified_immediate(value: int) -> int | None:
    """Return rotation:imm8 (12 bits) with the smallest rotation that gives the 32-bit `value`; None without one."""
    value &= 0xFFFFFFFF
    for rotation in range(16):
        turned = (value << 2 * rotation | value >> 32 - 2 * rotation) & 0xFFFFFFFF
        if turned < 256:
            return rotation << 8 | turned
    return None


def _shown_modified_immediate(raw: int) -> str:
    constant, rotation = raw & 0xFF, raw >> 8 << 1
    value = (constant >> rotation | constant << 32 - rotation) & 0xFFFFFFFF
    return str(value) if modified_immediate(value) == raw else f"{constant}, #{rotation}"


def _read_modified_immediate(text: str) -> int | None:
    constant, _, rotation = text.partition(", #")
    return modified_immediate(int(constant)) if not rotation else int(rotation) >> 1 << 8 | int(constant)


def expand_float8(imm8: int) -> float:
    """Return VFPExpandImm: sign, 3-bit exponent, 4-bit fraction; the value is the same for every width."""
    exponent = (imm8 >> 4 & 7 ^ 4) - 3
    return (-1.0 if imm8 >> 7 else 1.0) * (16 + (imm8 & 15)) / 16 * 2.0**exponent


@functools.cache
def _float8_codes() -> dict[float, int]:
    return {expand_float8(imm8): imm8 for imm8 in range(256)}
