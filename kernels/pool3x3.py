"""Max pooling of 3x3 pixels with stride 2 and average pooling with stride 1, with a pixel of padding on any side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, KernelName, Operator, Shape
from neonlab.int8 import pooling
from neonlab.int8.windows import Window

_DIMENSIONS = ("height", "width", "channels", "top", "left", "bottom", "right")


class Pool3x3(Operator):
    """A pool of 3x3 pixels.  Height and width are the output's.

    Top, left, bottom and right tell where a window reaches beyond the image.
    """

    name = "pool3x3"
    dimensions = _DIMENSIONS
    # The third pooling of GoogLeNet (Szegedy et al. 2014, table 1), the greatest of 3x3, and one beside convolutions
    # of Inception v3's 35x35 modules, the mean (Szegedy et al. 2015, Rethinking the Inception architecture, figure 5).
    layers: Mapping[str, Shape] = {
        "googlenet 14x14x480 padded": Shape(_DIMENSIONS, (14, 14, 480, 0, 0, 1, 1)),
        "inception_v3 35x35x288 padded": Shape(_DIMENSIONS, (35, 35, 288, 1, 1, 1, 1)),
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith(("maxpool3x3s2_", "avgpool3x3_"))

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        height, width, channels, top, left, bottom, right = shape.sizes
        stride = KernelName.parse(contract.name).stride
        size = (stride * (height - 1) + 3 - top - bottom, stride * (width - 1) + 3 - left - right)
        return {"input": data.array(contract.argument("input"), (*size, channels))}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        name = KernelName.parse(contract.name)
        padding = ((shape["top"], shape["bottom"]), (shape["left"], shape["right"]))
        pooled = pooling.max_pool if name.operator == "maxpool" else pooling.average_pool
        found = pooled(inputs["input"][np.newaxis], (3, 3), Window((name.stride, name.stride), padding))[0]
        return {"output": Expected(np.ascontiguousarray(found), ("y", "x", "channel"))}


OPERATOR = Pool3x3()
