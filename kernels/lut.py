"""Look-up of each byte in a table of 256: tanh, sigmoid, any function of one 8-bit number."""

from __future__ import annotations

from collections.abc import Mapping

from neonlab import Array, Contract, DataSource, Expected, Shape
from neonlab.int8 import activation

from ._flat import FlatOperator


def draw_table(data: DataSource) -> Array:
    """Draw a table of 256 int8, all of them others: under any pattern, or a wrong index would go unseen."""
    return data.random.permutation(256).astype("uint8").view("int8")


class Lut(FlatOperator):
    """A look-up in a table, which is in the order of bytes as unsigned numbers."""

    name = "lut"
    # The sigmoid of a gate of a small LSTM, and of the squeeze of a MobileNet v3 block.
    layers: Mapping[str, Shape] = {"14x14x480": Shape(("count",), (14 * 14 * 480,))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("lut_")

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        return {
            "input": data.array(contract.argument("input"), shape.sizes),
            "table": draw_table(data),
        }

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        return {"output": Expected(activation.look_up(inputs["table"], inputs["input"]), ("element",))}


OPERATOR = Lut()
