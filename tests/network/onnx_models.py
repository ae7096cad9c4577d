"""ONNX models, built with the package `onnx` and run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tests.tools import require_module

_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9}


def node(operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Any) -> Any:
    """A node that is called after its output."""
    helper = require_module("onnx").helper
    return helper.make_node(operator, list(inputs), [output], name=f"{output}_node", domain=domain, **attributes)


def model(
    nodes: Sequence[Any],
    inputs: Mapping[str, tuple[str, Sequence[int | str]]],
    outputs: Mapping[str, str],
    constants: Mapping[str, Any],  # arrays, and scalars of numpy
    opset: int = 13,
) -> bytes:
    """The bytes of a model: inputs are type and shape by name, outputs types by name."""
    onnx = require_module("onnx")
    helper = onnx.helper
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info(name, _TYPES[kind], shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, _TYPES[kind], None) for name, kind in outputs.items()],
        [onnx.numpy_helper.from_array(np.asarray(values), name) for name, values in constants.items()],
    )
    versions = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=versions)
    made.ir_version = 8
    return bytes(made.SerializeToString())


def run(data: bytes, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """What ONNX Runtime makes of the inputs."""
    runtime = require_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.qdqisint8allowed", "1")  # integers for int8 on x86 too, as on Arm
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return [np.asarray(one) for one in session.run(None, dict(inputs))]


def scales(**given: float | Sequence[float]) -> dict[str, np.ndarray]:
    """Constants of float32 by name."""
    return {name: np.array(value, np.float32) for name, value in given.items()}


def classifier(kind: str = "int8", seed: int = 3) -> tuple[bytes, np.ndarray]:
    """A small QOperator network of every operator that a trained one had, and an input for it."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(kind)
    zero = 0 if kind == "int8" else 128
    most = 127 if kind == "int8" else 63  # x86 without VNNI adds up two products of uint8 and int8 in 16 bits
    weights = {
        "w1": random.integers(-most, most + 1, (8, 3, 3, 3)).astype(np.int8),
        "w2": random.integers(-most, most + 1, (8, 1, 3, 3)).astype(np.int8),
        "w3": random.integers(-most, most + 1, (16, 8, 1, 1)).astype(np.int8),
        "w4": random.integers(-most, most + 1, (5, 16)).astype(np.int8),
    }
    constants: dict[str, np.ndarray] = {**weights}
    for name, values in weights.items():
        constants[f"{name}_s"] = random.uniform(0.002, 0.004, len(values)).astype(np.float32)
        constants[f"{name}_z"] = np.zeros(len(values), np.int8)
        constants[f"b{name[1:]}"] = random.integers(-500, 500, len(values)).astype(np.int32)
    for name, (scale, point) in {
        "x": (0.02, 3), "a": (0.05, -7), "b": (0.06, 9), "c": (0.08, -20), "h": (0.004, -128), "m": (0.05, 4),
        "s": (0.07, -3), "p": (0.03, 1), "d": (0.08, -60), "y": (1 / 256, -128), "three": (0.0117, -128),
    }.items():  # fmt: skip
        constants[f"{name}_s"] = np.array(scale, np.float32)
        constants[f"{name}_z"] = np.array(point + zero, dtype)
    constants["three_q"] = np.array(127 + zero, dtype)
    constants["six"] = np.array(6, np.float32)
    constants["flat"] = np.array([1, -1], np.int64)

    def quantized(*names: str) -> list[str]:
        return [part for name in names for part in (name, f"{name}_s", f"{name}_z")]

    q = "com.microsoft"
    nodes = [
        node("QuantizeLinear", ["input", "x_s", "x_z"], "x"),
        node("QLinearConv", [*quantized("x", "w1"), "a_s", "a_z", "b1"], "a", strides=[2, 1], pads=[1, 1, 1, 1]),
        node("QLinearConv", [*quantized("a", "w2"), "b_s", "b_z", "b2"], "b", group=8, strides=[2, 1], pads=[1] * 4),
        node("QLinearConv", [*quantized("b", "w3"), "c_s", "c_z", "b3"], "c"),
        # A hard swish in four nodes, a function of c alone.
        node("QLinearAdd", [*quantized("c"), "three_q", "three_s", "three_z", "s_s", "s_z"], "s", q),
        node("DequantizeLinear", quantized("s"), "s_f"),
        node("Div", ["s_f", "six"], "s_6"),
        node("QuantizeLinear", ["s_6", "h_s", "h_z"], "h"),
        node("QLinearMul", [*quantized("c", "h"), "m_s", "m_z"], "m", q),
        node("QLinearAdd", [*quantized("c", "m"), "d_s", "d_z"], "d", q),
        node("DequantizeLinear", quantized("d"), "d_f"),
        node("MaxPool", ["d_f"], "d_p", kernel_shape=[2, 2], strides=[2, 2]),
        node("QuantizeLinear", ["d_p", "d_s", "d_z"], "e"),
        node("QLinearGlobalAveragePool", ["e", "d_s", "d_z", "p_s", "p_z"], "p", q),
        node("Reshape", ["p", "flat"], "f"),
        node("QGemm", ["f", "p_s", "p_z", "w4", "w4_s", "w4_z", "b4", "c_s", "c_z"], "g", q, transB=1),
        node("QLinearSoftmax", ["g", "c_s", "c_z", "y_s", "y_z"], "y", q, axis=-1, opset=13),
        node("DequantizeLinear", quantized("y"), "output"),
    ]
    image = random.uniform(-2, 2, (1, 3, 16, 12)).astype(np.float32)
    return model(
        nodes, {"input": ("float32", ["batch", 3, 16, 12])}, {"output": "float32", "d": kind}, constants
    ), image
