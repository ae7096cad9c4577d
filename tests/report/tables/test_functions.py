"""Whole functions beside their models: the command that runs them, and the report that it writes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
from tests.tools import require

from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import open_kernel
from neonlab.measure.cores import errors as core_errors
from neonlab.report.json.documents import schemas

#: Each round multiplies a number by another twice, and the next waits for it: 5 cycles each, measured on Cortex-A72.
CHAIN = """\
/*toml
summary   = "a chain of products"
prototype = "uint64_t (uint64_t n)"
isa       = ["armv8.0-a"]
[args]
n = { reg = "x0", range = [1, 4096] }
*/
    .text
    .globl chain
chain:
    mov     x1, #3
again:
    mul     x1, x1, x1
    subs    x0, x0, #1
    mul     x1, x1, x1
    b.ne    again
    mov     x0, x1
    ret
"""
TABLE = """\
about = "Written by a test."
[[function]]
name = "chain"
file = "armv8/chain.S"
shapes = ["100", "300"]
per = "2*n"
unit = "product"
source = "counted by hand"
measured = { cortex-a72 = [4.5, 5.5], cortex-a53 = 2.5, cortex-m0 = 32 }
[[function]]
name = "not there"
file = "armv8/absent.S"
shapes = ["100"]
source = "nobody"
measured = { cortex-a72 = 1 }
[[function]]
name = "too long"
file = "armv8/chain.S"
shapes = ["100", "5000"]
per = "n"
source = "nobody"
measured = { cortex-a72 = 1 }
[[function]]
name = "no more work"
file = "armv8/chain.S"
shapes = ["300", "100"]
per = "n"
source = "nobody"
measured = { cortex-a72 = 1 }
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from neonlab.cli import main; main()", "cores", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=os.environ)


def ends_of_the_band(core: str) -> tuple[float, float]:
    """Return the factors from an estimate to the ends of its range, from the file of recorded errors."""
    with core_errors.PATH.open("rb") as file:
        error = tomllib.load(file)[core]["left-out"]
    return 1 / error["high"], 1 / error["low"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "armv8").mkdir()
    (tmp_path / "armv8" / "chain.S").write_text(CHAIN, encoding="utf-8")
    path = tmp_path / "table.toml"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.slow
