"""Tables of measured timings, and what is no such table."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.errors import InputError
from neonlab.measure.silicon.measured_table import Measured, read_table


def test_rows_are_read_by_core_and_empty_fields_are_no_figures(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('form,A latency,A per_cycle,B per_cycle\n"x (a, b)",1.5,,2\ny,,,\n\nz,,3,\n', encoding="utf-8")
    assert read_table(path) == {
        "A": (Measured("x (a, b)", 1.5, None), Measured("z", None, 3.0)),
        "B": (Measured("x (a, b)", None, 2.0),),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "first line"),
        ("a,b\n1,2\n", "form"),
        ("form\nadd\n", "columns"),
        ("form,X latency,X latency\n", "once"),
        ("form,X latency,other\n", "columns"),
        ("form,X latency,X per_cycle\nadd (reg),quick,1\n", "row 2: `quick`"),
        ("form,X latency\nadd,0\n", "above 0"),
        ("form,X latency\nadd,-1\n", "above 0"),
        ("form,X latency\nadd,nan\n", "above 0"),
        ("form,X latency\nadd,inf\n", "above 0"),
        ("form,X latency\nadd,1\nadd,1\n", "row 3: the form add comes twice"),
        ("form,X latency\n,1\n", "no form"),
        ("form,X latency\nadd,1,2\n", "3 fields"),
        ('form,X latency\n"add,1\n', "table.csv"),
    ],
)
def test_a_file_that_is_no_such_table_is_one_clear_error(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"table\.csv") as caught:
        read_table(path)
    assert words in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00form", b"form,X latency\nadd,1\x00\n"])
def test_bytes_that_are_no_text_are_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"table\.csv"):
        read_table(path)


def test_a_folder_or_nothing_at_all_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.csv"):
        with pytest.raises(InputError, match=str(path)):
            read_table(path)
