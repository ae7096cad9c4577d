"""Find out what the names of registers and macros stand for at a statement of a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from neonlab.assemble.assembler import lines_of_file
from neonlab.assemble.assembly import Assembly
from neonlab.assemble.expand.macros import Macro
from neonlab.assemble.reader import Reader
from neonlab.assemble.source import SourceLine
from neonlab.assemble.values.operands import ParsedInstruction
from neonlab.isa.model.isa import Isa


@dataclass(frozen=True, slots=True)
class Definitions:
    """Hold the names at one statement: of registers by `.req`, with the register of each, and of macros.

    `macros` has them by their names in small letters.  The name of a register may also be there in all small letters
    and in all capitals, behind the spelling of the source.
    """

    registers: Mapping[str, str] = field(default_factory=dict)
    macros: Mapping[str, Macro] = field(default_factory=dict)


class _Listening(Assembly):
    """An assembly that calls `told` at each instruction."""

    def __init__(self, isa: Isa, told: Callable[[SourceLine], None]) -> None:
        super().__init__(isa)
        self._told = told

    def emit_instruction(self, parsed: ParsedInstruction) -> None:
        self._told(self.source)
        super().emit_instruction(parsed)


def definitions_at(
    path: Path,
    wanted: SourceLine,
    isa: Isa,
    *,
    include_paths: Sequence[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    preprocess: bool | None = None,
) -> Definitions:
    """Return what is defined at an instruction of a file that assembles, where `wanted` is first assembled.

    What stands under an `#ifdef` or an `.if` that does not hold, behind the instruction, or has been taken back by
    `.unreq` or `.purgem`, is not.  The options are those of `assemble_file`.
    """
    found: Definitions | None = None

    def told(source: SourceLine) -> None:
        nonlocal found
        if found is None and source == wanted:
            names = {name: alias.register for name, alias in assembly.registers.aliases.items() if not alias.element}
            found = Definitions(names, dict(reader.macros))

    folders = [Path(one) for one in include_paths]
    assembly = _Listening(isa, told)
    reader = Reader(assembly, folders)
    reader.read(lines_of_file(path, isa, folders, defines, preprocess)[0])
    return found or Definitions()
