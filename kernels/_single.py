"""Float32 as bits: what operators draw that round at limits between them."""

from __future__ import annotations

import numpy as np

from neonlab import Array

#: Bits of a float32 below its exponent.
FRACTION_BITS = 23


def around(random: np.random.Generator, bits: Array, near: Array) -> Array:
    """Return float32 of random signs whose bits are half of them those of `near`, and a tenth of them 0.

    `bits` and `near` are of one shape, without the sign bit.
    """
    bits = np.where(random.random(bits.shape) < 0.5, bits, near).astype(np.uint32)
    bits = np.where(random.random(bits.shape) < 0.1, 0, bits).astype(np.uint32)
    reals: Array = (bits | random.integers(0, 2, bits.shape, np.uint32) << 31).view(np.float32)
    return reals
