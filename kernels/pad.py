"""Padding of an image with its zero point, or with the lowest value before a max pool."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape

_DIMENSIONS = ("height", "row", "top", "bottom", "left", "right")


class Pad(Operator):
    """The padding of an image.  A row is width times channels; left and right are counted in elements."""

    name = "pad"
    dimensions = _DIMENSIONS
    # The first depthwise layer of MobileNet v1 at 224, 3x3 (Howard et al. 2017, table 1).
    layers: Mapping[str, Shape] = {
        "mobilenet_v1 112x112x32": Shape(_DIMENSIONS, (112, 112 * 32, 1, 1, 32, 32)),
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("pad_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        image = data.array(contract.argument("input"), (shape["height"], shape["row"]))
        return {"input": image, "value": data.value(contract.argument("value"))}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        widths = ((shape["top"], shape["bottom"]), (shape["left"], shape["right"]))
        image = inputs["input"].reshape(shape["height"], shape["row"])
        found = np.pad(image, widths, constant_values=int(inputs["value"]))
        return {"output": Expected(found, ("row", "column"))}


OPERATOR = Pad()
