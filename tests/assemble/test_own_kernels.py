"""The kernels of this repository assemble to the same bytes with GNU as, and are listed completely."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.assemble.gnu_as import assemble
from tests.kernel_sources import FILES, title_of

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.linking import link
from neonlab.assemble.word_listing import listing

KERNELS = FILES


def identity(path: Path) -> str:
    return title_of(path).replace("/", "-")


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("path", KERNELS, ids=identity)
def test_a_kernel_has_the_bytes_of_gnu_as(path: Path, tmp_path: Path) -> None:
    ours = assemble_file(path)
    theirs = assemble(ours.isa, path, tmp_path)
    assert ours.sections[".text"].data.hex(" ", 4) == theirs.sections[".text"].hex(" ", 4)


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("path", KERNELS, ids=identity)
@pytest.mark.sweep
def test_a_listing_shows_every_byte_once_and_every_instruction_with_its_line(path: Path) -> None:
    ours = assemble_file(path)
    rows = listing(ours)
    for name, section in ours.sections.items():
        assert b"".join(row.data for row in rows if row.section == name) == section.data
    program = link(ours)
    assert {i.address for i in program.instructions} <= set(program.lines) | {
        address for address in range(0x10000, 0x10000 + len(section.data), 4) if program.line_at(address) is None
    }
    assert path.stem in program.symbols
