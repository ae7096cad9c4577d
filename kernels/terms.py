"""The four terms of a product with zero points: sum a*b - zb * sum a - za * sum b + depth * za * zb, from its sums."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape

_DIMENSIONS = ("rows", "cols")


class Terms(Operator):
    """The terms of zero points, taken off sums of products of the numbers as they are stored."""

    name = "terms"
    dimensions = _DIMENSIONS
    # Sums of MobileNet v1's pointwise layers at 224 (Howard et al. 2017, table 1): a row is a pixel.
    layers: Mapping[str, Shape] = {
        f"mobilenet_v1 {size}x{size}x{channels}": Shape(_DIMENSIONS, (size * size, channels))
        for size, channels in ((112, 64), (28, 256), (14, 512), (7, 1024))
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("terms_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"rows": shape["rows"], "cols": shape["cols"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        sizes = {"input": shape.sizes, "row_sums": shape.sizes[:1], "column_sums": shape.sizes[1:]}
        return {
            **{name: data.array(contract.argument(name), size) for name, size in sizes.items()},
            "points": data.values(contract.argument("points"), (2,)),
            "depth": data.value(contract.argument("depth")),
        }

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        zero_a, zero_b = (inputs["points"][at].astype(np.int64) for at in (0, 1))
        products = inputs["input"].reshape(shape.sizes).astype(np.int64)
        by_row, by_column = (inputs[name].astype(np.int64) for name in ("row_sums", "column_sums"))
        found = products - zero_b * by_row[:, np.newaxis] - zero_a * by_column + int(inputs["depth"]) * zero_a * zero_b
        return {"output": Expected(found.astype(np.int32), ("row", "column"))}


OPERATOR = Terms()
