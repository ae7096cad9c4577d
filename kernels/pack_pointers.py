"""Packing of the windows of an image: rows of a product, whose parts lie where a table of pointers leads."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.windows import fill_taps

from ._packing import layout_sizes, pack_panels

_DIMENSIONS = ("rows", "taps", "channels")
#: Part of the pointers that lead to the row of another one, as those to padding do.
_SHARED = 0.25


class PackPointers(Operator):
    """The packing of rows of taps in the layout of `packed`.

    Each tap is filled up with zeros to whole groups.  Rows that fill up the last panel repeat the last row.
    """

    name = "pack_pointers"
    dimensions = _DIMENSIONS
    # Convolutions of ResNet-18 at 224 (He et al. 2016, table 1), a row of each window at a time.
    layers: Mapping[str, Shape] = {
        f"resnet18 {window}x{window} {size}x{size}x{channels}": Shape(
            _DIMENSIONS, (size * size, window, window * channels)
        )
        for window, size, channels in ((7, 112, 3), (3, 56, 64), (3, 28, 128), (3, 14, 256), (3, 7, 512))
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("pack_") and "_pointers_" in contract.name

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        pointers = shape["rows"] * shape["taps"]
        leads_to = data.random.permutation(pointers)
        shared = data.random.random(pointers) < _SHARED
        return {
            "input": np.where(shared, leads_to[data.random.integers(0, pointers)], leads_to),
            "input[]": data.array(contract.argument("input[]"), (pointers, shape["channels"])),
        }

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        layout = contract.argument("packed").layout
        width, group, _ = layout_sizes(layout)
        taps = inputs["input[]"].reshape(-1, shape["channels"])[inputs["input"]]
        rows = fill_taps(taps.reshape(shape.sizes), group)
        rows = rows[np.minimum(np.arange(-(-len(rows) // width) * width), len(rows) - 1)]
        return {"packed": Expected(pack_panels(rows, layout), ("element",))}


OPERATOR = PackPointers()
