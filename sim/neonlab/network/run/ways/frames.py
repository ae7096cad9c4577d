"""Put pixels around an image by the padding kernel, as kernels of a window want their input."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from neonlab.int8.windows import Pair, Window
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, fits


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """An image [height, width, channels] with what is to stand around it, all of it `value`; or with rows cut off.

    `kernel` is None where nothing stands around it.  `shape` is that of the result.
    """

    kernel: Kernel | None
    numbers: dict[str, int]
    rows: int
    shape: tuple[int, int, int]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Return the kernel that is called, if any."""
        return () if self.kernel is None else (self.kernel,)

    def filled(self, value: int) -> Frame:
        """Return the frame with another value around the image."""
        return self if self.kernel is None else replace(self, numbers={**self.numbers, "value": value})

    def compute(self, calling: Calling, image: Array) -> Array:
        """Return the image in its frame, [height, width, channels]."""
        image = image[: self.rows]
        if self.kernel is None:
            return image
        return calling(self.kernel, {"input": image, **self.numbers})["output"].reshape(self.shape)


def frame(
    shelf: Shelf, shape: tuple[int, int, int], window: Window, output: Pair, taps: Pair, value: int
) -> Frame | None:
    """Return the frame of an image for a kernel with a window of `taps` and the strides of `window`.

    The window may be larger than that of the node, to the bottom and to the right.  None where no kernel makes it.
    """
    height, width, channels = shape
    (top, _), (left, _) = window.padding
    bottom, right = (
        (size - 1) * step + (reach - 1) * apart + 1 - before - length
        for size, step, reach, apart, before, length in zip(
            output, window.stride, taps, window.dilation, (top, left), (height, width), strict=True
        )
    )
    rows = height + min(0, bottom)
    bottom, right = max(0, bottom), max(0, right)
    framed = (top + rows + bottom, left + width + right, channels)
    if not (top or bottom or left or right):
        return Frame(None, {}, rows, framed)
    numbers = {
        "height": rows, "row": width * channels, "input_pitch": width * channels, "top": top, "bottom": bottom,
        "left": left * channels, "right": right * channels, "value": value,
    }  # fmt: skip
    for kernel in shelf.find("pad", "s8s8"):
        if rows > 0 and fits(kernel.contract, numbers):
            return Frame(kernel, numbers, rows, framed)
    return None


def gathered(image: Array, kernel: Pair, window: Window, fill: int) -> Array:
    """Return the rows of a convolution's product: [n · oh · ow, kh · kw · c], a copy unless one row is the image."""
    patches = window.patches(image, kernel, fill)
    count = int(np.prod(patches.shape[:3]))
    return np.ascontiguousarray(patches).reshape(count, -1)
