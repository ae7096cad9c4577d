"""Packing of a matmul's operand: rows of a matrix into panels, and their sums."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape

from ._packing import pack_panels

_DIMENSIONS = ("rows", "depth")


class Pack(Operator):
    """The packing of a matrix in the layout of `packed`.

    Rows that fill up the last panel repeat the last row; the depth is filled up with zeros.
    """

    name = "pack"
    dimensions = _DIMENSIONS
    # The weights of MobileNet v1's pointwise layers at 224 (Howard et al. 2017, table 1): rows are output channels.
    layers: Mapping[str, Shape] = {
        f"mobilenet_v1 weights {ins}->{outs}": Shape(_DIMENSIONS, (outs, ins))
        for ins, outs in ((32, 64), (128, 256), (512, 512), (1024, 1024))
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("pack_") and "_rows_" in contract.name

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        return {"source": data.array(contract.argument("source"), shape.sizes)}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        layout = contract.argument("packed").layout
        width = int("".join(filter(str.isdigit, layout.split("_")[0])))
        rows = inputs["source"].reshape(shape.sizes).astype(np.int64)
        if inputs["source"].dtype == np.uint8:
            rows = rows - 128
        rows = rows[np.minimum(np.arange(-(-len(rows) // width) * width), len(rows) - 1)]
        found = {"packed": Expected(pack_panels(rows.astype(np.int8), layout), ("element",))}
        if contract.name.endswith("_sums"):
            found["sums"] = Expected(rows.sum(axis=1).astype(np.int32), ("row",))
        return found


OPERATOR = Pack()
