"""Global average pooling of HWC images: the mean of each channel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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

    def tails(self) -> Iterable[Shape]:
        """Return even numbers of pixels up to 256: where one divides by another number, ties of some of them are lost.

        A product with 1 / pixels in float32 is below half of 82 pixels, and of one in seven numbers beyond.
        """
        return [Shape(_DIMENSIONS, (pixels, 4)) for pixels in range(64, 257, 2)]

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"pixels": shape["pixels"], "channels": shape["channels"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        argument = contract.argument("input")
        kind = data.random.integers(4) if data.pattern == "random" else 0
        if kind == 1:  # means near 0, where signs change
            return {"input": data.draw(shape.sizes, argument.dtype, -3, 3)}
        if kind > 1:
            return {"input": _ties(data, shape["pixels"], shape["channels"])}
        return {"input": data.array(argument, shape.sizes)}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        image = inputs["input"].reshape(1, shape["pixels"], 1, shape["channels"])
        found = pooling.average_pool(image, (shape["pixels"], 1))
        return {"output": Expected(np.ascontiguousarray(found.reshape(-1)), ("channel",))}


def _ties(data: DataSource, pixels: int, channels: int) -> Array:
    """Return pixels of two neighbouring numbers with means that are ties, or one pixel off; int8 [pixels, channels]."""
    lower = data.random.integers(-128, 127, channels)
    greater = np.clip(pixels // 2 + data.random.integers(-1, 2, channels), 0, pixels)
    places = data.random.permuted(np.tile(np.arange(pixels)[:, None], channels), axis=0)
    return np.ascontiguousarray(lower + (places < greater), np.int8)


OPERATOR = GlobalPool()
