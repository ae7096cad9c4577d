"""TFLite models of one operator, built as flatbuffers and run by LiteRT's interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.tools import require_module

_VERSIONS = {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 4}  # 2 is where the others learnt int8
_TYPES = {"float32": "FLOAT32", "int32": "INT32", "uint8": "UINT8", "int8": "INT8", "int16": "INT16"}
_TYPES |= {"int64": "INT64", "bool": "BOOL", "float16": "FLOAT16"}


@dataclass(frozen=True)
class Tensor:
    """A tensor of the model: its shape and type, how it is quantized, and its values if it is a constant.

    A `variable` is kept by an operator from one inference to the next.
    """

    shape: tuple[int, ...]
    dtype: str
    scale: Sequence[float] = ()
    zero_point: Sequence[int] = ()
    axis: int = 0
    values: np.ndarray | None = None
    variable: bool = False

    @classmethod
    def constant(
        cls, values: np.ndarray, scale: Sequence[float] = (), zero_point: Sequence[int] = (), axis: int = 0
    ) -> Tensor:
        return cls(values.shape, values.dtype.name, scale, zero_point, axis, values)


def run(
    operator: str,
    inputs: Sequence[Tensor],
    output: Tensor,
    data: Sequence[np.ndarray],
    *,
    kernels: str,
    **options: Any,
) -> np.ndarray:
    """What LiteRT makes of `data` with its `reference` kernels, its `optimised` ones, or by default: `xnnpack`.

    `options` are the fields of the operator's options table, `options=None` for an operator without one.
    """
    model = _model(operator, inputs, output, options)
    return run_model(model, data, kernels=kernels)[0]


def run_model(model: bytes, data: Sequence[np.ndarray], *, kernels: str) -> list[np.ndarray]:
    """The outputs of a whole model."""
    interpreter = require_module("ai_edge_litert.interpreter")
    kinds = interpreter.OpResolverType
    resolvers = {"reference": kinds.BUILTIN_REF, "optimised": kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES}
    one = interpreter.Interpreter(
        model_content=model,
        num_threads=1,
        experimental_op_resolver_type=resolvers.get(kernels, kinds.AUTO),
    )
    one.allocate_tensors()
    for place, values in zip(one.get_input_details(), data, strict=True):
        one.set_tensor(place["index"], values)
    one.invoke()
    return [np.array(one.get_tensor(place["index"])) for place in one.get_output_details()]


def _model(operator: str, inputs: Sequence[Tensor], output: Tensor, options: dict[str, Any]) -> bytes:
    node = Operator(operator, list(range(len(inputs))), [len(inputs)], options)
    given = [number for number, one in enumerate(inputs) if one.values is None]
    return build([*inputs, output], [node], given, [len(inputs)])


@dataclass(frozen=True)
class Operator:
    """An operator of a model: numbers of its tensors, and the fields of its options, the table's name among them.

    `custom` is the name of a CUSTOM one, and the bytes of its options.
    """

    name: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    options: dict[str, Any]
    version: int = 0
    custom: tuple[str, bytes] = ("SomebodysOwn", b"")


def build(
    tensors: Sequence[Tensor], operators: Sequence[Operator], inputs: Sequence[int], outputs: Sequence[int]
) -> bytes:
    """The bytes of a model of several operators."""
    schema = require_module("ai_edge_litert.schema_py_generated")
    flatbuffers = require_module("flatbuffers")
    model = schema.ModelT()
    model.version = 3
    model.buffers = [schema.BufferT()]
    graph = schema.SubGraphT()
    graph.tensors = []
    for number, one in enumerate(tensors):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.buffer = f"t{number}".encode(), list(one.shape), 0
        tensor.type = getattr(schema.TensorType, _TYPES[one.dtype])
        if one.values is not None:
            tensor.buffer = len(model.buffers)
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(one.values).tobytes(), np.uint8)
            model.buffers.append(buffer)
        if len(one.scale):
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = [float(np.float32(s)) for s in one.scale]
            tensor.quantization.zeroPoint = [int(z) for z in (one.zero_point or [0] * len(one.scale))]
            tensor.quantization.quantizedDimension = one.axis
        tensor.isVariable = one.variable
        graph.tensors.append(tensor)
    graph.operators, model.operatorCodes = [], []
    for number, made in enumerate(operators):
        node = schema.OperatorT()
        node.opcodeIndex, node.inputs, node.outputs = number, list(made.inputs), list(made.outputs)
        name, fields = made.options.get("table", ""), {k: v for k, v in made.options.items() if k != "table"}
        if name:
            node.builtinOptionsType = getattr(schema.BuiltinOptions, name)
            node.builtinOptions = getattr(schema, f"{name}T")()
            for field, value in fields.items():
                assert hasattr(node.builtinOptions, field), field
                setattr(node.builtinOptions, field, value)
        graph.operators.append(node)
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, made.name)
        code.deprecatedBuiltinCode, code.version = (
            min(code.builtinCode, 127),
            made.version or _VERSIONS.get(made.name, 2),
        )
        if made.name == "CUSTOM":
            code.customCode = made.custom[0].encode()
            node.customOptions = np.frombuffer(made.custom[1], np.uint8)
        model.operatorCodes.append(code)
    graph.inputs, graph.outputs = list(inputs), list(outputs)
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(4096)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
