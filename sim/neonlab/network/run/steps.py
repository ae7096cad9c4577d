"""Say what a step of a network is: calls of kernels that compute one node, and what they are called with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from neonlab.contract.model import Contract
from neonlab.errors import InputError
from neonlab.int8.arrays import Floats, Output, wide
from neonlab.int8.fixed_point import quantize_multiplier
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array
from neonlab.network.run.shelf import WORD_OF_SCHEME


class Calling(Protocol):
    """Call a kernel with arrays and integers by argument name, and return what it wrote, as `Caller` does."""

    def __call__(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> dict[str, Array]:
        """Return the flat arrays that the kernel wrote, by argument name."""
        ...


class Unfit(Exception):
    """Raised where a kernel cannot compute a node: a size, a weight or a scale is outside of its contract."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """How sums become outputs: bias (int32, a zero point of the input in it), a scale for each channel, and the output.

    `scheme` is one of `neonlab.int8.requantize`, or sums, which stay as they are.
    """

    bias: Array
    scales: Floats
    scheme: str
    output: Output

    @staticmethod
    def none(channels: int) -> Scaling:
        """Return that of sums that stay int32."""
        return Scaling(np.zeros(channels, np.int32), np.ones(channels), "sums", Output())

    @property
    def word(self) -> str:
        """Return the word of the scheme in kernels' names; "" if no kernel has it."""
        return WORD_OF_SCHEME.get(self.scheme, "")

    def part(self, first: int, end: int) -> Scaling:
        """Return that of channels `first` to `end`, the end excluded."""
        return Scaling(self.bias[first:end], self.scales[first:end], self.scheme, self.output)

    def arguments(self, contract: Contract) -> dict[str, Array]:
        """Return what a kernel takes besides its operands.  Raises Unfit for values outside of its contract."""
        found: dict[str, Array] = {"bias": self.bias}
        if "scales" in contract.by_name:
            found["scales"] = self.scales.astype(np.float32)
        elif "multipliers" in contract.by_name:
            multiplier = quantize_multiplier(self.scales)
            found["multipliers"], found["shifts"] = multiplier.mantissa, multiplier.exponent
        else:
            return {}
        found["range"] = np.array([self.output.zero_point, self.output.minimum, self.output.maximum], np.int16)
        for name, values in found.items():
            hold(contract, name, values)
        return found


def scaling(weights: Array, bias: Array | None, point: int, scales: Floats, scheme: str, output: Output) -> Scaling:
    """Return how the sums of `weights` [channel, ...] and raw inputs with the zero point `point` become outputs.

    Raises Unfit where a bias with the zero point in it leaves int32.
    """
    channels = len(weights)
    sums = wide(weights.reshape(channels, -1)).sum(axis=1)
    total = (0 if bias is None else wide(bias)) - point * sums
    if np.abs(total).max(initial=0) >= 1 << 31:
        raise Unfit("the bias leaves int32")
    return Scaling(total.astype(np.int32), np.broadcast_to(scales, (channels,)), scheme, output)


def hold(contract: Contract, name: str, values: Array) -> None:
    """Raise Unfit unless `values` are within the range that the contract declares for the argument `name`."""
    limits = contract.argument(name).value_range
    if limits is not None and values.size and not (limits[0] <= values.min() and values.max() <= limits[1]):
        raise Unfit(f"{name} outside of {limits[0]:g} to {limits[1]:g}")


def fits(contract: Contract, numbers: Mapping[str, int]) -> bool:
    """Tell whether the contract allows these integers."""
    try:
        contract.check_values(numbers)
    except InputError:
        return False
    return True


def packed(kernel: Kernel, name: str, values: Array) -> Array:
    """Return operand `name` as the kernel takes it.  Raises Unfit for values that its contract does not allow."""
    hold(kernel.contract, name, values)
    assert kernel.operator is not None
    return np.ascontiguousarray(kernel.operator.packed(kernel.contract, name, values))


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Compute one node by calls of kernels.

    `kernels` are those that it calls.  `compute` returns the output, in any shape that has its elements in their order.
    `moved` is the number of bytes that the host copies between them, as where it gathers the rows of a convolution.
    """

    kernels: tuple[Kernel, ...]
    compute: Callable[[Calling, Sequence[Array]], Array]
    moved: int = 0
