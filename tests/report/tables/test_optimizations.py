"""Rows of `neonlab optimize` keep the diff, and are marked once their kernel has changed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command_line import ADD, SUM, edit, neonlab, new_repository
from tests.report.optimized_rows import row_of

from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.report.tables.loops.optimizations import markdown_document
from neonlab.report.tables.loops.rows import (
    diff_of,
    foreign,
    found_before,
    json_document,
    merged,
    older_rows,
    rows_in,
    rows_of_kernels,
)

ROOT = Path(__file__).resolve().parents[3]
CORE = "cortex-a53"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "kernels")


def kernel_in(root: Path) -> Kernel:
    return next(kernel for kernel in open_library(root).kernels if kernel.title == ADD)


def test_a_row_keeps_the_diff_of_the_files_without_where_they_are(root: Path) -> None:
    row = row_of(kernel_in(root))
    diff = diff_of(row)
    assert diff is not None and diff.startswith("--- add_s8_saturated.S\n+++ add_s8_saturated.S\n@@ ")
    assert "\n+    nop\n" in diff and str(root) not in json.dumps(row)
    assert diff_of(row_of(kernel_in(root), better=False)) == ""
    assert diff_of({key: value for key, value in row.items() if key != "diff"}) is None, "a row of before"


def test_long_diffs_are_compressed_and_come_back_as_they_were(root: Path, tmp_path: Path) -> None:
    path, kernel = tmp_path / "optimize.json", kernel_in(root)
    short, long = row_of(kernel), row_of(kernel, "cortex-a72", added="// " + 400_000 * "x")
    path.write_text(json_document([short]))
    assert json.loads(path.read_text())["loops"] == [short], "as text"
    path.write_text(json_document(merged(path, [long])))
    assert len(path.read_text()) < 20_000 and '"diff":' not in path.read_text()
    rows = rows_in(path)
    assert [diff_of(row) for row in rows] == [short["diff"], long["diff"]]
    assert json_document(rows) == path.read_text(), "written again it is the same"
    assert json_document(merged(path, [row_of(kernel, "cortex-a72")])).count('"diff":') == 2, (
        "short ones are text again"
    )


def test_of_a_kernel_of_another_project_figures_alone_are_kept(root: Path) -> None:
    ours = {**row_of(kernel_in(root)), "reason": f"a number at {root}/gemm_4x4.contract.toml"}
    theirs = foreign(ours, "Theirs", root / "gemm_4x4.S")
    assert theirs["kernel"] == "Theirs: gemm_4x4" and diff_of(theirs) is None and "nop" not in json_document([theirs])
    assert theirs["reason"] == "a number at gemm_4x4.contract.toml", "not where it lies on this computer"
    assert "| Theirs: gemm_4x4 | cortex-a53 |" in markdown_document([theirs], ())
    gone = {**ours, "kernel": "armv8/gone"}
    assert older_rows([theirs, gone]) == {("armv8/gone", CORE)}, "theirs is not at hand, and not older for that"
    assert theirs["before"] == ours["before"] and theirs["after"] == ours["after"]


def test_rows_are_marked_once_the_code_of_their_kernel_has_changed(root: Path) -> None:
    rows = [row_of(kernel_in(root)), row_of(kernel_in(root), "cortex-a72", better=False)]
    assert older_rows(rows, [kernel_in(root)]) == frozenset()
    assert "†" not in markdown_document(rows, ())
    edit(root, SUM, f"    // another comment\n{SUM}")
    assert older_rows(rows, [kernel_in(root)]) == frozenset(), "the code is the same"
    edit(root, SUM, f"{SUM}    mov x9, x9\n")
    rows[1] = row_of(kernel_in(root), "cortex-a72", better=False)
    older = older_rows(rows, [kernel_in(root)])
    assert older == {(ADD, CORE)}
    text = markdown_document(rows, older)
    assert f"| {ADD} † | {CORE} |" in text and f"| {ADD} | cortex-a72 |" in text
    assert "\n†: the kernel's code is not that of the row any more." in text


def test_a_row_whose_kernel_is_gone_is_marked() -> None:
    row = {"kernel": "armv8/there_is_no_such_kernel", "core": CORE, "code": "0"}
    assert older_rows([row]) == {("armv8/there_is_no_such_kernel", CORE)}


def test_rows_are_found_by_kernel_and_core(root: Path, tmp_path: Path) -> None:
    path, kernel = tmp_path / "optimize.json", kernel_in(root)
    path.write_text(json_document([row_of(kernel), row_of(kernel, "cortex-a55", better=False)]))
    assert [row["core"] for row in rows_of_kernels(path, [kernel])[ADD]] == [CORE, "cortex-a55"]
    assert rows_of_kernels(path, []) == {} and rows_in(tmp_path / "none.json") == []
    assert list(found_before(path, [kernel], CORE)) == [ADD] and not found_before(path, [kernel], "cortex-a55")
    path.write_text("{}")
    with pytest.raises(InputError, match="move it away"):
        rows_in(path)


@pytest.mark.slow
def test_a_report_sets_the_marks_anew(root: Path) -> None:
    reports = root / "reports"
    reports.mkdir(exist_ok=True)
    row = row_of(kernel_in(root))
    (reports / "optimize.json").write_text(json_document([row]))
    edit(root, SUM, f"{SUM}    mov x9, x9\n")
    done = neonlab("-q", "report", "--no-pages", cwd=root)
    assert done.returncode == 0, done.stderr
    assert (reports / "optimize.md").read_text() == markdown_document([row], {(ADD, CORE)})


def test_the_table_of_the_library_is_that_of_its_rows() -> None:
    rows = rows_in(ROOT / "reports" / "optimize.json")
    text = (ROOT / "reports" / "optimize.md").read_text()
    marked = set(re.findall(r"^\| (\S+) † \| (\S+) \|", text, re.MULTILINE))
    assert markdown_document(rows, marked) == text
    assert any(diff_of(row) for row in rows)
