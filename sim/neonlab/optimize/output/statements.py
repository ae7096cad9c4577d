"""Write the instructions of a changed loop as a person would: names of registers, decimal numbers, aligned operands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neonlab.isa.model.isa import Isa
from neonlab.optimize.loop.code import Step

_GENERAL = {Isa.A64: re.compile(r"\b([xw]\d+)\b"), Isa.A32: re.compile(r"\b(r\d+|sb|sl|fp|ip|lr)\b")}
_NAMED_A32 = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12", "lr": "r14"}
_HEXADECIMAL = re.compile(r"#(-?)0x([0-9a-f]+)")
_ZEROS = re.compile(r"#0+(?![x\w.])")
_INVERSE = {
    "eq": "ne", "hs": "lo", "cs": "cc", "mi": "pl", "vs": "vc", "hi": "ls", "ge": "lt", "gt": "le",
    "ne": "eq", "lo": "hs", "cc": "cs", "pl": "mi", "vc": "vs", "ls": "hi", "lt": "ge", "le": "gt",
}  # fmt: skip
_TESTS = {"cbz": "cbnz", "cbnz": "cbz", "tbz": "tbnz", "tbnz": "tbz"}
_MARGIN = 4


@dataclass(frozen=True, slots=True)
class Style:
    """How a file writes: the columns of operands, of comments, and the names that it gives to registers."""

    isa: Isa
    operands: int
    comments: int
    names: Mapping[str, str]

    def line(self, step: Step) -> str:
        """Return an instruction as a line."""
        text = _spaced(step.written) if step.written else self._named(step.text)
        mnemonic, _, operands = text.partition(" ")
        line = f"{' ' * _MARGIN}{mnemonic:<{self.operands - 1}} {operands}".rstrip()
        return f"{line:<{self.comments}}// {step.comment}" if step.comment else line

    def branch(self, text: str) -> str:
        """Return a branch, given as its text, as a line."""
        mnemonic, _, operands = text.partition(" ")
        return f"{' ' * _MARGIN}{mnemonic:<{self.operands - 1}} {operands.strip()}"

    def _named(self, text: str) -> str:
        """Return disassembly with the names that the file gives to registers."""
        mnemonic, _, operands = text.partition(" ")
        operands = _GENERAL[self.isa].sub(self._name, operands)
        operands = _ZEROS.sub("#0", operands)
        operands = _HEXADECIMAL.sub(lambda one: f"#{one[1]}{int(one[2], 16)}", operands)
        return f"{mnemonic} {operands}"

    def _name(self, one: re.Match[str]) -> str:
        return self.names.get(_NAMED_A32.get(one[1], one[1]), one[1])


def style_of(isa: Isa, lines: Sequence[str], registers: Mapping[str, str], body: Iterable[Step]) -> Style:
    """Return the style of a file's lines; `registers` are what names stand for at the loop.

    Of several names of a register, that counts which the loop uses.
    """
    used = {word for step in body for word in re.findall(r"[\w.$]+", step.written)}
    names: dict[str, str] = {}
    for name, register in registers.items():
        register = _NAMED_A32.get(register, register) if isa is Isa.A32 else register
        if register not in names or name in used:
            names[register] = name
    instruction = re.compile(rf" {{4}}({'v' if isa is Isa.A32 else '[a-z]'}[\w.]* +)(?=[\[{{\w\\#])")
    widths = [len(match[1]) for line in lines if (match := instruction.match(line)) is not None]
    comments = [line.index("//") for line in lines if re.match(r" {4}[a-z][^/]*//", line)]
    return Style(isa, _most(widths, 8), _most(comments, 52), names)


def inverse_branch(text: str, isa: Isa) -> str:
    """Return the text of a branch with the opposite condition: `b.hs LABEL` becomes `b.lo LABEL`."""
    mnemonic, _, rest = text.partition(" ")
    lower = mnemonic.lower()
    if lower in _TESTS:
        return f"{_TESTS[lower]} {rest}"
    prefix = "b." if isa is Isa.A64 and lower.startswith("b.") else "b"
    return f"{prefix}{_INVERSE[lower[len(prefix) :]]} {rest}"


def branch_on(text: str, isa: Isa, condition: str) -> str:
    """Return the text of a conditional branch with another condition: `b.ne LABEL` on "hi" becomes `b.hi LABEL`."""
    mnemonic, _, rest = text.partition(" ")
    prefix = "b." if isa is Isa.A64 and mnemonic.lower().startswith("b.") else "b"
    return f"{prefix}{condition} {rest}"


def _spaced(text: str) -> str:
    return re.sub(r"\s*,\s*", ", ", " ".join(text.split()))


def _most(values: Sequence[int], otherwise: int) -> int:
    """Return the most frequent value, the smallest of several."""
    return min(set(values), key=lambda one: (-values.count(one), one)) if values else otherwise
