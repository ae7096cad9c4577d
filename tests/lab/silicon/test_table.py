"""Tables of whole functions that were measured, and what is no such table."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.contract.options import Build
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.silicon.table import Figure, read_functions

ROW = """\
[[function]]
name = "add_n"
file = "add_n.o"
shapes = ["64", "128"]
source = "a board"
measured = { cortex-a53 = 1.5 }
"""


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "table.toml"
    path.write_text(text, encoding="utf-8")
    return read_functions(path)


def test_a_row_says_what_to_run_and_what_was_measured(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(
        """\
        about = "built by hand"
        [[function]]
        name = "sum of n"
        file = "sum.o"
        symbol = "sum"
        isa = "armv7"
        prototype = "int (const int *a, int n)"
        shapes = ["64", "128"]
        per = "4*n"
        unit = "byte"
        warm = false
        define = ["N=3"]
        source = "a board"
        measured = { cortex-a7 = 3, cortex-a9 = [1.25, 1.75] }
        [function.args]
        a = { read = "4*n", align = 8 }
        n = { range = [1, 4096] }
        """,
        encoding="utf-8",
    )
    table = read_functions(path)
    assert table.about == "built by hand"
    (one,) = table.functions
    assert (one.name, one.file, one.per, one.unit, one.warm) == ("sum of n", "sum.o", "4*n", "byte", False)
    assert one.given.isa is Isa.A32 and one.given.symbol == "sum" and one.given.build == Build(define=("N=3",))
    assert one.given.settings == (("args.a.read", "4*n"), ("args.a.align", "8"), ("args.n.range", "[1, 4096]"))
    assert one.measured == {"cortex-a7": Figure(3, 3), "cortex-a9": Figure(1.25, 1.75)}
    assert one.measured["cortex-a9"].middle == 1.5


def test_what_is_not_said_is_a_whole_call_that_is_warm(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(ROW, encoding="utf-8")
    (one,) = read_functions(path).functions
    assert (one.per, one.unit, one.warm) == ("1", "call", True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no [[function]]"),
        ("function = 3", "no [[function]]"),
        ("[[function]\n", "table.toml"),
        ("rows = 1\n" + ROW, "unknown key `rows`"),
        ("calibration = 1\n" + ROW, "`calibration` must be true or false"),
        ("origin = 1\n" + ROW, "`origin` must be text"),
        ("about = 1\n" + ROW, "`about` must be text"),
        (ROW + "core = 1\n", "function 1 (`add_n`): unknown key `core`; known are args"),
        (ROW.replace('file = "add_n.o"\n', ""), "`file` is missing"),
        (ROW.replace('source = "a board"\n', ""), "`source` is missing"),
        (ROW.replace('"64", "128"', '"1", "2", "3"'), "one shape, or two"),
        (ROW.replace('"64", "128"', "64"), "`shapes` must be a list of texts"),
        (ROW + 'per = "n +"\n', "`per`"),
        (ROW + "warm = 1\n", "`warm` must be true or false"),
        (ROW + 'isa = "x86"\n', "`isa` is armv7 or armv8, not `x86`"),
        (ROW + "used = true\n", '`used` must be "calibration"'),
        (ROW + 'used = "test"\n', '`used` must be "calibration"'),
        (ROW + "args = 3\n", "`args` must be a table"),
        (ROW.replace("= 1.5", "= 0"), "`measured.cortex-a53`: cycles must be above 0"),
        (ROW.replace("= 1.5", "= nan"), "cycles must be above 0"),
        (ROW.replace("= 1.5", "= inf"), "cycles must be above 0"),
        (ROW.replace("= 1.5", "= [3, 2]"), "the lowest first"),
        (ROW.replace("= 1.5", "= [1, 2, 3]"), "or [lowest, highest]"),
        (ROW.replace("= 1.5", '= "fast"'), "must be a number of cycles"),
        (ROW.replace("= 1.5", "= true"), "must be a number of cycles"),
        (ROW.replace("{ cortex-a53 = 1.5 }", "1.5"), "`measured` must be a table"),
    ],
)
def test_a_file_that_is_no_such_table_is_one_clear_error(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=r"table\.toml") as caught:
        read(tmp_path, text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("top", "row", "used"),
    [
        ("", "", False),
        ("calibration = false\n", "", False),
        ("calibration = true\n", "", True),
        ("", 'used = "calibration"\n', True),
        ("calibration = false\n", 'used = "calibration"\n', True),
    ],
)
def test_a_row_is_calibration_where_it_or_the_table_says_so(tmp_path: Path, top: str, row: str, used: bool) -> None:
    path = tmp_path / "table.toml"
    path.write_text(top + ROW + row, encoding="utf-8")
    (one,) = read_functions(path).functions
    assert one.used is used


def test_nothing_at_all_or_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "absent.toml", tmp_path / "bytes.toml"):
        with pytest.raises(InputError, match=str(path)):
            read_functions(path)


def test_the_table_of_published_figures_is_one() -> None:
    table = read_functions(Path(__file__).resolve().parents[3] / "docs" / "functions" / "published.toml")
    assert len(table.functions) > 100
    assert all(one.source for one in table.functions)
    assert len({(one.name, one.file) for one in table.functions}) == len(table.functions)
