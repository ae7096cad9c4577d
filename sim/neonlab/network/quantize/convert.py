"""Write a float model with 8-bit tensors: QuantizeLinear and DequantizeLinear around each operator (QDQ)."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonlab.errors import InputError
from neonlab.int8.arrays import LEAST_SCALE
from neonlab.network.graph import Array
from neonlab.network.quantize.float_model import FloatModel, package
from neonlab.network.quantize.ranges import METHODS, SYMMETRIC, Range

#: What has a scale of weights of its own, and the greatest |weight|.
GRANULARITIES = ("channel", "tensor")
LIMITS = (127, 63)


@dataclass(frozen=True, slots=True)
class Scheme:
    """Say how to quantize: the method for the ranges of activations, what has a scale of weights, and their limit."""

    method: str
    per: str
    limit: int

    @property
    def title(self) -> str:
        """Return the scheme in words."""
        return f"{self.method}, weights per {self.per} to ±{self.limit}"


def schemes(method: str | None, per: str | None, limit: int | None) -> list[Scheme]:
    """Return all schemes, or those with what is given."""
    return [
        Scheme(one, granularity, most)
        for one in METHODS
        for granularity in GRANULARITIES
        for most in LIMITS
        if method in (None, one) and per in (None, granularity) and limit in (None, most)
    ]


def quantized(model: FloatModel, ranges: Mapping[str, Range], scheme: Scheme) -> Any:
    """Return the model as QDQ, by ONNX Runtime's quantizer: activations and weights int8, biases int32.

    `ranges` has the range of each tensor in `model.observed`.  Raises InputError where the quantizer fails.
    """
    calibrate = package("onnxruntime.quantization.calibrate")
    quantizer = package("onnxruntime.quantization.qdq_quantizer")
    int8 = package("onnxruntime.quantization").QuantType.QInt8
    held = {name: (np.float32(low), np.float32(high)) for name, (low, high) in ranges.items()}
    copy = package("onnx").ModelProto()
    copy.CopyFrom(model.proto)
    weights = {name: _scales(values, axis, scheme, int8) for name, (values, axis) in model.weights().items()}
    made = quantizer.QDQQuantizer(
        copy,
        scheme.per == "channel",
        False,
        int8,
        int8,
        calibrate.TensorsData(calibrate.CalibrationMethod.MinMax, held),
        [],
        [],
        sorted({node.op_type for node in copy.graph.node}),
        {
            "ActivationSymmetric": scheme.method in SYMMETRIC,
            "WeightSymmetric": True,
            "TensorQuantOverrides": weights,
        },
    )
    try:
        with _quiet():
            made.quantize_model()
            made.model.topological_sort()
    except Exception as error:
        # It raises errors of many types, for models that it does not like.
        told = str(error).strip().partition("\n")[0]
        raise InputError(f"ONNX Runtime's quantizer cannot quantize {model.name}: {told}") from None
    return made.model.model


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep back what the quantizer tells the root logger about biases that it leaves as floats."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _scales(values: Array, axis: int, scheme: Scheme, int8: object) -> list[dict[str, Any]]:
    """Return the overrides of ONNX Runtime's quantizer for weights: one, or one for each index of `axis`."""
    others = tuple(one for one in range(values.ndim) if one != axis)
    most = np.abs(values).max(axis=others) if scheme.per == "channel" else np.abs(values).max(keepdims=True).ravel()
    # A channel of zeros has any scale, and one of numbers too small for a scale is one of zeros.
    scales = (most / np.float32(scheme.limit)).astype(np.float32)
    scales[scales < LEAST_SCALE] = 1
    found = [{"quant_type": int8, "scale": scale, "zero_point": np.int8(0)} for scale in scales]
    if scheme.per == "channel":
        found[0]["axis"] = axis
    return found
