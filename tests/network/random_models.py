"""Draw small float networks of many operators, and quantize them by ONNX Runtime."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tests.network.onnx_models import model
from tests.tools import require_module

Array = np.ndarray
_SIZES = (8, 9, 12)


@dataclass
class Drawn:
    """A network under construction: nodes, constants, and what its nodes compute, images of [1, c, h, w]."""

    random: np.random.Generator
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)

    def constant(self, values: Array) -> str:
        """Add a constant and return its name."""
        name = f"c{len(self.constants)}"
        self.constants[name] = values
        return name

    def weights(self, *shape: int) -> str:
        """Add weights whose sums are about as large as what goes in."""
        return self.constant(self.random.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape).astype(np.float32))

    def node(self, operator: str, inputs: list[str], shapes: list[tuple[int, ...]], **attributes: Any) -> str:
        """Add a node with an output for each shape; return the name of the last one."""
        outputs = [f"{operator.lower()}{len(self.nodes)}_{number}" for number in range(len(shapes))]
        helper = require_module("onnx").helper
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=f"n{len(self.nodes)}", **attributes))
        self.shapes.update(zip(outputs, shapes, strict=True))
        return outputs[-1]

    def other(self, name: str, fits: Callable[[tuple[int, ...]], bool]) -> str:
        """Return a tensor whose shape fits; `name` does."""
        found = [one for one, shape in self.shapes.items() if fits(shape)]
        return found[self.random.integers(len(found))] if found else name


def _conv(net: Drawn, name: str, groups: int = 1, outs: int = 8) -> None:
    _, channels, height, width = net.shapes[name]
    taps, step = (int(net.random.choice([1, 3])) if min(height, width) >= 3 else 1), int(net.random.choice([1, 2]))
    pad = taps // 2
    shape = (1, outs, (height + 2 * pad - taps) // step + 1, (width + 2 * pad - taps) // step + 1)
    weights = net.weights(outs, channels // groups, taps, taps)
    bias = net.constant(net.random.normal(0, 0.1, outs).astype(np.float32))
    attributes = {"kernel_shape": [taps, taps], "strides": [step, step], "pads": [pad] * 4, "group": groups}
    net.node("Conv", [name, weights, bias], [shape], **attributes)


def _depthwise(net: Drawn, name: str) -> None:
    channels = net.shapes[name][1]
    _conv(net, name, channels, channels)


def _unary(operator: str, **attributes: Any) -> Callable[[Drawn, str], None]:
    return lambda net, name: void(net.node(operator, [name], [net.shapes[name]], **attributes))


def _gate(net: Drawn, name: str) -> None:
    gate = net.node("Sigmoid", [name], [net.shapes[name]])
    net.node("Mul", [name, gate], [net.shapes[name]])


def _excite(net: Drawn, name: str) -> None:
    channels = net.shapes[name][1]
    mean = net.node("GlobalAveragePool", [name], [(1, channels, 1, 1)])
    part = net.node("Conv", [mean, net.weights(channels, channels, 1, 1)], [(1, channels, 1, 1)])
    gate = net.node("HardSigmoid", [part], [(1, channels, 1, 1)])
    net.node("Mul", [name, gate], [net.shapes[name]])


def _two(operator: str) -> Callable[[Drawn, str], None]:
    def drawn(net: Drawn, name: str) -> None:
        shape = net.shapes[name]
        right = net.other(name, lambda other: other == shape)
        if net.random.random() < 0.3:
            right = net.constant(net.random.normal(0, 1, (1, shape[1], 1, 1)).astype(np.float32))
        net.node(operator, [name, right], [shape])

    return drawn


def _concat(net: Drawn, name: str) -> None:
    shape = net.shapes[name]
    right = net.other(name, lambda other: other[2:] == shape[2:])
    net.node("Concat", [name, right], [(1, shape[1] + net.shapes[right][1], *shape[2:])], axis=1)


def _pool(operator: str) -> Callable[[Drawn, str], None]:
    def drawn(net: Drawn, name: str) -> None:
        attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [1, 1]}
        net.node(operator, [name], [net.shapes[name]], **attributes)

    return drawn


def _split(net: Drawn, name: str) -> None:
    _, channels, *size = net.shapes[name]
    if channels > 1:
        sizes = net.constant(np.array([1, channels - 1]))
        net.node("Split", [name, sizes], [(1, 1, *size), (1, channels - 1, *size)], axis=1)


def _slice(net: Drawn, name: str) -> None:
    _, channels, height, width = net.shapes[name]
    ends = [net.constant(np.array([number])) for number in (height // 2, 100, 2)]
    net.node("Slice", [name, *ends], [(1, channels, height - height // 2, width)])


def _resize(net: Drawn, name: str) -> None:
    _, channels, height, width = net.shapes[name]
    scales = net.constant(np.array([1, 1, 2, 2], np.float32))
    ways = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", "mode": "nearest"}
    if height * width < 400:
        net.node("Resize", [name, "", scales], [(1, channels, 2 * height, 2 * width)], **ways)


def _transpose(net: Drawn, name: str) -> None:
    _, channels, height, width = net.shapes[name]
    net.node("Transpose", [name], [(1, channels, width, height)], perm=[0, 1, 3, 2])


def _product(net: Drawn, name: str) -> None:
    _, channels, height, width = net.shapes[name]
    turned = net.node("Transpose", [name], [(1, channels, width, height)], perm=[0, 1, 3, 2])
    net.node("MatMul", [name, turned], [(1, channels, height, height)])


def void(_: object) -> None:
    """Return nothing."""


OPERATORS: tuple[Callable[[Drawn, str], None], ...] = (
    _conv, _conv, _depthwise, _unary("Relu"), _unary("Sigmoid"), _unary("Tanh"), _unary("HardSwish"),
    _unary("LeakyRelu", alpha=0.1), _gate, _excite, _two("Add"), _two("Mul"), _two("Sub"), _concat,
    _pool("MaxPool"), _pool("AveragePool"), _split, _slice, _resize, _transpose, _product,
)  # fmt: skip


def float_network(seed: int) -> tuple[bytes, tuple[int, ...]]:
    """Return a float model of 3 to 9 drawn operators, and the shape of its input `x`."""
    random = np.random.default_rng(seed)
    size = int(random.choice(_SIZES))
    shape = (1, int(random.choice([3, 4, 8])), size, size)
    net = Drawn(random, {"x": shape})
    for _ in range(random.integers(3, 10)):
        names = list(net.shapes)
        name = names[random.integers(len(names))] if random.random() < 0.4 else names[-1]
        OPERATORS[random.integers(len(OPERATORS))](net, name)
    taken = {name for one in net.nodes for name in one.input}
    outputs = {name: "float32" for one in net.nodes for name in one.output if name not in taken}
    return model(net.nodes, {"x": ("float32", shape)}, outputs, net.constants, opset=17), shape


def quantized_network(seed: int, folder: Path, *, uint8: bool, qdq: bool) -> tuple[bytes, dict[str, Array]]:
    """Return a drawn network as ONNX Runtime quantizes it, and an input."""
    quantization = require_module("onnxruntime.quantization")
    data, shape = float_network(seed)
    random = np.random.default_rng(seed + 1)
    rest = [{"x": random.normal(0, 1, shape).astype(np.float32)} for _ in range(3)]

    class Reader(quantization.CalibrationDataReader):  # type: ignore[name-defined,misc]
        def get_next(self) -> dict[str, Array] | None:
            return rest.pop() if rest else None

    source, target = folder / "float.onnx", folder / "eight.onnx"
    onnx = require_module("onnx")
    onnx.save(onnx.shape_inference.infer_shapes(onnx.load_from_string(data)), source)
    types, form = quantization.QuantType, quantization.QuantFormat
    before = logging.root.manager.disable
    # Weights of 7 bits for uint8: x86 without VNNI adds up two products of uint8 and int8 in 16 bits.
    logging.disable(logging.WARNING)
    try:
        quantization.quantize_static(
            str(source), str(target), Reader(), quant_format=form.QDQ if qdq else form.QOperator,
            per_channel=bool(seed % 2), activation_type=types.QUInt8 if uint8 else types.QInt8, reduce_range=uint8,
            weight_type=types.QInt8,
        )  # fmt: skip
    finally:
        logging.disable(before)
    return target.read_bytes(), {"x": random.normal(0, 1, shape).astype(np.float32)}
