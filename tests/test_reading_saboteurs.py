"""Right kernels and the changes beside them: what they make, and what is said of a table that is badly written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.saboteurs import Saboteur, SaboteurError, find_saboteur, right_kernels, saboteurs

RIGHT = """\
one:
    ldr     w0, [x0]
    add     w0, w0, #1
    str     w0, [x1]
    add     w0, w0, #1
    ret
"""


def read(folder: Path, *tables: str) -> tuple[Saboteur, ...]:
    """The saboteurs of one kernel, called one, beside which `tables` stand."""
    (folder / "armv8").mkdir(parents=True)
    (folder / "armv8" / "one.S").write_text(RIGHT)
    (folder / "armv8" / "one.toml").write_text("\n".join(f"[[fault]]\n{table}" for table in tables))
    return saboteurs(folder)


def table(change: str, name: str = "oob_read_more") -> str:
    return f'name = "{name}"\nwhy = "of some reason"\n{change}'


WIDER = 'replace = "w0, [x0]"\nwith = "x0, [x0]"'


@pytest.mark.parametrize(
    ("change", "line", "written"),
    [
        (WIDER, 2, "    ldr     x0, [x0]"),
        (f'{WIDER}\nat = "str"', 4, "    str     w0, [x1]"),
        (f'{WIDER}\nat = ""', None, ""),
        # A line that is put in is the one that the change writes.
        ('replace = "    ret"\nwith = "    nop\\n    ret"', 6, "    nop"),
        # A line that the text has twice is named with the one before it.
        ('replace = "    ldr     w0, [x0]\\n"\nwith = ""\nat = "[x1]\\n    add"', 4, "    add     w0, w0, #1"),
        ('replace = ["ldr ", "str "]\nwith = ["ldrb", "strb"]\nat = "strb"', 4, "    strb    w0, [x1]"),
    ],
)
def test_a_change_is_made_and_its_line_follows_from_the_text(
    change: str, line: int | None, written: str, tmp_path: Path
) -> None:
    (found,) = read(tmp_path, table(change))
    assert found.text != RIGHT
    assert line is None or found.text.splitlines()[line - 1] == written
    assert (found.line, found.fault, found.title) == (line, "oob-read", "armv8/oob_read_more")
    path = found.write(tmp_path / "written")
    assert path == tmp_path / "written" / "armv8" / "oob_read_more" / "one.S"
    assert path.read_text() == found.text
    assert found.where(path) == (f"{path}:{line}" if line else "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (['replace = "sub"\nwith = ""'], "`replace` is not found: 'sub'"),
        (['replace = "add"\nwith = "sub"'], "`replace` is found 2 times: 'add'"),
        (['replace = "ldr"\nwith = "ldp"\nat = "mul"'], "`at` is not found: 'mul'"),
        (['replace = "ldr"\nwith = "ldp"\nat = "add"'], "`at` is found 2 times: 'add'"),
        (['replace = "    ret\\n"\nwith = ""'], "writes 0 lines: say with `at` which one is reported"),
        (['replace = ["ldr", "ret"]\nwith = ["ldp", "nop"]'], "writes 2 lines: say with `at` which one is reported"),
        (['replace = ["ldr", "ret"]\nwith = "ldp"'], "replaces 2 texts with 1"),
        (['replace = ["ldr  ", "r     w0, [x0]"]\nwith = ["a", "b"]'], "`replace` has texts that overlap: 'ldr  '"),
        (['replace = "ldr"\nwith = "ldr"'], "changes nothing"),
        (['replace = "ldr"\nwith = "ldp"\nline = 2'], "unknown: line"),
        (['replace = "ldr"\nwith = "ldp"'] * 2, "one.S has a fault of this name too"),
    ],
)
def test_a_table_that_is_badly_written_is_named_with_what_is_wrong(
    changes: list[str], said: str, tmp_path: Path
) -> None:
    with pytest.raises(SaboteurError, match=rf"one\.toml: oob_read_more: .*{re.escape(said)}"):
        read(tmp_path, *(table(change) for change in changes))


def test_a_fault_says_why_and_its_name_which_fault_it_is(tmp_path: Path) -> None:
    with pytest.raises(SaboteurError, match="reads_more: the name does not begin with the identifier of a fault"):
        read(tmp_path / "name", table(WIDER, "reads_more"))
    with pytest.raises(SaboteurError, match="oob_read_more: lacks why"):
        read(tmp_path / "why", f'name = "oob_read_more"\n{WIDER}')
    with pytest.raises(SaboteurError, match=r"one\.toml: .*line 2"):
        read(tmp_path / "toml", "name = 1 2")


def test_changes_without_their_kernel_are_refused(tmp_path: Path) -> None:
    (tmp_path / "armv8").mkdir()
    (tmp_path / "armv8" / "two.toml").write_text("")
    with pytest.raises(SaboteurError, match=r"two\.toml: there is no two\.S beside it"):
        saboteurs(tmp_path)


def test_a_kernel_that_is_wrong_as_it_stands_is_no_right_one() -> None:
    wrong = find_saboteur("armv8/mismatch_wrong_pixel")
    assert wrong.text == wrong.kernel.read_text()
    assert wrong.kernel not in right_kernels()
    assert find_saboteur("armv8/oob_read_tail_loads_eight").kernel in right_kernels()
