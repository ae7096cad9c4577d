"""Quantize the float weights and biases that ONNX Runtime quantizes itself, where what is around them is quantized.

Source: onnxruntime/core/optimizer/qdq_transformer/weight_bias_quantization.cc and onnxruntime/core/util/qmath.h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neonlab.int8.arrays import limits
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.passes.clusters import clamps_after, scales_of_sums
from neonlab.network.passes.rewrite import Changes, Passed, counted

_OPERATORS = ("conv", "conv_transpose", "gemm")


def quantize_weights(graph: Graph) -> Passed:
    """Put a dequantization of integers in place of float weights, and of a float bias, as ONNX Runtime does.

    That is done where the input is the dequantization of a tensor with one scale, and a quantization alone takes the
    output, with relus and clips between.  The outputs are those of ONNX Runtime, not of the floats in the file.
    """
    changes, made = Changes(graph), 0
    for node in graph.nodes if graph.format == "onnx" else ():
        if node.operator != "float" or node.attributes["function"] not in _OPERATORS:
            continue
        image = _dequantized(changes, node.inputs[0])
        if image is None or len(image.scales) > 1 or clamps_after(changes, node)[1] is None:
            continue
        floats, scales = changes.tensors[node.inputs[1]].data, _dequantized(changes, node.inputs[1])
        if scales is None and (floats is None or floats.dtype != np.float32):
            continue
        bias = changes.tensors[node.inputs[2]].data if len(node.inputs) > 2 else None
        if len(node.inputs) > 2 and (bias is None or bias.ndim != 1 or bias.dtype != np.float32):
            continue
        if scales is not None and (bias is None or not _is_by_channel(node, scales, bias.size)):
            continue
        inputs = list(node.inputs)
        if scales is None and floats is not None:
            held, scales = quantized_weights(floats)
            inputs[1] = _insert(changes, node, node.inputs[1], held, scales)
            made += 1
        if bias is not None and scales is not None:
            by = scales_of_sums(image, scales)
            of_bias = Quantization(tuple(map(float, by)), (0,) * by.size)
            inputs[2] = _insert(changes, node, node.inputs[2], np.rint(bias / by).astype(np.int32), of_bias)
            made += 1
        changes.change(node, replace(node, inputs=tuple(inputs)))
    return changes.done(counted(made, "{} float weights and biases quantized, as ONNX Runtime does"))


def quantized_weights(floats: Array) -> tuple[Array, Quantization]:
    """Return float32 weights as int8 with one scale and zero point, by their least and greatest number and 0."""
    low, high = np.minimum(floats.min(), np.float32(0)), np.maximum(floats.max(), np.float32(0))
    least, most = limits("int8")
    scale = np.float32(1) if low == high else (high - low) / np.float32(most - least)
    point = int(np.rint(np.clip(np.float32(least) - low / scale, least, most)))
    held = np.clip(np.rint(floats / scale) + point, least, most).astype(np.int8)
    return held, Quantization((float(scale),), (point,))


def _dequantized(changes: Changes, name: str) -> Quantization | None:
    """Return the quantization of the tensor that a float tensor is the dequantization of."""
    maker = changes.makers.get(name)
    if maker is None or maker.operator != "dequantize":
        return None
    return changes.tensors[maker.inputs[0]].quantization


def _is_by_channel(node: Node, scales: Quantization, outs: int) -> bool:
    """Tell whether weights have one scale, or one for each of the channels of a bias along the axis of those."""
    if len(scales.scales) == 1:
        return True
    gemm = node.attributes["function"] == "gemm"
    return len(scales.scales) == outs and scales.axis == (1 if gemm and not node.attributes["turned"] else 0)


def _insert(changes: Changes, node: Node, name: str, held: Array, quantization: Quantization) -> str:
    """Add integers, and before the node their dequantization; return the name of its floats."""
    integers = changes.constant(f"{name}/integers", held, quantization)
    floats = changes.tensor(Tensor(f"{name}/dequantized", held.shape, "float32"))
    changes.insert(node, Node(floats, "dequantize", (integers,), (floats,), {}, "DequantizeLinear"))
    return floats
