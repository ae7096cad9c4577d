"""Read the tables of a .tflite file, with the schema of the package `tflite`.

The flatbuffers of Python check nothing: what a wrong offset leads to is an exception of any kind, or nonsense.  All of
the file is read here, below one guard, and nothing is followed later.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from neonlab.errors import InputError
from neonlab.network.graph import MOST_NODES, Array, Quantization

_BROKEN = (struct.error, IndexError, ValueError, TypeError, KeyError, OverflowError, AttributeError)
#: Types by their numbers in the schema, under numpy's names, and those that numpy does not have.
_DTYPES = {
    0: "float32", 1: "float16", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 8: "complex64", 9: "int8",
    10: "float64", 11: "complex128", 12: "uint64", 15: "uint32", 16: "uint16",
}  # fmt: skip
_OTHERS = {5: "string", 13: "resource", 14: "variant", 17: "int4", 18: "bfloat16"}
_IDENTIFIER = b"TFL3"


@dataclass(frozen=True, slots=True, eq=False)
class FileTensor:
    """A tensor as the file has it; `data` is None unless it is a constant, `variable` if an operator keeps it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: Quantization | None
    data: Array | None
    variable: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FileOperator:
    """An operator as the file has it: its name, numbers of tensors (-1 for one left out), and its options by name.

    `code` and `version` are those of the schema, `table` is the name of its options there, and `custom_options` are the
    bytes of a custom operator's.
    """

    name: str
    custom: bool
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    code: int = 0
    version: int = 1
    table: str = ""
    custom_options: bytes = b""
    intermediates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FileGraph:
    """A subgraph as the file has it."""

    tensors: tuple[FileTensor, ...]
    operators: tuple[FileOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def read_graphs(path: str, data: bytes) -> tuple[FileGraph, ...]:
    """Return every subgraph of a .tflite file.

    Raises InputError for a file that is no TFLite model or is damaged, and where the package is not installed.
    """
    schema = _schema()
    if data[4:8] != _IDENTIFIER:
        raise InputError(f"{path}: not a TFLite model: bytes 4 to 8 are not {_IDENTIFIER.decode()}")
    try:
        return _Reader(schema, data).graphs()
    except _BROKEN as error:
        raise InputError(f"{path}: a damaged TFLite model: {type(error).__name__}: {error}") from None


def _schema() -> ModuleType:
    try:
        import tflite
    except ImportError:
        raise InputError("to read .tflite the package tflite is needed: pip install 'neonlab[network]'") from None
    module: ModuleType = tflite
    return module


class _Reader:
    def __init__(self, schema: ModuleType, data: bytes) -> None:
        self._schema = schema
        self._bytes = len(data)
        self._model = schema.Model.GetRootAs(data, 0)
        self._names = {value: name for name, value in vars(schema.BuiltinOperator).items() if isinstance(value, int)}
        self._options = {value: name for name, value in vars(schema.BuiltinOptions).items() if isinstance(value, int)}
        self._buffers = [
            self._model.Buffers(number) for number in range(self._count(self._model.BuffersLength(), "buffers"))
        ]

    def _count(self, number: int, what: str) -> int:
        if number > self._bytes // 4:
            raise ValueError(f"{number} {what} in {self._bytes} bytes")
        return number

    def graphs(self) -> tuple[FileGraph, ...]:
        count = self._count(self._model.SubgraphsLength(), "subgraphs")
        if not count:
            raise ValueError("no subgraph")
        return tuple(self._graph(self._model.Subgraphs(number)) for number in range(count))

    def _graph(self, graph: Any) -> FileGraph:
        tensors = [
            self._tensor(number, graph.Tensors(number))
            for number in range(self._count(graph.TensorsLength(), "tensors"))
        ]
        operators = self._count(graph.OperatorsLength(), "operators")
        if operators > MOST_NODES:
            raise ValueError(f"{operators} operators; the lab goes up to {MOST_NODES}")
        found = FileGraph(
            tuple(tensors),
            tuple(self._operator(graph.Operators(number)) for number in range(operators)),
            _numbers(graph.InputsAsNumpy()),
            _numbers(graph.OutputsAsNumpy()),
        )
        for used in (
            found.inputs,
            found.outputs,
            *((*o.inputs, *o.outputs, *o.intermediates) for o in found.operators),
        ):
            for number in used:
                if not -1 <= number < len(tensors):
                    raise ValueError(f"tensor {number} of {len(tensors)}")
        return found

    def _tensor(self, number: int, tensor: Any) -> FileTensor:
        shape = _numbers(tensor.ShapeAsNumpy())
        if tensor.ShapeSignatureLength() and any(size < 0 for size in _numbers(tensor.ShapeSignatureAsNumpy())):
            # A size that the caller chooses, and with which the file is 1.
            shape = tuple(max(size, 1) for size in shape)
        kind = tensor.Type()
        dtype = _DTYPES.get(kind) or _OTHERS.get(kind, f"type {kind}")
        if tensor.Sparsity() is not None:
            raise ValueError(f"tensor {number} is sparse")
        name = tensor.Name()
        data = self._data(tensor.Buffer(), shape, dtype)
        text = name.decode("utf-8") if name else f"tensor {number}"
        quantization = self._quantization(tensor.Quantization(), shape, dtype)
        return FileTensor(text, shape, dtype, quantization, data, bool(tensor.IsVariable()))

    def _data(self, number: int, shape: tuple[int, ...], dtype: str) -> Array | None:
        held = self._buffers[number].DataAsNumpy() if number else 0
        if isinstance(held, int) or not held.size:
            return None
        if dtype not in _DTYPES.values():
            return None
        values: Array = np.frombuffer(held.tobytes(), np.dtype(dtype).newbyteorder("<")).astype(dtype)
        if any(size < 0 for size in shape):
            raise ValueError(f"a constant of shape {shape}")
        return values.reshape(shape)

    @staticmethod
    def _quantization(found: Any, shape: tuple[int, ...], dtype: str) -> Quantization | None:
        if found is None or not found.ScaleLength():
            return None
        scales = tuple(float(scale) for scale in found.ScaleAsNumpy())
        points = _numbers(found.ZeroPointAsNumpy()) or (0,) * len(scales)
        axis = int(found.QuantizedDimension())
        if not all(np.isfinite(scale) and scale > 0 for scale in scales):
            raise ValueError(f"scales {scales[:4]}")
        if len(points) != len(scales):
            raise ValueError(f"{len(scales)} scales and {len(points)} zero points")
        limits = np.iinfo(dtype) if dtype in ("int8", "uint8", "int16", "int32", "int64") else np.iinfo("int64")
        if not all(limits.min <= point <= limits.max for point in points):
            raise ValueError(f"a zero point that does not fit {dtype}")
        if len(scales) > 1 and (not 0 <= axis < len(shape) or shape[axis] != len(scales)):
            raise ValueError(f"{len(scales)} scales along axis {axis} of the shape {shape}")
        return Quantization(scales, points, axis)

    def _operator(self, operator: Any) -> FileOperator:
        code = self._model.OperatorCodes(operator.OpcodeIndex())
        # Codes that fit a byte stand in the older field, too.
        number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        name, custom = self._names.get(number, f"operator {number}"), code.CustomCode()
        if name == "CUSTOM":
            name = (custom or b"?").decode("utf-8")
        kind, options = self._table(operator)
        held = operator.CustomOptionsAsNumpy()
        return FileOperator(
            name,
            custom is not None,
            _numbers(operator.InputsAsNumpy()),
            _numbers(operator.OutputsAsNumpy()),
            options,
            number,
            max(code.Version(), 1),
            kind,
            b"" if isinstance(held, int) else held.tobytes(),
            _numbers(operator.IntermediatesAsNumpy()),
        )

    def _table(self, operator: Any) -> tuple[str, dict[str, Any]]:
        """Return the name and the fields of the operator's options; strings as text."""
        kind, table = self._options.get(operator.BuiltinOptionsType(), ""), operator.BuiltinOptions()
        if not kind or kind == "NONE" or table is None or not hasattr(self._schema, kind):
            return "", {}
        options = getattr(self._schema, kind)()
        options.Init(table.Bytes, table.Pos)
        found: dict[str, Any] = {}
        for name in vars(type(options)):
            if name == "Init" or name.startswith(("_", "GetRoot", kind)) or name.endswith(("IsNone", "Length")):
                continue
            if f"{name}Length" in vars(type(options)):
                found[name] = _numbers(getattr(options, f"{name}AsNumpy")())
            elif f"{name.removesuffix('AsNumpy')}Length" not in vars(type(options)):
                value = getattr(options, name)()
                found[name] = value.decode("utf-8") if isinstance(value, bytes) else value
        return kind, found


def _numbers(values: Any) -> tuple[int, ...]:
    """Return a vector of the file as ints; one that is not there comes as the number 0."""
    return () if isinstance(values, int) else tuple(int(value) for value in values)
