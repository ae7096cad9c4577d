"""Run the C preprocessor over assembly text.

pcpp expands macros and evaluates `#if`.  Lines, comments, directives and tokens are split here, because a C lexer reads
assembly wrongly: `@ don't` opens no character constant, `# a remark` is no directive, `.16b` is one token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pcpp.preprocessor import Preprocessor
from ply.lex import LexToken

from neonlab.assemble.expand.c_predefined import predefined_macros
from neonlab.assemble.expand.include_path import find_include, where_searched
from neonlab.assemble.source import AssemblyError, SourceLine, printable
from neonlab.assemble.text.lines import Line
from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.isa.model.isa import Isa

_MAX_INCLUDE_DEPTH = 100
_MAX_EXPANSION_TOKENS = 50_000  # of one line
_MAX_CALL_LINES = 500

_JOINED = "\x01"  # stands for a line break inside a comment or after a backslash; the statement goes on
_SPLICE = re.compile(r"\\[ \t]*\n")
# Quoted text hides comments; an unclosed quote hides the rest of its line, as it does in GNU cpp.
_COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|//[^\n]*|/\*.*?(\*/|\Z)""", re.S)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*([A-Za-z_]\w*)?[ \t]*(.*)", re.S)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(
    r"""(?P<CPP_WS>[ \t\f\v\r]+)|(?P<CPP_ID>[A-Za-z_]\w*)|(?P<CPP_INTEGER>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<CPP_CHAR>'(?:\\.|[^'\\])*')|(?P<CPP_STRING>"(?:\\.|[^"\\])*"|["'].*\Z)
    |(?P<OTHER>\#\#|<<|>>|<=|>=|==|!=|&&|\|\||.)""",
    re.X | re.S,
)
# pcpp's names for the tokens that its parser of expressions and of macro calls asks for.
_OPERATORS = {
    "##": "CPP_DPOUND", "#": "CPP_POUND", "(": "CPP_LPAREN", ")": "CPP_RPAREN", ",": "CPP_COMMA", "+": "CPP_PLUS",
    "-": "CPP_MINUS", "*": "CPP_STAR", "/": "CPP_FSLASH", "%": "CPP_PERCENT", "|": "CPP_BAR", "&": "CPP_AMPERSAND",
    "~": "CPP_TILDE", "^": "CPP_HAT", "<": "CPP_LESS", ">": "CPP_GREATER", "!": "CPP_EXCLAMATION",
    "?": "CPP_QUESTION", ":": "CPP_COLON", "<<": "CPP_LSHIFT", ">>": "CPP_RSHIFT", "<=": "CPP_LESSEQUAL",
    ">=": "CPP_GREATEREQUAL", "==": "CPP_EQUALITY", "!=": "CPP_INEQUALITY", "&&": "CPP_LOGICALAND",
    "||": "CPP_LOGICALOR",
}  # fmt: skip
_HAS_INCLUDE = re.compile(r'\b__has_include[ \t]*\([ \t]*(?:"([^"]+)"|<([^>]+)>)[ \t]*\)')
_CONDITIONALS = frozenset({"if", "ifdef", "ifndef", "elif", "else", "endif"})


def read_source(path: Path) -> str:
    """Return the text of a file; bytes that are not UTF-8 become surrogates.

    Raises InputError where the file cannot be read.
    """
    return read_input(path).removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")


