"""Small .tflite models with the operators of trained networks."""

from __future__ import annotations

import numpy as np
from tests.int8.frameworks.litert import Operator, Tensor, build

_CONV = {"table": "Conv2DOptions", "padding": 0}
_DEPTHWISE = {"table": "DepthwiseConv2DOptions", "padding": 0, "depthMultiplier": 1}


def network(seed: int = 5) -> tuple[bytes, np.ndarray]:
    """A network of convolutions of several windows, a shortcut, pools and a classifier; and an input for it."""
    random = np.random.default_rng(seed)
    tensors: list[Tensor] = []

    def add(*given: Tensor) -> list[int]:
        tensors.extend(given)
        return list(range(len(tensors) - len(given), len(tensors)))

    def image(shape: tuple[int, ...], scale: float, point: int) -> int:
        return add(Tensor(shape, "int8", [scale], [point]))[0]

    def weights(shape: tuple[int, ...], axis: int, source: float) -> list[int]:
        scales = random.uniform(0.002, 0.006, shape[axis]).astype(np.float32)
        values = random.integers(-127, 128, shape).astype(np.int8)
        bias = random.integers(-900, 900, shape[axis]).astype(np.int32)
        held = Tensor.constant(values, scales.tolist(), axis=axis)
        return add(held, Tensor.constant(bias, (np.float32(source) * scales).tolist()))

    x = image((1, 14, 12, 4), 0.02, -5)
    a = image((1, 7, 6, 16), 0.04, -128)
    b = image((1, 7, 6, 16), 0.05, 8)
    c = image((1, 7, 6, 16), 0.06, -3)
    d = image((1, 7, 6, 16), 0.07, 12)
    e = image((1, 7, 6, 16), 0.06, 2)
    k = image((1, 7, 6, 32), 0.06, 2)
    m = image((1, 3, 3, 32), 0.06, 2)
    p = image((1, 1, 1, 32), 0.06, 2)
    g = image((1, 5), 0.1, 4)
    y = image((1, 5), 1 / 256, -128)
    operators = [
        Operator("CONV_2D", [x, *weights((16, 3, 3, 4), 0, 0.02)], [a],
                 {**_CONV, "strideH": 2, "strideW": 2, "fusedActivationFunction": 1}),
        Operator("DEPTHWISE_CONV_2D", [a, *weights((1, 5, 5, 16), 3, 0.04)], [b],
                 {**_DEPTHWISE, "strideH": 1, "strideW": 1}),
        Operator("CONV_2D", [b, *weights((16, 1, 1, 16), 0, 0.05)], [c], {**_CONV, "strideH": 1, "strideW": 1}),
        Operator("CONV_2D", [c, *weights((16, 3, 2, 8), 0, 0.06)], [d],
                 {**_CONV, "strideH": 1, "strideW": 1, "dilationHFactor": 2}),
        Operator("ADD", [b, d], [e], {"table": "AddOptions", "fusedActivationFunction": 3}),
        Operator("CONCATENATION", [e, e], [k], {"table": "ConcatenationOptions", "axis": 3}),
        Operator("MAX_POOL_2D", [k], [m], {"table": "Pool2DOptions", "padding": 1, "strideH": 2, "strideW": 2,
                                           "filterHeight": 2, "filterWidth": 2}),
        Operator("AVERAGE_POOL_2D", [m], [p], {"table": "Pool2DOptions", "padding": 1, "strideH": 1, "strideW": 1,
                                               "filterHeight": 3, "filterWidth": 3}),
        Operator("FULLY_CONNECTED", [p, *weights((5, 32), 0, 0.06)], [g], {"table": "FullyConnectedOptions"}),
        Operator("SOFTMAX", [g], [y], {"table": "SoftmaxOptions", "beta": 1.0}),
    ]  # fmt: skip
    given = random.integers(-128, 128, (1, 14, 12, 4)).astype(np.int8)
    return build(tensors, operators, [x], [e, p, y]), given
