"""Gather the windows of a convolution by kernels that follow pointers, as rows of a product or panels of matmul."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from neonlab.int8.windows import Window, fill_taps
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Scaling, fits
from neonlab.network.run.ways.frames import Frame, frame
from neonlab.network.run.ways.products import Product, products, products_of_panels

#: Layouts that the kernels write: rows as they lie, and panels with so many channels of each row side by side.
_ROWS, _PANELS = "rows1_depth1", re.compile(r"rows\d+_depth(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """The windows of an image [n, height, width, channel] in its frame: where each tap of each one begins.

    `offsets` [row, tap] are in bytes from the first pixel.  A tap has `channels` of one pixel; or, where the pixels of
    a row of the window lie side by side, those of all of them.
    """

    frame: Frame
    shape: tuple[int, ...]
    offsets: Array = field(repr=False)
    channels: int

    @property
    def numbers(self) -> dict[str, int]:
        """Return the integers that a kernel is called with."""
        rows, taps = self.offsets.shape
        return {"rows": rows, "taps": taps, "channels": self.channels}

    def framed(self, calling: Calling, image: Array) -> Array:
        """Return the images in their frames, one after another."""
        found = [self.frame.compute(calling, one) for one in image.reshape(self.shape)]
        return found[0] if len(found) == 1 else np.stack(found)


def windows(
    shelf: Shelf, shape: tuple[int, ...], output: tuple[int, ...], weights: tuple[int, ...], window: Window, fill: int
) -> Windows | None:
    """Return the windows of a convolution by its shapes, those of groups if its weights have fewer channels.

    None where no kernel puts pixels around the image, or gathers.
    """
    count, *size, channels = shape
    _, height, width, depth = weights
    around = frame(shelf, (size[0], size[1], channels), window, (output[1], output[2]), (height, width), fill)
    if around is None:
        return None
    side_by_side = depth == channels and window.dilation[1] == 1
    firsts = [
        step * np.arange(places)[:, None] + apart * np.arange(taps)
        for step, places, apart, taps in zip(
            window.stride, output[1:3], window.dilation, (height, 1 if side_by_side else width), strict=True
        )
    ]
    pixels = firsts[0][:, None, :, None] * around.shape[1] + firsts[1][None, :, None, :]
    every = np.arange(count)[:, None, None] * (around.shape[0] * around.shape[1])
    rows = output[1] * output[2]
    offsets = (every + pixels.reshape(1, rows, -1)).reshape(count * rows, -1) * channels
    found = Windows(around, shape, offsets, depth * (width if side_by_side else 1))
    return found if any(_fitting(shelf, found)) else None


def _fitting(shelf: Shelf, found: Windows) -> Iterator[Kernel]:
    for kernel in shelf.find("pack", "s8s8", layout="pointers"):
        if fits(kernel.contract, found.numbers):
            yield kernel


#: Compute [row, channel] from images in their frames, and the number of the first channel that is read.
OfWindows = Callable[[Calling, Array, int], Array]


@dataclass(frozen=True, slots=True, eq=False)
class WindowProduct:
    """A way to compute the product of windows: the kernels that it calls, and how."""

    kernels: tuple[Kernel, ...]
    compute: OfWindows


def window_products(shelf: Shelf, found: Windows, weights: Array, scale: Scaling) -> Iterator[WindowProduct]:
    """Yield every way of the shelf to multiply windows by `weights` [channel, ...] and scale the sums."""
    rows, taps = found.offsets.shape
    for kernel in _fitting(shelf, found):
        layout = kernel.contract.argument("packed").layout
        if layout == _ROWS:
            for product in products(shelf, rows, weights.reshape(len(weights), -1), scale, packing=False):
                yield _of_gathered(kernel, found, product, (rows, -1))
        elif match := _PANELS.fullmatch(layout):
            filled = fill_taps(weights.reshape(len(weights), taps, -1), int(match[1]))
            for product in products_of_panels(shelf, layout, rows, filled, scale):
                yield _of_gathered(kernel, found, product, (-1,))


def _of_gathered(kernel: Kernel, found: Windows, product: Product, shape: tuple[int, ...]) -> WindowProduct:
    def compute(calling: Calling, framed: Array, first: int) -> Array:
        gathered = calling(kernel, {"input": found.offsets + first, "input[]": framed, **found.numbers})["packed"]
        return product.compute(calling, gathered.reshape(shape))

    return WindowProduct((kernel, *product.kernels), compute)
