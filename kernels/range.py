"""The lowest and the highest of a run of float32, from which quantizers take their ranges."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Shape
from neonlab.int8.affine import extremes

from ._flat import FlatOperator


class Range(FlatOperator):
    """The extremes of a run of elements without NaN."""

    name = "range"
    # The image that MobileNet v1 takes at 224 (Howard et al. 2017, table 1).
    layers: Mapping[str, Shape] = {"224x224x3": Shape(("count",), (224 * 224 * 3,))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("range_")

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        reals = data.array(contract.argument("input"), shape.sizes)
        if data.pattern == "random":  # of one sign or of both, and all so small that A32's NEON would flush them to 0
            sign, scale = data.random.choice([-1, 0, 1]), data.random.choice([1.0, 1e-70])
            signed = np.abs(reals) * sign if sign else reals
            reals = (signed.astype(np.float64) * scale).astype(np.float32)
        return {"input": reals}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        return {"extremes": Expected(extremes(inputs["input"]).astype(np.float32), ("end",))}


OPERATOR = Range()
