"""Slide a kernel of height × width over an image: strides, padding, dilation, and the patches themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.arrays import Int32s, OperandError

Pair = tuple[int, int]
Number = TypeVar("Number", bound=np.number[Any])
MOST_PADDING = 1 << 10


@dataclass(frozen=True, slots=True)
class Window:
    """Vertical and horizontal stride and dilation; padding before and after, vertically and horizontally, in pixels.

    Raises OperandError for strides and dilations below 1, and for padding that is negative or beyond MOST_PADDING.
    """

    stride: Pair = (1, 1)
    padding: tuple[Pair, Pair] = ((0, 0), (0, 0))
    dilation: Pair = (1, 1)

    def __post_init__(self) -> None:
        padding = (*self.padding[0], *self.padding[1])
        if min(*self.stride, *self.dilation) < 1 or min(padding) < 0 or max(padding) > MOST_PADDING:
            said = f"strides of {_by(self.stride)}, dilations of {_by(self.dilation)} and padding of {_by(padding)}"
            raise OperandError(f"{said}: strides and dilations start at 1, padding is 0 to {MOST_PADDING}")

    @classmethod
    def same(cls, size: Pair, kernel: Pair, stride: Pair = (1, 1), dilation: Pair = (1, 1)) -> Window:
        """Return TensorFlow's SAME: ceil(size / stride) outputs, the odd pixel of padding after."""
        vertical, horizontal = (max(pad, 0) for pad in same_padding(size, kernel, stride, dilation))
        return cls(stride, tuple((pad // 2, pad - pad // 2) for pad in (vertical, horizontal)), dilation)  # type: ignore[arg-type]

    def output_size(self, size: Pair, kernel: Pair) -> Pair:
        """Return the height and width of the result.  Raises OperandError when the kernel does not fit once."""
        height, width = (
            (length + sum(pad) - (taps - 1) * apart - 1) // step + 1
            for length, taps, step, pad, apart in zip(
                size, kernel, self.stride, self.padding, self.dilation, strict=True
            )
        )
        if height < 1 or width < 1:
            raise OperandError(f"a kernel of {kernel[0]}x{kernel[1]} does not fit an image of {size[0]}x{size[1]}")
        return height, width

    def patches(self, image: NDArray[Number], kernel: Pair, fill: int) -> NDArray[Number]:
        """Return a view [n, oh, ow, kh, kw, c] of `image` [n, h, w, c], or of a padded copy; `fill` is the zero point.

        Nothing can be written to it.
        """
        if image.ndim != 4:
            raise OperandError(f"an image has the shape [n, height, width, channels], not {image.shape}")
        self.output_size(image.shape[1:3], kernel)  # raises where the kernel does not fit
        padded = image
        if self.padding != ((0, 0), (0, 0)):
            padded = np.pad(image, ((0, 0), *self.padding, (0, 0)), constant_values=fill)
        (sy, sx), (dy, dx) = self.stride, self.dilation
        extent = ((kernel[0] - 1) * dy + 1, (kernel[1] - 1) * dx + 1)
        windows = np.lib.stride_tricks.sliding_window_view(padded, extent, (1, 2))
        return windows[:, ::sy, ::sx, :, ::dy, ::dx].transpose(0, 1, 2, 4, 5, 3)

    def pixels(self, size: Pair, kernel: Pair) -> Int32s:
        """Return how many pixels of an image, without padding, each position of a kernel covers: int32 [oh, ow]."""
        ones = np.ones((1, *size, 1), np.int32)
        found: Int32s = self.patches(ones, kernel, 0).sum(axis=(3, 4), dtype=np.int32)[0, :, :, 0]
        return found


def _by(numbers: tuple[int, ...]) -> str:
    return "x".join(map(str, numbers))


def same_padding(size: Pair, kernel: Pair, stride: Pair, dilation: Pair) -> Pair:
    """Return the rows and columns of padding for ceil(size / stride) outputs, below 0 where they leave some out."""
    rows, columns = (
        (-(-length // step) - 1) * step + (taps - 1) * apart + 1 - length
        for length, taps, step, apart in zip(size, kernel, stride, dilation, strict=True)
    )
    return rows, columns


def fill_taps(taps: NDArray[Number], group: int) -> NDArray[Number]:
    """Return `taps` [vector, tap, channel] as vectors, each tap filled up with zeros to whole groups of channels."""
    vectors, count, channels = taps.shape
    filled = np.zeros((vectors, count, -(-channels // group) * group), taps.dtype)
    filled[:, :, :channels] = taps
    return filled.reshape(vectors, -1)
