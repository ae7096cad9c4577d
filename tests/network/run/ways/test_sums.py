"""Sums of two tensors on the kernels of their framework's rounding: bits of ONNX Runtime, LiteRT's XNNPACK, QNNPACK."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build, run_model
from tests.network.onnx_models import model, node, run, scales

from neonlab.int8.addition import Operand, add_qnnpack
from neonlab.int8.arrays import Output
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.lab.systems import Calls
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.run.network import NetworkRun, run_network

ROOT = Path(__file__).resolve().parents[4]
SHAPE = (1, 256, 256)
both = pytest.mark.parametrize("isa", [Isa.A64, Isa.A32], ids=["armv8", "armv7"])


def pairs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of bytes."""
    every = np.arange(256, dtype=np.uint8).view(dtype)
    left, right = np.broadcast_arrays(every[:, np.newaxis], every)
    return left.reshape(SHAPE).copy(), right.reshape(SHAPE).copy()


def drawn(seed: int, dtype: str) -> tuple[list[float], list[int]]:
    """Scales and zero points of both operands and the sum, of which the sum has about the range of the operands'."""
    random, limits = np.random.default_rng(seed), np.iinfo(dtype)
    left, right = (float(np.float32(random.uniform(0.01, 0.1))) for _ in range(2))
    total = float(np.float32(random.uniform(0.4, 1.2) * (left + right)))
    return [left, right, total], [int(random.integers(limits.min, limits.max + 1)) for _ in range(3)]


def on(isa: Isa, graph: Graph, given: dict[str, np.ndarray]) -> NetworkRun:
    found = run_network(apply_passes(graph).graph, open_library(ROOT), isa, None, [given])
    assert found.wrong == 0
    return found


def of_onnx_runtime(isa: Isa, seed: int, dtype: str) -> NetworkRun:
    (a, b, c), points = drawn(seed, dtype)
    held = {f"z{name}": np.array(point, dtype) for name, point in zip("abc", points, strict=True)}
    nodes = [node("QLinearAdd", ["x", "sa", "za", "w", "sb", "zb", "sc", "zc"], "y", "com.microsoft")]
    given = dict(zip("xw", pairs(dtype), strict=True))
    data = model(nodes, dict.fromkeys(given, (dtype, SHAPE)), {"y": dtype}, {**scales(sa=a, sb=b, sc=c), **held})
    graph = read_onnx("network.onnx", data, {})
    found = on(isa, graph, given)
    assert np.array_equal(to_file(graph, found.outputs["y"]), run(data, given)[0])
    return found


@pytest.mark.parametrize("seed", range(8))
def test_a_sum_of_onnx_runtime_runs_on_kernels_at_any_scales(seed: int) -> None:
    (layer,) = of_onnx_runtime(Isa.A64, seed, "int8").layers
    assert layer.way == "kernels" and not layer.near
    assert ("armv8/add_s8s8_flat_16_fp32",) in [kernels for kernels, _ in layer.tried]


@pytest.mark.parametrize("seed", range(4))
def test_a_sum_of_uint8_takes_no_kernel_whose_floats_hold_other_zero_points(seed: int) -> None:
    assert of_onnx_runtime(Isa.A64, seed, "uint8").values % 65536 == 0


@both
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("seed", range(6))
def test_a_sum_of_xnnpack_runs_on_kernels_at_any_scales(isa: Isa, seed: int, dtype: str) -> None:
    steps, points = drawn(100 + seed, dtype)
    tensors = [Tensor(SHAPE, dtype, [step], [point]) for step, point in zip(steps, points, strict=True)]
    data = build(tensors, [Operator("ADD", [0, 1], [2], {"table": "AddOptions"})], [0, 1], [2])
    left, right = pairs(dtype)
    graph = read_tflite("network.tflite", data, "xnnpack")
    found = on(isa, graph, {"t0": left, "t1": right})
    assert np.array_equal(found.outputs["t2"].reshape(SHAPE), run_model(data, [left, right], kernels="xnnpack")[0])
    assert found.layers[-1].way == "kernels" and all(layer.way == "kernels" for layer in found.layers)
    tried = [kernels for layer in found.layers for kernels, _ in layer.tried]
    assert any(name.endswith("_xnnpack") for kernels in tried for name in kernels)


@both
@pytest.mark.parametrize("seed", range(6))
def test_the_sum_of_qnnpack_goes_away_from_zero(isa: Isa, seed: int) -> None:
    """The kernel against the whole formula, from scales on; the operator has the multipliers."""
    (a, b, c), points = drawn(200 + seed, "int8") if seed else ([0.5, 0.25, 1.0], [3, -7, 1])
    left, right = pairs("int8")
    ratios = [np.float32(scale) / np.float32(c) for scale in (a, b)]
    shift = 22 - int(np.frexp(max(ratios))[1])
    multipliers = np.rint(np.ldexp(np.array(ratios, np.float64), shift)).astype(np.int32)
    calls = Calls(open_library(ROOT), isa)
    held = np.array([*points, -100, 90], np.int16)
    got = calls(
        "add_s8s8_flat_@_qnnpack", a=left, b=right, count=left.size, points=held, multipliers=multipliers,
        shift=np.array([-shift], np.int32),
    )["output"]  # fmt: skip
    wanted = add_qnnpack(Operand(left, a, points[0]), Operand(right, b, points[1]), c, Output(points[2], -100, 90))
    assert np.array_equal(got.reshape(SHAPE), wanted)
    if not seed:  # sums of quarters, of which half are ties for one of both signs
        others = calls(
            "add_s8s8_flat_@_xnnpack", a=left, b=right, count=left.size, points=held, multipliers=multipliers,
            shift=np.array([-shift], np.int32),
        )["output"]  # fmt: skip
        assert (others.reshape(SHAPE) != wanted).sum() > 1000
