"""Evaluate integer expressions over a kernel's arguments, as contracts use them: `4*(rows - 1)*stride + 4*cols`."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from neonlab.errors import InputError

_MAXIMUM_LENGTH = 400
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_FUNCTIONS: dict[str, Callable[..., int]] = {"min": min, "max": max}


class SizeExpressionError(InputError):
    """Raised for text that is not an expression of + - * // % min max over known names, or that has no value."""


@dataclass(frozen=True)
class SizeExpression:
    """A size expression.  It is parsed when it is first used, and is compared and hashed by its text."""

    text: str

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it depends on.  Raises SizeExpressionError where the text is no size expression."""
        return _read(self.text)[0]

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Return its value, with every name bound.

        Raises SizeExpressionError for a name without a value, or a division by 0.
        """
        try:
            return _read(self.text)[1](values)
        except KeyError:
            missing = min(self.names - values.keys())
            raise SizeExpressionError(f"`{self.text}` needs a value for `{missing}`") from None
        except ZeroDivisionError:
            raise SizeExpressionError(f"`{self.text}` divides by 0 at {dict(values)}") from None


@functools.lru_cache(maxsize=4096)
def _read(text: str) -> tuple[frozenset[str], Callable[[Mapping[str, int]], int]]:
    """Return the names in an expression, and a function that computes its value from theirs.

    It is compiled, because planning evaluates sizes some 100,000 times.  Only what `_Allowed` accepts is compiled.
    """
    if len(text) > _MAXIMUM_LENGTH:
        raise SizeExpressionError(
            f"this size expression has {len(text)} characters; at most {_MAXIMUM_LENGTH} are allowed"
        )
    allowed = _Allowed(text)
    try:
        body = allowed.visit(ast.parse(text.strip(), mode="eval").body)
        function = ast.Expression(ast.Lambda(_PARAMETERS, body))
        code = compile(ast.fix_missing_locations(function), "<size expression>", "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SizeExpressionError(f"`{text}` is not an expression of integers, names, + - * // % min max") from None
    return frozenset(allowed.names), eval(code, {"__builtins__": {}, **_FUNCTIONS})


_VALUES = "values "  # no name of any argument has a space
_PARAMETERS = ast.arguments([], [ast.arg(_VALUES)], None, [], [], None, [])


class _Allowed(ast.NodeTransformer):
    """Replaces each name by `values[name]`, and refuses whatever is not integer arithmetic."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.names: set[str] = set()

    def generic_visit(self, node: ast.AST) -> ast.AST:
        raise SizeExpressionError(
            f"`{ast.unparse(node)}` in `{self._text}` is not allowed; use integers, names, + - * // % min max"
        )

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return node
            case ast.Name() | ast.Attribute() if (name := _dotted(node)) is not None:
                self.names.add(name)
                return ast.Subscript(ast.Name(_VALUES, ast.Load()), ast.Constant(name), ast.Load())
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as operator, operand=operand):
                return ast.UnaryOp(operator, self.visit(operand))
            case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, _OPERATORS):
                return ast.BinOp(self.visit(left), operator, self.visit(right))
            case ast.Call(func=ast.Name(id=name), args=[only], keywords=[]) if name in _FUNCTIONS:
                return self.visit(only)
            case ast.Call(func=ast.Name(id=name) as function, args=[_, *_] as arguments, keywords=[]) if (
                name in _FUNCTIONS
            ):
                return ast.Call(function, [self.visit(argument) for argument in arguments], [])
        return self.generic_visit(node)


def _dotted(node: ast.expr) -> str | None:
    """Return a name such as `n` or a path such as `params.n` as text; None for another expression."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else None
