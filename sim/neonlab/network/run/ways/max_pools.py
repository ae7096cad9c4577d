"""Compute max pools of any window: pixels are copied for kernels that take the greatest of 2x2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from neonlab.int8.windows import Window
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Node, Tensor
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, fits

#: Taps of a window along one side, at most: as many pixels are copied for each of the output, squared.
_MOST_TAPS = 16


def max_pools(shelf: Shelf, image: Tensor, output: Tensor, node: Node) -> Iterator[Step]:
    """Yield the copy of all pixels of each window, and its halvings: the greatest of 2x2 pixels, again and again.

    Both tensors are images, [n, height, width, channels].

    The kernel of resizes copies.  A tap that lies outside of the image, or beyond the window where its taps are no
    power of 2, is another one of the same window: the greatest stays the same.  Sizes, strides, dilations, padding and
    the number of images are in the tables of the copy alone.
    """
    taps, window = node.attributes["kernel"], node.attributes["window"]
    if max(taps) > _MOST_TAPS:
        return
    count, *size, channels = image.shape
    halvings = math.ceil(math.log2(max(taps)))
    rows, columns = (
        _copied(window, axis, taps[axis], size[axis], output.shape[1 + axis], 1 << halvings) for axis in (0, 1)
    )
    if rows is None or columns is None:
        return
    lines = (np.arange(count)[:, np.newaxis] * size[0] + rows).reshape(-1)
    places = {"rows": lines * (size[1] * channels), "columns": columns * channels}
    tables: dict[str, Array | int] = {name: one.astype(np.int32) for name, one in places.items()}
    numbers = {
        "height": len(lines),
        "width": len(columns),
        "channels": channels,
        "input_pixels": count * math.prod(size),
    }
    for copy in shelf.find("resize", "s8s8", layout="hwc"):
        if not fits(copy.contract, numbers):
            continue
        for kernels in _halving(shelf, len(lines), len(columns), channels, halvings):
            yield _step(copy, {**tables, **numbers}, kernels)


def _copied(window: Window, axis: int, taps: int, size: int, places: int, each: int) -> Array | None:
    """Return the pixels along an axis that are copied, `each` of them for a position of the window.

    None where a position has no pixel of the image.
    """
    begins = window.stride[axis] * np.arange(places)[:, np.newaxis] - window.padding[axis][0]
    apart = window.dilation[axis]
    first = np.maximum(-(begins // apart), 0)  # the first tap that lies on the image, and the last one
    last = np.minimum((size - 1 - begins) // apart, taps - 1)
    if (first > last).any():
        return None
    return np.asarray((begins + np.clip(np.arange(each), first, last) * apart).reshape(-1))


_Halving = tuple[Kernel, dict[str, int]]


def _halving(shelf: Shelf, height: int, width: int, channels: int, halvings: int) -> Iterator[tuple[_Halving, ...]]:
    """Yield the calls that halve height and width so often, of each kernel that can."""
    if not halvings:
        yield ()
        return
    for kernel in shelf.find("maxpool", "s8s8", layout="hwc", window=(2, 2), stride=2):
        found = []
        for number in range(1, halvings + 1):
            numbers = {"height": height >> number, "width": width >> number, "channels": channels}
            pitch = numbers["width"] * channels
            found.append((kernel, {**numbers, "input_pitch": 2 * pitch, "output_pitch": pitch}))
        if all(fits(kernel.contract, numbers) for _, numbers in found):
            yield tuple(found)


def _step(copy: Kernel, arguments: dict[str, Array | int], halvings: Sequence[_Halving]) -> Step:
    def compute(calling: Calling, inputs: Sequence[Array]) -> Array:
        found = calling(copy, {"input": np.ascontiguousarray(inputs[0]), **arguments})["output"]
        for kernel, numbers in halvings:
            shape = 2 * numbers["height"], 2 * numbers["width"], numbers["channels"]
            found = calling(kernel, {"input": found.reshape(shape), **numbers})["output"]
        return found

    return Step((copy, *dict.fromkeys(kernel for kernel, _ in halvings)), compute)