class _Expander(Preprocessor):  # type: ignore[misc]  # pcpp carries no types
    """pcpp with errors that stop it, and with a limit on the expansion of one line."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("__DATE__", "__TIME__", "__PCPP__"):
            self.macros.pop(name, None)
        self.budget = 0
        self.problem = ""

    def on_error(self, file: str, line: int, message: str) -> None:
        self.problem = self.problem or message

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        self.budget -= len(tokens) + 1
        if self.budget < 0:
            raise _TooLargeError
        result: list[Any] = super().expand_macros(tokens, list(expanding_from))
        return result


class _TooLargeError(Exception):
    pass


def _tokens(text: str) -> list[Any]:
    tokens = []
    for match in _TOKEN.finditer(text):
        token = LexToken()
        token.type, token.value = match.lastgroup, match.group()
        if token.type == "OTHER":
            token.type = _OPERATORS.get(token.value, token.value)
        token.lineno = token.lexpos = 0
        token.source = ""
        tokens.append(token)
    return tokens


class CPreprocessor:
    """Turns a file into logical lines: comments removed, `#include`, `#define`, `#if` obeyed, macros expanded."""

    def __init__(self, isa: Isa, include_paths: Sequence[Path] = (), defines: Mapping[str, str] | None = None) -> None:
        self._include_paths = tuple(Path(path) for path in include_paths)
        self._expander = _Expander()
        self._once: set[Path] = set()
        built_in = {"__has_include": "1"}  # makes it defined; its question is answered where it is called
        for name, value in {**predefined_macros(isa), **built_in, **(defines or {})}.items():
            self._expander.define(_tokens(f"{name} {value}".rstrip()))

    def run(self, text: str, path: str, folder: Path) -> list[Line]:
        """Return the lines of `text`, which is in `folder`.  Raises AssemblyError."""
        lines: list[Line] = []
        try:
            self._file(text, path, folder, 0, lines)
        except RecursionError:
            raise AssemblyError(f"{path}: macros of the C preprocessor are nested too deeply") from None
        return lines

    def _file(self, text: str, path: str, folder: Path, depth: int, out: list[Line]) -> None:
        conditions = _Conditions()
        self._expander.define(_tokens(f'__FILE__ "{Path(path).name}"'))
        logical = logical_lines(text, path)
        position = 0
        while position < len(logical):
            line = logical[position]
            position += 1
            content = line.text
            if "#" in content and (match := _DIRECTIVE.match(content)):
                self._directive(line, match.group(1) or "", match.group(2), conditions, folder, depth, out)
                continue
            if not conditions.active or not content or content.isspace():
                continue
            if self._mentions_macro(content):
                while content.count("(") > content.count(")") and position < len(logical):
                    # The arguments of a function-like macro may go on over several lines.
                    if logical[position].text.lstrip().startswith("#") or not self._open_call(content):
                        break
                    if logical[position].number - line.number > _MAX_CALL_LINES:
                        raise AssemblyError("this macro call is never closed", line.source())
                    content += " " + logical[position].text
                    position += 1
                line = Line(self._expand(content, line), line.path, line.number, line.raw)
            out.append(line)
        if conditions.open is not None:
            raise AssemblyError("this `#if` is never closed by `#endif`", conditions.open)

    def _mentions_macro(self, content: str) -> bool:
        macros = self._expander.macros
        return any(name in macros for name in _IDENTIFIER.findall(content)) or "__LINE__" in content

    def _open_call(self, content: str) -> bool:
        macros = self._expander.macros
        return any(
            name in macros and macros[name].arglist is not None
            for name in re.findall(r"([A-Za-z_]\w*)[ \t]*\(", content)
        )

    def _expand(self, content: str, line: Line) -> str:
        tokens = _tokens(content)
        for token in tokens:
            token.lineno = line.number
        return "".join(str(token.value) for token in self._guarded(lambda: self._expander.expand_macros(tokens), line))

    def _guarded(self, action: Any, line: Line) -> Any:
        expander = self._expander
        expander.budget, expander.problem = _MAX_EXPANSION_TOKENS, ""
        try:
            result = action()
        except _TooLargeError:
            raise AssemblyError("macros of the C preprocessor expand without end here", line.source()) from None
        except RecursionError:
            raise AssemblyError("macros of the C preprocessor are nested too deeply here", line.source()) from None
        except InputError:
            raise
        except Exception as error:  # pcpp raises whatever its parser trips over
            raise AssemblyError(f"the C preprocessor cannot read this: {error}", line.source()) from None
        if expander.problem.startswith("Could not evaluate"):
            raise AssemblyError("the C preprocessor cannot evaluate this expression", line.source())
        if expander.problem:
            raise AssemblyError(expander.problem[0].lower() + expander.problem[1:], line.source())
        return result

    def _directive(
        self, line: Line, name: str, rest: str, conditions: _Conditions, folder: Path, depth: int, out: list[Line]
    ) -> None:
        rest = rest.strip()
        if name in _CONDITIONALS:
            conditions.apply(name, line, lambda: self._holds(name, rest, line))
            return
        if not conditions.active:
            return
        if name == "define":
            self._define(rest, line)
        elif name == "undef":
            self._expander.macros.pop(rest.split()[0] if rest else "", None)
        elif name in {"include", "import", "include_next"}:
            self._include(rest, line, folder, depth, out, once=name == "import", skip_own=name == "include_next")
        elif name == "error":
            raise AssemblyError(f"#error {rest}".strip(), line.source())
        elif name == "pragma" and rest == "once":
            self._once.add(Path(line.path).resolve())
        # Anything else behind `#` is a remark to GNU as, and GNU cpp leaves it alone.

    def _define(self, rest: str, line: Line) -> None:
        match = re.match(r"([A-Za-z_]\w*)(\([^)]*\))?[ \t]*(.*)", rest, re.S)
        if match is None:
            raise AssemblyError("`#define` needs a name", line.source())
        name, parameters, body = match.groups()
        text = f"{name}{parameters} {body}" if parameters is not None else f"{name} {body}"
        self._guarded(lambda: self._expander.define(_tokens(text.strip())), line)

    def _holds(self, name: str, rest: str, line: Line) -> bool:
        if name in {"ifdef", "ifndef"}:
            match = _IDENTIFIER.match(rest)
            if match is None:
                raise AssemblyError(f"`#{name}` needs a name", line.source())
            return (match.group() in self._expander.macros) == (name == "ifdef")
        if not rest:
            raise AssemblyError(f"`#{name}` needs an expression", line.source())
        rest = _HAS_INCLUDE.sub(lambda match: self._has_include(match, Path(line.path).parent), rest)
        value = self._guarded(lambda: self._expander.evalexpr(self._expander.tokenize(rest)), line)
        if value[1] is not None:
            raise AssemblyError(f"`#{name} {rest}` has no value", line.source())
        return bool(value[0])

    def _has_include(self, match: re.Match[str], folder: Path) -> str:
        quoted, bracketed = match.groups()
        found = find_include(quoted or bracketed, folder, self._include_paths, own=quoted is not None)
        return "0" if found is None else "1"

    def _include(
        self, rest: str, line: Line, folder: Path, depth: int, out: list[Line], *, once: bool, skip_own: bool
    ) -> None:
        if not rest.startswith(('"', "<")):
            rest = self._expand(rest, line).strip()
        match = re.match(r'"([^"]+)"|<([^>]+)>', rest)
        if match is None:
            raise AssemblyError("`#include` needs a file name", line.source())
        name = match.group(1) or match.group(2)
        if depth >= _MAX_INCLUDE_DEPTH:
            raise AssemblyError(f"`#include` nested deeper than {_MAX_INCLUDE_DEPTH}", line.source())
        own = match.group(1) is not None and not skip_own
        found = find_include(name, folder, self._include_paths, own=own, after=Path(line.path) if skip_own else None)
        if found is None:
            raise AssemblyError(
                f"cannot find the include file `{name}`",
                line.source(token=name),
                hint=where_searched(name, folder, self._include_paths, own=own),
            )
        resolved = found.resolve()
        if resolved in self._once:
            return
        if once:
            self._once.add(resolved)
        self._file(read_source(found), str(found), found.parent, depth + 1, out)
        self._expander.define(_tokens(f'__FILE__ "{Path(line.path).name}"'))


class _Conditions:
    """The `#if` groups that are open at a point of one file."""

    def __init__(self) -> None:
        self._stack: list[list[Any]] = []  # [active here, a branch was taken, #else seen, where opened]
        self.active = True

    @property
    def open(self) -> SourceLine | None:
        return self._stack[-1][3] if self._stack else None

    def apply(self, name: str, line: Line, holds: Any) -> None:
        if name.startswith("if"):
            taken = self.active and holds()
            # In a group that is skipped whole, no later branch may be taken either.
            self._stack.append([self.active, taken or not self.active, False, line.source()])
            self.active = taken
            return
        if not self._stack:
            raise AssemblyError(f"`#{name}` without `#if`", line.source())
        group = self._stack[-1]
        if name == "endif":
            self.active = group[0]
            self._stack.pop()
            return
        if group[2]:
            raise AssemblyError(f"`#{name}` after `#else`", line.source())
        if name == "else":
            group[2] = True
            self.active = not group[1]
        else:
            self.active = not group[1] and holds()
        group[1] = group[1] or self.active


def logical_lines(text: str, path: str) -> list[Line]:
    """Return the lines with comments replaced by a space and continued lines joined; blank ones are dropped.

    Raises AssemblyError for a NUL byte, and for a comment that is never closed.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    physical = text.split("\n")
    if not text.isascii():
        physical = [printable(line) for line in physical]
    if "\0" in text:
        at = next(number for number, line in enumerate(physical, 1) if "\0" in line)
        raise AssemblyError("a NUL byte: this is not assembly text", SourceLine(path, at, 1, ""))

    def replace(match: re.Match[str]) -> str:
        if match.group(1) is not None:
            return match.group()
        comment = match.group()
        if comment.startswith("/*") and match.group(2) != "*/":
            number = text.count("\n", 0, match.start()) + text.count(_JOINED, 0, match.start()) + 1
            raise AssemblyError("this comment is never closed", Line("", path, number, physical[number - 1]).source())
        return " " + _JOINED * (comment.count("\n") + comment.count(_JOINED))

    text = _SPLICE.sub(_JOINED, text.replace(_JOINED, " "))
    text = _COMMENT.sub(replace, text)
    lines: list[Line] = []
    number = 1
    for content in text.split("\n"):
        joined = content.count(_JOINED)
        clean = content.replace(_JOINED, "")
        if clean and not clean.isspace():
            # A statement behind a comment of several lines starts on that comment's last line.
            first = number + (len(content) - len(content.lstrip(" \t" + _JOINED)) and _leading_joins(content))
            lines.append(Line(clean, path, first, physical[first - 1]))
        number += 1 + joined
    return lines


def _leading_joins(content: str) -> int:
    return content[: len(content) - len(content.lstrip(" \t" + _JOINED))].count(_JOINED)
