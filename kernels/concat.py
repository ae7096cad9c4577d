"""One operand of a concatenation, rescaled to the output's scale and zero point by a table of all 256 results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.activation import look_up
from neonlab.int8.addition import Operand
from neonlab.int8.arrays import Output
from neonlab.int8.elementwise import rescale
from neonlab.int8.requantize import SCHEMES

_DIMENSIONS = ("rows", "cols")


class Concat(Operator):
    """One operand's rows, beside those of other operands: `output_pitch` is the length of all of them."""

    name = "concat"
    dimensions = _DIMENSIONS
    # The widest branch of GoogLeNet's inception (4e) (Szegedy et al. 2014, table 1), a row being a pixel.
    layers: Mapping[str, Shape] = {"googlenet 14x14x320": Shape(_DIMENSIONS, (14 * 14, 320))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("concat_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"rows": shape["rows"], "cols": shape["cols"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        random = data.random
        scales = random.uniform(0.5, 0.99) if random.integers(4) else 0.75
        operand = Operand(np.arange(256, dtype=np.uint8).view(np.int8), scales, int(random.integers(-128, 128)))
        scheme = str(random.choice(sorted(SCHEMES)))
        table = rescale(operand, 1.0, Output(int(random.integers(-128, 128))), scheme)
        return {"input": data.array(contract.argument("input"), shape.sizes), "table": table}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        return {"output": Expected(look_up(inputs["table"], inputs["input"]), ("row", "column"))}


OPERATOR = Concat()
