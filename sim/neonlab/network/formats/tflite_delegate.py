"""Say whose kernels LiteRT runs where XNNPACK, its default, leaves an operator to others because of its scales."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neonlab.int8.windows import Window
from neonlab.network.formats.draft import Refusal
from neonlab.network.graph import Tensor

#: Ratios that XNNPACK takes, from and below: of each scale to the output's for a sum, of the product of both to it.
_TAKEN = {"add": (2.0**-10, 2.0**8), "mul": (2.0**-16, 2.0**8)}


#: Slopes of a leaky relu that XNNPACK takes: their least size, the least and greatest of those below 0.
_SLOPES = (2.0**-8, -(2.0**7) + 2.0**-8, 2.0**7)


def leaky_arithmetic(asked: str, alpha: float, source: Tensor, output: Tensor) -> str:
    """Return the arithmetic of a leaky relu of quantized tensors: xnnpack, or tflite where XNNPACK leaves it."""
    if asked != "xnnpack" or source.quantization is None or output.quantization is None:
        return "tflite"
    above = np.float32(source.quantization.scale) / np.float32(output.quantization.scale)
    below, (size, least, most) = above * np.float32(alpha), _SLOPES
    return "xnnpack" if size <= above <= most and least <= below <= most and abs(below) >= size else "tflite"


def exactness(asked: str) -> dict[str, bool]:
    """Return whether a softmax is near: LiteRT's reference kernel has exponentials in fixed point, its others a table.

    Of 365,400 drawn results of the reference kernel one was not that of the table, by 1.
    """
    return {} if asked == "xnnpack" else {"near": True}


def check_transposed(asked: str, taps: Sequence[int], window: Window, *, same: bool) -> None:
    """Raise Refusal for a transposed convolution that XNNPACK leaves to an optimized kernel, which rounds otherwise.

    With SAME padding it takes none whose window is smaller than its stride.
    """
    if asked == "xnnpack" and same and (taps[0] < window.stride[0] or taps[1] < window.stride[1]):
        raise Refusal("with a window smaller than its stride, which XNNPACK leaves to others")


def arithmetic_of(asked: str, operation: str, left: Tensor, right: Tensor, output: Tensor) -> str:
    """Return the arithmetic of a sum (add) or a product (mul) of quantized tensors: xnnpack or tflite.

    Where a scale is too small for XNNPACK, LiteRT's own kernels compute what its reference kernels do.  Raises Refusal
    where one is too large for it: then they do not.
    """
    if asked != "xnnpack":
        return "tflite"
    held = [np.float32(one.quantization.scale) for one in (left, right, output) if one.quantization is not None]
    ratios = [held[0] * held[1] / held[2]] if operation == "mul" else [held[0] / held[2], held[1] / held[2]]
    least, end = _TAKEN[operation]
    if max(ratios) >= end:
        raise Refusal("scales that are too large for XNNPACK")
    return "xnnpack" if min(ratios) >= least else "tflite"
