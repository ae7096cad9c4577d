"""Make the table of 256 results of a function of one 8-bit number, as a framework computes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from neonlab.errors import InputError
from neonlab.int8.activation import (
    Real,
    sigmoid,
    sigmoid_in_singles,
    sigmoid_onnxruntime,
    table_of,
    tanh_onnxruntime,
)
from neonlab.int8.addition import Operand
from neonlab.int8.affine import Affine
from neonlab.int8.arrays import Integers, Output, wide
from neonlab.int8.elementwise import ACTIVATIONS, activation_range, rescale
from neonlab.int8.fixed_point import multiply_twice_rounded, quantize_multiplier, rounding_divide_by_power_of_two
from neonlab.network.graph import Graph, Node, Quantization, Tensor


def table_of_node(graph: Graph, node: Node) -> Integers:
    """Return what the node makes of each byte, indexed by the input's byte taken as unsigned.

    Raises InputError for a function or an arithmetic that the lab does not have.
    """
    source, target = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    ends = [tensor.quantization for tensor in (source, target)]
    if ends[0] is None or ends[1] is None:
        raise InputError(f"node `{node.name}`: a tensor has no scale")
    if node.operator == "unary" and node.attributes["function"] == "table":
        held: Integers = node.attributes["table"]
        return held
    every = np.arange(256, dtype=np.uint8).view(source.dtype)
    operand = Operand(every, ends[0].scale, ends[0].zero_point)
    output = Output.of(target.dtype, ends[1].zero_point)
    if node.operator == "rescale":
        return _rescaled(operand, ends[1].scale, output, node.attributes["scheme"])
    function, arithmetic = node.attributes["function"], node.attributes["arithmetic"]
    if function in ACTIVATIONS and arithmetic == "tflite":
        return _clamped(function, operand, ends[1], output)
    if function == "leaky_relu" and arithmetic == "tflite":
        return _leaky(operand, node.attributes["alpha"], ends[1], output)
    if function == "leaky_relu" and arithmetic == "xnnpack":
        return _leaky_xnnpack(operand, node.attributes["alpha"], ends[1], output)
    if function == "hard_swish" and arithmetic == "tflite":
        return _hard_swish_tflite(operand, ends[1], output)
    if function == "sigmoid" and arithmetic == "tflite":
        return table_of(sigmoid_in_singles, _affine(source), _affine(target))
    real = _ONNX_RUNTIMES.get(function) if arithmetic == "onnxruntime" else None
    real = real or _REAL.get(function)
    if real is None:
        raise InputError(f"node `{node.name}`: no function is called {function}")
    rounding = "away" if arithmetic == "tflite" else "even"
    return table_of(real(node), _affine(source), _affine(target), rounding)


def _affine(tensor: Tensor) -> Affine:
    assert tensor.quantization is not None
    return Affine(tensor.quantization.scale, tensor.quantization.zero_point, tensor.dtype)


def _rescaled(operand: Operand, scale: float, output: Output, scheme: str) -> Integers:
    if scheme == "xnnpack":
        # XNNPACK's QUANTIZE between integers of one type: a multiplier of 8 fraction bits, ties up.
        ratio = np.float32(operand.scale) / np.float32(scale)
        multiplier = int(np.rint(np.float32(256) * ratio))
        return output.place((operand.centred() * multiplier + 128) >> 8)
    return rescale(operand, scale, output, scheme)


def _clamped(function: str, operand: Operand, target: Quantization, output: Output) -> Integers:
    """Compute TFLite's RELU and its like, source: tensorflow/lite/kernels/activations.cc, `QuantizedReluX`."""
    held = activation_range(function, target.scale, output)
    ratio = float(np.float32(operand.scale) / np.float32(target.scale))
    scaled = multiply_twice_rounded(operand.centred(), quantize_multiplier(ratio))
    return held.place(wide(scaled))


def _leaky(operand: Operand, alpha: float, target: Quantization, output: Output) -> Integers:
    """Compute TFLite's LEAKY_RELU, source: tensorflow/lite/kernels/internal/reference/leaky_relu.h."""
    ratio = float(np.float32(operand.scale) / np.float32(target.scale))
    product = float(np.float32(operand.scale) * np.float32(alpha) / np.float32(target.scale))
    centred = operand.centred()
    above = wide(multiply_twice_rounded(centred, quantize_multiplier(ratio)))
    # A negative slope is a negative multiplier, whose products are rounded by their own sign.
    turned = centred if product >= 0 else -centred
    below = wide(multiply_twice_rounded(turned, quantize_multiplier(abs(product))))
    return output.place(np.where(centred >= 0, above, below))


