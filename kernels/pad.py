"""Padding of an image with its zero point, or with the lowest value before a max pool."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8 import elementwise

_DIMENSIONS = ("height", "row", "top", "bottom", "left", "right")
#: The padding value; every case has this one, so that it can be told from copied data.
_VALUE = -77


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

    def tails(self) -> Iterable[Shape]:
        rows = (*range(1, 18), 20, 31, 46, 63, 64, 67, 124, 128)
        edges = ((1, 1, 1, 1), (2, 1, 3, 16), (1, 3, 64, 7), (1, 1, 17, 70), (1, 0, 9, 0))
        # One row and three in turn: row by row edge by edge, so that both heights meet all of both.
        whole = ((1 + 2 * (number % 2), row, *edge) for row in rows for number, edge in enumerate(edges, row))
        without = ((2, 5, 0, 0, 0, 0), (2, 5, 0, 1, 0, 2), (2, 5, 1, 0, 2, 0))
        return (Shape(_DIMENSIONS, sizes) for sizes in itertools.chain(whole, without))

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {**{name: shape[name] for name in _DIMENSIONS}, "value": _VALUE}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        return {"input": data.array(contract.argument("input"), (shape["height"], shape["row"]))}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        widths = ((shape["top"], shape["bottom"]), (shape["left"], shape["right"]))
        image = inputs["input"].reshape(shape["height"], shape["row"])
        found = np.ascontiguousarray(elementwise.pad(image, widths, _VALUE))
        return {"output": Expected(found, ("row", "column"))}


OPERATOR = Pad()
