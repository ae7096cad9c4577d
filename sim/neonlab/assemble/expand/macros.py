"""Handle `.macro`, `.irp`, `.irpc`: parameters, arguments and substitution, by the rules of GNU as."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from neonlab.assemble.text.lexer import NAME
from neonlab.assemble.text.lines import Statement, SyntaxFault

_NAME = re.compile(NAME)
_BLANK = re.compile(r"[ \t]*")
_COMMA = re.compile(r"[ \t]*,?[ \t]*")
# References in a body's text: \(literal), \@, \name, &name.
_REFERENCE = re.compile(rf"\\(?:\(([^)]*)\)|(@)|({NAME})'?)|&({NAME})&?")
_REFERENCE_ALTERNATE = re.compile(rf"\\(?:\(([^)]*)\)|(@)|({NAME})&?'?)|&({NAME})&?|({NAME})&?'?")
_LOCAL = re.compile(r"[ \t]*LOCAL[ \t]+(.*)", re.I | re.S)
_KEYWORD = re.compile(rf"({NAME})=")
_SEPARATORS = ' \t,";)('
_MAX_TEXT = 1 << 16


@dataclass(frozen=True, slots=True)
class MacroParameter:
    """A formal parameter."""

    name: str
    default: str = ""
    required: bool = False
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro definition; its body is kept as statements, each with its line."""

    name: str
    parameters: tuple[MacroParameter, ...]
    body: tuple[Statement, ...]


