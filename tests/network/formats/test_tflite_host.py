"""Operators of TFLite that the lab has no arithmetic for are computed by LiteRT, and said to be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build, run_model
from tests.tools import require_module

from neonlab.errors import InputError
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.graph import Graph
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.frameworks.litert import INSTALL, LITERT
from neonlab.network.reference.inference import drawn, feed, next_states, run_reference
from neonlab.network.run.network import macs_of

_RANDOM = np.random.default_rng(21)
_POOL = {"table": "Pool2DOptions", "padding": 0, "strideH": 1, "strideW": 1, "filterHeight": 2, "filterWidth": 2}
_CONV = {"padding": 0, "strideH": 2, "strideW": 1}
_RESIZE = {"table": "ResizeBilinearOptions", "halfPixelCenters": True}
_REDUCE = {"table": "ReducerOptions", "keepDims": False}


def f(*shape: int) -> Tensor:
    return Tensor(shape, "float32")


def q(*shape: int, scale: float = 0.05, point: int = 3, dtype: str = "int8") -> Tensor:
    return Tensor(shape, dtype, [scale], [point])


def i(*shape: int, dtype: str = "int32") -> Tensor:
    return Tensor(shape, dtype)


def c(values: Any, dtype: str = "int32") -> Tensor:
    return Tensor.constant(np.array(values, dtype))


def weights(*shape: int, axis: int | None = None) -> Tensor:
    """Constant weights: floats, or int8 with a scale for each index of `axis`."""
    if axis is None:
        return Tensor.constant(_RANDOM.normal(0, 1, shape).astype(np.float32))
    scales = _RANDOM.uniform(0.002, 0.006, shape[axis]).astype(np.float32)
    return Tensor.constant(_RANDOM.integers(-127, 128, shape).astype(np.int8), scales.tolist(), axis=axis)


@dataclass(frozen=True)
class One:
    """A model of one operator: its inputs, outputs and options, and the multiply-accumulates that it must have."""

    name: str
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    options: dict[str, Any] = field(default_factory=dict)
    macs: int = 0
    version: int = 0
    custom: tuple[str, bytes] = ("SomebodysOwn", b"")

    def model(self) -> bytes:
        count = len(self.inputs)
        outputs = list(range(count, count + len(self.outputs)))
        node = Operator(self.name, list(range(count)), outputs, self.options, self.version, self.custom)
        given = [number for number, one in enumerate(self.inputs) if one.values is None and not one.variable]
        return build([*self.inputs, *self.outputs], [node], given, outputs)


def _table(name: str, **fields: Any) -> dict[str, Any]:
    return {"table": name, **fields}


IMAGE = (1, 5, 6, 4)
TWO = ("SUB", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE")
ONE_KERNEL = ("CEIL of floats", "ELU of floats", "ROUND of floats")
COMPARED = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
FLOATS = (
    "ABS", "CEIL", "COS", "ELU", "EXP", "FLOOR", "GELU", "HARD_SWISH", "LOGISTIC", "LOG", "NEG", "RELU", "RELU6",
    "ROUND", "RSQRT", "SIGN", "SIN", "SQRT", "SQUARE", "TANH", "L2_NORMALIZATION", "LOG_SOFTMAX", "SOFTMAX",
)  # fmt: skip
_NORMAL = {"L2_NORMALIZATION": _table("L2NormOptions"), "SOFTMAX": _table("SoftmaxOptions", beta=1.0)}
SINGLE: dict[str, One] = {
    **{f"{name} of floats": One(name, [f(*IMAGE)], [f(*IMAGE)], _NORMAL.get(name, {}), version=1) for name in FLOATS},
    **{f"{name} of floats": One(name, [f(*IMAGE), f(4)], [f(*IMAGE)], version=1)
       for name in (*TWO, "ADD", "MUL", "DIV")},
    **{f"{name} of int8": One(name, [q(*IMAGE), q(4)], [q(*IMAGE)]) for name in TWO},
    **{f"{name} of int8": One(name, [q(*IMAGE), q(*IMAGE, scale=0.1)], [i(*IMAGE, dtype="bool")]) for name in COMPARED},
    **{f"{name} of int8": One(name, [q(*IMAGE)], [q(*IMAGE, scale=0.06)]) for name in ("ABS", "EXP")},
    **{f"{name} of int8": One(name, [q(*IMAGE), c([2, -1])], [q(1, 5)], _REDUCE)
       for name in ("SUM", "MEAN", "REDUCE_MAX")},
    **{f"{name} of floats": One(name, [f(*IMAGE), c([1])], [f(1, 6, 4)], _REDUCE)
       for name in ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")},
    "DIV of uint8": One("DIV", [q(*IMAGE, dtype="uint8"), q(4, dtype="uint8")], [q(*IMAGE, dtype="uint8")]),
    "ADD of int16": One("ADD", [q(*IMAGE, dtype="int16", point=0)] * 2, [q(*IMAGE, dtype="int16", point=0)],
                        _table("AddOptions", potScaleInt16=False)),
    "bilinear": One("RESIZE_BILINEAR", [q(*IMAGE), c([9, 7])], [q(1, 9, 7, 4)], _RESIZE),
    "bilinear of floats": One("RESIZE_BILINEAR", [f(*IMAGE), c([9, 7])], [f(1, 9, 7, 4)], _RESIZE),
    "transposed convolution of floats": One(
        "TRANSPOSE_CONV", [c([1, 10, 6, 8]), weights(8, 3, 2, 4), f(*IMAGE)], [f(1, 10, 6, 8)],
        _table("TransposeConvOptions", **_CONV), 5 * 6 * 4 * 3 * 2 * 8, 1),
    "convolution of floats": One(
        "CONV_2D", [f(*IMAGE), weights(8, 3, 3, 4), weights(8)], [f(1, 3, 6, 8)],
        _table("Conv2DOptions", **_CONV, fusedActivationFunction=1), 3 * 6 * 8 * 36, 1),
    "depthwise convolution of floats": One(
        "DEPTHWISE_CONV_2D", [f(*IMAGE), weights(1, 3, 3, 8), weights(8)], [f(1, 3, 6, 8)],
        _table("DepthwiseConv2DOptions", **_CONV, depthMultiplier=2), 3 * 6 * 8 * 9, 1),
    "fully connected of floats": One(
        "FULLY_CONNECTED", [f(3, 20), weights(7, 20), weights(7)], [f(3, 7)], _table("FullyConnectedOptions"),
        3 * 7 * 20, 1),
    "convolution of a volume": One(
        "CONV_3D", [f(1, 4, 5, 6, 2), weights(3, 2, 2, 2, 5)], [f(1, 2, 4, 5, 5)],
        _table("Conv3DOptions", padding=1, strideD=1, strideH=1, strideW=1), 2 * 4 * 5 * 5 * 24, 1),
    "product": One("BATCH_MATMUL", [q(2, 5, 8), q(2, 8, 3)], [q(2, 5, 3, scale=0.3)], _table("BatchMatMulOptions"),
                   2 * 5 * 8 * 3),
    "product of floats": One("BATCH_MATMUL", [f(2, 8, 5), f(2, 3, 8)], [f(2, 5, 3)],
                             _table("BatchMatMulOptions", adjX=True, adjY=True), 2 * 5 * 8 * 3, 1),
    "max pool of floats": One("MAX_POOL_2D", [f(*IMAGE)], [f(*IMAGE)], _POOL, version=1),
    "average pool of floats": One("AVERAGE_POOL_2D", [f(*IMAGE)], [f(*IMAGE)], _POOL, version=1),
    "slopes": One("PRELU", [q(*IMAGE), Tensor.constant(np.array([[[-9, 5, 90, 40]]], np.int8), [0.01], [0])],
                  [q(*IMAGE)], version=1),
    "slopes of floats": One("PRELU", [f(*IMAGE), weights(1, 1, 4)], [f(*IMAGE)], version=1),
    "pack": One("PACK", [q(2, 3)] * 3, [q(2, 3, 3)], _table("PackOptions", valuesCount=3, axis=1)),
    "unpack": One("UNPACK", [q(2, 3, 4)], [q(2, 4)] * 3, _table("UnpackOptions", num=3, axis=1)),
    "gather": One("GATHER", [q(4, 3), c([2, 0, 2])], [q(3, 3)], _table("GatherOptions")),
    "gather of data": One("GATHER", [weights(2, 8), i(5)], [f(5, 8)], _table("GatherOptions")),
    "gather by places": One("GATHER_ND", [f(4, 3), c([[2, 0], [1, 1]])], [f(2)], _table("GatherNdOptions"), version=1),
    "largest": One("ARG_MAX", [q(2, 9), c([1])], [i(2)], _table("ArgMaxOptions", outputType=2)),
    "largest of floats": One("ARG_MAX", [f(2, 9), c([1])], [i(2, dtype="int64")],
                             _table("ArgMaxOptions", outputType=4)),
    "five largest": One("TOPK_V2", [f(2, 9), c([5])], [f(2, 5), i(2, 5)], _table("TopKV2Options"), version=1),
    "cast": One("CAST", [i(2, 9)], [f(2, 9)], _table("CastOptions", inDataType=2, outDataType=0), version=1),
    "space to depth": One("SPACE_TO_DEPTH", [q(1, 4, 6, 2)], [q(1, 2, 3, 8)],
                          _table("SpaceToDepthOptions", blockSize=2)),
    "depth to space": One("DEPTH_TO_SPACE", [q(1, 2, 3, 8)], [q(1, 4, 6, 2)],
                          _table("DepthToSpaceOptions", blockSize=2), version=1),
    "space to batches": One("SPACE_TO_BATCH_ND", [q(1, 4, 6, 2), c([2, 2]), c([[0, 0], [0, 0]])], [q(4, 2, 3, 2)]),
    "batches to space": One("BATCH_TO_SPACE_ND", [q(4, 2, 3, 2), c([2, 2]), c([[0, 0], [0, 1]])], [q(1, 4, 5, 2)]),
    "mirror": One("MIRROR_PAD", [q(*IMAGE), c([[0, 0], [1, 2], [2, 1], [0, 0]])], [q(1, 8, 9, 4)],
                  _table("MirrorPadOptions", mode=0)),
    "padding of floats": One("PAD", [f(*IMAGE), c([[0, 0], [1, 2], [2, 1], [0, 0]])], [f(1, 8, 9, 4)], version=1),
    "choice": One("SELECT_V2", [i(*IMAGE, dtype="bool"), q(*IMAGE), q(4)], [q(*IMAGE)], version=1),
    "norm": One("L2_NORMALIZATION", [q(*IMAGE)], [q(*IMAGE, scale=1 / 128, point=0)], _table("L2NormOptions")),
    "tiles": One("TILE", [f(2, 3), c([2, 2])], [f(4, 6)], version=1),
    "backward part": One("STRIDED_SLICE", [q(2, 5), c([1, 4]), c([2, 0]), c([1, -2])], [q(1, 2)],
                         _table("StridedSliceOptions")),
    "sums": One("CUMSUM", [f(3, 4), c([1])], [f(3, 4)], _table("CumsumOptions"), version=1),
}  # fmt: skip


def _same(data: bytes, arithmetic: str = "reference", kernels: str = "") -> tuple[Graph, list[np.ndarray]]:
    """The graph, and its outputs, which must be those of LiteRT for the whole model, to the last bit."""
    graph = read_tflite("network.tflite", data, arithmetic)
    given = drawn(graph, 3)
    wanted = run_model(data, [given[name] for name in graph.inputs], kernels=kernels or arithmetic)
    found = run_reference(graph, feed(graph, given))
    for name, values in zip(graph.outputs, wanted, strict=True):
        assert found[name].dtype == values.dtype and found[name].shape == values.shape
        assert found[name].tobytes() == values.tobytes(), name
    return graph, wanted


@pytest.mark.parametrize("arithmetic", ["reference", "xnnpack"])
@pytest.mark.parametrize("name", SINGLE)
def test_an_operator_gives_the_bits_of_litert(name: str, arithmetic: str) -> None:
    one = SINGLE[name]
    # Of some operators LiteRT has one kernel alone, and not among its reference kernels.
    kernels = "optimised" if name in ONE_KERNEL and arithmetic == "reference" else arithmetic
    graph, wanted = _same(one.model(), arithmetic, kernels)
    assert {node.operator for node in graph.nodes} == {"litert"}
    assert sum(macs_of(graph, node) for node in graph.nodes) == one.macs
    assert len(graph.nodes) == len(wanted) == len(one.outputs)


def _recurrent(name: str) -> tuple[bytes, int]:
    """A model of a layer that keeps variables, and its multiply-accumulates."""
    kept = Tensor((1, 6), "float32", variable=True)
    if name == "SVDF":
        tensors = [f(1, 5), weights(6, 5), weights(6, 4), Tensor((1, 24), "float32", variable=True), f(1, 3)]
        numbers, options = [0, 1, 2, -1, 3], _table("SVDFOptions", rank=2)
        return build(tensors, [Operator(name, numbers, [4], options, 1)], [0], [4]), 6 * (5 + 4)
    if name == "UNIDIRECTIONAL_SEQUENCE_RNN":
        tensors = [f(1, 4, 5), weights(6, 5), weights(6, 6), weights(6), kept, f(1, 4, 6)]
        options = _table("SequenceRNNOptions", fusedActivationFunction=4)
        return build(tensors, [Operator(name, [0, 1, 2, 3, 4], [5], options, 1)], [0], [5]), 4 * 6 * (5 + 6)
    products = [*(weights(6, 5) for _ in range(4)), *(weights(6, 6) for _ in range(4))]
    tensors = [f(1, 4, 5), *products, *(weights(6) for _ in range(4)), kept, kept, f(1, 4, 6)]
    numbers = [*range(9), -1, -1, -1, *range(9, 13), -1, -1, 13, 14]
    options = _table("UnidirectionalSequenceLSTMOptions", fusedActivationFunction=4)
    return build(tensors, [Operator(name, numbers, [15], options, 1)], [0], [15]), 4 * 4 * 6 * (5 + 6)


@pytest.mark.parametrize("name", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_what_a_layer_keeps_is_a_state_of_the_network(name: str) -> None:
    data, macs = _recurrent(name)
    interpreter = require_module("ai_edge_litert.interpreter")
    one = interpreter.Interpreter(
        model_content=data, num_threads=1, experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF
    )
    one.allocate_tensors()
    graph, states = read_tflite("network.tflite", data), None
    assert sum(macs_of(graph, node) for node in graph.nodes) == macs
    for seed in range(4):
        given = drawn(graph, seed)
        one.set_tensor(0, given[graph.inputs[0]])
        one.invoke()
        found = run_reference(graph, feed(graph, given, states))
        states = next_states(graph, found)
        wanted = one.get_tensor(one.get_output_details()[0]["index"])
        assert wanted.std() > 0 and found[graph.outputs[0]].tobytes() == wanted.tobytes(), seed


def test_boxes_of_a_detector_are_chosen_as_litert_does() -> None:
    flexbuffers = require_module("flatbuffers.flexbuffers")
    options = {
        "max_detections": 4, "max_classes_per_detection": 1, "num_classes": 3, "nms_score_threshold": 0.1,
        "nms_iou_threshold": 0.5, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
    }  # fmt: skip
    anchors = Tensor.constant(_RANDOM.uniform(0.2, 0.8, (12, 4)).astype(np.float32))
    # Such files do not say the sizes of the outputs.
    one = One("CUSTOM", [f(1, 12, 4), f(1, 12, 4), anchors], [f()] * 4, version=1,
              custom=("TFLite_Detection_PostProcess", bytes(flexbuffers.Dumps(options))))  # fmt: skip
    graph, wanted = _same(one.model())
    assert [graph.tensor(name).shape for name in graph.outputs] == [(1, 4, 4), (1, 4), (1, 4), (1,)]
    assert wanted[3] > 0


def test_what_a_converter_writes_to_compute_a_shape_is_gone() -> None:
    tensors = [
        f(2, 3, 4), i(3), c([0]), c([1]), c([1]), i(), c(-1), i(2), f(2, 12),
    ]  # fmt: skip
    operators = [
        Operator("SHAPE", [0], [1], _table("ShapeOptions", outType=2), 1),
        Operator("STRIDED_SLICE", [1, 2, 3, 4], [5], _table("StridedSliceOptions", shrinkAxisMask=1), 1),
        Operator("PACK", [5, 6], [7], _table("PackOptions", valuesCount=2), 1),
        Operator("RESHAPE", [0, 7], [8], {}, 1),
    ]
    graph, _ = _same(build(tensors, operators, [0], [8]))
    assert [node.told for node in graph.nodes] == ["RESHAPE"]


def test_weights_of_16_bit_floats_become_constants() -> None:
    held = Tensor.constant(_RANDOM.normal(0, 1, (7, 20)).astype(np.float16))
    tensors = [f(3, 20), held, f(7, 20), f(3, 7)]
    operators = [
        Operator("DEQUANTIZE", [1], [2], {}, 3),
        Operator("FULLY_CONNECTED", [0, 2], [3], _table("FullyConnectedOptions"), 1),
    ]
    graph, _ = _same(build(tensors, operators, [0], [3]))
    assert [node.told for node in graph.nodes] == ["FULLY_CONNECTED"]
    assert macs_of(graph, graph.nodes[0]) == 3 * 7 * 20


def test_a_table_stands_before_an_operator_on_unsigned_numbers() -> None:
    unit: dict[str, Any] = {"scale": 1 / 256, "point": 0, "dtype": "uint8"}
    tensors = [
        q(*IMAGE, dtype="uint8"), q(*IMAGE, **unit), c([9, 7]), q(1, 9, 7, 4, **unit), q(1, 9, 7, 4, dtype="uint8"),
    ]  # fmt: skip
    operators = [
        Operator("LOGISTIC", [0], [1], {}, 1),
        Operator("RESIZE_BILINEAR", [1, 2], [3], _RESIZE),
        Operator("ADD", [3, 3], [4], _table("AddOptions")),
    ]
    data = build(tensors, operators, [0], [4])
    graph, wanted = _same(data)
    passed = apply_passes(graph).graph
    found = run_reference(passed, feed(passed, drawn(graph, 3)))
    assert "int8" in {one.dtype for one in passed.tensors.values()}
    assert np.array_equal(found[passed.outputs[0]], wanted[0])


REFUSED: dict[str, tuple[One, str]] = {
    "random": (One("RANDOM_UNIFORM", [i(2)], [f(2, 2)], _table("RandomOptions"), 0, 1), "puts out random numbers"),
    "branch": (One("IF", [i(dtype="bool"), f(2)], [f(2)], _table("IfOptions"), 0, 1), "runs another subgraph"),
    "custom": (One("CUSTOM", [f(2)], [f(2)]), "SomebodysOwn.*a custom operator"),
    "not counted": (
        One("LSH_PROJECTION", [f(2, 2), i(2)], [i(2)], _table("LSHProjectionOptions"), 0, 1),
        "an operator that the lab does not have",
    ),
    "size": (One("WHERE", [i(5, dtype="bool")], [i(5, 1, dtype="int64")], {}, 0, 1), "data decide the size of `t1`"),
    "type": (One("CAST", [f(5)], [Tensor((5,), "float16")], _table("CastOptions", outDataType=1), 0, 1), "float16"),
    "axis": (One("GATHER", [f(4, 3), c([2])], [f(1, 3)], _table("GatherOptions", axis=7), 0, 1), "axis"),
    "missing input": (One("BATCH_MATMUL", [f(4, 3)], [f(4, 3)], _table("BatchMatMulOptions"), 0, 1), "NumInputs"),
    "input left out": (One("SIGN", [], [f(4)], {}, 0, 1), "lacks input 0"),
    "no scale": (One("SUB", [q(4), i(4, dtype="int8")], [q(4)]), "`t1` is int8 without a scale, beside"),
    "scales of data": (
        One("LESS", [Tensor((2, 4), "int8", [0.1, 0.2], [0, 0]), q(2, 4)], [i(2, 4, dtype="bool")]),
        "`t0` has 2 scales, and is no constant",
    ),
    "version": (One("SIN", [f(4)], [f(4)], {}, 0, 9), "Didn't find op for builtin opcode 'SIN' version '9'"),
    "shapes": (One("SUB", [f(4, 3), f(5)], [f(4, 3)], {}, 0, 1), r"broadcast|\(4,3\)|do not"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_litert_cannot_compute_is_named(kind: str) -> None:
    one, why = REFUSED[kind]
    output = len(one.inputs) + len(one.outputs)
    tensors = [*one.inputs, *one.outputs]
    # An output of a type that the lab does not have may not be one of the network.
    shape = tensors[-1].shape
    nodes = [
        Operator(
            one.name, list(range(len(one.inputs))) or [-1], [len(one.inputs)], one.options, one.version, one.custom
        ),
        Operator("WHILE", [len(one.inputs)], [output], {}, 1),
    ]
    given = [number for number, tensor in enumerate(one.inputs) if tensor.values is None]
    data = build([*tensors, f(*shape)], nodes, given, [output])
    with pytest.raises(InputError, match=rf"2 nodes that the lab cannot run: .*({why}).*; WHILE `1 WHILE`: runs an"):
        read_tflite("network.tflite", data)


def test_a_process_that_an_operator_ends_is_started_again() -> None:
    one = SINGLE["bilinear"].model()
    graph, wanted = _same(one)
    worker = LITERT.process()
    assert worker._process is not None
    worker._process.kill()
    given = feed(graph, drawn(graph, 3))
    with pytest.raises(InputError, match=r"LiteRT: the process that runs it ended \(SIGKILL\)"):
        run_reference(graph, given)
    assert np.array_equal(run_reference(graph, given)[graph.outputs[0]], wanted[0])


def test_an_index_that_does_not_exist_is_said() -> None:
    graph = read_tflite("network.tflite", SINGLE["gather of data"].model())
    with pytest.raises(InputError, match=r"node `0 GATHER` \(GATHER\): LiteRT: gather index out of bounds"):
        run_reference(graph, feed(graph, {"t1": np.array([0, 1, 2, 1, 0], np.int32)}))


def test_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {name: SINGLE[name].model() for name in ("bilinear", "SUB of floats", "convolution of floats")}
    monkeypatch.setitem(sys.modules, "ai_edge_litert.schema_py_generated", None)
    for name, model in data.items():
        with pytest.raises(InputError, match="1 node that the lab cannot run") as found:
            read_tflite("network.tflite", model)
        assert INSTALL in str(found.value), name
