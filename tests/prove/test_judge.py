"""Proofs of whole kernels: right ones are proved, wrong ones never, and a prover with a wrong rule notices."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check, check_case
from neonlab.lab.run.lookup import one_kernel, one_shape
from neonlab.lab.run.plan import shapes_to_prove
from neonlab.lab.run.prove import MANY_SHAPES, prove
from neonlab.prove.judge import parameters, prove_shape
from neonlab.prove.kernel import symbolic_run
from neonlab.prove.kernel.plan import Plans, plans_of
from neonlab.prove.proof import ProofStatus

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/prove/expressions and reference run all else without it"
)

_RIGHT = [
    ("armv8/conv1x1_s8s32_hwc_4x4", "2x3x17x9", ""),
    ("armv8/conv1x1_s8s32_hwc_4x16_dotprod", "2x3x17x9", ""),
    ("armv8/conv1x1_s8s32_hwc_4x16_i8mm", "2x3x17x9", ""),
    ("armv7/conv1x1_s8s32_hwc_2x4", "2x3x17x9", ""),
    ("armv8/dwconv3x3_s8s32_hwc_3x16", "2x14x3", ""),
    ("armv7/dwconv3x3_s8s32_hwc_3x8", "2x14x3", ""),
    ("armv8/maxpool2x2s2_s8s8_hwc_1x16", "2x3x21", ""),
    ("armv8/pack_s8s8_rows_8x8", "7x22", ""),
    ("armv8/pack_s8s8_pointers_8x4", "5x3x21", "input"),
    ("armv7/pack_s8s8_pointers_1x32", "3x2x37", "input"),
    ("armv8/dequantize_s32f32_rows_1x16", "2x19", ""),
    ("armv8/clip_s8s8_flat_64", "83", "limits"),
    ("armv8/conv1x1_s8s8_hwc_4x4_fp32", "1x2x9x5", "range scales"),
    ("armv7/gemv_s8s8_rows_8_ruy", "17x7", "multipliers range shifts"),
    ("armv7/dequantize_s32f32_rows_1x8", "7x17", "bias"),
    ("armv7/concat_s8s8_rows_64", "3x9", ""),
    ("armv7/conv1x1_s8s8_hwc_2x4_ruy", "2x6x1x7", "range shifts"),
    ("armv7/conv3x3s2_s8s8_hwc_2x4_ic3_ruy", "3x1x3x2", "range shifts"),
    ("armv8/requantize_s32s8_rows_1x16_gemmlowp", "2x5", "multipliers range shifts"),
    ("armv8/requantize_s32s8_rows_1x16_precise", "2x5", "multipliers range shifts"),
    ("armv8/quantize_f32s8_flat_16_fp32", "21", "range"),
    ("armv8/quantize_f32s8_flat_16_stochastic", "21", "range"),
    ("armv8/add_u8u8_flat_16_nnlib", "83", "way"),
    ("armv8/range_f32f32_flat_16", "2047", ""),
    ("armv7/lut_s8s8_flat_64", "83", ""),
    ("armv7/conv1x1_s8u16s32_hwc_2x4_powers", "1x2x19x5", "weights"),
    ("armv8/avgpool2x2s2_s8s8_hwc_1x16", "2x3x5", ""),
]


@pytest.mark.parametrize(("name", "shape", "held"), _RIGHT, ids=[name for name, *_ in _RIGHT])
def test_right_kernels_are_proved_and_what_is_held_is_named(name: str, shape: str, held: str) -> None:
    proof = prove(name, shape)
    (found,) = proof.shapes
    assert (found.status, found.reason) == (ProofStatus.PROVED, "")
    assert found.held == tuple(held.split())
    assert found.results > 0


@pytest.mark.parametrize("name", ["armv7/quantize_f32s8_flat_16_fp32", "armv8/clip_s8s8_flat_64"])
def test_a_call_without_elements_is_proved(name: str) -> None:
    (found,) = prove(name, "0").shapes
    assert (found.status, found.reason, found.results) == (ProofStatus.PROVED, "", 0)


@pytest.mark.parametrize(
    "name",
    ["armv8/matmul_f32f32_packed_8x12", "armv7/matmul_f32f32_packed_6x8", "armv8/requantize_s32s8_rows_1x16_ruy"],
)
def test_many_shapes_together_are_proved_where_each_is_by_itself(name: str) -> None:
    kernel = one_kernel(name)
    shapes = shapes_to_prove(kernel)[: 2 * MANY_SHAPES : 2]
    together = prove(kernel, shapes)
    assert [found.status for found in together.shapes] == [prove(kernel, one).status for one in shapes]
    assert not any({"a", "b"} <= set(found.held) for found in together.shapes)


@pytest.mark.parametrize(("shape", "filling"), [("2x3x17x9", ("weights",)), ("1x1x16x16", ())])
def test_packed_arrays_whose_filling_is_held_are_named(shape: str, filling: tuple[str, ...]) -> None:
    (found,) = prove("armv8/conv1x1_s8s32_hwc_4x16_dotprod", shape).shapes
    assert (found.status, found.filling) == (ProofStatus.PROVED, filling)
    assert found.to_json()["filling"] == list(filling)


_OPEN = [
    ("armv7/matmul_f32f32_packed_6x8", "3x2x14", "depends on the order"),
    ("armv8/matmul_f32f32_packed_8x12", "2x4x8", "depends on the order"),
    ("armv7/range_f32f32_flat_16", "17", "another form than the reference"),
    ("armv7/quantize_f32s8_flat_16_stochastic", "5", "another form than the reference"),
]


@pytest.mark.parametrize(("name", "shape", "reason"), _OPEN, ids=[name for name, *_ in _OPEN])
def test_the_kernels_of_the_library_that_are_not_proved_say_why(name: str, shape: str, reason: str) -> None:
    (found,) = prove(name, shape).shapes
    assert found.status is ProofStatus.NOT_PROVED
    assert reason in found.reason


def test_a_kernel_that_branches_on_what_is_followed_is_not_proved_and_the_line_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from neonlab.prove import judge

    monkeypatch.setattr(judge, "parameters", lambda contract: frozenset())
    (found,) = prove("armv7/dequantize_s32f32_rows_1x8", "2x3").shapes
    assert found.status is ProofStatus.NOT_PROVED
    assert found.reason.startswith("this branch on the data decides the path: beq")
    assert "dequantize_s32f32.inc:" in found.where


def _changed(folder: Path, name: str, text: str, by: str) -> Kernel:
    """A kernel of the library with one change of its text, beside the files that it includes."""
    kernel = one_kernel(name)
    source = kernel.path.read_text(encoding="utf-8")
    assert text in source
    operator_folder = folder / "asm" / kernel.path.parent.parent.name / kernel.path.parent.name
    operator_folder.mkdir(parents=True)
    root = kernel.root
    assert root is not None
    (folder / "kernels").symlink_to(root / "kernels")
    for file in kernel.path.parent.iterdir():
        if file != kernel.path:
            (operator_folder / file.name).symlink_to(file)
    for other in kernel.path.parent.parent.iterdir():
        if other != kernel.path.parent:
            (operator_folder.parent / other.name).symlink_to(other)
    path = operator_folder / kernel.path.name
    path.write_text(source.replace(text, by, 1), encoding="utf-8")
    return open_kernel(path)


_WRONG = [
    ("armv8/maxpool2x2s2_s8s8_hwc_1x16", "2x3x21", "smax", "smin"),
    ("armv8/add_u8s32_flat_16", "21", "smlal   v4.4s, v2.4h", "smlsl   v4.4s, v2.4h"),
    ("armv8/dequantize_s32f32_rows_1x16", "2x19", "fadd", "fsub"),
    # Only floats whose product lies just between two integers are rounded to another one.
    ("armv8/quantize_f32s8_flat_16_fp32", "21", "fcvtns  \\x", "fcvtas  \\x"),
]


@pytest.mark.parametrize(("name", "shape", "text", "by"), _WRONG, ids=[name for name, *_ in _WRONG])
def test_a_wrong_kernel_is_refuted_by_inputs_for_which_it_is_wrong(
    tmp_path: Path, name: str, shape: str, text: str, by: str
) -> None:
    try:
        kernel = _changed(tmp_path, name, text, by)
    except AssertionError:
        pytest.fail(f"{name} has no {text} any more: choose another change")
    (found,) = prove(kernel, shape).shapes
    assert found.status is ProofStatus.REFUTED
    assert found.failure is not None
    assert found.failure.witness is not None


_NEIGHBOURS = """
    movi    v29.16b, #77
    cmeq    v30.16b, \\x\\().16b, v29.16b
    ext     v31.16b, v30.16b, v30.16b, #1
    and     v31.16b, v31.16b, v30.16b
    ext     v30.16b, v30.16b, v30.16b, #2
    and     v31.16b, v31.16b, v30.16b
    smax    \\x\\().16b, \\x\\().16b, lowest.16b
    eor     \\x\\().16b, \\x\\().16b, v31.16b
