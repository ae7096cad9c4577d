"""Multiply rows of inputs by weights and scale the sums: convolutions of gathered rows, fully connected layers.

Each step takes rows [row, depth] of int8, or panels of these, and gives [row, channel] of int8, or of int32 where
sums are wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Scaling, Unfit, fits, packed

#: Compute [row, channel] from [row, depth], or from panels.
Rows = Callable[[Calling, Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """A way to compute the product: the kernels that it calls, and how."""

    kernels: tuple[Kernel, ...]
    compute: Rows


def products(shelf: Shelf, rows: int, weights: Array, scale: Scaling, *, packing: bool = True) -> Iterator[Product]:
    """Yield every way of the shelf to multiply `rows` rows by `weights` [channel, depth] and scale the sums.

    Those that pack the rows are left out unless `packing`.
    """
    if not scale.word:
        return
    for kernel in shelf.find("conv", "s8s8", layout="hwc", scheme=scale.word, window=(1, 1)):
        yield from _tried(partial(_pointwise, kernel, rows, weights, scale))
    for kernel in shelf.find("matmul", "s8s8", scheme=scale.word) if packing else ():
        yield from _tried(partial(_matmul, shelf, kernel, rows, weights, scale))
    if rows == 1:
        for kernel in shelf.find("gemv", "s8s8", scheme=scale.word):
            yield from _tried(partial(_gemv, kernel, weights, scale))
    ending = Ending.of(shelf, rows, scale)
    if ending is None:
        return
    for kernel in shelf.find("conv", "s8s32", layout="hwc", window=(1, 1)):
        yield from _tried(partial(_sums_then, kernel, rows, weights, ending))
    if rows == 1:
        for kernel in shelf.find("gemv", "s8s32"):
            yield from _tried(partial(_gemv_then, kernel, weights, ending))


def products_of_panels(shelf: Shelf, layout: str, rows: int, weights: Array, scale: Scaling) -> Iterator[Product]:
    """Yield every way of the shelf to multiply rows that are packed in panels of `layout`, as `products` does."""
    for kernel in shelf.find("matmul", "s8s8", scheme=scale.word) if scale.word else ():
        if kernel.contract.argument("a").layout == layout:
            yield from _tried(partial(_of_panels, kernel, rows, weights, scale))


def _tried(make: Callable[[], Product | None]) -> Iterator[Product]:
    try:
        found = make()
    except Unfit:
        return
    if found is not None:
        yield found


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """Requantize [row, channel] of int32 by a kernel; None leaves the sums as they are."""

    kernel: Kernel | None
    parameters: dict[str, Array]
    channels: int

    @staticmethod
    def of(shelf: Shelf, rows: int, scale: Scaling) -> Ending | None:
        """Return the first such kernel of the shelf; None if it has none that takes these scales."""
        channels = len(scale.bias)
        if scale.scheme == "sums":
            return Ending(None, {}, channels)
        for kernel in shelf.find("requantize", "s32s8", scheme=scale.word):
            try:
                parameters = scale.arguments(kernel.contract)
            except Unfit:
                continue
            numbers = {"rows": rows, "cols": channels, "input_pitch": 4 * channels, "output_pitch": channels}
            if parameters and fits(kernel.contract, numbers):
                return Ending(kernel, parameters, channels)
        return None

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Return the kernel that is called, if any."""
        return () if self.kernel is None else (self.kernel,)

    def compute(self, calling: Calling, sums: Array) -> Array:
        """Return `sums`, any number of rows of channels, as int8 [row, channel], or as they are."""
        rows = sums.size // self.channels
        if self.kernel is None:
            return sums.reshape(rows, self.channels)
        arguments = {"rows": rows, "cols": self.channels, "input_pitch": 4 * self.channels}
        arguments["output_pitch"] = self.channels
        found = calling(self.kernel, {"input": sums, **arguments, **self.parameters})["output"]
        return found.reshape(rows, self.channels)


def _pointwise(kernel: Kernel, rows: int, weights: Array, scale: Scaling) -> Product | None:
    channels, depth = weights.shape
    numbers = {"pixels": rows, "in_channels": depth, "out_channels": channels}
    if not fits(kernel.contract, numbers):
        return None
    held = {"weights": packed(kernel, "weights", weights), **numbers, **scale.arguments(kernel.contract)}

    def compute(calling: Calling, inputs: Array) -> Array:
        return calling(kernel, {"input": inputs, **held})["output"].reshape(rows, channels)

    return Product((kernel,), compute)


def _matmul(shelf: Shelf, kernel: Kernel, rows: int, weights: Array, scale: Scaling) -> Product | None:
    depth, layout = weights.shape[1], kernel.contract.argument("a").layout
    packers = shelf.find("pack", "s8s8", layout="rows")
    packer = next((k for k in packers if k.contract.argument("packed").layout == layout), None)
    packing = {"rows": rows, "depth": depth, "pitch": depth}
    if packer is None or not fits(packer.contract, packing):
        return None
    product = _of_panels(kernel, rows, weights, scale)
    if product is None:
        return None

    def compute(calling: Calling, inputs: Array) -> Array:
        return product.compute(calling, calling(packer, {"source": inputs, **packing})["packed"])

    return Product((packer, kernel), compute)


def _of_panels(kernel: Kernel, rows: int, weights: Array, scale: Scaling) -> Product | None:
    channels, depth = weights.shape
    numbers = {"rows": rows, "cols": channels, "depth": depth, "c_pitch": channels}
    if not fits(kernel.contract, numbers):
        return None
    held = {"b": packed(kernel, "b", weights), **numbers, **scale.arguments(kernel.contract)}

    def compute(calling: Calling, inputs: Array) -> Array:
        return calling(kernel, {"a": inputs, **held})["c"].reshape(rows, channels)

    return Product((kernel,), compute)


def _gemv(kernel: Kernel, weights: Array, scale: Scaling) -> Product | None:
    channels, depth = weights.shape
    numbers = {"rows": channels, "depth": depth}
    if not fits(kernel.contract, numbers):
        return None
    held = {"weights": packed(kernel, "weights", weights), **numbers, **scale.arguments(kernel.contract)}

    def compute(calling: Calling, inputs: Array) -> Array:
        return calling(kernel, {"input": inputs, **held})["output"].reshape(1, channels)

    return Product((kernel,), compute)


def _sums_then(kernel: Kernel, rows: int, weights: Array, ending: Ending) -> Product | None:
    channels, depth = weights.shape
    return _then(kernel, {"pixels": rows, "in_channels": depth, "out_channels": channels}, weights, ending)


def _gemv_then(kernel: Kernel, weights: Array, ending: Ending) -> Product | None:
    channels, depth = weights.shape
    return _then(kernel, {"rows": channels, "depth": depth}, weights, ending)


def _then(kernel: Kernel, numbers: dict[str, int], weights: Array, ending: Ending) -> Product | None:
    if not fits(kernel.contract, numbers):
        return None
    held: dict[str, Array | int] = {"weights": packed(kernel, "weights", weights), **numbers}

    def compute(calling: Calling, inputs: Array) -> Array:
        return ending.compute(calling, calling(kernel, {"input": inputs, **held})["output"])

    return Product((kernel, *ending.kernels), compute)