def _leaky_xnnpack(operand: Operand, alpha: float, target: Quantization, output: Output) -> Integers:
    """Compute XNNPACK's leaky relu: multipliers of 8 fraction bits, ties up, source: `xnn_init_qs8_lrelu_params`."""
    above = np.float32(operand.scale) / np.float32(target.scale)
    centred = operand.centred()
    positive, negative = (int(np.rint(np.float32(256) * slope)) for slope in (above, above * np.float32(alpha)))
    return output.place((centred * np.where(centred >= 0, positive, negative) + 128) >> 8)


def _high_half(left: Integers, right: int) -> Integers:
    """Return the high half of 2·left·right of int16, rounded, saturated: gemmlowp's in 16 bits."""
    product = wide(left) * right
    # The product is divided with truncation after a nudge away from 0.
    nudged = product + np.where(product >= 0, 1 << 14, 1 - (1 << 14))
    return np.clip(np.trunc(nudged / (1 << 15)), -(1 << 15), (1 << 15) - 1).astype(np.int64)


def _hard_swish_tflite(operand: Operand, target: Quantization, output: Output) -> Integers:
    """Compute TFLite's HARD_SWISH, source: tensorflow/lite/kernels/internal/reference/hard_swish.h."""
    high = np.float32(1.0 / 128)
    scale_in, scale_out = np.float32(operand.scale), np.float32(target.scale)
    to_output = _sixteen(float(high * scale_in / scale_out))
    to_relu = _sixteen(float(high * scale_in / (np.float32(3.0) / np.float32(32768))))
    centred = operand.centred()
    wide_input = centred << 7
    pre_output = _high_half(wide_input, to_output[0])
    relu: Integers = wide_input
    mantissa, exponent = to_relu
    if exponent > 0:
        relu = _saturating_left(relu, exponent - 1)
    relu = _high_half(relu, mantissa)
    if exponent > 0:
        relu = _saturating_left(relu, 1)
    elif exponent < 0:
        relu = wide(rounding_divide_by_power_of_two(relu, np.array(-exponent)))
    gate = (relu + (1 << 15)) >> 1
    product = _truncated_high_half(gate, pre_output)
    return output.place(wide(rounding_divide_by_power_of_two(product, np.array(-to_output[1]))))


def _truncated_high_half(left: Integers, right: Integers) -> Integers:
    """Return the high half of 2·left·right of int16, cut off: `SaturatingDoublingHighMul` of the reference."""
    product = wide(left) * wide(right)
    both = (left == -(1 << 15)) & (right == -(1 << 15))
    held: Integers = np.where(both, (1 << 15) - 1, np.trunc(product / (1 << 15)).astype(np.int64))
    return held


def _saturating_left(values: Integers, by: int) -> Integers:
    shifted: Integers = np.clip(wide(values) << by, -(1 << 15), (1 << 15) - 1)
    return shifted


def _sixteen(real: float) -> tuple[int, int]:
    """Return a multiplier of 16 bits, and its exponent: that of 32 bits, its lower half rounded into the upper."""
    found = quantize_multiplier(real)
    mantissa, exponent = int(found.mantissa), int(found.exponent)
    most = (1 << 31) - 1 - (1 << 15)
    return ((1 << 15) - 1 if mantissa >= most else (mantissa + (1 << 15)) >> 16), exponent


def _fixed(real: Real) -> Callable[[Node], Real]:
    return lambda _node: real


def _leaky_real(node: Node) -> Real:
    alpha = node.attributes["alpha"]
    return lambda x: np.where(x >= 0, x, x * alpha)


def _hard_sigmoid(node: Node) -> Real:
    alpha, beta = node.attributes.get("alpha", 0.2), node.attributes.get("beta", 0.5)
    return lambda x: np.clip(alpha * x + beta, 0.0, 1.0)


_REAL: Mapping[str, Callable[[Node], Real]] = {
    "sigmoid": _fixed(sigmoid),
    "tanh": _fixed(np.tanh),
    "relu": _fixed(lambda x: np.maximum(x, 0)),
    "leaky_relu": _leaky_real,
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": _fixed(lambda x: x * np.clip(x / 6 + 0.5, 0.0, 1.0)),
}
_ONNX_RUNTIMES: Mapping[str, Callable[[Node], Real]] = {
    "sigmoid": _fixed(sigmoid_onnxruntime),
    "tanh": _fixed(tanh_onnxruntime),
}
