"""Where a text that cannot be tried is told to be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.editor.sight import Sight

PATH = Path("/repository/asm/armv8/kernel.S")
TEXT = """\
/*toml
extends = "shared.inc"
*/
#include "macros/tile.inc"
    .include "last.inc"
kernel:
    ret
"""


@pytest.mark.parametrize(
    ("place", "line", "sentence"),
    [
        ("asm/armv8/kernel.S:6:5", 6, "no such thing"),
        ("asm/macros/tile.inc:9:5", 4, "tile.inc:9: no such thing"),
        ("asm/armv8/last.inc:2:1", 5, "last.inc:2: no such thing"),
        ("asm/armv8/shared.inc:3", 2, "shared.inc:3: no such thing"),
        ("asm/armv8/ile.inc:3:1", 0, "ile.inc:3: no such thing"),  # no file that this one takes in
    ],
)
def test_a_mistake_in_another_file_is_told_at_the_line_that_takes_it_in(place: str, line: int, sentence: str) -> None:
    sight = Sight.of_problem(PATH, TEXT, f"/repository/{place}: error: no such thing\n      x\n      ^")
    [remark] = sight.remarks
    assert (remark.line, remark.sentence) == (line, sentence)
    assert place.rpartition("/")[2].split(":")[0] in sight.verdict


def test_a_problem_of_no_place_is_of_no_line() -> None:
    [remark] = Sight.of_problem(PATH, TEXT, "no contract says how to call it").remarks
    assert (remark.line, remark.sentence) == (0, "no contract says how to call it")
