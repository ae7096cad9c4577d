"""Tables of whole functions that were measured, and what is no such table."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.contract.options import Build
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.silicon.called import CalledShape, State
from neonlab.lab.silicon.table import Figure, read_functions, with_calls

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
    assert (one.name, one.file, one.per, one.unit, one.state.warm) == ("sum of n", "sum.o", "4*n", "byte", False)
    assert one.given.isa is Isa.A32 and one.given.symbol == "sum" and one.given.build == Build(define=("N=3",))
    assert one.given.settings == (("args.a.read", "4*n"), ("args.a.align", "8"), ("args.n.range", "[1, 4096]"))
    assert one.measured == {"cortex-a7": Figure(3, 3), "cortex-a9": Figure(1.25, 1.75)}
    assert one.measured["cortex-a9"].middle == 1.5


def test_what_is_not_said_is_a_whole_call_that_is_warm(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(ROW, encoding="utf-8")
    (one,) = read_functions(path).functions
    assert (one.per, one.unit, one.state) == ("1", "call", State(True, 0))


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
        (ROW.replace('file = "add_n.o"\n', ""), "name its file with `file`, or several"),
        (ROW + 'files = ["a.o", "b.o"]\n', "one of them"),
        (ROW.replace('file = "add_n.o"', 'files = ["a.o", ""]'), "name its file with `file`"),
        (ROW.replace('file = "add_n.o"', 'files = "a.o"'), "`files` must be a list of texts"),
        (ROW.replace('source = "a board"\n', ""), "`source` is missing"),
        (ROW.replace('"64", "128"', '"1", "2", "3"'), "one shape, or two"),
        (ROW.replace('"64", "128"', "64"), "`shapes` must be a list of texts"),
        (ROW + 'per = "n +"\n', "`per`"),
        (ROW.replace('"128"', "128"), "`shapes` must be a list of texts, or of tables with `shape` and `args`"),
        (ROW.replace('"128"', "{ args = {} }"), "or of tables with `shape` and `args`"),
        (
            ROW.replace('"128"', '{ shape = "128", offset = 3 }'),
            "`shapes`: unknown key `offset`; known are shape, args",
        ),
        (ROW.replace('"128"', '{ shape = "128", args = 3 }'), "`shapes`: `args` must be a table"),
        (ROW + "calls = 0\n", "`calls` must be a whole number of calls back to back, 1 to 1024"),
        (ROW + "calls = 1025\n", "1 to 1024"),
        (ROW + "calls = 1.5\n", "1 to 1024"),
        (ROW + "calls = true\n", "1 to 1024"),
        (ROW + "calls = 4\nwarm = false\n", "`calls` are warm: leave out"),
        (ROW + "warm = 1\n", "`warm` must be true or false"),
        (ROW + 'isa = "x86"\n', "`isa` is armv7 or armv8, not `x86`"),
        (ROW + "used = true\n", '`used` must be "calibration"'),
        (ROW + 'used = "test"\n', '`used` must be "calibration"'),
        (ROW + 'code = "0123456789a"\n', "`code` must be a digest of 12 or more of the digits 0 to 9 and a to f"),
        (ROW + 'code = "0123456789abg"\n', "`code` must be a digest"),
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


def test_a_row_says_how_its_buffers_lie_what_they_hold_and_how_often_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(
        """\
        [[function]]
        name = "scale"
        files = ["scale.o", "tables.o", "sub/more.a"]
        shapes = ["64", { shape = "64", args = { a = { offset = 3, data = "other.bin" } } }]
        calls = 4
        source = "a board"
        measured = { cortex-a7 = 3 }
        [function.args]
        a = { read = "n", offset = 1, data = "a.npy" }
        b = { read = "n", data = { start = 0, step = 2 }, cold = true }
        c = { read = "n", data = "ramp" }
        """,
        encoding="utf-8",
    )
    (one,) = read_functions(path).functions
    assert one.files == ("scale.o", "tables.o", "sub/more.a") and one.file == "scale.o + tables.o + sub/more.a"
    assert one.given.build == Build(link=("tables.o", "sub/more.a")) and one.state == State(True, 4)
    assert dict(one.given.settings) == {
        "args.a.read": "n", "args.a.offset": "1", "args.a.data": str(tmp_path / "a.npy"),
        "args.b.read": "n", "args.b.data.start": "0", "args.b.data.step": "2", "args.b.cold": "true",
        "args.c.read": "n", "args.c.data": "ramp",
    }  # fmt: skip
    other = (("args.a.offset", "3"), ("args.a.data", str(tmp_path / "other.bin")))
    assert one.shapes == (CalledShape("64"), CalledShape("64", other))


def test_calls_that_are_asked_for_count_where_a_row_says_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(ROW + ROW + "calls = 2\n" + ROW + "warm = false\n", encoding="utf-8")
    table = read_functions(path)
    assert with_calls(table, 0) == table
    assert [one.state for one in with_calls(table, 4).functions] == [State(True, 4), State(True, 2), State(False, 0)]


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


def test_the_functions_of_codecs_are_calibration_called_as_checkasm_calls_them() -> None:
    folder = Path(__file__).resolve().parents[3] / "docs" / "functions"
    table = read_functions(folder / "codecs.toml")
    assert table.calibration is True and table.origin and len(table.functions) > 40
    assert {one.state for one in table.functions} == {State(True, 4)}
    assert len({(one.name, one.file) for one in table.functions}) == len(table.functions)
    script = (folder / "build.sh").read_text(encoding="utf-8")
    built = {Path(one.file).stem for one in table.functions}
    assert all(f"/{name}_neon.S" in script or f"/{name}.S" in script for name in built)
