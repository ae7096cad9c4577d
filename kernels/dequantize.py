"""Dequantization of int32 sums: sum * scale + bias in float32, a scale and a bias for each channel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8 import affine

_DIMENSIONS = ("rows", "cols")


class Dequantize(Operator):
    """A dequantization.  In layout "rows" a column is a channel, as in HWC; in "chw" a row is one."""

    name = "dequantize"
    dimensions = _DIMENSIONS
    # Sums of MobileNet v1's pointwise layers at 224 (Howard et al. 2017, table 1): a row is a pixel.
    layers: Mapping[str, Shape] = {
        f"mobilenet_v1 {size}x{size}x{channels}": Shape(_DIMENSIONS, (size * size, channels))
        for size, channels in ((112, 64), (28, 256), (14, 512), (7, 1024))
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("dequantize_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"rows": shape["rows"], "cols": shape["cols"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        channels = shape[self._channels(contract)]
        sums = data.array(contract.argument("input"), shape.sizes)
        scales = data.array(contract.argument("scales"), (channels,))
        bias = data.array(contract.argument("bias"), (channels,))
        if data.pattern == "extremes":  # a bias that A32's NEON would flush to 0 shows where the sum is 0
            sums = np.where(data.random.random(shape.sizes) < 0.5, np.int32(0), sums)
        return {"input": sums, "scales": scales, "bias": bias}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        along = (-1, 1) if self._channels(contract) == "rows" else (1, -1)
        scales, bias = (inputs[name].reshape(along) for name in ("scales", "bias"))
        return {"output": Expected(affine.dequantize(inputs["input"], scales, bias=bias), ("row", "column"))}

    @staticmethod
    def _channels(contract: Contract) -> str:
        """Return the dimension along which scale and bias change."""
        return "rows" if contract.argument("input").layout == "chw" else "cols"


OPERATOR = Dequantize()
