"""Multiplication of two int8 tensors element by element, each with its zero point, requantized."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Shape
from neonlab.int8.addition import Operand
from neonlab.int8.arrays import wide
from neonlab.int8.elementwise import multiply
from neonlab.int8.fixed_point import Multiplier, multiply_twice_rounded
from neonlab.int8.requantize import scheme_named

from ._flat import FlatOperator
from ._output import draw_range, output_of


class Mul(FlatOperator):
    """The product of two runs of the same length.  The last word of the kernel's name gives the way of scaling."""

    name = "mul"
    further_data = 14  # two roundings, which show in few elements each
    # The gates of a block of MobileNet v3, laid out as its image (Howard et al. 2019, table 1).
    layers: Mapping[str, Shape] = {"mobilenet_v3 14x14x480": Shape(("count",), (14 * 14 * 480,))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("mul_")

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        found = {name: data.array(contract.argument(name), shape.sizes) for name in ("a", "b")}
        zeros = data.values(contract.argument("points"), (2,))
        found["points"] = np.concatenate([zeros, draw_range(contract, data, "points")])
        random = data.random if data.pattern == "random" else None
        power = int(random.integers(-9, -5)) if random else 0
        power_of_two = random is not None and random.random() < 0.5
        if random and random.integers(3):
            # b next to its zero point and a scale of some halves: every other product, or every 64th, is on a tie.
            power, power_of_two = -int(random.choice([0, 1, 1, 1, 2, 2, 3, 6])), bool(random.integers(4))
            near = found["points"][1] + random.integers(-3, 4, shape.sizes)
            found["b"] = np.clip(near, -128, 127).astype(np.int8)
        if random and not random.integers(4):  # scales above 1: much is beyond the output, and beyond int16
            power = int(random.integers(0, 8))
        if contract.name.endswith("_fp32"):
            scale = data.array(contract.argument("scale"), (1,))
            if random:
                scale = np.ldexp(np.float32(0.5 if power_of_two else random.uniform(0.5, 1)), power)
            return {**found, "scale": np.asarray(scale, np.float32).reshape(1)}
        multiplier = data.values(contract.argument("multiplier"), (1,))
        shift = data.array(contract.argument("shift"), (1,))
        if random:
            shift = np.array([power], np.int32)
            multiplier = np.array([1 << 30], np.int32) if power_of_two else multiplier
        return {**found, "multiplier": multiplier, "shift": shift}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        zero_a, zero_b = (int(zero) for zero in inputs["points"][:2])
        output = output_of(contract, inputs["points"][2:])
        products = multiply(Operand(inputs["a"], 1.0, zero_a), Operand(inputs["b"], 1.0, zero_b))
        if "scale" in inputs:
            found = scheme_named("qnnpack-fp32").requantize(products, inputs["scale"], output)
        else:
            scaled = multiply_twice_rounded(products, Multiplier(inputs["multiplier"], inputs["shift"]))
            found = output.place(wide(scaled))
        return {"output": Expected(found, ("element",))}


OPERATOR = Mul()
