"""Clipping to a range, which is relu6 and any other fused activation, and relu, which has no upper bound."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Shape
from neonlab.int8 import elementwise
from neonlab.int8.arrays import Output

from ._flat import FlatOperator


class Clip(FlatOperator):
    """A clip of a run of elements.  Bounds are numbers of the tensor; relu's bound is its zero point."""

    name = "clip"
    # After the first convolution of MobileNet v1 at 224 (Howard et al. 2017, table 1).
    layers: Mapping[str, Shape] = {"mobilenet_v1 112x112x32": Shape(("count",), (112 * 112 * 32,))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith(("clip_", "relu_"))

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        found = {"input": data.array(contract.argument("input"), shape.sizes)}
        if contract.name.startswith("relu_"):
            return {**found, "zero": data.values(contract.argument("zero"), (1,))}
        return {**found, "limits": np.sort(data.values(contract.argument("limits"), (2,)))}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        limits = inputs["limits"] if "limits" in inputs else np.append(inputs["zero"], np.int8(127))
        output = Output(0, int(limits[0]), int(limits[1]))
        return {"output": Expected(elementwise.clip(inputs["input"], output), ("element",))}


OPERATOR = Clip()
