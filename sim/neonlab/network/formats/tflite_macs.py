"""Count the multiply-accumulates of operators of TFLite: convolutions, products of matrices, and recurrent layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.tflite_file import FileOperator

#: Operators with products that are not counted, so that a share of the host's would be wrong.
NOT_COUNTED = (
    "BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN", "EMBEDDING_LOOKUP_SPARSE", "LSH_PROJECTION", "RFFT2D",
    "REDUCE_WINDOW",
)  # fmt: skip
Shape = Sequence[int]


def count_macs(operator: FileOperator, inputs: Sequence[Shape], output: Shape) -> int:
    """Return the multiply-accumulates; `inputs` are the shapes, () of an input that is left out.

    Raises Refusal for a layer of another kind than those that are counted.
    """
    counted = _COUNTED.get(operator.name)
    return 0 if counted is None else counted(operator, inputs, math.prod(output))


def _of_window(_operator: FileOperator, inputs: Sequence[Shape], results: int) -> int:
    return results * math.prod(inputs[1][1:])


def _of_depthwise(_operator: FileOperator, inputs: Sequence[Shape], results: int) -> int:
    return results * math.prod(inputs[1][1:3])


def _of_space(_operator: FileOperator, inputs: Sequence[Shape], results: int) -> int:
    """Return those of a window [depth, height, width, inputs, outputs]."""
    return results * math.prod(inputs[1][:4])


def _of_transposed(_operator: FileOperator, inputs: Sequence[Shape], _results: int) -> int:
    """Return those of a window [outputs, height, width, inputs], which each element of the image meets."""
    return math.prod(inputs[2]) * math.prod(inputs[1][:3])


def _of_transposed_space(_operator: FileOperator, inputs: Sequence[Shape], _results: int) -> int:
    return math.prod(inputs[2]) * math.prod(inputs[1][:4])


def _of_dense(_operator: FileOperator, inputs: Sequence[Shape], _results: int) -> int:
    return math.prod(inputs[0]) * inputs[1][0]


def _of_product(operator: FileOperator, inputs: Sequence[Shape], results: int) -> int:
    return results * inputs[0][-2 if operator.options.get("AdjX") else -1]


def _of_lstm(operator: FileOperator, inputs: Sequence[Shape], _results: int) -> int:
    """Return those of each step: four products of the input, four of what came out before, and a projection."""
    if operator.options.get("KernelType"):
        raise Refusal("a layer with all weights in one matrix, whose products are not counted")
    matrices = [*inputs[1:9], *inputs[16:17]]
    return math.prod(inputs[0][:-1]) * sum(math.prod(shape) for shape in matrices if len(shape) == 2)


def _of_rnn(_operator: FileOperator, inputs: Sequence[Shape], _results: int) -> int:
    return math.prod(inputs[0][:-1]) * (math.prod(inputs[1]) + math.prod(inputs[2]))


_COUNTED: Mapping[str, Callable[[FileOperator, Sequence[Shape], int], int]] = {
    "CONV_2D": _of_window,
    "DEPTHWISE_CONV_2D": _of_depthwise,
    "CONV_3D": _of_space,
    "TRANSPOSE_CONV": _of_transposed,
    "CONV_3D_TRANSPOSE": _of_transposed_space,
    "FULLY_CONNECTED": _of_dense,
    "BATCH_MATMUL": _of_product,
    "LSTM": _of_lstm,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _of_lstm,
    "RNN": _of_rnn,
    "UNIDIRECTIONAL_SEQUENCE_RNN": _of_rnn,
    "SVDF": _of_rnn,
}
