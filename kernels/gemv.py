"""Fully connected layer of one input: output[r] = sum over k of weights[r, k] * input[k], as int32 or requantized."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.convolution import fully_connected

from ._again import kept_for_the_same
from ._in_order import A32, DOTPROD, by_core
from ._requantize import PER_CHANNEL, parameters, requantized

_DIMENSIONS = ("rows", "depth")


class Gemv(Operator):
    """A fully connected layer.  Weights are "rows", one after the other; input and output are "flat"."""

    name = "gemv"
    dimensions = _DIMENSIONS
    weights = ("weights", *PER_CHANNEL)
    # The classifiers of MobileNet v1 (Howard et al. 2017) and v2 (Sandler et al. 2018) at 224.
    layers: Mapping[str, Shape] = {
        "mobilenet_v1 classifier 1024->1000": Shape(_DIMENSIONS, (1000, 1024)),
        "mobilenet_v2 classifier 1280->1000": Shape(_DIMENSIONS, (1000, 1280)),
    }
    # The names are the same on both instruction sets. On Cortex-A510, which has A64 alone, dot products gain at any
    # size but the smallest; the others lose where weights are in the first level.
    dispatches = (
        by_core("gemv_s8s32_rows_8", "gemv_s8s32_rows_8_inorder", *A32),
        by_core("gemv_s8s8_rows_8_ruy", "gemv_s8s8_rows_8_inorder_ruy", *A32),
        by_core("gemv_s8s8_rows_8_dotprod_ruy", "gemv_s8s8_rows_8_dotprod_inorder_ruy", *DOTPROD, "cortex-a510"),
    )

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("gemv_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        rows, depth = shape.sizes
        weights = data.array(contract.argument("weights"), (rows, depth))
        vector = data.array(contract.argument("input"), (depth,))
        found = parameters(contract, weights, data, lambda _: _sums(vector, weights))
        return {"weights": weights, "input": vector, **found}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        sums = _sums(inputs["input"], inputs["weights"].reshape(shape.sizes))
        return {"output": Expected(requantized(contract, sums, inputs), ("row",))}


@kept_for_the_same
def _sums(vector: Array, weights: Array) -> Array:
    return fully_connected(vector, weights).astype(np.int64)


OPERATOR = Gemv()
