"""The range of an 8-bit output, which kernels take as int16 {zero point, lowest, highest}."""

from __future__ import annotations

import numpy as np

from neonlab import Array, Contract, DataSource
from neonlab.int8.arrays import Output


def draw_range(contract: Contract, data: DataSource, name: str = "range") -> Array:
    """Draw a zero point, a lowest and a highest value: those of the whole type or, half of the time, narrower ones."""
    argument = contract.argument(name)
    whole = np.iinfo(argument.dtype)
    low, high = (int(bound) for bound in argument.value_range or (whole.min, whole.max))
    zero = data.values(argument, (1,))
    limits = np.sort(data.values(argument, (2,)))
    if data.pattern != "random" or data.random.integers(2):
        limits = np.array([low, high])
    return np.concatenate([zero, limits]).astype(argument.dtype)


def output_of(contract: Contract, held: Array, name: str = "output") -> Output:
    """Return the range that `draw_range` drew, for the kernel's output."""
    zero, low, high = (int(value) for value in held)
    return Output(zero, low, high, contract.argument(name).dtype.name)
