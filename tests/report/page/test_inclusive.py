"""Lines that call macros or include files carry the cycles of all that they bring in."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository

from neonlab.editor.sight import _heat
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.page.source_listing import Listing, listings

CORE = "cortex-a53"
INCLUDED = """\
.macro add_up
    sqadd   v0.16b, v0.16b, v1.16b
.endm
.macro twice
    nop
    add_up
.endm
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Profile, dict[str, Listing], Path]:
    """The kernel of a new repository, whose sum is a macro within a macro of an included file."""
    root = new_repository(tmp_path_factory.mktemp("repository"))
    path = root / "asm" / f"{ADD}.S"
    (path.parent / "sum.inc").write_text(INCLUDED)
    text = path.read_text().replace("\n    .arch", '\n#include "sum.inc"\n    .arch', 1)
    path.write_text(text.replace("    sqadd   v0.16b, v0.16b, v1.16b\n", "    twice\n", 1))
    kernel = open_kernel(path)
    profile = profiling.profile(kernel, parse_shape(kernel, "4096"), memory=MemoryOptions(CORE, loop=True))
    assert isinstance(profile, Profile) and profile.cycles is not None
    return profile, {one.title: one for one in listings(path, {CORE: profile})}, path


def own(listing: Listing, text: str) -> int:
    """The cycles of the lines that have the text."""
    lines = listing.path.read_text().splitlines()
    return sum(
        listing.costs[CORE][line.cost][0] for line in listing.lines if line.cost >= 0 and text in lines[line.number - 1]
    )


def test_a_call_has_the_cycles_of_the_macro_and_of_those_within(
    found: tuple[Profile, dict[str, Listing], Path],
) -> None:
    _, listed, path = found
    main, included = listed[path.name], listed["sum.inc"]
    call = path.read_text().splitlines().index("    twice") + 1
    within = INCLUDED.splitlines().index("    add_up") + 1
    assert own(included, "sqadd") > 0 and own(included, "nop") > 0
    assert main.inside[CORE][call] == own(included, "sqadd") + own(included, "nop")
    assert included.inside[CORE] == {within: own(included, "sqadd")}
    assert main.lines[call - 1].cost == -1, "nothing of the line itself is executed"


def test_cycles_by_outermost_file_add_up_to_those_of_all_lines(
    found: tuple[Profile, dict[str, Listing], Path],
) -> None:
    profile, _, path = found
    assert profile.cycles is not None
    assert dict(profile.cycles.entered) == {str(path): sum(line.cycles for line in profile.cycles.lines if line.path)}


def test_an_include_has_the_cycles_of_code_that_stands_in_the_file_and_in_those_it_includes(tmp_path: Path) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    head, _, code = path.read_text().partition("*/\n")
    (path.parent / "code.inc").write_text(f"{code}\n")
    (path.parent / "between.inc").write_text('\n.include "code.inc"\n')
    path.write_text(f'{head}*/\n#include "between.inc"\n')
    kernel = open_kernel(path)
    profile = profiling.profile(kernel, parse_shape(kernel, "512"), memory=MemoryOptions(CORE))
    assert isinstance(profile, Profile) and profile.cycles is not None
    line = path.read_text().splitlines().index('#include "between.inc"') + 1
    main, *_ = listings(path, {CORE: profile})
    assert main.inside[CORE] == {line: sum(one.cycles for one in profile.cycles.lines if one.path)}


def test_the_editor_marks_such_lines_with_a_sum(found: tuple[Profile, dict[str, Listing], Path]) -> None:
    _, listed, path = found
    call = path.read_text().splitlines().index("    twice") + 1
    heat = {one.line: one for one in _heat(list(listed.values()), path)[CORE]}
    shown = heat[call].to_json()
    assert shown["cycles"].startswith("Σ") and shown["heat"] == 0
    assert f"{listed[path.name].inside[CORE][call]:,} cycles" in shown["told"]
    assert [one for one in heat if heat[one].inside] == [call]
