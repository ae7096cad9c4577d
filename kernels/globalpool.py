"""Global average pooling of HWC images: the mean of each channel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8 import pooling

_DIMENSIONS = ("pixels", "channels")


class GlobalPool(Operator):
    """A global average pool.  All pixels have the same weight; their number is height times width."""

    name = "globalpool"
    dimensions = _DIMENSIONS
    # Before the classifier of MobileNet v1 at 224 (Howard et al. 2017, table 1).
    layers: Mapping[str, Shape] = {"mobilenet_v1 7x7x1024": Shape(_DIMENSIONS, (7 * 7, 1024))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("globalpool_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"pixels": shape["pixels"], "channels": shape["channels"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        argument = contract.argument("input")
        if data.pattern == "random" and data.random.integers(2):  # means near 0, where signs change
            return {"input": data.draw(shape.sizes, argument.dtype, -3, 3)}
        return {"input": data.array(argument, shape.sizes)}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        image = inputs["input"].reshape(1, shape["pixels"], 1, shape["channels"])
        found = pooling.average_pool(image, (shape["pixels"], 1))
        return {"output": Expected(np.ascontiguousarray(found.reshape(-1)), ("channel",))}


OPERATOR = GlobalPool()
