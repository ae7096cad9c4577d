"""Read the messages of an .onnx file, with the package `onnx`: nodes with their attributes, constants, inputs, outputs.

Constants in files of their own are read from the folder of the model and those below it alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.network.graph import MOST_ELEMENTS, MOST_NODES, Array, check_shape

_MOST_BYTES = 1 << 30
#: Names of the one domain that needs none, and of that of ONNX Runtime's own operators.
_PLAIN = ("", "ai.onnx")


@dataclass(frozen=True, slots=True, eq=False)
class FileNode:
    """A node as the file has it; `domain` is "" for ONNX's own operators."""

    name: str
    operator: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]

    @property
    def told(self) -> str:
        """Return the operator with its domain, as messages name it."""
        return _printable(f"{self.domain}.{self.operator}" if self.domain else self.operator)


@dataclass(frozen=True, slots=True, eq=False)
class FileValue:
    """An input of the network as the file has it; -1 is a size that the caller chooses."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class FileModel:
    """An .onnx file: nodes in its order, constants by name, inputs that are no constants, and names of outputs.

    `opsets` has the version of the operators of each domain, `ir_version` that of the file's format.
    """

    nodes: tuple[FileNode, ...]
    constants: Mapping[str, Array]
    inputs: tuple[FileValue, ...]
    outputs: tuple[str, ...]
    opsets: Mapping[str, int]
    ir_version: int


def read_model(path: str, data: bytes) -> FileModel:
    """Return what is in an .onnx file.

    Raises InputError for a file that is no ONNX model, for constants that are damaged or lie outside of the model's
    folder, and where the package is not installed.
    """
    onnx = _package()
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:
        # protobuf's own DecodeError, which is no public name of every version.
        raise InputError(f"{path}: not an ONNX model, or a damaged one: {type(error).__name__}") from None
    graph = model.graph
    if not graph.node:
        raise InputError(f"{path}: not an ONNX model: it has no nodes")
    if len(graph.node) > MOST_NODES:
        raise InputError(f"{path}: {len(graph.node)} nodes; the lab goes up to {MOST_NODES}")
    reader = _Reader(onnx, path)
    constants = {one.name: reader.constant(one, one.name) for one in graph.initializer}
    if graph.sparse_initializer:
        raise InputError(f"{path}: constants that are sparse")
    nodes = []
    for number, node in enumerate(graph.node):
        found = reader.node(number, node)
        if found.operator == "Constant" and found.domain == "" and len(found.outputs) == 1:
            constants[found.outputs[0]] = _constant_of(path, found)
        else:
            nodes.append(found)
    inputs = tuple(reader.value(one) for one in graph.input if one.name not in constants)
    opsets = {"" if one.domain in _PLAIN else one.domain: one.version for one in model.opset_import}
    outputs = tuple(one.name for one in graph.output)
    return FileModel(tuple(nodes), constants, inputs, outputs, opsets, model.ir_version)


def _printable(name: str | bytes) -> str:
    """Return a name with escapes for the ends of lines and other characters that are not shown.

    Of a damaged file it can be bytes that are no UTF-8.
    """
    name = name.decode(errors="backslashreplace") if isinstance(name, bytes) else name
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name)


def _package() -> ModuleType:
    try:
        import onnx
    except ImportError:
        raise InputError("to read .onnx the package onnx is needed: pip install 'neonlab[network]'") from None
    module: ModuleType = onnx
    return module


def _constant_of(path: str, node: FileNode) -> Array:
    for name, dtype in (("value_float", np.float32), ("value_int", np.int64)):
        if name in node.attributes:
            return np.array(node.attributes[name], dtype)
    for name, dtype in (("value_floats", np.float32), ("value_ints", np.int64)):
        if name in node.attributes:
            return np.array(node.attributes[name], dtype)
    value = node.attributes.get("value")
    if not isinstance(value, np.ndarray):
        raise InputError(f"{path}: constant `{node.outputs[0]}` is of a kind that the lab does not have")
    return value


class _Reader:
    def __init__(self, onnx: ModuleType, path: str) -> None:
        self._onnx, self._path = onnx, path
        self._folder = Path(path).resolve().parent

    def constant(self, tensor: Any, name: str) -> Array:
        """Return the values of a TensorProto.  Raises InputError."""
        shape = tuple(int(size) for size in tensor.dims)
        if all(shape):
            check_shape(self._path, name, shape)
        onnx, wanted = self._onnx, tensor
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            wanted = onnx.TensorProto()
            wanted.CopyFrom(tensor)
            wanted.ClearField("external_data")
            wanted.data_location = onnx.TensorProto.DEFAULT
            wanted.raw_data = self._outside({one.key: one.value for one in tensor.external_data}, name)
        try:
            values: Array = np.asarray(onnx.numpy_helper.to_array(wanted))
        except Exception as error:
            # The package raises what comes of it: ValueError, TypeError, KeyError, its own.
            raise InputError(f"{self._path}: constant `{name}` is damaged: {error}") from None
        if values.size > MOST_ELEMENTS or values.shape != shape:
            raise InputError(f"{self._path}: constant `{name}` has {values.size} elements, not {list(shape)}")
        return values

    def _outside(self, entry: Mapping[str, str], name: str) -> bytes:
        location = entry.get("location", "")
        file = self._folder if "\0" in location else (self._folder / location).resolve()
        if file == self._folder and "\0" not in location:
            raise InputError(f"{self._path}: constant `{name}` is in `{location}`, which names no file")
        if self._folder not in file.parents:
            raise InputError(
                f"{self._path}: constant `{name}` is in `{location}`, outside of the model's folder; the lab reads "
                "nothing there"
            )
        data = read_input(file, _MOST_BYTES)
        try:
            offset = int(entry.get("offset", 0))
            length = int(entry.get("length", len(data) - offset))
        except ValueError:
            raise InputError(f"{self._path}: constant `{name}` has a place in {file.name} that is no number") from None
        if not 0 <= offset <= offset + length <= len(data):
            raise InputError(f"{self._path}: constant `{name}` lies beyond the end of {file.name}")
        return data[offset : offset + length]

    def node(self, number: int, node: Any) -> FileNode:
        """Return a node with its attributes as Python values.  Raises InputError."""
        name = _printable(node.name or f"{number} {node.op_type}")
        attributes = {}
        for one in node.attribute:
            if one.type == self._onnx.AttributeProto.TENSOR:
                attributes[one.name] = self.constant(one.t, f"{name}.{one.name}")
                continue
            try:
                value = self._onnx.helper.get_attribute_value(one)
            except ValueError as error:
                raise InputError(f"{self._path}: attribute `{one.name}` of `{name}` is damaged: {error}") from None
            if isinstance(value, bytes):
                value = value.decode("utf-8", "replace")
            elif not isinstance(value, (int, float, str)):
                value = list(value) if hasattr(value, "__iter__") else value
            attributes[one.name] = value
        domain = "" if node.domain in _PLAIN else node.domain
        return FileNode(name, node.op_type, domain, tuple(node.input), tuple(node.output), attributes)

    def value(self, value: Any) -> FileValue:
        """Return an input of the network.  Raises InputError for one that is no tensor."""
        kind = value.type.tensor_type
        if not value.type.HasField("tensor_type") or not kind.HasField("shape"):
            raise InputError(f"{self._path}: input `{value.name}` is no tensor of a known rank")
        # A size of 0 is one of a tensor without elements; sizes that the caller chooses have a name, or none at all.
        shape = tuple(max(one.dim_value, -1) if one.HasField("dim_value") else -1 for one in kind.shape.dim)
        try:
            dtype = np.dtype(self._onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)).name
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{self._path}: input `{value.name}` is of type {kind.elem_type}") from None
        return FileValue(value.name, shape, dtype)
