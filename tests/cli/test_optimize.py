"""`neonlab optimize`: what is refused, and the document, the file and the table of an outcome."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from tests.command_line import ROOT, neonlab
from tests.optimize.loops import SAFE_A32, SAFE_A64

from neonlab.cli import run
from neonlab.report.json.documents import schemas


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "name a kernel, or a file with one to optimize"),
        ([str(SAFE_A64)], "name a core with --core to optimize"),
        ([str(SAFE_A64), "--core", "cortex-a53", "--core", "cortex-a55", "-o", "x.S"], "-o writes one kernel"),
        ([str(SAFE_A64), "--core", "cortex-a53", "-o", "no/such/folder/x.S"], "there is no such folder"),
        ([str(SAFE_A64), "--core", "cortex-a53", "--into", "no/such/folder"], "there is no such folder"),
        ([str(SAFE_A64), "--core", "cortex-a53", "--mca", "llvm-mca"], "give --into too"),
        ([str(SAFE_A64), "--core", "cortex-a53", "--of", "Theirs"], "--of is for the table of --into"),
        ([str(SAFE_A64), "--core", "no-core"], "there are apple-m1"),
        ([str(SAFE_A64), "--core", "cortex-a7"], "cortex-a7"),
        (["armv8/conv1x1_s8s32_hwc_4x4x", "--core", "cortex-a53"], "did you mean"),
        ([str(SAFE_A64), "--core", "cortex-a53", "--shape", "1x4x17x4"], "in_channels"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_message(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    status = run(["optimize", *arguments])
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "") and told in printed.err and "Traceback" not in printed.err


@pytest.mark.thorough("compiling what replays a trace takes a minute; tests/optimize has the parts")
def test_an_outcome_is_written_described_and_put_into_a_table(tmp_path: Path) -> None:
    new = tmp_path / "faster.S"
    options = ("--core", "cortex-a7", "--steps", "900", "-o", str(new), "--into", str(tmp_path))
    done = neonlab("-q", "optimize", str(SAFE_A32), *options, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["optimize"])
    (loop,) = document["loops"]
    assert loop["status"] == "proved" and loop["after"]["cycles"] < loop["before"]["cycles"]
    assert "vmlsl" in loop["diff"] and "vmlsl" in new.read_text()
    assert neonlab("-q", "check", str(new)).stdout.startswith("exact")
    (row,) = json.loads((tmp_path / "optimize.json").read_text())["loops"]
    assert row["kernel"] == loop["kernel"] and row["code"] == loop["code"]
    assert row["diff"].splitlines()[2:] == loop["diff"].splitlines()[2:], "without where the files are"
    (shown,) = [line for line in (tmp_path / "optimize.md").read_text().splitlines() if "cortex-a7 |" in line]
    assert "proved" in shown and "negated sums of 2 products" in shown and "†" not in shown


@pytest.mark.thorough("compiling what replays a trace takes a minute; tests/optimize has the parts")
def test_a_profile_says_what_was_found_for_the_loop_until_its_code_changes(tmp_path: Path) -> None:
    root = tmp_path
    path = root / "armv7" / SAFE_A32.name
    for folder in (path.parent, root / "reports"):
        folder.mkdir()
    path.write_text(SAFE_A32.read_text())
    options = ("--core", "cortex-a7", "--steps", "900", "--into", "reports")
    assert neonlab("-q", "optimize", str(path), *options, cwd=root).returncode == 0
    (loop,) = json.loads((root / "reports" / "optimize.json").read_text())["loops"]
    profile = ("-q", "profile", str(path), "--shape", loop["shape"], "--core", "cortex-a7")
    shown = "".join(neonlab(*profile, cwd=root).stdout.split())  # a long path is broken over lines
    before, after = (f"{loop[one]['cycles']:.4g}" for one in ("before", "after"))
    found = f"`neonlab optimize {loop['kernel']} --core cortex-a7` finds {after} instead of {before} cycles"
    assert "".join(f"{found} per iteration, proved".split()) in shown, shown
    path.write_text(re.sub(r"^    push", "    nop\n    push", path.read_text(), count=1, flags=re.MULTILINE))
    changed = neonlab(*profile, cwd=root).stdout
    assert "hot loop" in changed and "neonlab optimize" not in changed
