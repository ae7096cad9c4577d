"""Parse and evaluate expressions of GNU as, with its precedence, and values relative to a location.

A tree is an `int`, a `Symbol`, `Unary` or `Binary`.  Numbers have 64 bits, two's complement, as in `as`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

from neonlab.assemble.text.lexer import NAME
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.values.symbols import Symbol, SymbolTable

_MAX_BITS = 512  # of a number, more than any directive takes
_MAX_DEPTH = 100
_MAX_NODES = 4000

Node = Union[int, Symbol, "Unary", "Binary"]


@dataclass(frozen=True, slots=True)
class Unary:
    """`-`, `~` or `!` applied to a tree."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two trees and the operator between them."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Value:
    """The value `number`, plus the address of `plus`, minus that of `minus`."""

    number: int
    plus: Symbol | None = None
    minus: Symbol | None = None

    @property
    def is_absolute(self) -> bool:
        """Tell whether it is a plain number."""
        return self.plus is None and self.minus is None


def wrap(number: int) -> int:
    """Wrap a number to 64 bits with sign."""
    return ((number + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


_TOKEN = re.compile(
    rf"""[ \t]*(?:(?P<hex>0[xX][0-9a-fA-F]+)(?P<s1>[uUlL]*)|(?P<binary>0[bB][01]+)(?P<s2>[uUlL]*)
    |(?P<local>[0-9]+[fb])(?![\w.$])|(?P<decimal>[0-9]+)(?P<s3>[uUlL]*)(?![\w.$])
    |(?P<name>{NAME})|"(?P<quoted>[^"\\]+)"|(?P<operator><<|>>|<=|>=|<>|==|!=|&&|\|\||[-+*/%&|^!~<>()]))""",
    re.X,
)
# Higher binds tighter; binary `!` is or-not.
_PRECEDENCE = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<>": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "+": 4, "-": 4, "|": 5, "!": 5,
    "^": 5, "&": 5, "*": 6, "/": 6, "%": 6, "<<": 6, ">>": 6,
}  # fmt: skip


class ExpressionParser:
    """Reads expressions.  Names are looked up at once, so that a later `.set` changes nothing read before it."""

    def __init__(self, symbols: SymbolTable, here: Callable[[], Symbol]) -> None:
        self._symbols = symbols
        self._here = here
        self._text = ""
        self._position = 0
        self._nodes = 0

    def parse(self, text: str, position: int = 0) -> tuple[Node, int]:
        """Return the tree of the expression at `position`, and where it ends.  Raises SyntaxFault."""
        self._text, self._position, self._nodes = text, position, 0
        node = self._binary(0, 0)
        return node, self._position

    def parse_all(self, text: str) -> Node:
        """Return the tree of the whole text.  Raises SyntaxFault."""
        node, end = self.parse(text)
        rest = text[end:].strip()
        if rest:
            raise SyntaxFault(f"unexpected `{rest}` after the expression", rest)
        return node

    def _next(self) -> re.Match[str] | None:
        return _TOKEN.match(self._text, self._position)

    def _binary(self, lowest: int, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise SyntaxFault("this expression is nested too deeply")
        left = self._unary(depth)
        while (match := self._next()) and (operator := match.group("operator")) in _PRECEDENCE:
            rank = _PRECEDENCE[operator]
            if rank <= lowest:
                break
            self._position = match.end()
            left = self._fold(operator, left, self._binary(rank, depth + 1))
        return left

    def _unary(self, depth: int) -> Node:
        match = self._next()
        if match is None:
            found = self._text[self._position :].strip()
            if found:
                raise SyntaxFault(f"expected an expression, found `{found}`", found)
            raise SyntaxFault("expected an expression here")
        if depth > _MAX_DEPTH:
            raise SyntaxFault("this expression is nested too deeply")
        self._position = match.end()
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise SyntaxFault("this expression is too long")
        kind = match.lastgroup
        if match.group("hex"):
            return self._number(match.group("hex"), 16)
        if match.group("binary"):
            return self._number(match.group("binary"), 2)
        if match.group("decimal"):
            return self._decimal(match.group("decimal"))
        if kind == "local":
            text = match.group("local")
            return self._symbols.local_reference(text[:-1], forward=text[-1] == "f")
        if kind == "name" or kind == "quoted":
            return self._name(match.group(kind))
        operator = match.group("operator")
        if operator == "(":
            node = self._binary(0, depth + 1)
            closing = self._next()
            if closing is None or closing.group("operator") != ")":
                raise SyntaxFault("a `(` is not closed", self._text[match.start() : match.end()].strip())
            self._position = closing.end()
            return node
        if operator in {"-", "~", "!", "+"}:
            operand = self._unary(depth + 1)
            if isinstance(operand, int):
                return _UNARY[operator](operand)
            return operand if operator == "+" else Unary(operator, operand)
        raise SyntaxFault(f"expected an expression, found `{operator}`", operator)

    @staticmethod
    def _decimal(text: str) -> int:
        if text[0] == "0" and len(text) > 1:
            try:
                return ExpressionParser._number(text, 8)
            except ValueError:
                raise SyntaxFault(f"`{text}` is not an octal number", text) from None
        return ExpressionParser._number(text, 10)

    @staticmethod
    def _number(digits: str, base: int) -> int:
        if len(digits) * math.log2(base) > _MAX_BITS:
            raise SyntaxFault("this number is too large", digits)
        return int(digits, base)

    def _name(self, name: str) -> Node:
        if name == ".":
            return self._here()
        symbol = self._symbols.reference(name)
        equated: Node | None = symbol.equated
        return symbol if equated is None else equated

    def _fold(self, operator: str, left: Node, right: Node) -> Node:
        if isinstance(left, int) and isinstance(right, int):
            return apply(operator, left, right)
        return Binary(operator, left, right)


def apply(operator: str, left: int, right: int) -> int:
    """Return the value of `left operator right` in 64-bit arithmetic.

    Raises SyntaxFault for a division by zero or a shift by 64 bits or more.
    """
    if operator in {"/", "%"}:
        left, right = wrap(left), wrap(right)
        if right == 0:
            raise SyntaxFault("division by zero", operator)
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        return quotient if operator == "/" else left - quotient * right
    if operator in {"<<", ">>"}:
        if not 0 <= right < 64:  # GNU as warns, and takes the result for 0
            raise SyntaxFault(f"a shift by {right}: 0 to 63 bits are possible", operator)
        # Right shifts bring in zeros.
        return wrap(left << right) if operator == "<<" else wrap((left & ((1 << 64) - 1)) >> right)
    if operator in {"+", "-"}:
        result = left + right if operator == "+" else left - right
        return result if -(1 << 127) <= result < 1 << 128 else wrap(result)
    return _BINARY[operator](wrap(left), wrap(right))


_UNARY: dict[str, Callable[[int], int]] = {
    "-": lambda a: -a,
    "~": lambda a: ~wrap(a),
    "!": lambda a: int(a == 0),
    "+": lambda a: a,
}
_BINARY: dict[str, Callable[[int, int], int]] = {
    "*": lambda a, b: wrap(a * b),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "!": lambda a, b: a | ~b,
    "==": lambda a, b: -int(a == b),
    "!=": lambda a, b: -int(a != b),
    "<>": lambda a, b: -int(a != b),
    "<": lambda a, b: -int(a < b),
    "<=": lambda a, b: -int(a <= b),
    ">": lambda a, b: -int(a > b),
    ">=": lambda a, b: -int(a >= b),
    "&&": lambda a, b: int(a != 0 and b != 0),
    "||": lambda a, b: int(a != 0 or b != 0),
}


def evaluate(node: Node) -> Value:
    """Return the value of a tree as far as it is known. Differences of locations in one section become numbers."""
    if isinstance(node, int):
        return Value(node)
    if isinstance(node, Symbol):
        if node.equated is not None:
            if node.busy:
                raise SyntaxFault(f"the symbol `{node.name}` is defined by itself", node.name)
            node.busy = True
            try:
                return evaluate(node.equated)
            finally:
                node.busy = False
        return Value(0, plus=node)
    if isinstance(node, Unary):
        value = evaluate(node.operand)
        if value.is_absolute:
            return Value(_UNARY[node.operator](value.number))
        if node.operator == "-":
            return Value(-value.number, value.minus, value.plus)
        raise SyntaxFault(f"`{node.operator}` needs a number, not an address", node.operator)
    return _evaluate_binary(node)


def _evaluate_binary(node: Binary) -> Value:
    left, right = evaluate(node.left), evaluate(node.right)
    operator = node.operator
    if left.is_absolute and right.is_absolute:
        return Value(apply(operator, left.number, right.number))
    if operator == "-":
        return _sum(left, Value(-right.number, right.minus, right.plus))
    if operator == "+":
        return _sum(left, right)
    if operator in {"==", "!=", "<>", "<", "<=", ">", ">="}:
        difference = _sum(left, Value(-right.number, right.minus, right.plus))
        if difference.is_absolute:
            return Value(apply(operator, difference.number, 0))
    raise SyntaxFault(f"`{operator}` needs numbers, not addresses", operator)


def _sum(left: Value, right: Value) -> Value:
    number = apply("+", left.number, right.number)
    plus = [symbol for symbol in (left.plus, right.plus) if symbol is not None]
    minus = [symbol for symbol in (left.minus, right.minus) if symbol is not None]
    for positive in list(plus):
        for negative in list(minus):
            distance = positive.distance(negative)
            if distance is not None:
                number = apply("+", number, distance)
                plus.remove(positive)
                minus.remove(negative)
                break
    if len(plus) > 1 or len(minus) > 1:
        raise SyntaxFault("this sum of addresses has no meaning")
    return Value(number, plus[0] if plus else None, minus[0] if minus else None)