def test_each_function_has_a_row_by_core_or_the_reason_why_not(table: Path) -> None:
    result = run("--functions", str(table), "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    jsonschema.validate(document, schemas()["cores"])
    rows = {(row["function"], row["core"]): row for row in document["functions"]["figures"]}
    assert rows["chain", "cortex-a72"]["modelled"] == pytest.approx(5, abs=0.01)
    assert rows["chain", "cortex-a72"]["error"] == pytest.approx(0, abs=0.002)
    assert rows["chain", "cortex-a53"]["error"] > 0.2
    assert rows["chain", "cortex-m0"]["modelled"] is None
    assert "no model of `cortex-m0`" in rows["chain", "cortex-m0"]["reason"]
    assert "absent.S: no such file" in rows["not there", "cortex-a72"]["reason"]
    assert "5000" in rows["too long", "cortex-a72"]["reason"]
    assert "must grow" in rows["no more work", "cortex-a72"]["reason"]
    summaries = {one["title"]: one for one in document["functions"]["summaries"]}
    assert set(summaries) == {"cortex-a53", "cortex-a72", "in order", "out of order"}
    assert summaries["cortex-a72"] == summaries["out of order"] | {"title": "cortex-a72"}
    assert summaries["cortex-a72"]["within_5_percent"] == summaries["cortex-a72"]["within_measured_range"] == 1


@pytest.mark.slow
def test_the_terminal_shows_measured_modelled_ratio_and_medians(table: Path) -> None:
    result = run("--functions", str(table), "--core", "cortex-a72")
    assert result.returncode == 0, result.stderr
    assert "cortex-a53" not in result.stdout
    line = next(line for line in result.stdout.splitlines() if line.startswith("  chain"))
    low, high = ends_of_the_band("cortex-a72")
    assert line.split() == ["chain", "4.5-5.5", "5", f"{5 * low:.2f}–{5 * high:.2f}", "1.00", "product"]
    assert "80 % band, cortex-a72: " in result.stdout
    assert "not run:" in result.stdout and "median difference  90th p.    bias" in result.stdout


@pytest.mark.slow
def test_each_estimate_has_the_range_that_the_recorded_errors_give(table: Path) -> None:
    result = run("--functions", str(table), "--json")
    assert result.returncode == 0, result.stderr
    for row in json.loads(result.stdout)["functions"]["figures"]:
        if row["modelled"] is None:
            assert row["band"] is None
            continue
        low, high = ends_of_the_band(row["core"])
        assert row["band"]["low"] == pytest.approx(row["modelled"] * low, abs=1e-3)
        assert row["band"]["high"] == pytest.approx(row["modelled"] * high, abs=1e-3)


@pytest.mark.slow
def test_a_row_measured_on_other_code_is_named_stale_and_moves_no_error(table: Path, tmp_path: Path) -> None:
    kernel = open_kernel(tmp_path / "armv8" / "chain.S")
    same, other = code_digest(kernel), hashlib.sha256(b"other code").hexdigest()
    row = TABLE.split("[[function]]")[1].replace('"chain"', '"twin"').replace("[4.5, 5.5]", "9")
    found = {}
    for name, code in (("without", ""), ("same", same), ("short", same[:12]), ("stale", other)):
        more = f'[[function]]{row}code = "{code}"\n' if code else ""
        table.write_text(f"calibration = false\n{TABLE.split('[[function]]')[0]}[[function]]"
                         f"{TABLE.split('[[function]]')[1]}{more}", encoding="utf-8")  # fmt: skip
        result = run("--functions", str(table), "--core", "cortex-a72", "--json", "--into", str(tmp_path / name))
        assert result.returncode == 0, result.stderr
        found[name] = json.loads(result.stdout)["functions"]
        jsonschema.validate(json.loads(result.stdout), schemas()["cores"])
    assert found["stale"]["summaries"] == found["without"]["summaries"]
    assert found["same"] == found["short"] and found["same"]["summaries"][0]["figures"] == 2
    assert [one["stale"] for one in found["same"]["figures"]] == [False, False]
    assert [one["stale"] for one in found["stale"]["figures"]] == [False, True]
    assert found["stale"]["figures"][1]["modelled"] is None
    assert "| 9 | stale: its code here is not what was measured" in (tmp_path / "stale" / "functions.md").read_text()
    shown = run("--functions", str(table), "--core", "cortex-a72").stdout
    assert "1 of 2 figures are stale, measured on other code: they count in no error" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


@pytest.mark.slow
def test_a_row_marked_as_calibration_is_shown_so_and_moves_no_error(table: Path, tmp_path: Path) -> None:
    second = TABLE.split("[[function]]")[1].replace('"chain"', '"twin"').replace("[4.5, 5.5]", "9")
    plain = "calibration = false\n" + TABLE
    for name, text in (
        ("without", plain),
        ("marked", f'{plain}[[function]]{second}used = "calibration"\n'),
        ("saboteur", f"{plain}[[function]]{second}"),
    ):
        (tmp_path / "armv8" / f"{name}.toml").write_text(text, encoding="utf-8")
    found, shown, written = {}, {}, {}
    for name in ("without", "marked", "saboteur"):
        path = str(tmp_path / "armv8" / f"{name}.toml")
        result = run("--functions", path, "--files", str(tmp_path), "--json", "--into", str(tmp_path / name))
        assert result.returncode == 0, result.stderr
        document = json.loads(result.stdout)
        jsonschema.validate(document, schemas()["cores"])
        found[name] = document["functions"]["summaries"]
        shown[name] = {(one["function"], one["core"]): one["used"] for one in document["functions"]["figures"]}
        written[name] = (tmp_path / name / "functions.md").read_text(encoding="utf-8")
    assert [one | {"used": 0} for one in found["marked"]] == found["without"]
    assert [one["used"] for one in found["marked"]] == [1] * len(found["marked"])
    assert found["saboteur"][1]["median_error"] != found["without"][1]["median_error"]
    assert shown["marked"]["twin", "cortex-a72"] == "calibration" and shown["marked"]["chain", "cortex-a72"] is None
    assert "| twin | c | product | 9 |" in written["marked"] and "| twin |  | product | 9 |" in written["saboteur"]
    assert "Rows marked `c` were used to adjust the models" in " ".join(written["marked"].split())


@pytest.mark.slow
def test_a_table_of_calibration_alone_prints_no_error(table: Path) -> None:
    table.write_text(f"calibration = true\n{TABLE}", encoding="utf-8")
    result = run("--functions", str(table), "--core", "cortex-a72")
    assert result.returncode == 0, result.stderr
    line = next(line for line in result.stdout.splitlines() if line.startswith("  chain"))
    assert [*line.split()[:3], *line.split()[4:]] == ["chain", "4.5-5.5", "5", "1.00", "product", "c"]
    assert "cortex-a72            0  1 rows, all calibration" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "words", "not_words"),
    [
        ("calibration = true", "were used to adjust the models", "median error"),
        ("calibration = false", "were not used to adjust the models", "median difference"),
        ("", "does not say whether", "median error"),
    ],
)
@pytest.mark.sweep(keep=1)
def test_only_functions_that_adjusted_no_model_tell_an_error(
    table: Path, tmp_path: Path, said: str, words: str, not_words: str
) -> None:
    table.write_text(f"{said}\n{TABLE}", encoding="utf-8")
    result = run("--functions", str(table), "--core", "cortex-a72", "--into", str(tmp_path))
    assert result.returncode == 0, result.stderr
    for text in (result.stdout, (tmp_path / "functions.md").read_text()):
        assert words in " ".join(text.split()) and not_words not in text


