"""Every feature of the front end gives the bytes and relocations that GNU as gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.assemble.gnu_as import assemble

from neonlab.assemble.assembler import assemble_file
from neonlab.isa.model.isa import Isa

SNIPPETS = Path(__file__).parent / "snippets"
CASES = [
    pytest.param(isa, path, id=f"{isa.value}-{path.stem}")
    for isa in Isa
    for folder in ("both", isa.value)
    for path in sorted((SNIPPETS / folder).glob("*.S"))
]
# Written by as itself, or by the compiler's driver, and no part of the program.
IGNORED = (".note", ".ARM", ".comment", ".eh_frame", ".debug")


@pytest.mark.parametrize(("isa", "path"), CASES)
def test_a_snippet_gives_the_bytes_of_gnu_as(isa: Isa, path: Path, tmp_path: Path) -> None:
    theirs = assemble(isa, path, tmp_path)
    ours = assemble_file(path, isa=isa)
    wanted = {name: data for name, data in theirs.sections.items() if data and not name.startswith(IGNORED)}
    given = {s.name: s.data for s in ours.sections.values() if s.data and not s.name.startswith(IGNORED)}
    assert set(given) == set(wanted)
    for name, data in wanted.items():
        difference = next(
            (i for i, pair in enumerate(zip(data, given[name], strict=False)) if len(set(pair)) > 1), None
        )
        place = None if difference is None else ours.lines.get((name, difference & ~3))
        assert given[name] == data, f"{name} differs at {difference}: {place}"


@pytest.mark.parametrize(("isa", "path"), CASES)
def test_a_snippet_gives_the_relocations_of_gnu_as(isa: Isa, path: Path, tmp_path: Path) -> None:
    theirs = assemble(isa, path, tmp_path)
    ours = assemble_file(path, isa=isa)
    # In A32 objects the addend is in the bytes, which the other test compares.
    given = {
        (r.section, r.offset, r.kind, r.symbol, r.addend if isa is Isa.A64 else 0)
        for r in ours.relocations
        if not r.section.startswith(IGNORED)
    }
    wanted = {row for row in theirs.relocations if not row[0].startswith(IGNORED)}
    assert given == wanted
