"""Integer expressions over a kernel's arguments, as contracts use them for sizes: `4*(rows - 1)*stride + 4*cols`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from neonlab.errors import InputError

_MAXIMUM_LENGTH = 400
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"min": min, "max": max}


class SizeExpressionError(InputError):
    """Not an expression of + - * // % min max over known names."""


@dataclass(frozen=True)
class SizeExpression:
    """The text and, on demand, its value.  Compare and hash by text."""

    text: str

    @cached_property
    def _tree(self) -> ast.expr:
        if len(self.text) > _MAXIMUM_LENGTH:
            raise SizeExpressionError(f"a size expression of {len(self.text)} characters; {_MAXIMUM_LENGTH} are enough")
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise SizeExpressionError(
                f"`{self.text}` is not an expression of integers, names, + - * // % min max"
            ) from None

    @cached_property
    def names(self) -> frozenset[str]:
        """The arguments it depends on.  Raises SizeExpressionError where the text is no size expression."""
        found: set[str] = set()
        self._check(self._tree, found)
        return frozenset(found)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Its value, with every name bound.  Raises SizeExpressionError for an unbound name or a division by 0."""
        missing = sorted(self.names - values.keys())
        if missing:
            raise SizeExpressionError(f"`{self.text}` needs a value for `{missing[0]}`")
        try:
            return self._evaluate(self._tree, values)
        except ZeroDivisionError:
            raise SizeExpressionError(f"`{self.text}` divides by 0 at {dict(values)}") from None

    def _check(self, node: ast.expr, found: set[str]) -> None:
        match node:
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return
            case ast.Name() | ast.Attribute() if (name := _dotted(node)) is not None:
                found.add(name)
                return
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                self._check(operand, found)
                return
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                self._check(left, found)
                self._check(right, found)
                return
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS and arguments:
                for argument in arguments:
                    self._check(argument, found)
                return
        raise SizeExpressionError(
            f"`{ast.unparse(node)}` in `{self.text}` is not allowed; integers, names, + - * // % min max are"
        )

    def _evaluate(self, node: ast.expr, values: Mapping[str, int]) -> int:
        match node:
            case ast.Constant(value=int(value)):
                return value
            case ast.Name() | ast.Attribute():
                return values[ast.unparse(node)]
            case ast.UnaryOp(op=operator, operand=operand):
                value = self._evaluate(operand, values)
                return -value if isinstance(operator, ast.USub) else value
            case ast.BinOp(left=left, op=binary, right=right):
                return _OPERATORS[type(binary)](self._evaluate(left, values), self._evaluate(right, values))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                values_of = [self._evaluate(argument, values) for argument in arguments]
                return _FUNCTIONS[name](values_of) if len(values_of) > 1 else values_of[0]
        raise AssertionError("checked before it is evaluated")


def _dotted(node: ast.expr) -> str | None:
    """`n`, or a member such as `params.n`."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else None
