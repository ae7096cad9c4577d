"""Rounding of a run of float32 to Ristretto's integer powers of two, the nearest in the logarithm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Shape
from neonlab.int8.ristretto import to_power_of_two

from ._flat import FlatOperator
from ._single import FRACTION_BITS, around

#: The limits between exponents that a kernel takes, and one that no number reaches.
_LIMITS, _NEVER = 7, 1 << 31


def limits_of(least: int, most: int) -> Array:
    """Return what a kernel takes for powers of two from 2^least to 2^most: 7 limits and the least power, uint32.

    A limit is the first float that goes to the power above; it is found by halving, from what the reference says.
    """
    powers = np.ldexp(np.float32(1), np.arange(least, most)).astype(np.float32)
    low, high = (ends.view(np.uint32).astype(np.int64) for ends in (powers, powers * np.float32(2)))
    while (high - low > 1).any():
        middle = (low + high) // 2
        above = to_power_of_two(middle.astype(np.uint32).view(np.float32), least, most) > powers
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    power = int(np.ldexp(np.ones(1, np.float32), least).view(np.uint32)[0])
    return np.array([*high, *[_NEVER] * (_LIMITS - len(high)), power], np.uint32)


class Powers(FlatOperator):
    """A rounding of floats to powers of two with a sign, of up to 8 exponents."""

    name = "powers"
    # The weights of a 3x3 convolution of AlexNet (Krizhevsky et al. 2012), which Ristretto's paper rounds.
    layers: Mapping[str, Shape] = {"alexnet conv3": Shape(("count",), (384 * 256 * 9,))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("powers_")

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        random = data.random
        least = int(random.integers(-20, 13))
        limits = limits_of(least, least + int(random.integers(0, _LIMITS + 1)))
        reals = data.array(contract.argument("input"), shape.sizes)
        if data.pattern == "random":  # numbers of about these powers; many are a limit, or next to one
            bits = np.exp2(least + random.uniform(-3, 11, shape.sizes)).astype(np.float32).view(np.uint32)
            near = random.choice(limits[limits < _NEVER], shape.sizes).astype(np.int64)
            near += random.integers(-1, 2, shape.sizes)
            reals = around(random, bits, near)
        return {"input": reals, "limits": limits}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        *limits, power = (int(word) for word in inputs["limits"])
        least = (power >> FRACTION_BITS) - 127
        found = to_power_of_two(inputs["input"], least, least + sum(limit < _NEVER for limit in limits))
        return {"output": Expected(found, ("element",))}


OPERATOR = Powers()
