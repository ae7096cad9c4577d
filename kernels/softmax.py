"""Softmax of rows of int8, by a table of the exponentials of all distances from the greatest of a row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.activation import (
    softmax_by_quotients,
    softmax_by_table,
    softmax_table,
    softmax_tables_onnxruntime,
)
from neonlab.int8.affine import Affine

_DIMENSIONS = ("rows", "cols")


class Softmax(Operator):
    """A softmax as TFLite's int8 kernel computes it, or, where there are products too, as ONNX Runtime's.

    Tables are in the order of elements: the last number is that of the greatest one.
    """

    name = "softmax"
    dimensions = _DIMENSIONS
    # The classes of ImageNet, and the attention of one head of BERT base (Devlin et al. 2018) over 128 words.
    layers: Mapping[str, Shape] = {
        "imagenet 1000": Shape(_DIMENSIONS, (1, 1000)),
        "attention 128x128": Shape(_DIMENSIONS, (128, 128)),
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("softmax_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"rows": shape["rows"], "cols": shape["cols"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        random = data.random
        values = data.array(contract.argument("input"), shape.sizes)
        point = {"zero_point": data.value(contract.argument("zero_point"))}
        if "products" in contract.by_name:
            rows = values.reshape(shape.sizes)
            ties = _exact_ties(rows, int(point["zero_point"]), random) if random.integers(2) else None
            return {"input": values, **(ties or _quotients(rows, random)), **point}
        # From exponentials that are all but 1 to denormal ones; and results from 1/2 of a step to beyond all of int8.
        table = softmax_table(float(2.0 ** random.uniform(-9, 0)), 1.0)
        scale = 1 / 256 if random.integers(2) else float(2.0 ** random.uniform(-24, 0))
        if random.integers(2):
            scale = _beside_a_tie(values.reshape(shape.sizes), table, int(random.integers(128)), scale)
        return {
            "input": values,
            "table": np.ascontiguousarray(table[::-1]),
            "scale": np.array([scale], np.float32),
            **point,
        }

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        values, table = inputs["input"].reshape(shape.sizes), inputs["table"][::-1]
        # That of quotients has its scale in the products.
        target = Affine(float(inputs["scale"][0]) if "scale" in inputs else 1.0, int(inputs["zero_point"]), "int8")
        if "products" in inputs:
            found = softmax_by_quotients(values, table, inputs["products"][::-1], target)
        else:
            found = softmax_by_table(values, table, target)
        return {"output": Expected(found, ("row", "column"))}


def _quotients(values: Array, random: np.random.Generator) -> dict[str, Array]:
    """Draw the tables of ONNX Runtime's softmax: from exponentials that are all but equal to denormal ones.

    Where the greatest of a row are two, and units are an odd number, half of them is a tie.
    """
    scale = float(2.0 ** random.uniform(-9, 0.5))
    units = 256 if random.integers(2) else int(2.0 ** random.uniform(0, 24))
    table, products = softmax_tables_onnxruntime(scale, 1 / units, values.shape[-1])
    return {"table": np.ascontiguousarray(table[::-1]), "products": np.ascontiguousarray(products[::-1])}


def _exact_ties(values: Array, zero_point: int, random: np.random.Generator) -> dict[str, Array] | None:
    """Return the inputs of rows where all elements but one are ties that a product with 1 / the sum, rounded, misses.

    Those are 1, the other one fills the sum up to an even number, and units / the sum is a whole number and a half.
    None where none of 256 sums will do.
    """
    rows, cols = values.shape
    sums = 2 * (cols // 2 + random.integers(1, 2**13, 256))[:, None]
    units = (2 * np.arange(127 - zero_point) + 1) * (sums // 2)
    missed = np.rint(units * (1 / sums)) != np.rint(units / sums)
    places = np.argwhere(missed & (units < 2**24))
    if not len(places):
        return None
    place = tuple(places[random.integers(len(places))])
    greatest = np.arange(cols) == random.integers(cols, size=(rows, 1))
    table = np.zeros(256, np.float32)
    table[-2:] = np.array([1, sums[place[0], 0] - (cols - 1)]) * 2.0 ** random.integers(-20, 96)
    return {
        "input": np.where(greatest, 127, 126).astype(values.dtype),
        "table": table,
        "products": table.astype(np.float64) * float(units[place]),
    }


def _beside_a_tie(values: Array, table: Array, whole: int, other: float) -> float:
    """Return the scale by which the greatest of the last row becomes about `whole` + 1/2; `other` if it is no scale.

    There the last bit of the sum decides, which depends on the order of its terms.
    """
    row = values[-1].astype(np.int64)
    total = np.add.accumulate(table[row.max() - row], dtype=np.float32)[-1]
    found = np.float32(1 / (float(total) * (whole + 0.5)))
    return float(found) if 2.0**-24 <= found <= 1 else other


OPERATOR = Softmax()
