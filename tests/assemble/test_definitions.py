"""Find what a name stands for at a statement: conditions, order and `.unreq` count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.definitions import Definitions, definitions_at
from neonlab.assemble.linking import link
from neonlab.isa.model.isa import Isa

SOURCE = """
    .text
taken_back .req x1
    .unreq taken_back
#ifdef OTHER
half    .req x2
#else
pairs   .req x2
#endif
.if 0
never   .req x3
.endif
first   .req x4
Second  .req first
.macro outer count
  .ifb \\count
    nop
  .else
inside  .req x5
    add     x0, x0, \\count
    .unreq inside
  .endif
.endm
kernel:
    outer   #7
    outer   #9
    ret
behind  .req x6
.macro later
.endm
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.S"
    path.write_text(SOURCE)
    return path


def at(path: Path, number: int, isa: Isa = Isa.A64, defines: Mapping[str, str] | None = None) -> Definitions:
    """Return what is defined at the instruction of this number."""
    program = link(assemble_file(path, isa=isa, defines=defines))
    line = program.line_at(program.instructions[number].address)
    assert line is not None
    return definitions_at(path, line, isa, defines=defines)


def test_names_are_those_of_the_statement(source: Path) -> None:
    first = at(source, 0)
    small = {name: register for name, register in first.registers.items() if not name.isupper()}
    assert small == {"pairs": "x2", "first": "x4", "Second": "x4", "second": "x4", "inside": "x5"}
    assert list(first.macros) == ["outer"] and [one.name for one in first.macros["outer"].parameters] == ["count"]
    assert "inside" not in at(source, 2).registers, "it was taken back"


def test_names_under_a_condition_count_where_it_holds(source: Path) -> None:
    assert "half" not in at(source, 0).registers
    other = at(source, 0, defines={"OTHER": "1"})
    assert other.registers["half"] == "x2" and "pairs" not in other.registers


def test_a_file_for_as_alone_has_no_preprocessor(tmp_path: Path) -> None:
    path = tmp_path / "kernel.s"
    path.write_text("# ifdef is a comment here\ncount .req x3\nkernel:\n    ret\n")
    assert at(path, 0).registers["count"] == "x3"


def test_names_with_the_type_of_an_element_are_no_registers(tmp_path: Path) -> None:
    path = tmp_path / "kernel.S"
    path.write_text("    .text\ncount .req r3\nsums .dn d4.s16\nkernel:\n    bx lr\n")
    assert dict(at(path, 0, Isa.A32).registers) == {"count": "r3", "COUNT": "r3"}
