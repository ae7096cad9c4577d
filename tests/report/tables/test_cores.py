"""The report on the cores, and the command that writes it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from neonlab.cli.commands.cores import cores
from neonlab.measure.cores import errors
from neonlab.measure.form_table import origin
from neonlab.report.json.documents import schemas

TABLE = """\
form,Cortex-A53 latency,Cortex-A53 per_cycle
add (reg),1.00,1.99
mul,9.00,0.50
b (pc+4),1.00,1.00
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from neonlab.cli import main; main()", "cores", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=os.environ)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_list_of_cores_fits_80_columns_and_says_how_far_off_each_is() -> None:
    result = run()
    assert result.returncode == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80
    words = " ".join(result.stdout.split())
    assert "functions not used to adjust the model" in words and "table was filled from 2479 latencies" in words
    assert "no function outside its calibration was measured" in words  # of Cortex-A15, for one
    assert "all in order: median error 10.2%, bias -9.7% on 361 functions" in words
    assert "all out of order: median error 17.8%, bias -14.8% on 481 functions" in words
    assert "right in 89 of 107 pairs" in words


@pytest.mark.slow
def test_json_of_a_core_has_its_error_with_sign_origin_and_age() -> None:
    result = run("--core", "cortex-a72", "--json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, schemas()["cores"])
    first = document["cores"][0]["errors"][0]
    assert (first["against"], first["figures"], first["median_error"], first["bias"]) == ("unseen", 174, 0.243, -0.243)
    assert "revision 38934e7" in first["origin"] and first["within_5_percent"] is None
    assert isinstance(first["measured_before_last_change"], bool)


@pytest.mark.slow
def test_the_terminal_shows_counts_what_is_outside_and_what_was_left_out(table: Path) -> None:
    result = run("--against", str(table))
    assert result.returncode == 0, result.stderr
    assert "cortex-a53: 3 of 4 figures within 5 % (75.0%)" in result.stdout
    assert "outside, 1: not explained" in result.stdout
    assert "latency   9.00 measured   4.00 modelled  mul" in result.stdout
    assert "left out, 1 rows: depends on instruction fetch" in result.stdout


@pytest.mark.slow
def test_the_documents_are_the_same_each_time_and_keep_to_the_schema(table: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        result = run("--against", str(table), "--into", str(tmp_path / folder))
        assert result.returncode == 0, result.stderr
    for name in ("cores.md", "cores.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    document = json.loads((tmp_path / "one" / "cores.json").read_text())
    jsonschema.validate(document, schemas()["cores"])
    assert document["comparisons"][0]["error"]["within_5_percent"] == 3
    markdown = (tmp_path / "one" / "cores.md").read_text()
    assert "| mul | latency | 9.00 | 4.00 |" in markdown
    assert "`b (pc+4)`" in markdown


@pytest.mark.slow
def test_json_of_a_comparison_keeps_to_the_schema(table: Path) -> None:
    result = run("--against", str(table), "--json")
    jsonschema.validate(json.loads(result.stdout), schemas()["cores"])


@pytest.mark.slow
def test_cores_that_the_table_does_not_have_are_an_error(table: Path) -> None:
    result = run("--against", str(table), "--core", "cortex-a72")
    assert result.returncode == 2
    assert "cortex-a53" in result.stderr and "Traceback" not in result.stderr


@pytest.mark.slow
def test_a_table_of_no_known_core_is_an_error(table: Path) -> None:
    table.write_text(TABLE.replace("Cortex-A53", "Cortex-M0"))
    result = run("--against", str(table))
    assert result.returncode == 2
    assert "Cortex-M0" in result.stderr


def test_a_record_has_the_forms_that_were_measured(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in (origin, errors):
        monkeypatch.setattr(module, "PATH", Path(shutil.copy(module.PATH, tmp_path)))
    errors.read_again()
    try:
        cores(against=table, record=True)
        told = (tmp_path / "measured.csv").read_text().splitlines()
    finally:
        monkeypatch.undo()
        errors.read_again()
    assert "cortex-a53,agrees,,agrees,add" in told and "cortex-a53,9,,agrees,mul" in told
    assert any(line.startswith("neoverse-v1,") for line in told), "other cores keep what was recorded of them"
    assert capsys.readouterr().out
