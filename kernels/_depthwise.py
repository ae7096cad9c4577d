"""Depthwise convolution of HWC images: output[y, x, c] = sum over i, j of weights[i, j, c] * input[s*y+i, s*x+j, c]."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, InputError, Operator, Shape
from neonlab.int8.convolution import depthwise_conv2d
from neonlab.int8.windows import Window

from ._again import kept_for_the_same
from ._requantize import PER_CHANNEL, parameters, requantized

_DIMENSIONS = ("height", "width", "channels")
_LAYOUT = re.compile(r"c(\d+)_pairs(\d+)")
Tap = tuple[int, int]


def _taps_in_order(window: int, pairs: int) -> Iterator[tuple[Tap, ...]]:
    """Yield the taps in the order of packed weights: `pairs` pairs, whose taps alternate, then single taps.

    Pairs are rows 0 and 1 of each column, then rows 2 and 3, and so on; then neighbours in the last row.
    """
    found: list[tuple[Tap, ...]] = [
        ((row, column), (row + 1, column)) for row in range(0, window - 1, 2) for column in range(window)
    ]
    last, column = window - 1, 0
    while len(found) < pairs:
        found.append(((last, column), (last, column + 1)))
        column += 2
    yield from found
    for single in range(column, window):
        yield ((last, single),)


def _layout(layout: str) -> tuple[int, int]:
    match = _LAYOUT.fullmatch(layout)
    if match is None:
        raise InputError(f"layout `{layout}` is not of the form c16_pairs4")
    return int(match[1]), int(match[2])


def pack_taps(weights: Array, layout: str) -> Array:
    """Pack `weights` [i][j][channel] in blocks of channels, filled up with zeros.

    The order is [block][pair or tap][channel][of pair].
    """
    width, pairs = _layout(layout)
    window, _, channels = weights.shape
    filled = np.zeros((window, window, -(-channels // width) * width), weights.dtype)
    filled[..., :channels] = weights
    blocks = filled.reshape(window, window, -1, width)
    groups = [
        np.stack([blocks[i, j] for i, j in taps], axis=-1).reshape(blocks.shape[2], -1)
        for taps in _taps_in_order(window, pairs)
    ]
    return np.concatenate(groups, axis=1).reshape(-1)


def unpack_taps(packed: Array, layout: str, window: int, channels: int) -> Array:
    """Return the weights that `pack_taps` packed."""
    width, pairs = _layout(layout)
    blocks = packed.reshape(-(-channels // width), window * window * width)
    weights = np.empty((window, window, blocks.shape[0], width), packed.dtype)
    at = 0
    for taps in _taps_in_order(window, pairs):
        group = blocks[:, at : at + width * len(taps)].reshape(-1, width, len(taps))
        for number, (i, j) in enumerate(taps):
            weights[i, j] = group[..., number]
        at += width * len(taps)
    return weights.reshape(window, window, -1)[..., :channels]


class Depthwise(Operator):
    """A depthwise convolution with a square window.

    Height and width are the output's; the input comes with its padding.  Layouts: input and output "hwc"; weights
    "c16_pairs4" and the like, see `_taps_in_order`.
    """

    dimensions = _DIMENSIONS
    weights = ("weights", *PER_CHANNEL)

    def __init__(self, window: int, stride: int, layers: Mapping[str, tuple[int, int]]) -> None:
        self.window, self.stride = window, stride
        self.name = f"dwconv{window}x{window}" + (f"s{stride}" if stride > 1 else "")
        self.layers = {label: Shape(_DIMENSIONS, (size, size, channels)) for label, (size, channels) in layers.items()}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith(f"{self.name}_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        height, width, channels = shape.sizes
        size = tuple((length - 1) * self.stride + self.window for length in (height, width))
        weights = data.array(contract.argument("weights"), (self.window, self.window, channels))
        pixels = data.array(contract.argument("input"), (*size, channels))
        by_channel = np.moveaxis(weights, -1, 0)
        found = parameters(contract, by_channel, data, lambda _: _sums(pixels, weights, self.stride))
        return {"input": pixels, "weights": pack_taps(weights, contract.argument("weights").layout), **found}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        channels = shape["channels"]
        layout = contract.argument("weights").layout
        weights = unpack_taps(inputs["weights"], layout, self.window, channels)
        sums = _sums(inputs["input"], weights, self.stride)
        return {"output": Expected(requantized(contract, sums, inputs), ("y", "x", "channel"))}

    def packed(self, contract: Contract, name: str, values: Array) -> Array:
        return pack_taps(values, contract.argument(name).layout) if name == "weights" else values.reshape(-1)


@kept_for_the_same
def _sums(pixels: Array, weights: Array, stride: int) -> Array:
    window = Window((stride, stride))
    sums: Array = depthwise_conv2d(pixels[np.newaxis], weights, window=window)[0].astype(np.int64)
    return sums
