"""What a board measured is appended to a table that `neonlab cores --functions` reads, whole or not at all."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from tests.board_results import DOCUMENT

from neonlab.contract.options import Build, Given
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.board.export import opened
from neonlab.lab.board.measured_table import append_measured
from neonlab.lab.board.result import BoardResult, parse_result
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.lookup import one_kernel
from neonlab.lab.silicon.table import Figure, read_functions
from neonlab.lab.silicon.truth import measure_functions

ROOT = Path(__file__).resolve().parents[3]
KERNEL = "armv8/conv1x1_s8s32_chw_8x4"


def result(kernel: Kernel, shape: str = "1x9x8x4", **changes: Any) -> BoardResult:
    document = copy.deepcopy(DOCUMENT)
    one = document["kernels"][0]
    one.update(kernel=kernel.title, digest=code_digest(kernel), opened=opened(kernel), **changes)
    one["timings"][0]["shape"] = shape
    return parse_result(json.dumps(document), "result.json")


def test_the_table_is_made_and_read_by_the_comparison_of_functions(tmp_path: Path) -> None:
    table = tmp_path / "boards.toml"
    assert append_measured(result(one_kernel(KERNEL)), "cortex-a53", table) == 1
    read = read_functions(table)
    assert read.calibration is False and read.origin
    (one,) = read.functions
    assert (one.name, [shape.text for shape in one.shapes], one.measured) == (
        "conv1x1_s8s32_chw_8x4", ["1x9x8x4"], {"cortex-a53": Figure(1000.5, 1000.5)}
    )  # fmt: skip
    assert "MIDR 0x410fd034" in one.source and "perf_event" in one.source
    with Workers(1) as workers:
        (figure,) = measure_functions(workers, read, table.parent)
    assert figure.modelled is not None and figure.reason == ""


def test_rows_are_appended_once_and_what_was_there_stays(tmp_path: Path) -> None:
    table = tmp_path / "boards.toml"
    table.write_text('# mine\norigin = "a"\n[[function]]\nname = "f"\nfile = "f.o"\nshapes = ["1"]\n'
                     'source = "s"\nmeasured = { cortex-a53 = 2 }')  # fmt: skip
    before = table.read_text()
    found = result(one_kernel(KERNEL))
    assert [append_measured(found, "cortex-a53", table) for _ in range(2)] == [1, 0]
    assert table.read_text().startswith(before) and len(read_functions(table).functions) == 2


def test_options_of_a_file_are_kept(tmp_path: Path) -> None:
    given = Given(Isa.A64, "dot_s8", build=Build(define=("N=3",), flags=("-O1",)), settings=(("n.range", "[1, 64]"),))
    kernel = open_kernel(ROOT / "tests" / "c" / "dot_s8.c", given)
    table = tmp_path / "boards.toml"
    assert append_measured(result(kernel, "48"), "cortex-a53", table) == 1
    (one,) = read_functions(table).functions
    assert one.given.build == given.build and one.given.isa is Isa.A64
    assert one.given.settings == (("args.n.range", "[1, 64]"),)
    with Workers(1) as workers:
        (figure,) = measure_functions(workers, read_functions(table), table.parent)
    assert figure.modelled is not None and figure.reason == ""


def test_a_wrong_kernel_and_times_without_cycles_are_not_appended(tmp_path: Path) -> None:
    wrong: dict[str, Any] = {"verdict": "WRONG", "wrong": 1, "failures": [{"case": "a", "what": "b"}]}
    found = result(one_kernel(KERNEL), **wrong)
    assert append_measured(found, "cortex-a53", tmp_path / "t.toml") == 0
    assert not (tmp_path / "t.toml").exists()


def test_what_cannot_be_appended_leaves_the_table_as_it_was(tmp_path: Path) -> None:
    table = tmp_path / "boards.toml"
    bad = result(one_kernel(KERNEL))
    table.write_text("[[function]]\n")
    with pytest.raises(InputError, match="`name` is missing"):
        append_measured(bad, "cortex-a53", table)
    assert table.read_text() == "[[function]]\n"
    kernel = open_kernel(ROOT / "tests" / "c" / "dot_s8.c", Given(Isa.A64, settings=(("stack", "64"),)))
    with pytest.raises(InputError, match="a table has no key for --set stack=64"):
        append_measured(result(kernel, "48"), "cortex-a53", tmp_path / "new.toml")
    assert not (tmp_path / "new.toml").exists()