"""
_SELDOM = [
    # Wrong where three elements in a row are 77: one in 16 million.
    ("armv8/relu_s8s8_flat_64", "67", "    smax    \\x\\().16b, \\x\\().16b, lowest.16b", _NEIGHBOURS),
    # Leaves out the last of 37 elements.
    ("armv8/range_f32f32_flat_16", "37", "adds    count, count, #12", "adds    count, count, #11"),
]


@pytest.mark.parametrize(("name", "shape", "text", "by"), _SELDOM, ids=[name for name, *_ in _SELDOM])
def test_a_kernel_that_is_seldom_wrong_is_refuted(tmp_path: Path, name: str, shape: str, text: str, by: str) -> None:
    kernel = _changed(tmp_path, name, text, by)
    (found,) = prove(kernel, shape).shapes
    assert found.status is ProofStatus.REFUTED
    assert found.failure is not None
    assert found.failure.witness is not None
    assert kernel.operator is not None
    assert check_case(kernel, found.failure.witness).outcomes != [None]


_FAULTS = [
    # The last three elements are read in vectors of four, and results do not depend on what is beyond.
    (
        "armv8/range_f32f32_flat_16",
        "5",
        "    ld1r    {v0.4s}, [input], #4",
        "    ld1     {v0.4s}, [input]\n    dup     v0.4s, v0.s[0]\n    add     input, input, #4",
        "oob-read",
    ),
    (
        "armv8/relu_s8s8_flat_64",
        "67",
        "    ld1r    {v16",
        "    fmov    d8, d0\n    ld1r    {v16",
        "clobbered-callee-saved",
    ),
]


@pytest.mark.parametrize(("name", "shape", "text", "by", "fault"), _FAULTS, ids=[one[-1] for one in _FAULTS])
def test_a_kernel_that_faults_is_refuted_though_its_results_are_right(
    tmp_path: Path, name: str, shape: str, text: str, by: str, fault: str
) -> None:
    (found,) = prove(_changed(tmp_path, name, text, by), shape).shapes
    assert found.status is ProofStatus.REFUTED
    assert found.failure is not None
    assert (found.failure.identifier, found.wraps, found.error) == (fault, None, None)
    assert found.failure.witness is not None


def _altered(change: Callable[[Any], None]) -> Callable[..., Plans]:
    def altered(program: Any) -> Plans:
        plans = copy.deepcopy(plans_of(program))  # those of a program are kept, and serve other proofs
        change(plans)
        return plans

    return altered


def _flip(column: str, among: Callable[[Any], Any]) -> Callable[[Any], None]:
    def change(plans: Any) -> None:
        rows = among(plans.lanes)
        assert rows.any()
        plans.lanes[column][rows] ^= 1

    return change


def _read_with_the_other_sign(plans: Any) -> None:
    signs = plans.sources[..., 3]
    assert (signs < 2).any()
    signs[signs < 2] ^= 1


_ALTERATIONS = [
    ("armv8/conv1x1_s8s32_hwc_4x4", "1x2x9x4", _flip("family", lambda lanes: lanes["family"] == 2)),
    ("armv8/conv1x1_s8s8_hwc_4x4_ruy", "1x2x2x2", _flip("saturates", lambda lanes: lanes["saturates"] == 1)),
    ("armv8/conv1x1_s8s8_hwc_4x4_ruy", "1x2x2x2", _flip("rounds", lambda lanes: lanes["rounds"] == 1)),
    ("armv8/globalpool_s8s8_hwc_4x16", "5x17", _read_with_the_other_sign),
    ("armv8/add_u8s32_flat_16", "21", _flip("family", lambda lanes: lanes["family"] == 3)),
]


@pytest.mark.parametrize(
    ("name", "shape", "change"), _ALTERATIONS, ids=[str(number) for number in range(len(_ALTERATIONS))]
)
def test_a_prover_with_a_wrong_rule_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, name: str, shape: str, change: Callable[[Any], None]
) -> None:
    monkeypatch.setattr(symbolic_run, "plans_of", _altered(change))
    (found,) = prove(name, shape).shapes
    assert found.status is ProofStatus.NOT_PROVED


def test_a_proof_agrees_with_every_case_at_its_shape() -> None:
    for name, shape, _ in _RIGHT[:4]:
        assert check(name, shapes=shape).passed


def test_parameters_are_what_describes_an_operator_not_its_operands() -> None:
    assert parameters(one_kernel("armv8/conv1x1_s8s8_hwc_4x4_ruy").contract) == {
        "bias",
        "multipliers",
        "shifts",
        "range",
    }
    assert not parameters(one_kernel("armv8/conv1x1_s8s32_hwc_4x4").contract)


def test_a_call_that_is_too_long_or_has_no_reference_is_not_proved_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from neonlab.prove import judge

    monkeypatch.setattr(judge, "MOST_STEPS", 50)
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")
    assert kernel.operator is not None
    found = prove_shape(kernel_program(kernel), kernel.contract, kernel.operator, one_shape(kernel, "2x3x17x9"))
    assert found.status is ProofStatus.NOT_PROVED
    assert "more than 50 instructions" in found.reason


def test_the_results_are_numbers_of_nodes_that_hold_what_the_emulator_wrote() -> None:
    (found,) = prove("armv8/conv1x1_s8s32_hwc_4x4", "1x1x1x1").shapes
    assert (found.status, found.results, found.steps > 10) == (ProofStatus.PROVED, 1, True)
    assert np.all(found.enumerated == 0)
