"""Functions left out with their family: the file, the errors computed from it, and what is recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from neonlab.cli.commands.cores import cores
from neonlab.errors import InputError
from neonlab.lab.silicon.left_out import left_out_errors, ratio_errors, read_left_out
from neonlab.measure.cores import errors as core_errors
from neonlab.measure.cores.errors import IN_ORDER, LEFT_OUT, PATH, errors_of, recorded, recorded_ratios
from neonlab.report.json.documents import schemas

ROOT = Path(__file__).resolve().parents[3]
TABLE = ROOT / "docs" / "functions" / "left_out.csv"
HEAD = "# origin: a board\ncore,tables,family,function,version,measured,modelled\n"
ROW = "cortex-a53,abc,filters,f,,100,90\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_errors_are_of_each_core_and_of_all_that_issue_alike(tmp_path: Path) -> None:
    rows = [f"cortex-a53,abc,filters,f{n},,1000,{901 + 10 * n}\n" for n in range(9)]
    rows += ["cortex-a55,def,Keccak,k,,10,12\n", "cortex-a72,ghi,filters,f,,10,11\n"]
    found = left_out_errors(read_left_out(written(tmp_path, HEAD + "".join(rows))))
    assert list(found) == ["cortex-a53", "cortex-a55", "cortex-a72", "in order", "out of order"]
    error = found["cortex-a53"]
    assert (error.against, error.figures, error.within, error.families) == (LEFT_OUT, 9, 4, 1)
    assert (error.median, error.bias, error.low, error.high) == (0.059, -0.059, 0.901, 0.981)
    assert (error.tables, error.origin) == ("abc", "a board")
    assert (found[IN_ORDER].figures, found[IN_ORDER].families, found[IN_ORDER].tables) == (10, 2, "")
    assert found["cortex-a55"].low is None  # of one row


def test_ratios_are_of_two_versions_on_one_core(tmp_path: Path) -> None:
    rows = []
    for n in range(10):
        rows += [f"cortex-a53,abc,filters,f{n},before,100,90\n", f"cortex-a53,abc,filters,f{n},after,{90 + n},81\n"]
    rows += ["cortex-a53,abc,filters,alone,before,1,1\n", "cortex-a55,def,filters,alone,after,1,1\n"]
    found = ratio_errors(read_left_out(written(tmp_path, HEAD + "".join(rows))))
    assert list(found) == [IN_ORDER]
    one = found[IN_ORDER]
    assert (one.pairs, one.decided, one.right) == (10, 8, 8)  # 98 and 99 of 100 differ by less than 3 %
    assert one.high == pytest.approx(1.0, abs=0.01) and one.low == pytest.approx(90 / 99, abs=0.01)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD.split("\n", 1)[1] + ROW, "`# origin: TEXT`"),
        ("# origin: x\n" + ROW, "must be `core,tables,family"),
        (HEAD, "has no rows"),
        (HEAD + "cortex-a53,abc\n", "rows.csv:3: has 2 columns, not 7"),
        (HEAD + ROW.replace("a53", "m0"), "rows.csv:3: there is no model of `cortex-m0`"),
        (HEAD + ROW.replace("filters", ""), "must not be empty"),
        (HEAD + ROW.replace("f,,", "f,then,"), "`version` must be before, after or empty, not `then`"),
        (HEAD + ROW.replace("90", "fast"), "must be cycles above 0, not 100 and fast"),
        (HEAD + ROW.replace("100", "0"), "must be cycles above 0, not 0 and 90"),
        (HEAD + ROW.replace("90", "nan"), "must be cycles above 0"),
        (HEAD + ROW + ROW, "rows.csv:4: cortex-a53 f was on a line before"),
        (HEAD + ROW + ROW.replace("abc", "def").replace(",f,", ",g,"), "different tables"),
    ],
)
def test_a_file_that_is_no_such_table_is_one_clear_error(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_left_out(written(tmp_path, text))
    assert words in str(caught.value) and "rows.csv" in str(caught.value)


def test_what_is_recorded_is_what_the_table_of_the_repository_gives() -> None:
    table = read_left_out(TABLE)
    for title, error in left_out_errors(table).items():
        assert [one for one in errors_of(title) if one.against == LEFT_OUT] == [error], title
    told = {title for title, errors in recorded().items() if LEFT_OUT in errors}
    assert told == set(left_out_errors(table))
    assert recorded_ratios() == ratio_errors(table)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from neonlab.cli import main; main()", "cores", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=os.environ)


@pytest.mark.slow
def test_the_command_prints_errors_and_json_keeps_to_the_schema() -> None:
    result = run("--left-out", str(TABLE))
    assert result.returncode == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80
    line = next(line for line in result.stdout.splitlines() if line.startswith("cortex-a72"))
    assert line.split()[:3] == ["cortex-a72", "82", "4"] and "pairs" in result.stdout
    document = json.loads(run("--left-out", str(TABLE), "--json").stdout)
    jsonschema.validate(document, schemas()["cores"])
    assert document["left_out"]["errors"][0]["title"] == "cortex-a53"


def test_recording_writes_the_same_again_and_keeps_what_is_of_other_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "errors.toml"
    copy.write_bytes(PATH.read_bytes())
    monkeypatch.setattr(core_errors, "PATH", copy)
    try:
        cores(left_out=TABLE, record=True)
        assert copy.read_bytes() == PATH.read_bytes()
        cores(left_out=written(tmp_path, HEAD + ROW), record=True)
        before, after = (tomllib.loads(path.read_text(encoding="utf-8")) for path in (PATH, copy))
        assert after["cortex-a53"].pop(LEFT_OUT)["figures"] == 1 and before["cortex-a53"].pop(LEFT_OUT)["figures"] > 1
        assert after["cortex-a53"] == before["cortex-a53"] and after["ratios"] == before["ratios"]
    finally:
        monkeypatch.undo()
        core_errors.read_again()


@pytest.mark.parametrize("more", [("--into", "x"), ("--core", "cortex-a53"), ("--functions", "x.toml"), ("--mca", "x")])
def test_what_does_not_go_with_it_is_refused(more: tuple[str, str]) -> None:
    result = run("--left-out", str(TABLE), *more)
    assert result.returncode == 2 and "--left-out goes with --record and --json alone" in result.stderr