@pytest.mark.slow
@pytest.mark.parametrize("said", ["", "calibration = false", 'origin = "a board"'])
def test_nothing_is_recorded_of_functions_that_may_have_adjusted_the_models(table: Path, said: str) -> None:
    before = core_errors.PATH.read_bytes()
    table.write_text(f"{said}\n{TABLE}", encoding="utf-8")
    result = run("--functions", str(table), "--record")
    assert result.returncode == 2 and "calibration = true" in result.stderr and "Traceback" not in result.stderr
    assert core_errors.PATH.read_bytes() == before


@pytest.mark.thorough("other reports are held to the same")
def test_the_documents_are_the_same_each_time(table: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        result = run("--functions", str(table), "--into", str(tmp_path / folder))
        assert result.returncode == 0, result.stderr
    for name in ("functions.md", "functions.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    markdown = (tmp_path / "one" / "functions.md").read_text()
    assert "Written by a test." in markdown
    low, high = ends_of_the_band("cortex-a72")
    band = f"{5 * low:.2f}–{5 * high:.2f}"
    assert f"| chain |  | product | 4.5-5.5 | 5 | {band} | 1.00 |  | counted by hand |" in markdown
    assert "| cortex-a72 | 0 | 1 | 0.0% | 0.0% | +0.0% | 1 | 1 |" in markdown


@pytest.mark.slow
def test_files_may_lie_elsewhere_than_the_table(table: Path, tmp_path: Path) -> None:
    moved = tmp_path / "tables" / "table.toml"
    moved.parent.mkdir()
    table.rename(moved)
    result = run("--functions", str(moved), "--files", str(tmp_path), "--core", "cortex-a53")
    assert result.returncode == 0, result.stderr
    assert "not run" not in result.stdout


@pytest.mark.slow
def test_contract_and_headers_are_looked_for_where_the_file_is(tmp_path: Path) -> None:
    code = CHAIN[CHAIN.index("    .text") :].replace("#3", "FACTOR")
    contract = CHAIN[CHAIN.index("summary") : CHAIN.index("*/")]
    for name, text in (
        ("armv8/chain.S", '#include "factor.h"\n' + code),
        ("armv8/include/factor.h", "#define FACTOR #3\n"),
        ("armv8/its.toml", contract),
        (
            "tables/table.toml",
            TABLE.replace('per = "2*n"', 'per = "2*n"\ncontract = "armv8/its.toml"\ninclude = ["armv8/include"]'),
        ),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = run("--functions", str(tmp_path / "tables" / "table.toml"), "--files", str(tmp_path), "--json")
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)["functions"]["figures"]
    assert rows[0]["modelled"] == pytest.approx(5, abs=0.01), rows[0]["reason"]
    assert rows[3]["core"] == "cortex-a72" and rows[3]["modelled"] is None


@pytest.mark.slow
def test_llvm_mca_is_asked_of_the_same_loop(table: Path) -> None:
    program = require("llvm-mca-19")
    result = run("--functions", str(table), "--mca", program, "--core", "cortex-a72", "--json")
    assert result.returncode == 0, result.stderr
    (row,) = (one for one in json.loads(result.stdout)["functions"]["figures"] if one["function"] == "chain")
    assert row["llvm_mca"] == pytest.approx(5)  # as LLVM's model of Cortex-A57 has it, which it takes for A72
    bad = run("--functions", str(table), "--mca", "no-such-program", "--core", "cortex-a72")
    assert bad.returncode == 2 and "no-such-program: cannot be run" in bad.stderr


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--functions", "absent.toml"), "absent.toml"),
        (("--functions", "LICENSE"), "LICENSE"),
        (("--functions", "x.toml", "--against", "x.csv"), "different comparisons: give one of them"),
        (("--files", "."), "--files needs --functions"),
    ],
)
def test_bad_usage_gets_one_clear_message_and_status_2(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2 and words in result.stderr and "Traceback" not in result.stderr


@pytest.mark.slow
def test_a_core_that_no_function_was_measured_on_is_an_error(table: Path) -> None:
    result = run("--functions", str(table), "--core", "cortex-a57")
    assert result.returncode == 2
    assert "the table has cortex-a53, cortex-a72, cortex-m0" in result.stderr


@pytest.mark.slow
def test_the_example_of_the_manual_is_a_table_that_runs(tmp_path: Path) -> None:
    require("aarch64-linux-gnu-gcc")
    root = Path(__file__).resolve().parents[3]
    page = (root / "docs" / "pages" / "models.md").read_text(encoding="utf-8")
    table = tmp_path / "table.toml"
    table.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    result = run("--functions", str(table), "--files", str(root), "--json")
    assert result.returncode == 0, result.stderr
    figures = json.loads(result.stdout)["functions"]["figures"]
    assert [row["core"] for row in figures] == ["cortex-a53", "cortex-a72"]
    assert all(0 < row["modelled"] < 2 for row in figures)
