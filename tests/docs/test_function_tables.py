"""Tables of measured functions in docs/functions: the same facts in each, and contracts that calls keep."""

from __future__ import annotations

import csv
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.tools import require

from neonlab.lab.silicon.fit.plan import read_plan
from neonlab.lab.silicon.table import read_functions
from neonlab.lab.silicon.truth import called_with
from neonlab.measure.cores.pipeline import pipeline_names

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "functions"
#: Cores whose scalar Keccak left_out.csv has, and commits.toml has not.
WITHOUT_SCALAR = ("cortex-a78", "cortex-x1")
VERSIONS = ("before", "after")
RETURN = {"arm": ("arm-linux-gnueabihf-gcc", "bx lr"), "aarch64": ("aarch64-linux-gnu-gcc", "ret")}


def rows(name: str) -> list[dict[str, Any]]:
    with (FOLDER / name).open("rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["function"]
    return found


def left_out() -> list[list[str]]:
    lines = [line for line in (FOLDER / "left_out.csv").read_text().splitlines() if not line.startswith("#")]
    return list(csv.reader(lines))[1:]


def test_each_function_left_out_stands_in_the_table_with_its_cycles() -> None:
    measured = {}
    for row in rows("commits.toml"):
        words = row["name"].split()
        version = "".join(word for word in words if word in VERSIONS)
        function = " ".join(word for word in words if word not in VERSIONS)
        measured.update({(core, function, version): cycles for core, cycles in row["measured"].items()})
    missing = set()
    for core, _, _, function, version, cycles, _ in left_out():
        if (core, function, version) in measured:
            assert measured[core, function, version] == pytest.approx(float(cycles)), function
        else:
            missing.add((core, function))
    assert missing == {(core, f"pqax keccak_f1600_x1_scalar_asm_v{n}") for core in WITHOUT_SCALAR for n in range(1, 6)}


def test_functions_of_debians_version_have_the_cycles_of_their_commit() -> None:
    commits = {(row["source"], row["symbol"], row["shapes"][0]): row["measured"] for row in rows("commits.toml")}
    for row in rows("codecs.toml"):
        symbol = row["symbol"].replace("hscale8to15_X8", "hscale_8_to_15")  # it has another name since
        assert row["measured"] == commits[row["source"], symbol, row["shapes"][0]], row["name"]


def test_every_row_is_calibration_on_cores_with_models_and_in_a_family_of_the_plan() -> None:
    table, plan = read_functions(FOLDER / "commits.toml"), read_plan(FOLDER / "fit.toml")
    assert all(one.used for one in table.functions)
    assert {core for one in table.functions for core in one.measured} <= set(pipeline_names())
    assert len({one.name for one in table.functions}) == len(table.functions)
    assert {plan.family_of(one.name) for one in table.functions} == set(plan.families)


@pytest.mark.slow
def test_the_contract_of_each_row_is_one_that_a_call_keeps(tmp_path: Path) -> None:
    """Functions that return at once stand for those of the projects: same names, in files with the same names."""
    table = read_functions(FOLDER / "commits.toml")
    symbols: dict[str, set[str]] = {}
    for one in table.functions:
        symbols.setdefault(one.file, set()).add(one.given.symbol)
    for name, some in symbols.items():
        compiler, back = RETURN["arm" if "/arm/" in name else "aarch64"]
        text = ".text\n" + "".join(f".globl {one}\n.type {one}, %function\n{one}:\n    {back}\n" for one in some)
        source = tmp_path / "stub.s"
        source.write_text(text, encoding="utf-8")
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([require(compiler), "-c", source, "-o", tmp_path / name], check=True)
    for one in table.functions:
        called, work = called_with(one, tmp_path)
        assert len(called) == 1 and work == 1, one.name
