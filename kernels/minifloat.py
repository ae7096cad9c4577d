"""Rounding of a run of float32 to Ristretto's minifloats, ties away from zero."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Shape
from neonlab.int8.ristretto import MiniFloat, to_minifloat

from ._flat import FlatOperator
from ._single import FRACTION_BITS, around

#: How many numbers of random data are at the ends of the format; and the greatest of the contract, as bits.
_AT_ENDS = 0.125
_GREATEST = int(np.float32(3e38).view(np.uint32))


def form_of(form: MiniFloat) -> Array:
    """Return what a kernel takes for a minifloat: half, kept, least, beyond and most, uint32."""
    cut = FRACTION_BITS - form.mantissa_bits
    bias = (1 << (form.exponent_bits - 1)) - 1
    least = max(127 - bias, 1) << FRACTION_BITS
    beyond = ((1 << form.exponent_bits) + 127 - bias) << FRACTION_BITS
    half = (1 << cut) >> 1 if cut else 0
    return np.array([half, (1 << 32) - (1 << cut), least, beyond, beyond - (1 << cut)], np.uint32)


def _minifloat_of(words: Array) -> MiniFloat:
    """Return the minifloat that a kernel takes as these words."""
    _, kept, _, beyond, _ = (int(word) for word in words)
    # With e bits of exponent, `beyond` has that of 2^e + 127 - (2^(e-1) - 1) = 2^(e-1) + 128.
    return MiniFloat(kept.bit_count() - 9, ((beyond >> FRACTION_BITS) - 128).bit_length())


class Minifloat(FlatOperator):
    """A rounding of floats to floats with fewer bits of mantissa and exponent."""

    name = "minifloat"
    # The weights of a 3x3 convolution of AlexNet (Krizhevsky et al. 2012), which Ristretto's paper rounds.
    layers: Mapping[str, Shape] = {"alexnet conv3": Shape(("count",), (384 * 256 * 9,))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("minifloat_")

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        random = data.random
        form = MiniFloat(int(random.integers(0, 24)), int(random.integers(1, 9)))
        reals = data.array(contract.argument("input"), shape.sizes)
        if data.pattern == "random":  # numbers within the format and around its ends; many are ties, or next to them
            spread = min(1.25 * 2 ** (form.exponent_bits - 1) + 1, 126)
            bits = np.exp2(random.uniform(-spread, spread, shape.sizes)).astype(np.float32).view(np.uint32)
            cut = FRACTION_BITS - form.mantissa_bits
            near = (bits >> cut << cut) + (1 << cut >> 1) + random.integers(-1, 2, shape.sizes)
            # The least number that is not 0, the first beyond the greatest, and those beside them.
            ends = random.choice(form_of(form)[2:4].astype(np.int64), shape.sizes) + random.integers(-1, 2, shape.sizes)
            near = np.where(random.random(shape.sizes) < _AT_ENDS, np.minimum(ends, _GREATEST), np.maximum(near, 0))
            reals = around(random, bits, near)
        return {"input": reals, "form": form_of(form)}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        with np.errstate(over="ignore"):  # of 8 bits of exponent, the greatest may round to infinity
            found = to_minifloat(inputs["input"], _minifloat_of(inputs["form"]))
        return {"output": Expected(found, ("element",))}


OPERATOR = Minifloat()
