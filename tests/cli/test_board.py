"""`neonlab board` from the command line: export, run and import, their exit status and their JSON."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest
from tests.board_results import DOCUMENT
from tests.boards import build, run
from tests.cli.test_commands import neonlab

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.run.lookup import one_kernel
from neonlab.report.json.documents import schemas

KERNEL = "armv8/conv1x1_s8s32_chw_8x4"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of a Cortex-A53 on which the kernel is exact."""
    path = tmp_path_factory.mktemp("result") / "a53.json"
    document = copy.deepcopy(DOCUMENT)
    document["kernels"][0]["digest"] = code_digest(one_kernel(KERNEL))
    path.write_text(json.dumps(document))
    return path


@pytest.mark.slow
def test_a_kernel_goes_to_a_board_and_back(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    wrote = neonlab("board", "export", KERNEL, "--output", str(bench), "--shape", "1x9x8x4", "--budget", "64")
    assert wrote.returncode == 0, wrote.stderr
    assert "times 1x9x8x4" in wrote.stdout and "left out, for want of room (--budget)" in wrote.stdout
    status, text = run(build(bench, Isa.A64), Isa.A64)
    assert status == 0
    (bench / "result.json").write_text(text)
    shown = neonlab("board", "import", str(bench / "result.json"), "--core", "cortex-a53")
    assert shown.returncode == 0, shown.stderr
    assert f"exact      {KERNEL}" in shown.stdout and "1x9x8x4" in shown.stdout and "ns a call" in shown.stdout


@pytest.mark.slow
def test_measured_stands_beside_modelled_and_is_appended(result: Path, tmp_path: Path) -> None:
    table = tmp_path / "boards.toml"
    found = neonlab("board", "import", str(result), "--into", str(table), "--json")
    assert found.returncode == 0, found.stderr
    document = json.loads(found.stdout)
    jsonschema.validate(document, schemas()["board"])
    (kernel,) = document["kernels"]
    timing = kernel["timings"][0]
    assert (document["core"], document["appended"], kernel["verdict"]) == ("cortex-a53", 1, "exact")
    assert timing["measured"] == 1000.5 and timing["ratio"] == timing["modelled"] / 1000.5
    compared = neonlab("cores", "--functions", str(table), "--json")
    (figure,) = json.loads(compared.stdout)["functions"]["figures"]
    assert (figure["modelled"], figure["measured"]) == (timing["modelled"], [1000.5, 1000.5])
    band = timing["band"]
    assert band["of"] == "cortex-a53" and (band["low"], band["high"]) == (
        round(figure["band"]["low"]), round(figure["band"]["high"])
    )  # fmt: skip
    shown = neonlab("board", "import", str(result)).stdout
    assert f"{band['low']:,}–{band['high']:,}" in shown and "80 % band, cortex-a53: " in shown


@pytest.mark.slow
def test_a_figure_of_a_kernel_that_has_changed_since_is_stale(result: Path, tmp_path: Path) -> None:
    table = tmp_path / "boards.toml"
    assert neonlab("board", "import", str(result), "--into", str(table)).returncode == 0
    code = json.loads(result.read_text())["kernels"][0]["digest"]
    text = table.read_text()
    assert f'code = "{code}"' in text
    table.write_text(text.replace(f'code = "{code}"', f'code = "{code[::-1]}"'))
    compared = neonlab("cores", "--functions", str(table), "--json")
    document = json.loads(compared.stdout)["functions"]
    (figure,) = document["figures"]
    assert compared.returncode == 0 and figure["stale"] and figure["modelled"] is None and document["summaries"] == []


@pytest.mark.slow
def test_a_kernel_that_is_wrong_on_a_board_ends_with_status_1(result: Path, tmp_path: Path) -> None:
    document = json.loads(result.read_text())
    failure = {"case": "1x9x8x4 random seed 1", "what": "`output`: element 3 is 1, expected 2"}
    document["kernels"][0].update(verdict="WRONG", wrong=1, failures=[failure], timings=[])
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(document))
    shown = neonlab("board", "import", str(path))
    assert shown.returncode == 1 and f"WRONG      {KERNEL}" in shown.stdout
    assert "1x9x8x4 random seed 1: `output`: element 3 is 1, expected 2" in shown.stdout


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "absent.json"), "no such file"),
        (("import", "LICENSE"), "no JSON document as a board's bench prints it"),
        (("export", "armv8/absent", "-o", "{tmp}/x"), "no kernel is called"),
        (("export", KERNEL), "Missing option '--output'"),
        (("export", KERNEL, "-o", "{tmp}/x", "--shape", "1x2"), "height x width x in_channels x out_channels"),
        (("export", "conv1x1_s8s32_chw_8x4", "-o", "{tmp}/x"), "one instruction set"),
        (("run", "board", KERNEL), "`board` names no board"),
        (("run", "ssh:board", KERNEL, "--core", "foo"), "no core `foo`"),
        (("run", "ssh:board", KERNEL, "-o", "{tmp}/no/x.json"), "there is no such folder"),
        (("export", KERNEL, "-o", "asm"), "asm: holds other files"),
        (("fetch",), "No such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
@pytest.mark.sweep(keep=11)
def test_bad_usage_gets_one_clear_message_and_status_2(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    found = neonlab("board", *(word.format(tmp=tmp_path) for word in arguments))
    assert found.returncode == 2, found.stderr
    assert words in found.stderr and "Traceback" not in found.stderr and found.stdout == ""
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_figures_of_an_unknown_core_are_appended_only_with_a_name(result: Path, tmp_path: Path) -> None:
    document = json.loads(result.read_text())
    document["machine"]["midr"] = None
    path = tmp_path / "unknown.json"
    path.write_text(json.dumps(document))
    refused = neonlab("board", "import", str(path), "--into", str(tmp_path / "t.toml"))
    assert refused.returncode == 2 and "name one with --core" in refused.stderr
    assert not (tmp_path / "t.toml").exists()
    shown = neonlab("board", "import", str(path))
    assert shown.returncode == 0 and "core unknown" in shown.stdout
