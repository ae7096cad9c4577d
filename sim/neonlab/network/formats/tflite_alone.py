"""Write an operator of a .tflite file as a model of its own: the operator, its tensors, and its constants."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.tflite_file import FileOperator, FileTensor
from neonlab.network.formats.tflite_operators import Place
from neonlab.network.graph import DTYPES, Array, Quantization
from neonlab.network.reference.frameworks.litert import INSTALL, OneOperator

#: Operators of which LiteRT has one kernel, and not among its reference kernels.
_ONE_KERNEL = ("CEIL", "ELU", "ROUND", "SEGMENT_SUM")
_WRONG = (AttributeError, OverflowError, TypeError, ValueError, struct.error)


def alone_of(place: Place, operator: FileOperator) -> OneOperator:
    """Return a model of the operator alone, which takes what is no constant, and puts variables out, too.

    Raises Refusal for tensors that the lab does not have, and where LiteRT is not installed.
    """
    try:
        schema = importlib.import_module("ai_edge_litert.schema_py_generated")
        flatbuffers = importlib.import_module("flatbuffers")
    except ImportError:
        raise Refusal(INSTALL) from None
    try:
        return _Writer(schema, place, operator).written(flatbuffers)
    except _WRONG as error:
        raise Refusal(f"has a bad option or tensor ({error})") from None


def taken_by(place: Place, operator: FileOperator) -> list[int]:
    """Return the numbers of the tensors that the operator takes and that are no constants.

    Raises Refusal for those of types that the lab does not have.
    """
    numbers = dict.fromkeys(number for number in operator.inputs if number >= 0)
    found = [number for number in numbers if constant_of(place, number) is None]
    for number in found:
        dtype = place.graph.tensors[number].dtype
        if dtype not in DTYPES:
            raise Refusal(f"`{place.names[number]}` is {dtype}, which the lab does not have")
    return found


def variables_of(place: Place, operator: FileOperator) -> list[int]:
    """Return the numbers of the tensors that the operator keeps from one inference to the next."""
    return [number for number in taken_by(place, operator) if place.graph.tensors[number].variable]


def constant_of(place: Place, number: int) -> Array | None:
    """Return the values of a constant, also of one that has no elements or a type that the graph does not have."""
    known = place.draft.tensors.get(place.names[number])
    if known is not None:
        return known.data
    tensor = place.graph.tensors[number]
    if tensor.data is None and 0 in tensor.shape and tensor.dtype in DTYPES:
        return np.zeros(tensor.shape, tensor.dtype)
    return tensor.data


class _Writer:
    def __init__(self, schema: Any, place: Place, operator: FileOperator) -> None:
        self._schema, self._place, self._operator = schema, place, operator
        self._places: dict[int, int] = {}
        self._tensors: list[Any] = []
        self._buffers = [schema.BufferT()]

    def written(self, flatbuffers: Any) -> OneOperator:
        schema, operator = self._schema, self._operator
        taken, kept = taken_by(self._place, operator), variables_of(self._place, operator)
        alone = schema.OperatorT()
        alone.opcodeIndex = 0
        alone.inputs = self._numbers(operator.inputs)
        outputs = alone.outputs = self._numbers(operator.outputs)
        alone.intermediates = self._numbers(operator.intermediates) or None
        self._set_options(alone)
        code = schema.OperatorCodeT()
        code.builtinCode, code.version = operator.code, operator.version
        code.deprecatedBuiltinCode = min(operator.code, 127)
        if operator.custom:
            code.customCode = operator.name.encode()
        graph = schema.SubGraphT()
        graph.tensors, graph.operators, graph.outputs = self._tensors, [alone], outputs
        graph.inputs = self._numbers(number for number in taken if number not in kept)
        model = schema.ModelT()
        model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], self._buffers
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        asked = (*outputs, *self._numbers(kept))
        alone_one = operator.name in _ONE_KERNEL and self._place.arithmetic == "reference"
        arithmetic = "optimized" if alone_one else self._place.arithmetic
        return OneOperator(bytes(builder.Output()), arithmetic, tuple(self._numbers(taken)), asked)

    def _numbers(self, numbers: Iterable[int]) -> list[int]:
        """Return the numbers that tensors have in the model of its own; -1 stays."""
        return [number if number < 0 else self._number(number) for number in numbers]

    def _number(self, number: int) -> int:
        if number not in self._places:
            self._places[number] = len(self._tensors)
            self._tensors.append(self._tensor(number))
        return self._places[number]

    def _tensor(self, number: int) -> Any:
        schema, held = self._schema, self._place.graph.tensors[number]
        known = self._place.draft.tensors.get(self._place.names[number])
        tensor = schema.TensorT()
        tensor.name, tensor.buffer = f"t{number}", 0
        tensor.shape = list(held.shape if known is None else known.shape)
        tensor.type = getattr(schema.TensorType, held.dtype.upper(), None)
        if tensor.type is None:
            raise Refusal(f"`{held.name}` is {held.dtype}, which the lab does not have")
        tensor.isVariable = held.variable
        tensor.quantization = self._quantization(held)
        data = None if number in self._operator.outputs else constant_of(self._place, number)
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.asarray(data, order="C").tobytes(), np.uint8)
            tensor.buffer = len(self._buffers)
            self._buffers.append(buffer)
        return tensor

    def _quantization(self, tensor: FileTensor) -> Any:
        found: Quantization | None = tensor.quantization
        if found is None:
            return None
        made = self._schema.QuantizationParametersT()
        made.scale, made.zeroPoint = list(found.scales), list(found.zero_points)
        made.quantizedDimension = found.axis
        return made

    def _set_options(self, alone: Any) -> None:
        operator, schema = self._operator, self._schema
        if operator.custom_options:
            alone.customOptions = np.frombuffer(operator.custom_options, np.uint8)
        if not operator.table:
            return
        options = getattr(schema, f"{operator.table}T")()
        for name, value in operator.options.items():
            field = name[0].lower() + name[1:]
            if not hasattr(options, field):
                raise Refusal(f"has an option `{name}` that LiteRT does not know")
            setattr(options, field, list(value) if isinstance(value, tuple) else value)
        alone.builtinOptionsType = getattr(schema.BuiltinOptions, operator.table)
        alone.builtinOptions = options
