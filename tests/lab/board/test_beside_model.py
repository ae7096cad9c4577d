"""Measured cycles stand beside those of the model, for the very code that was measured."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from tests.board_results import DOCUMENT

from neonlab.errors import InputError
from neonlab.lab.board.beside_model import BesideModel, beside_model, core_of
from neonlab.lab.board.result import BoardResult, parse_result
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.run.lookup import one_kernel
from neonlab.lab.run.profile import profile

KERNEL = "armv8/conv1x1_s8s32_chw_8x4"


def result(**changes: Any) -> BoardResult:
    document = copy.deepcopy(DOCUMENT)
    document["kernels"][0].update({"digest": code_digest(one_kernel(KERNEL)), **changes})
    return parse_result(json.dumps(document), "result.json")


def rows(found: BoardResult, core: str) -> list[BesideModel]:
    with Workers(1) as workers:
        return beside_model(workers, found, core)


def test_the_models_cycles_are_those_of_a_warm_profile() -> None:
    first, second = rows(result(), "cortex-a53")
    warm = profile(KERNEL, "1x9x8x4", core="cortex-a53", warm=True)
    assert first.modelled == warm.cycles.cycles  # type: ignore[union-attr]
    assert first.modelled is not None and first.ratio == pytest.approx(first.modelled / 1000.5)
    assert second.ratio is None and second.timing.reason and second.modelled is not None


@pytest.mark.parametrize(
    ("changes", "core", "told"),
    [
        ({"digest": "11"}, "cortex-a53", "its code here is not what was measured"),
        ({"kernel": "armv8/absent"}, "cortex-a53", "no kernel is called `armv8/absent`"),
        ({}, "", "no model of this board's core: name one with --core"),
        ({}, "cortex-a9", "cortex-a9"),
    ],
)
def test_without_a_figure_of_the_model_there_is_a_reason(changes: dict[str, Any], core: str, told: str) -> None:
    for row in rows(result(**changes), core):
        assert row.modelled is None and row.ratio is None and told in row.reason


def test_the_core_is_the_named_one_or_else_that_of_the_board() -> None:
    found = result()
    assert core_of(found, None) == "cortex-a53" and core_of(found, "cortex-a55") == "cortex-a55"
    with pytest.raises(InputError, match="no core `cortex-a99`"):
        core_of(found, "cortex-a99")
