"""Read statements in sequence, as GNU as does: conditionals, macros, loops, labels, directives, instructions."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.assemble.assembly import Assembly
from neonlab.assemble.directives import data as data_directives
from neonlab.assemble.directives import section as section_directives
from neonlab.assemble.directives import symbol as symbol_directives
from neonlab.assemble.expand.c_preprocessor import logical_lines, read_source
from neonlab.assemble.expand.conditionals import CONDITIONALS, Conditionals
from neonlab.assemble.expand.include_path import find_include, where_searched
from neonlab.assemble.expand.macros import Macro, MacroTable
from neonlab.assemble.output.object_writer import point_at
from neonlab.assemble.source import AssemblyError, SourceLine
from neonlab.assemble.text.lexer import NAME, Scrubber, string_bytes
from neonlab.assemble.text.lines import Line, Statement, SyntaxFault
from neonlab.assemble.text.scalable import ScalableFault
from neonlab.assemble.text.unknown import unknown_mnemonic
from neonlab.isa.model.isa import Isa

_MAX_STATEMENTS = 200_000
_MAX_DEPTH = 100  # of macro calls; the limit of GNU as

_NAME = re.compile(NAME)
_LABEL = re.compile(rf"({NAME}|[0-9]+): ?")
_ASSIGNMENT = re.compile(rf"({NAME}) ?=(=?)(?!=) ?(.*)", re.S)
_ALIAS = re.compile(r"\.(?:req|dn|qn)\b", re.I)
_FIRST_WORD = re.compile(rf"(?:(?:{NAME}|[0-9]+): ?)*([^ \x02\"]+)")
_IT = re.compile("it[te]{0,3}")
_LOOPS = frozenset({".rept", ".rep", ".irp", ".irpc", ".irep", ".irepc"})
_DIRECTIVES = {**data_directives.DIRECTIVES, **section_directives.DIRECTIVES, **symbol_directives.DIRECTIVES}
_CONTROL = (
    frozenset(
        {".macro", ".endm", ".exitm", ".purgem", ".altmacro", ".noaltmacro", ".endr", ".err", ".error", ".warning"}
        | {".print", ".end", ".abort", ".include"}
    )
    | _LOOPS
)


@dataclass(slots=True)
class _Frame:
    """Statements being read: the file, or the text of a macro or loop."""

    statements: Iterator[Statement]
    trail: tuple[str, ...]
    conditionals: int
    is_macro: bool = False
    macro_depth: int = 0


class Reader:
    """Reads statements into an Assembly."""

    def __init__(self, assembly: Assembly, include_paths: Sequence[Path] = ()) -> None:
        self._assembly = assembly
        self._include_paths = include_paths
        self._scrubber = Scrubber(assembly.isa)
        self._macros = MacroTable()
        self._conditionals = Conditionals(assembly.number, assembly.symbols.is_defined)
        self._frames: list[_Frame] = []
        self._statement = Statement("", Line("", "", 0, ""))
        self._left = _MAX_STATEMENTS

    @property
    def macros(self) -> Mapping[str, Macro]:
        """The macros defined by now, by their names in small letters."""
        return self._macros.by_name

    @property
    def macro_names(self) -> tuple[str, ...]:
        """The names of the macros defined by now."""
        return tuple(macro.name for macro in self.macros.values())

    def read(self, lines: Iterable[Line]) -> None:
        """Read all lines.  Raises AssemblyError at the first statement that is wrong."""
        self._frames = [_Frame(self._file_statements(lines), (), 0)]
        try:
            while self._frames:
                statement = self._next()
                if statement is not None:
                    self._obey(statement)
            if self._conditionals.depth:
                raise AssemblyError("this `.if` is never closed by `.endif`", self._conditionals.innermost)
            self._assembly.finish()
        except SyntaxFault as fault:
            raise fault.at(point_at(self._source(), fault.token)) from None

    def _file_statements(self, lines: Iterable[Line]) -> Iterator[Statement]:
        for line in lines:
            try:
                statements = list(self._scrubber.statements(line))
            except SyntaxFault as fault:
                if not self._conditionals.active:
                    continue
                raise fault.at(line.source(token=fault.token)) from None
            yield from statements

    def _next(self) -> Statement | None:
        """Return the next statement, or None when a frame has ended."""
        frame = self._frames[-1]
        statement = next(frame.statements, None)
        if statement is not None:
            self._left -= 1
            if self._left < 0:
                self._statement = statement
                raise SyntaxFault(f"the source expands to more than {_MAX_STATEMENTS} statements")
            return statement
        self._frames.pop()
        if frame.is_macro and self._conditionals.depth > frame.conditionals:
            raise AssemblyError("this `.if` is open where its macro ends", self._conditionals.innermost)
        return None

    def _source(self) -> SourceLine:
        statement = self._statement
        trail = self._frames[-1].trail if self._frames else ()
        return statement.line.source(statement.column or None, expanded=statement.text, trail=trail)

    def _obey(self, statement: Statement) -> None:
        text = statement.text
        if not self._conditionals.active:
            if "." in text:
                self._statement = statement
                word = _FIRST_WORD.match(text)
                name = word.group(1).lower() if word else ""
                if name in CONDITIONALS:
                    self._conditionals.apply(name, text[word.end() :].strip() if word else "", self._source)
            return
        self._statement = statement
        assembly = self._assembly
        while label := _LABEL.match(text):
            assembly.source = self._source()
            assembly.label(label.group(1))
            text = text[label.end() :]
        if not text:
            return
        match = _NAME.match(text)
        if match is None:
            raise SyntaxFault("expected a label, a directive or an instruction", text)
        if "=" in text and (assignment := _ASSIGNMENT.match(text)):
            assembly.source = self._source()
            target, double, value = assignment.groups()
            symbol_directives.assign_symbol(assembly, target, value, once=bool(double))
            return
        name, operands = match.group(), text[match.end() :].lstrip(" ")
        lower = name.lower()
        if lower[0] == ".":
            self._directive(lower, name, operands)
            return
        if lower in self._macros.by_name:
            self._call(self._macros.by_name[lower], operands)
            return
        assembly.source = self._source()
        if operands.startswith(".") and (alias := _ALIAS.match(operands)):
            symbol_directives.define_register(assembly, name, alias.group().lower(), operands[alias.end() :])
            return
        if lower == "nop" and not operands:
            assembly.emit_word(assembly.nop)
            return
        if assembly.isa is Isa.A32 and _IT.fullmatch(lower):
            return  # makes the next instructions conditional in T32; in A32 they carry conditions of their own
        try:
            parsed = assembly.instructions_parser.parse(name, operands)
        except ScalableFault:
            raise
        except SyntaxFault as fault:
            raise unknown_mnemonic(assembly.isa, name, name, self.macro_names) or fault from None
        assembly.emit_instruction(parsed)

    def _directive(self, lower: str, name: str, operands: str) -> None:
        handler = _DIRECTIVES.get(lower)
        if handler is not None:
            self._assembly.source = self._source()
            handler(self._assembly, lower, operands)
        elif lower in CONDITIONALS:
            self._conditionals.apply(lower, operands, self._source)
        elif lower.startswith(".cfi_"):
            return
        elif lower in _CONTROL:
            self._assembly.source = self._source()
            self._control(lower, operands)
        elif lower in self._macros.by_name:
            self._call(self._macros.by_name[lower], operands)
        else:
            known = [*_DIRECTIVES, *CONDITIONALS, *_CONTROL, *self._macros.by_name]
            near = difflib.get_close_matches(lower, known, 1)
            raise SyntaxFault(f"unknown directive `{name}`", name, f"did you mean `{near[0]}`?" if near else "")

    def _control(self, name: str, operands: str) -> None:
        if name == ".macro":
            self._define(operands)
        elif name in _LOOPS:
            self._loop(name, operands)
        elif name == ".exitm":
            self._exit()
        elif name == ".purgem":
            for purged in operands.replace(",", " ").split():
                if self._macros.by_name.pop(purged.lower(), None) is None:
                    raise SyntaxFault(f"there is no macro `{purged}` to purge", purged)
        elif name in {".altmacro", ".noaltmacro"}:
            self._macros.alternate = name == ".altmacro"
        elif name in {".err", ".error"}:
            raise SyntaxFault(_message(operands) or f"`{name}` was reached", name)
        elif name == ".abort":
            raise SyntaxFault("`.abort` was reached", name)
        elif name == ".warning":
            self._assembly.warn(_message(operands))
        elif name == ".end":
            self._frames.clear()
        elif name in {".endm", ".endr"}:
            raise SyntaxFault(f"`{name}` without `{'.macro' if name == '.endm' else '.rept'}`", name)
        elif name == ".include":
            self._include(operands)

    def _define(self, operands: str) -> None:
        start = self._source()
        match = _NAME.match(operands)
        if match is None:
            raise SyntaxFault("`.macro` needs a name", ".macro")
        name = match.group()
        parameters = self._macros.parameters(operands[match.end() :].lstrip(" ,"))
        body = self._collect(frozenset({".macro"}), ".endm", start)
        if name.lower() in self._macros.by_name:
            raise SyntaxFault(f"the macro `{name}` is already defined", name)
        self._macros.by_name[name.lower()] = Macro(name, parameters, tuple(body))

    def _collect(self, openers: frozenset[str], closer: str, start: SourceLine) -> list[Statement]:
        """Return the statements up to `closer`, with nested ones."""
        opened = self._statement
        depth = 0
        body: list[Statement] = []
        while True:
            statement = self._next()
            if statement is None:
                if not self._frames:
                    raise AssemblyError(f"this is never closed by `{closer}`", start)
                continue
            word = _FIRST_WORD.match(statement.text)
            name = word.group(1).lower() if word else ""
            if name in openers:
                depth += 1
            elif name == closer:
                if depth == 0:
                    self._statement = opened
                    return body
                depth -= 1
            body.append(statement)

    def _call(self, macro: Macro, operands: str) -> None:
        frame = self._frames[-1]
        depth = frame.macro_depth + 1
        if depth > _MAX_DEPTH:
            raise SyntaxFault(f"macros are nested deeper than {_MAX_DEPTH}", macro.name)
        actual = self._macros.bind(macro, operands, self._evaluate)
        expanded = self._macros.expand(macro, actual)
        line = self._statement.line
        trail = (*frame.trail, f"{line.path}:{line.number}: in macro `{macro.name}`")
        statements = self._rescrubbed(expanded, macro.body)
        self._frames.append(_Frame(statements, trail, self._conditionals.depth, is_macro=True, macro_depth=depth))

    def _evaluate(self, text: str) -> tuple[int, int]:
        node, end = self._assembly.expressions.parse(text)
        return self._assembly.number_of(node, text), end

    def _rescrubbed(self, expanded: Iterable[Statement], body: Iterable[Statement]) -> Iterator[Statement]:
        """Yield statements of a macro's text; where arguments were inserted, the text is split and squeezed again."""
        originals = {id(statement) for statement in body}
        for statement in expanded:
            if id(statement) in originals:
                yield statement
                continue
            for part in self._scrubber.split(statement.text):
                text = self._scrubber.squeeze(part)
                if text:
                    yield Statement(text, statement.line, statement.column)

    def _loop(self, name: str, operands: str) -> None:
        start = self._source()
        body = tuple(self._collect(_LOOPS, ".endr", start))
        frame = self._frames[-1] if self._frames else _Frame(iter(()), (), 0)
        line = self._statement.line
        statements: Iterator[Statement]
        if name in {".rept", ".rep"}:
            count = self._assembly.number(operands)
            statements = itertools.chain.from_iterable(itertools.repeat(body, max(count, 0))) if body else iter(())
        else:
            parameter, values = self._macros.irp_values(operands, characters=name.endswith("c"))
            statements = itertools.chain.from_iterable(
                self._rescrubbed(self._macros.substitute_body(body, {parameter: value}), body) for value in values
            )
        trail = (*frame.trail, f"{line.path}:{line.number}: in `{name}`")
        self._frames.append(_Frame(statements, trail, self._conditionals.depth, macro_depth=frame.macro_depth))

    def _include(self, operands: str) -> None:
        name = operands.strip().strip('"')
        folder = Path(self._statement.line.path).parent
        found = find_include(name, folder, self._include_paths, own=True)
        if found is None:
            hint = where_searched(name, folder, self._include_paths, own=True)
            raise SyntaxFault(f"cannot find the include file `{name}`", name, hint=hint)
        frame = self._frames[-1]
        depth = frame.macro_depth + 1
        if depth > _MAX_DEPTH:
            raise SyntaxFault(f"files are included deeper than {_MAX_DEPTH}", name)
        lines = logical_lines(read_source(found), str(found))
        self._frames.append(
            _Frame(self._file_statements(lines), frame.trail, self._conditionals.depth, macro_depth=depth)
        )

    def _exit(self) -> None:
        while self._frames and not self._frames[-1].is_macro:
            if len(self._frames) == 1:
                raise SyntaxFault("`.exitm` outside of a macro", ".exitm")
            self._frames.pop()
        frame = self._frames.pop()
        self._conditionals.cut(frame.conditionals)


def _message(operands: str) -> str:
    text = operands.strip()
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        return string_bytes(text).decode("utf-8", "replace")
    return text
