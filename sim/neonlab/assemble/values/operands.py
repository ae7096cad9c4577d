"""Translate one instruction for the encoder: registers by their own names, expressions as numbers.

An expression that has no number yet, or needs a relocation, becomes a slot that is filled after layout.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from neonlab.assemble.text.lexer import NAME
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.text.mnemonics import Mnemonic, Place, mnemonic, unified_spelling
from neonlab.assemble.text.registers import RegisterNames
from neonlab.assemble.text.scalable import refuse_scalable
from neonlab.assemble.values.expressions import ExpressionParser, Node, Value, evaluate
from neonlab.isa.model.isa import Isa

_PIECE = re.compile(r"[,\[\]{}]|[^,\[\]{}]+")
_NAME = re.compile(NAME)
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_PLAIN_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|[1-9][0-9]{0,17}|0)")
_OPERATOR = re.compile(r":([a-z][a-z0-9_]*):")
_SHIFTS = frozenset(
    """
    lsl lsr asr ror msl mul uxtb uxth uxtw uxtx sxtb sxth sxtw sxtx
    """.split()  # noqa: SIM905 - a table to be read
)
_KEYWORDS = frozenset(
    """
    eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le al nv rrx vl pow2 all sy st ld ish ishst ishld nsh nshst
    nshld osh oshst oshld c j jc csync
    """.split()  # noqa: SIM905 - a table to be read
)
_PREFETCH = re.compile(r"p(?:ld|li|st)l[123](?:keep|strm)")


@dataclass(frozen=True, slots=True)
class Slot:
    """An expression that is inserted after layout.

    `place` says in what form (an immediate when NONE).  `operator` is `lo12` for `:lo12:expr`.  `is_pool` marks the
    address of an entry in a literal pool.
    """

    node: Node
    place: Place
    operator: str = ""
    token: str = ""
    register: str = ""  # the first operand, which decides how many bytes `:lo12:` of a load addresses
    is_pool: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """The `=expr` of a load, which needs an entry of `size` bytes in the literal pool."""

    node: Node
    size: int
    token: str


@dataclass(frozen=True, slots=True)
class ParsedInstruction:
    """A parsed instruction: `parts` are texts and slots in turn, one text alone when there is nothing to fill in."""

    mnemonic: Mnemonic
    parts: tuple[str | Slot, ...]
    literal: Literal | None = None


class InstructionParser:
    """Parses instructions of one instruction set."""

    def __init__(self, isa: Isa, registers: RegisterNames, expressions: ExpressionParser) -> None:
        self._isa = isa
        self._registers = registers
        self._expressions = expressions
        self._remembered: dict[tuple[str, str], ParsedInstruction] = {}
        self._timeless = True  # nothing seen that a later definition could change
        self._register = ""
        self.is_unified = False  # `.syntax unified` was seen

    def forget(self) -> None:
        """Forget parsed instructions; needed when a register name is defined or dropped."""
        self._remembered.clear()

    def parse(self, name: str, operands: str) -> ParsedInstruction:
        """Return the parsed instruction `name` with `operands`.

        Raises SyntaxFault where the front end already finds an error.
        """
        key = (name, operands)
        known = self._remembered.get(key)
        if known is not None:
            return known
        self._timeless = True
        if self._isa is Isa.A64:
            refuse_scalable(name, operands, self._registers)
        if self._isa is Isa.A32 and not self.is_unified:
            name = unified_spelling(name)
        known_mnemonic = mnemonic(self._isa, name + self._element_suffix(name, operands))
        self._register = self._registers.find(operands.split(",", 1)[0].strip()) or ""
        parts: list[str | Slot] = [known_mnemonic.text + " "] if operands else [known_mnemonic.text]
        literal = self._operands(known_mnemonic, operands, parts)
        merged = _merge(parts)
        result = ParsedInstruction(known_mnemonic, merged, literal)
        if self._timeless and len(merged) == 1 and literal is None:
            self._remembered[key] = result
        return result

    def _element_suffix(self, name: str, operands: str) -> str:
        """Return the type that names made by `.dn` and `.qn` give to a NEON mnemonic without one."""
        if not self._registers.has_elements or name[0] not in "vV" or "." in name:
            return ""
        aliases = [self._registers.aliases.get(word) for word in _NAME.findall(operands)]
        elements = [alias.element for alias in aliases if alias is not None and alias.element]
        # a conversion has two types; other mnemonics carry the type of the sources, which come last
        return "".join(f".{element}" for element in (elements if name.lower().startswith("vcvt") else elements[-1:]))

    def _operands(self, known: Mnemonic, operands: str, parts: list[str | Slot]) -> Literal | None:
        brackets: list[str] = []
        in_index = False
        operand = 0
        for piece in _PIECE.findall(operands):
            if piece == ",":
                operand += not brackets
                parts.append(", ")
            elif piece in "[{":
                # `v0.s[1]` and `{v0.b}[1]` have an index, `[x0, 8]` an address
                in_index = piece == "[" and not brackets and parts[-1] not in {", ", known.text + " "}
                in_index = in_index or (piece == "[" and bool(brackets) and brackets[-1] == "{")
                brackets.append(piece)
                parts.append(piece)
            elif piece in "]}":
                if not brackets or brackets.pop() != ("[" if piece == "]" else "{"):
                    raise SyntaxFault(f"`{piece}` closes nothing", piece)
                parts.append(piece)
            else:
                text = piece.strip()
                if not text:
                    continue
                if known.place is not Place.NONE and operand >= known.operand and not brackets:
                    literal = self._place(known, operand, text, operands, parts)
                    if literal is not None:
                        return literal
                else:
                    self._piece(text, parts, is_system=known.is_system, in_index=in_index)
        if brackets:
            raise SyntaxFault(f"`{brackets[-1]}` is not closed", brackets[-1])
        return None

    def _place(
        self, known: Mnemonic, operand: int, text: str, operands: str, parts: list[str | Slot]
    ) -> Literal | None:
        """Parse an operand that is an address in the program, unless it is a register."""
        if text.startswith("="):
            return self._literal(known, operand, text[1:].strip(), operands, parts)
        match = _NAME.match(text)
        register = self._registers.find(match.group()) if match else None
        is_register = register is not None and match is not None and match.end() == len(text)
        if (is_register and not (known.place is Place.BRANCH and self._isa is Isa.A64)) or operand > known.operand:
            self._piece(text, parts, is_system=False, in_index=False)
            return None
        if known.place is Place.LOAD and "[" in operands:
            self._piece(text, parts, is_system=False, in_index=False)
            return None
        self._timeless = False
        text = text.removeprefix("#")
        if text.lower().endswith("(plt)"):
            text = text[:-5]  # calls relocate to the PLT in any case
        operator = _OPERATOR.match(text)
        node = self._expressions.parse_all(text[operator.end() :] if operator else text)
        parts.append(Slot(node, known.place, operator.group(1) if operator else "", text, self._register))
        return None

    def _literal(
        self, known: Mnemonic, operand: int, text: str, operands: str, parts: list[str | Slot]
    ) -> Literal | None:
        if known.place is not Place.LOAD or operand == 0:
            raise SyntaxFault("`=` is for loads only", f"={text}")
        self._timeless = False
        register = operands.split(",", 1)[0].strip()
        target = self._registers.find(register) or register.lower()
        size = 4
        if self._isa is Isa.A64:
            size = 4 if known.text == "ldrsw" else {"w": 4, "s": 4, "q": 16}.get(target[:1], 8)
        elif known.text.startswith("v") and target[:1] == "d":
            size = 8
        if known.text == "prfm":
            raise SyntaxFault("`=` is for loads only", f"={text}")
        node = self._expressions.parse_all(text.removeprefix("#"))
        return Literal(node, size, text)

    def _piece(self, text: str, parts: list[str | Slot], *, is_system: bool, in_index: bool) -> None:
        first = text[0]
        if first == "#":
            self._immediate(text[1:].strip(), parts, "#")
        elif first == ":":
            self._colon(text, parts)
        elif first in "-+" and len(text) > 1 and (rest := self._register_text(text[1:])) is not None:
            parts.append(first + rest)
        elif (register := self._register_text(text)) is not None:
            parts.append(register)
        elif first in "!^" and len(text) <= 2:
            parts.append(text)
        elif not self._keyword(text, parts, is_system=is_system):
            prefix = "" if in_index or is_system else "#"
            self._immediate(text, parts, prefix)

    def _register_text(self, text: str) -> str | None:
        """Return `text` with registers by their own names if it begins with one: `x0`, `sp!`, `d0-d3`, `r0:128`."""
        match = _NAME.match(text)
        if match is None:
            return None
        name, dot, suffix = match.group().partition(".")
        register = self._registers.find(name)
        if register is None:
            return None
        rest = text[match.end() :]
        if rest.startswith("-"):
            last = self._register_text(rest[1:].strip())
            if last is None:
                return None
            rest = f"-{last}"
        elif rest.startswith(":"):
            self._timeless = False
            alignment = evaluate(self._expressions.parse_all(rest[1:].removesuffix("!")))
            if not alignment.is_absolute:
                return None
            rest = f":{alignment.number}" + ("!" if rest.endswith("!") else "")
        elif rest not in {"", "!", "^"}:
            return None
        return register + dot + suffix.lower() + rest

    def _keyword(self, text: str, parts: list[str | Slot], *, is_system: bool) -> bool:
        match = _NAME.match(text)
        if match is None:
            return False
        name = match.group().lower()
        rest = text[match.end() :].strip()
        if name == "asl" and self._isa is Isa.A32:
            name = "lsl"
        if name in _SHIFTS:
            if not rest:
                parts.append(name)
                return True
            register = self._register_text(rest)
            if register is not None:
                parts.append(f"{name} {register}")
                return True
            if name == "mul" and rest.lower() == "vl":
                parts.append("mul vl")
                return True
            parts.append(f"{name} ")
            self._immediate(rest.removeprefix("#").strip(), parts, "#")
            return True
        if (name in _KEYWORDS or _PREFETCH.fullmatch(name)) and not rest:
            parts.append(name)
            return True
        if is_system:
            parts.append(text)
            return True
        return False

    def _colon(self, text: str, parts: list[str | Slot]) -> None:
        self._timeless = False
        operator = _OPERATOR.match(text)
        if operator is None:
            # `[r0, :128]` is `[r0:128]`
            if parts and parts[-1] == ", ":
                parts.pop()
            alignment = evaluate(self._expressions.parse_all(text[1:]))
            if not alignment.is_absolute:
                raise SyntaxFault(f"`{text[1:]}` is not a number", text[1:])
            parts.append(f":{alignment.number}")
            return
        node = self._expressions.parse_all(text[operator.end() :])
        parts += ["#", Slot(node, Place.NONE, operator.group(1), text, self._register)]

    def _immediate(self, text: str, parts: list[str | Slot], prefix: str) -> None:
        if text.startswith(":"):
            self._colon(text, parts)
            return
        if _PLAIN_NUMBER.fullmatch(text) or _FLOAT.fullmatch(text):
            parts.append(prefix + text)
            return
        self._timeless = False
        node = self._expressions.parse_all(text)
        value: Value | None = None
        try:
            value = evaluate(node)
        except SyntaxFault as fault:
            if not fault.message.endswith("addresses"):  # may become a number after layout
                raise
        if value is not None and value.is_absolute:
            parts.append(f"{prefix}{value.number}")
        else:
            parts += [prefix, Slot(node, Place.NONE, "", text, self._register)]


def _merge(parts: list[str | Slot]) -> tuple[str | Slot, ...]:
    merged: list[str | Slot] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)
