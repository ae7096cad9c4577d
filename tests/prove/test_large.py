"""Proofs of sums that are known by fingerprints: right kernels are proved with an error, wrong ones never."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.prove.test_judge import _ALTERATIONS, _RIGHT, _WRONG, _altered, _changed

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.lookup import one_kernel, one_shape
from neonlab.lab.run.prove import prove
from neonlab.prove import judge, large
from neonlab.prove.expressions import field
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.judge import prove_shape
from neonlab.prove.kernel import symbolic_run
from neonlab.prove.proof import ProofStatus, ShapeProof
from neonlab.prove.reference.outputs import reference_nodes

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/prove/expressions has sums by fingerprints without it"
)

_LAYER = "14x14x32x48"  # 301,056 products


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sums be known by fingerprints at every shape."""
    monkeypatch.setattr(large, "MOST_PRODUCTS", -1)
    monkeypatch.setattr(large, "MOST_ELEMENTS", -1)


def _shown(kernel: Kernel, shape: str) -> ShapeProof:
    """Prove a kernel without a look at small shapes before."""
    assert kernel.operator is not None
    return prove_shape(kernel_program(kernel), kernel.contract, kernel.operator, one_shape(kernel, shape))


def _proved(name: str, shape: str) -> ShapeProof:
    return _shown(one_kernel(name), shape)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    ("name", "shape"), [(name, shape) for name, shape, _ in _RIGHT], ids=[one[0] for one in _RIGHT]
)
def test_right_kernels_are_proved_with_an_error_and_never_without(name: str, shape: str) -> None:
    found = _proved(name, shape)
    assert (found.status, found.reason) == (ProofStatus.PROVED_WITH_ERROR, "")
    assert found.error is not None
    assert found.error < -50


def test_a_layer_takes_fingerprints_by_itself_and_its_report_is_the_same_each_time() -> None:
    first, second = (prove("armv8/conv1x1_s8s32_hwc_4x4", _LAYER).shapes[0] for _ in range(2))
    assert first.status is ProofStatus.PROVED_WITH_ERROR
    assert first == second
    assert first.held == ()
    assert _proved("armv8/conv1x1_s8s32_hwc_4x4", "2x3x17x9").error is None


def test_nodes_that_nothing_holds_are_dropped_and_the_proof_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _proved("armv8/conv1x1_s8s8_hwc_4x4_ruy", _LAYER)
    dropped = []
    own = ExpressionTable.drop

    def drop(table: ExpressionTable, first: int, needed: Any) -> Any:
        before = len(table)
        found = own(table, first, needed)
        dropped.append(before - len(table))
        return found

    monkeypatch.setattr(ExpressionTable, "drop", drop)
    monkeypatch.setattr(symbolic_run, "_ROWS", 1 << 14)
    assert _proved("armv8/conv1x1_s8s8_hwc_4x4_ruy", _LAYER) == expected
    assert sum(one > 0 for one in dropped) > 10


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("name", "shape", "text", "by"), _WRONG, ids=[name for name, *_ in _WRONG])
def test_a_wrong_kernel_is_refuted_by_a_case(tmp_path: Path, name: str, shape: str, text: str, by: str) -> None:
    found = _shown(_changed(tmp_path, name, text, by), shape)
    assert found.status is ProofStatus.REFUTED
    assert found.failure is not None


@pytest.mark.usefixtures("always")
def test_a_look_up_in_a_layer_is_proved_for_any_table() -> None:
    found = _proved("armv7/lut_s8s8_flat_64", "83")
    assert (found.status, found.held) == (ProofStatus.PROVED_WITH_ERROR, ())


_SLIPS = [
    ("armv8/conv1x1_s8s32_hwc_2x8_ic32", "    smull   v5.8h", "    umull   v5.8h"),
    ("armv8/conv1x1_s8s32_hwc_4x8_dotprod_ic32", "    sdot    \\s1\\().4s, \\w1", "    sdot    \\s1\\().4s, \\w0"),
]


@pytest.mark.parametrize(("name", "text", "by"), _SLIPS, ids=[name for name, *_ in _SLIPS])
def test_a_layer_with_one_wrong_instruction_is_refuted(tmp_path: Path, name: str, text: str, by: str) -> None:
    found = _shown(_changed(tmp_path, name, text, by), _LAYER)
    assert found.status is ProofStatus.REFUTED


def test_a_layer_that_is_wrong_in_one_product_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference takes one weight of 1536 for its neighbour's: no case is asked, the sums themselves differ."""
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")

    def another(operator: Any, contract: Any, case: Any, inputs: Any) -> Any:
        weights = inputs["weights"].copy()
        weights.reshape(-1)[700] = weights.reshape(-1)[701]
        monkeypatch.setattr("neonlab.prove.reference.outputs._check", lambda *_: None)
        return reference_nodes(operator, contract, case, {**inputs, "weights": weights})

    monkeypatch.setattr(judge, "reference_nodes", another)
    found = _shown(kernel, _LAYER)
    assert found.status is ProofStatus.NOT_PROVED
    assert f"{14 * 14} of {14 * 14 * 48} results have another form" in found.reason


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    ("name", "shape", "change"), _ALTERATIONS, ids=[str(number) for number in range(len(_ALTERATIONS))]
)
def test_a_prover_with_a_wrong_rule_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, name: str, shape: str, change: Any
) -> None:
    monkeypatch.setattr(symbolic_run, "plans_of", _altered(change))
    assert not _proved(name, shape).status.is_proof


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("column", ["third", "value"])
def test_values_that_contradict_the_fingerprints_prove_nothing(monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    own = ExpressionTable.elements

    def elements(table: ExpressionTable, *arguments: Any) -> Any:
        ids = own(table, *arguments)
        table.nodes[column][ids[:1]] += 1
        return ids

    monkeypatch.setattr(ExpressionTable, "elements", elements)
    assert not _proved("armv8/conv1x1_s8s32_hwc_4x4", "2x3x17x9").status.is_proof


@pytest.mark.usefixtures("always")
def test_points_without_chance_would_prove_wrong_kernels_and_the_error_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a field of few elements the bound is not below 2^-50, and nothing is proved."""
    monkeypatch.setattr(field, "PRIME", 1 << 20)
    found = _proved("armv8/conv1x1_s8s32_hwc_4x4", "2x3x17x9")
    assert found.status is ProofStatus.NOT_PROVED
    assert "the error is not below 2^-50" in found.reason


@pytest.mark.usefixtures("always")
def test_elements_that_the_reference_uses_are_no_filling() -> None:
    """Count elements that are the same in every case as filling only where no sum of the reference was made of them."""
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")
    operator = kernel.operator
    assert operator is not None
    case = operator.case(kernel.contract, one_shape(kernel, "1x1x4x4"), "random", 1)
    followed = judge._sides(kernel_program(kernel), kernel.contract, operator, case, frozenset())
    rows = followed.table.nodes
    for name, array in case.inputs.items():
        operations = rows["operation"][followed.elements[name]]
        assert (operations == 1).sum() == (16 if name == "weights" else array.size)
    assert np.all(rows["degree"][followed.ours] == 2)