@dataclass
class MacroTable:
    r"""Macros by lower-case name, the number that `\@` stands for, and whether `.altmacro` is on."""

    by_name: dict[str, Macro] = field(default_factory=dict)
    calls: int = 0
    locals_made: int = 0
    alternate: bool = False

    def bind(self, macro: Macro, text: str, evaluate: Callable[[str], tuple[int, int]]) -> dict[str, str]:
        """Return the text for each parameter.

        `evaluate` returns value and end of an expression, for `%` of `.altmacro`.  Raises SyntaxFault for wrong
        arguments.
        """
        actual: dict[str, str] = {}
        names = {parameter.name for parameter in macro.parameters}
        position, next_positional, keywords = _skip(_BLANK, text, 0), 0, False
        while position < len(text):
            keyword = _KEYWORD.match(text, position)
            if keyword and not self.alternate:
                keywords = True
                name = keyword.group(1)
                if name not in names:
                    raise SyntaxFault(f"the macro `{macro.name}` has no parameter `{name}`", name)
                actual[name], position = self.argument(text, keyword.end(), evaluate)
            else:
                if keywords:
                    raise SyntaxFault("a positional argument after a keyword argument", text[position:])
                if next_positional >= len(macro.parameters):
                    count = len(macro.parameters)
                    raise SyntaxFault(
                        f"too many arguments for the macro `{macro.name}`, which takes {count}", text[position:]
                    )
                parameter = macro.parameters[next_positional]
                next_positional += 1
                if parameter.variadic:
                    actual[parameter.name], position = text[position:], len(text)
                else:
                    before = position
                    actual[parameter.name], position = self.argument(text, position, evaluate)
                    if position == before and text[position] != ",":
                        raise SyntaxFault("this cannot be a macro argument", text[position:])
            position = _skip(_COMMA, text, position)
        for parameter in macro.parameters:
            if not actual.get(parameter.name):
                if parameter.required:
                    raise SyntaxFault(f"the macro `{macro.name}` needs a value for `{parameter.name}`")
                actual[parameter.name] = parameter.default
        return actual

    def argument(self, text: str, start: int, evaluate: Callable[[str], tuple[int, int]]) -> tuple[str, int]:
        """Return one argument and where it ends.

        It is quoted, `<...>`, `%expression`, or text up to a comma or an outer blank.
        """
        position = _skip(_BLANK, text, start)
        if position >= len(text):
            return "", position
        if self.alternate and text[position] == "%":
            value, used = evaluate(text[position + 1 :])
            return str(value), position + 1 + used
        if text[position] == '"' or (self.alternate and text[position] in "<'"):
            content, end = self._quoted(text, position)
            if self.alternate and text[position] != "<":
                content = f'"{content}"'
            return content, end
        return self._bare(text, position)

    def _quoted(self, text: str, position: int) -> tuple[str, int]:
        out: list[str] = []
        while position < len(text) and (text[position] == '"' or (self.alternate and text[position] in "<'")):
            if text[position] == "<":
                position = _bracketed(text, position + 1, out)
                continue
            quote = text[position]
            position += 1
            while position < len(text):
                if self.alternate and text[position] == "!":
                    out.append(text[position + 1 : position + 2])
                    position += 2
                elif text[position] == "\\" and position + 1 < len(text):
                    out.append(text[position + 1] if text[position + 1] == quote else text[position : position + 2])
                    position += 2
                elif text[position] == quote:
                    position += 1
                    if text[position : position + 1] != quote:
                        break
                    out.append(quote)  # a doubled quote is one quote
                    position += 1
                else:
                    out.append(text[position])
                    position += 1
        return "".join(out), position

    def _bare(self, text: str, position: int) -> tuple[str, int]:
        closers: list[str] = []
        start = position
        while position < len(text):
            character = text[position]
            if character == "," or (character in " \t" and not closers) or (character == "<" and self.alternate):
                break
            if character in "\"'":
                end = text.find(character, position + 1)
                if end < 0:
                    return text[start:], len(text)
                position = end
            elif character in "([":
                closers.append(")" if character == "(" else "]")
            elif closers and character == closers[-1]:
                closers.pop()
            position += 1
        return text[start:position], position

    def parameters(self, text: str) -> tuple[MacroParameter, ...]:
        """Return the formal parameters of a `.macro` line, given the text behind its name."""
        no_evaluation = _refuse_evaluation
        result: list[MacroParameter] = []
        position, end = 0, len(text)
        if text.startswith("(") and text.endswith(")"):
            position, end = 1, len(text) - 1
        text = text[:end]
        position = _skip(_COMMA, text, position)
        while position < len(text):
            match = _NAME.match(text, position)
            if match is None:
                raise SyntaxFault("expected the name of a parameter", text[position:])
            name, default, required, variadic = match.group(), "", False, False
            position = _skip(_BLANK, text, match.end())
            if text[position : position + 1] == ":":
                qualifier = _NAME.match(text, position + 1)
                kind = qualifier.group().lower() if qualifier else ""
                if kind not in {"req", "vararg"} or qualifier is None:
                    raise SyntaxFault(f"`:{kind}` is neither :req nor :vararg", text[position:])
                required, variadic = kind == "req", kind == "vararg"
                position = _skip(_BLANK, text, qualifier.end())
            if text[position : position + 1] == "=":
                default, position = self.argument(text, position + 1, no_evaluation)
            if any(name == other.name for other in result):
                raise SyntaxFault(f"the parameter `{name}` occurs twice", name)
            result.append(MacroParameter(name, default, required, variadic))
            position = _skip(_COMMA, text, position)
        return tuple(result)

    def expand(self, macro: Macro, actual: Mapping[str, str]) -> list[Statement]:
        """Return the body with the arguments inserted; its statements must still be split and scrubbed."""
        statements = self.substitute_body(macro.body, dict(actual), has_locals=self.alternate)
        self.calls += 1
        return statements

    def substitute_body(
        self, body: Sequence[Statement], actual: dict[str, str], *, has_locals: bool = False
    ) -> list[Statement]:
        """Return copies of `body` with parameters replaced."""
        result = []
        for statement in body:
            text = statement.text
            if has_locals and (match := _LOCAL.match(text)):
                self._make_locals(match.group(1), actual)
                continue
            if "\\" in text or "&" in text or self.alternate:
                text = self._substitute(text, actual)
                if len(text) > _MAX_TEXT:
                    raise SyntaxFault(f"a statement grows beyond {_MAX_TEXT} characters")
                statement = Statement(text, statement.line, statement.column)
            result.append(statement)
        return result

    def _make_locals(self, names: str, actual: dict[str, str]) -> None:
        for name in re.split(r"[ \t]*,[ \t]*|[ \t]+", names.strip()):
            if name in actual:
                raise SyntaxFault(f"`{name}` is already a parameter or another local name", name)
            self.locals_made += 1
            actual[name] = f".LL{self.locals_made:04x}"

    def _substitute(self, text: str, actual: Mapping[str, str]) -> str:
        number = str(self.calls)

        def replace(match: re.Match[str]) -> str:
            literal, at, name, ampersand = match.group(1, 2, 3, 4)
            if name is not None:
                value = actual.get(name)
                # A name that is no parameter stays for an inner macro, all of it.
                return match.group() if value is None else value
            if literal is not None:
                return literal
            if at is not None:
                return number
            if ampersand is not None:
                return actual.get(ampersand, match.group())
            bare: str = match.group(5)
            return actual.get(bare, bare)

        if not self.alternate:
            return _REFERENCE.sub(replace, text)
        return _REFERENCE_ALTERNATE.sub(replace, text)

    def irp_values(self, text: str, *, characters: bool) -> tuple[str, list[str]]:
        """Return name and values of `.irp`, or of `.irpc` when `characters`."""
        match = _NAME.match(text)
        if match is None:
            raise SyntaxFault("expected the name of the parameter")
        position = _skip(_COMMA, text, match.end())
        if position >= len(text):
            return match.group(), [""]
        if characters:
            rest = text[position:]
            if rest.startswith('"'):
                rest = rest[1:].rstrip()
                return match.group(), list(rest[:-1] if rest.endswith('"') else rest)
            return match.group(), [character for character in rest if character not in " \t"]
        values = []
        while position < len(text):
            before = position
            value, position = self.argument(text, position, _refuse_evaluation)
            values.append(value)
            position = _skip(_COMMA, text, position)
            if position == before:
                raise SyntaxFault("this cannot be a value of `.irp`", text[position:])
        return match.group(), values


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _bracketed(text: str, position: int, out: list[str]) -> int:
    """Append the content of `<...>`, in which `!` escapes, to `out`; return where it ends.

    `position` is behind the opening bracket.
    """
    depth = 0
    while position < len(text) and (text[position] != ">" or depth):
        if text[position] == "!":
            position += 1
            out.append(text[position : position + 1])
            position += 1
            continue
        depth += {">": -1, "<": 1}.get(text[position], 0)
        out.append(text[position])
        position += 1
    return position + 1


def _refuse_evaluation(text: str) -> tuple[int, int]:
    raise SyntaxFault("`%` needs a number here", text)
