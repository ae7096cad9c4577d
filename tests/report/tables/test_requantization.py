"""The table of where requantization schemes disagree."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.int8 import oracle

from neonlab.int8.requantize import SCHEMES
from neonlab.report.json.documents import schemas
from neonlab.report.tables.requantization import groups_of, pairs_of, part_of_scales

ROOT = Path(__file__).resolve().parents[3]


def clamped(value: int) -> int:
    return max(-128, min(127, value))


@pytest.mark.thorough("`make report` writes the table, and CI compares it")
def test_the_table_is_reproduced_byte_for_byte(tmp_path: Path) -> None:
    run = [sys.executable, "-c", "from neonlab.cli import main; main()", "schemes", "--into", str(tmp_path)]
    result = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    for name in ("requantization.md", "requantization.json"):
        assert (tmp_path / name).read_bytes() == (ROOT / "reports" / name).read_bytes(), name


def test_every_example_is_a_case_where_the_sources_disagree() -> None:
    document = json.loads((ROOT / "reports" / "requantization.json").read_text())
    jsonschema.validate(document, schemas()["schemes"])
    assert len(document["pairs"]) == len(SCHEMES) * (len(SCHEMES) - 1) // 2
    for pair in document["pairs"]:
        example = pair["example"]
        assert (example is None) == (not any(pair["disagreements"])) == (pair["worst"] == 0)
        if example is not None:
            wanted = [
                clamped(oracle.scaled(name, example["accumulator"], example["scale"]))
                for name in (pair["first"], pair["second"])
            ]
            assert example["results"] == wanted
            assert abs(wanted[0] - wanted[1]) == pair["worst"]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("scale", [0.25, 0.0390625, 0.0371])
def test_the_counts_are_those_of_going_through_every_accumulator(scale: float) -> None:
    part = part_of_scales([scale])
    values = part.accumulators.tolist()
    assert values == [v for v in range(min(values) - 9, max(values) + 10) if -128.5 <= v * scale <= 127.5]
    rows = {name: [clamped(oracle.scaled(name, v, scale)) for v in values] for name in SCHEMES}
    for pair in pairs_of([part]):
        first, second = rows[pair.first], rows[pair.second]
        assert pair.disagreements == (sum(a != b for a, b in zip(first, second, strict=True)),)


def test_groups_hold_schemes_that_agree_with_every_member() -> None:
    pairs = pairs_of([part_of_scales([0.5, 0.25, 0.371, 2.0**-15 / 3])])
    groups = groups_of(pairs)
    assert sorted(name for group in groups for name in group) == sorted(SCHEMES)
    agree = {frozenset((pair.first, pair.second)) for pair in pairs if not any(pair.disagreements)}
    for group in groups:
        assert all(frozenset((a, b)) in agree for a in group for b in group if a != b)
    assert ["ruy", "ruy-neon", "tflite-single", "tvm-upward"] in groups


def test_below_2_to_the_minus_12_only_the_neighbours_of_midpoints_are_tried() -> None:
    part = part_of_scales([2.0**-16 / 3])
    exact = part.accumulators.astype(np.float64) * part.scales
    assert (np.abs(exact - np.floor(exact) - 0.5) <= 2.0**-16).all()
    assert 500 <= part.accumulators.size <= 512
