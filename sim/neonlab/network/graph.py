"""Hold a network as one frozen graph, whatever file it came from: tensors, and nodes in the order of execution.

Images are [n, height, width, channels].  Each operator of `Node` is one of `OPERATORS`; what it computes to the last
bit is said by its attributes, of which `scheme` names the requantization.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np

from neonlab.errors import InputError

Array = np.ndarray[Any, np.dtype[Any]]
#: Elements of a tensor, at most: 256 MiB of int8.
MOST_ELEMENTS = 1 << 28
#: Bytes of all tensors of a network together, at most.
MOST_BYTES = 1 << 32
#: Dimensions of a tensor, at most.
MOST_RANK = 8
#: Nodes of a graph, at most.
MOST_NODES = 1 << 16
DTYPES = ("int8", "uint8", "int16", "int32", "int64", "float32", "bool")
#: What a node may compute, in words.
OPERATORS: Mapping[str, str] = {
    "conv": "convolution",
    "depthwise": "depthwise convolution",
    "conv_transpose": "transposed convolution",
    "dense": "fully connected layer",
    "matmul": "product of two tensors",
    "add": "addition",
    "mul": "multiplication",
    "concat": "concatenation",
    "average_pool": "average pooling",
    "max_pool": "max pooling",
    "mean": "mean of each channel",
    "pad": "padding",
    "unary": "function of one number",
    "softmax": "softmax",
    "quantize": "floats to integers",
    "dequantize": "integers to floats",
    "requantize": "sums to integers",
    "rescale": "change of scale",
    "reshape": "other shape",
    "transpose": "other order of axes",
    "slice": "part of a tensor",
    "resize_nearest": "nearest-neighbour resize",
    "float": "operator on floats",
    "onnx": "operator that ONNX Runtime computes",
    "litert": "operator that LiteRT computes",
    "ncnn": "layer that the package ncnn computes",
    "integer_sums": "products with zero points that data decide",
}


@dataclass(frozen=True, slots=True)
class Quantization:
    """Scales (float32, > 0) and zero points of a tensor: one each, or one for each index of `axis`."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0

    @property
    def scale(self) -> float:
        """Return the scale of a tensor that has one."""
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """Return the zero point of a tensor that has one."""
        return self.zero_points[0]


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A tensor: its shape, the name of its dtype, how it is quantized, and its values if it is a constant."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: Quantization | None = None
    data: Array | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Return its size in bytes."""
        return self.size * np.dtype(self.dtype).itemsize


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One step: an operator of `OPERATORS`, its attributes, and the names of the tensors that go in and come out.

    An input that is left out is "".  `told` is the operator's name in the file.
    """

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    told: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """A tensor that the network keeps from one inference to the next: `read` holds what `written` held before."""

    name: str
    read: str
    written: str


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A network: its tensors by name, its nodes in the order of execution, what goes in, and what comes out.

    `starts` holds what each state holds at first, by the name of the State.  `format` is tflite, onnx or ncnn.
    """

    name: str
    format: str
    tensors: Mapping[str, Tensor]
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[State, ...] = ()
    starts: Mapping[str, Array] = field(default_factory=dict)

    @property
    def channels_first(self) -> bool:
        """Tell whether the file has images as [n, c, h, w]; the graph has them as [n, h, w, c]."""
        return self.format != "tflite"

    @property
    def without_batch(self) -> bool:
        """Tell whether the file has one image as [c, h, w]."""
        return self.format == "ncnn"

    def tensor(self, name: str) -> Tensor:
        """Return the tensor called `name`.  Raises KeyError for others."""
        return self.tensors[name]

    def constant(self, name: str) -> Array | None:
        """Return the values of a constant; None for another tensor, and for an input that is left out."""
        return self.tensors[name].data if name else None


def check_shape(path: str, name: str, shape: Sequence[int]) -> tuple[int, ...]:
    """Return a tensor's shape as a tuple of int.  Raises InputError for sizes below 1, and for too many elements."""
    sizes = tuple(int(size) for size in shape)
    if len(sizes) > MOST_RANK:
        raise InputError(f"{path}: tensor `{name}` has {len(sizes)} dimensions; the lab goes up to {MOST_RANK}")
    if any(size < 1 for size in sizes):
        raise InputError(f"{path}: tensor `{name}` has the shape {list(sizes)}: every size must be 1 or more")
    if math.prod(sizes) > MOST_ELEMENTS:
        raise InputError(
            f"{path}: tensor `{name}` of shape {list(sizes)} has {math.prod(sizes):,} elements; the lab goes up to "
            f"{MOST_ELEMENTS:,}"
        )
    return sizes


def ordered(path: str, graph: Graph) -> Graph:
    """Return the graph with its nodes in the order of execution, and without those that nothing needs.

    Raises InputError for a tensor that two nodes compute, for one that none computes, and for a cycle.
    """
    if len(graph.nodes) > MOST_NODES:
        raise InputError(f"{path}: {len(graph.nodes)} nodes; the lab goes up to {MOST_NODES}")
    makers: dict[str, int] = {}
    given = {*graph.inputs, *(state.read for state in graph.states)}
    given |= {name for name, tensor in graph.tensors.items() if tensor.data is not None}
    for number, node in enumerate(graph.nodes):
        for name in node.outputs:
            if name in makers or name in given:
                raise InputError(f"{path}: node `{node.name}` computes `{name}`, which is computed elsewhere too")
            makers[name] = number
    for node in graph.nodes:
        for name in node.inputs:
            if name and name not in makers and name not in given:
                raise InputError(f"{path}: node `{node.name}` takes tensor `{name}`, which nothing computes")
    wanted = (*graph.outputs, *(state.written for state in graph.states))
    for name in wanted:
        if name not in makers and name not in given:
            raise InputError(f"{path}: nothing computes the output `{name}`")
    needed = _needed(graph.nodes, makers, wanted)
    sorter = TopologicalSorter(
        {number: {makers[name] for name in graph.nodes[number].inputs if name in makers} for number in sorted(needed)}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        names = " -> ".join(f"`{graph.nodes[number].name}`" for number in error.args[1])
        raise InputError(f"{path}: nodes need each other's results, in a cycle: {names}") from None
    order: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return Graph(
        graph.name,
        graph.format,
        graph.tensors,
        tuple(graph.nodes[number] for number in _as_written(order, graph.nodes, makers)),
        graph.inputs,
        graph.outputs,
        graph.states,
        graph.starts,
    )


def _as_written(order: Iterable[int], nodes: Sequence[Node], makers: Mapping[str, int]) -> list[int]:
    """Return the nodes in the order of the file where that is an order of execution, else as given."""
    given = list(order)
    kept = sorted(given)
    if all(makers[name] < number for number in kept for name in nodes[number].inputs if name in makers):
        return kept
    return given


def _needed(nodes: Sequence[Node], makers: Mapping[str, int], wanted: Iterable[str]) -> set[int]:
    found: set[int] = set()
    waiting = [makers[name] for name in wanted if name in makers]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += [makers[name] for name in nodes[number].inputs if name in makers]
    return found
