"""Prepare a float ONNX model for quantization, and run models by ONNX Runtime."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.errors import InputError
from neonlab.network.formats.onnx_file import FileModel, read_model
from neonlab.network.graph import Array

#: ONNX's operators of this version have scales for each channel; models of an older one are brought to `_OPSET`.
_CHANNELS_SINCE, _OPSET = 13, 17
#: Operators of a model that is quantized already.
_QUANTIZED = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")


def package(name: str) -> Any:
    """Return a module of a package that quantization needs.  Raises InputError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        top = name.partition(".")[0]
        raise InputError(f"`quantize` needs the package {top}: pip install 'neonlab[network]'") from None


@dataclass(frozen=True, slots=True, eq=False)
class FloatModel:
    """A float model with inputs of fixed shapes, and its batch normalizations folded.

    `observed` are the names of the tensors whose ranges are needed: inputs and results of type float32.
    """

    name: str
    proto: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    observed: tuple[str, ...]

    def weights(self) -> dict[str, tuple[Array, int]]:
        """Return constant weights of convolutions and products by name, with the axis of their output channels."""
        onnx = package("onnx")
        held = {one.name: one for one in self.proto.graph.initializer}
        found = {}
        for node in self.proto.graph.node:
            if node.op_type not in ("Conv", "ConvTranspose", "Gemm", "MatMul") or node.input[1] not in held:
                continue
            values = np.asarray(onnx.numpy_helper.to_array(held[node.input[1]]))
            transposed = any(one.name == "transB" and one.i for one in node.attribute)
            axis = 0 if node.op_type == "Conv" or transposed else 1
            if values.dtype == np.float32 and values.size and values.ndim > axis:
                found[node.input[1]] = values, axis
        return found


def read_float(path: Path, data: bytes) -> FileModel:
    """Return what is in a file.  Raises InputError for one that is no model, and for a model that is quantized."""
    package("onnxruntime")
    held = read_model(str(path), data)
    for node in held.nodes:
        if node.operator in _QUANTIZED or node.operator.startswith("QLinear"):
            raise InputError(f"{path}: is quantized already, as {node.told} shows; `neonlab network` runs it")
    return held


def prepare(path: Path, held: FileModel, sample: Mapping[str, Array]) -> FloatModel:
    """Return the model with inputs as in `sample`, after shape inference and ONNX Runtime's basic optimizations.

    `held` is what `read_float` found in the file.  Raises InputError for a model that ONNX Runtime cannot run, and for
    a sample that does not fit its inputs.
    """
    for one in held.inputs:
        if one.name in sample and sample[one.name].dtype.name != one.dtype:
            raise InputError(f"{path}: input `{one.name}` is {one.dtype}, its samples are {sample[one.name].dtype}")
    onnx = package("onnx")
    try:
        proto = onnx.load_model(str(path))
        for one in proto.graph.input:
            if one.name in sample:
                _fix(path, one, sample[one.name].shape)
        if min(one.version for one in proto.opset_import if one.domain in ("", "ai.onnx")) < _CHANNELS_SINCE:
            proto = onnx.version_converter.convert_version(proto, _OPSET)
        proto = onnx.shape_inference.infer_shapes(_optimized(proto))
        names = [name for node in proto.graph.node for name in node.output if name]
        found = runner(proto, names)(sample)
    except InputError:
        raise
    except Exception as error:
        # The packages raise errors of many types, for files that they do not like.
        told = str(error).strip().partition("\n")[0]
        raise InputError(f"{path}: ONNX Runtime cannot run this model: {told}") from None
    floats = [name for name, values in {**sample, **found}.items() if values.dtype == np.float32]
    return FloatModel(path.stem, proto, tuple(sample), held.outputs, tuple(floats))


def _optimized(proto: Any) -> Any:
    """Return the model after ONNX Runtime's basic optimizations, which fold constants and batch normalizations."""
    onnx, runtime = package("onnx"), package("onnxruntime")
    options = _options()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / "float.onnx")
        runtime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load_model(options.optimized_model_filepath)


def _options() -> Any:
    options = package("onnxruntime").SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # a sum of floats depends on how it is shared out
    # Operators between int8 tensors compute on integers, as on Arm; without this x86 computes them on floats.
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    return options


def _fix(path: Path, value: Any, shape: Sequence[int]) -> None:
    """Give the input `value` of a model the sizes that its samples have."""
    sizes = value.type.tensor_type.shape.dim
    told = [one.dim_value if one.dim_value > 0 else "any" for one in sizes]
    if len(told) != len(shape) or any(one not in ("any", size) for one, size in zip(told, shape, strict=True)):
        raise InputError(f"{path}: input `{value.name}` has the shape {told}, its samples have {list(shape)}")
    for one, size in zip(sizes, shape, strict=True):
        one.dim_value = size


def runner(proto: Any, names: Sequence[str]) -> Callable[[Mapping[str, Array]], dict[str, Array]]:
    """Return a function that runs the model on inputs by name, and returns the tensors `names`."""
    onnx, runtime = package("onnx"), package("onnxruntime")
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    there = {one.name for one in copy.graph.output}
    copy.graph.output.extend(onnx.helper.ValueInfoProto(name=name) for name in names if name not in there)
    session = runtime.InferenceSession(copy.SerializeToString(), _options(), providers=["CPUExecutionProvider"])

    def run(given: Mapping[str, Array]) -> dict[str, Array]:
        return dict(zip(names, map(np.asarray, session.run(list(names), dict(given))), strict=True))

    return run
