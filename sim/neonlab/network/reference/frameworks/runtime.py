"""Compute an operator of ONNX by ONNX Runtime: a model of one node, with its arrays laid out as in the file."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonlab.network.graph import Array
from neonlab.network.reference.frameworks.refusal import FrameworkRefusal

#: ONNX Runtime's names of the types that a tensor of the lab may have.
TYPES = {
    "tensor(int8)": "int8",
    "tensor(uint8)": "uint8",
    "tensor(int16)": "int16",
    "tensor(int32)": "int32",
    "tensor(int64)": "int64",
    "tensor(float)": "float32",
    "tensor(bool)": "bool",
}


class RuntimeRefusal(FrameworkRefusal):
    """Raised where ONNX Runtime cannot run a model, or is not installed; the message says why."""

    framework = "ONNX Runtime"


@dataclass(frozen=True, slots=True)
class Promised:
    """An output before it is computed: its name, its sizes, None for one that data decide, and ONNX Runtime's type."""

    name: str
    shape: tuple[int | None, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class OneNode:
    """A model of one node in ONNX's own format, and the names of the arrays that it takes, in their order."""

    model: bytes
    inputs: tuple[str, ...]

    def outputs(self) -> tuple[Promised, ...]:
        """Return the outputs.  Raises RuntimeRefusal for a node that ONNX Runtime cannot run."""
        return tuple(
            Promised(one.name, tuple(size if isinstance(size, int) else None for size in one.shape), one.type)
            for one in _session(self.model).get_outputs()
        )

    def run(self, output: str, inputs: Sequence[Array]) -> Array:
        """Return one output.  Raises RuntimeRefusal for inputs that the operator refuses."""
        session = _session(self.model)
        given = {name: np.asarray(values, order="C") for name, values in zip(self.inputs, inputs, strict=True)}
        try:
            return np.asarray(session.run([output], given)[0])
        except Exception as error:
            raise RuntimeRefusal(_told(error)) from None


@functools.lru_cache(maxsize=4096)
def _session(model: bytes) -> Any:
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        raise RuntimeRefusal("ONNX Runtime computes it on the host: pip install 'neonlab[network]'") from None
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # a sum of floats depends on how it is shared out
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # It raises errors of many types, for models that it does not like.
        raise RuntimeRefusal(_told(error)) from None


def _told(error: Exception) -> str:
    """Return what ONNX Runtime says without its error codes and the places in its own sources."""
    text = str(error).strip().partition("\n")[0]
    for mark in ("Status Message: ", "InferenceError] ", "] "):
        text = text.rpartition(mark)[2] if mark in text else text
    return text.partition("] ")[2] or text if text.startswith("[") else text
