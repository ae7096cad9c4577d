"""Pointwise convolution by shifts: output[p, o] = sum over i of weights[o, i] * input[p, i] + bias[o], int32, HWC.

Weights are 0 or +-2^s, s from 0 to 7, as INQ and Ristretto leave them.  A kernel takes each as a uint16.  To each
product it adds a number that depends on the weight alone, so that the sum of these is taken off the bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Role, Shape

from ._product import exact_product

_DIMENSIONS = ("height", "width", "in_channels", "out_channels")
#: The word of a weight of 0, and what is added to those of weights below 0.
_ZERO, _MINUS = 16, 1 << 15
#: Blocks of a packed operand: output channels, input channels.
_BLOCK = (4, 16)
_MOST_BIAS = 1 << 29
#: Those of the 65,536 words that are weights.
_WORDS = (*range(8), _ZERO, *range(_MINUS, _MINUS + 8))


def words_of(weights: Array) -> Array:
    """Return what a kernel takes for each weight, uint16 of any shape; weights are integers, 0 or +-2^0 to +-2^7."""
    magnitudes = np.abs(weights.astype(np.int64))
    exponents = np.frexp(np.maximum(magnitudes, 1).astype(np.float64))[1] - 1
    return np.where(magnitudes == 0, _ZERO, exponents + _MINUS * (weights < 0)).astype(np.uint16)


def weights_of(words: Array) -> Array:
    """Return the weights of such words, int64."""
    powers = np.left_shift(np.int64(1), np.minimum(words & 15, 7).astype(np.int64))
    return np.where(words == _ZERO, 0, np.where(words & _MINUS, -powers, powers))


def added_to_sums(words: Array) -> Array:
    """Return what a kernel adds to the sum of each output channel, int64 [out]; `words` are [out, in], filled up."""
    powers = weights_of(words)
    exponents = (words & 15).astype(np.int64)
    added = np.where(powers > 0, 129 * powers - exponents, _MINUS + exponents + 129 * powers)
    sums: Array = np.where(powers == 0, _ZERO, added).sum(axis=1)
    return sums


def filled(words: Array) -> Array:
    """Return words [out, in] filled up with those of 0 to whole blocks."""
    more = [(0, -size % block) for size, block in zip(words.shape, _BLOCK, strict=True)]
    return np.pad(words, more, constant_values=_ZERO)


def packed(words: Array) -> Array:
    """Return words [out, in], of whole blocks, in the order that kernels take: flat."""
    outs, ins = words.shape
    blocks = words.reshape(outs // _BLOCK[0], _BLOCK[0], ins // _BLOCK[1], _BLOCK[1])
    return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3)).reshape(-1)


def _unpacked(flat: Array, outs: int, ins: int) -> Array:
    """Return such words as [out, in] of whole blocks again."""
    rows, columns = (-(-size // block) for size, block in zip((outs, ins), _BLOCK, strict=True))
    return flat.reshape(rows, columns, *_BLOCK).transpose(0, 2, 1, 3).reshape(rows * _BLOCK[0], -1)


class Conv1x1Powers(Operator):
    """A pointwise convolution of stride 1, without padding, whose weights are 0 or powers of two."""

    name = "conv1x1_powers"
    dimensions = _DIMENSIONS
    weights = ("weights", "starts")
    coded: Mapping[str, Sequence[int]] = {"weights": _WORDS}
    roles: Mapping[str, Role] = {"height": Role.FACTOR}  # kernels take the number of pixels
    # The shortcuts of ResNet-18 (He et al. 2015), on the pixels that their stride keeps.
    layers: Mapping[str, Shape] = {
        f"resnet_18 {size}x{size} {ins}->{outs}": Shape(_DIMENSIONS, (size, size, ins, outs))
        for size, ins, outs in ((28, 64, 128), (14, 128, 256), (7, 256, 512))
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("conv1x1_s8u16s32_") and contract.name.endswith("_powers")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {
            "pixels": shape["height"] * shape["width"],
            "in_channels": shape["in_channels"],
            "out_channels": shape["out_channels"],
        }

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        height, width, ins, outs = shape.sizes
        steps = data.draw((outs, ins), np.dtype(np.int8), -8, 8).astype(np.int64)
        words = filled(words_of(np.sign(steps) << np.maximum(np.abs(steps) - 1, 0)))
        bias = data.draw((len(words),), np.dtype(np.int32), -_MOST_BIAS, _MOST_BIAS)
        return {
            "input": data.array(contract.argument("input"), (height, width, ins)),
            "weights": packed(words),
            "starts": (bias - added_to_sums(words)).astype(np.int32),
        }

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        height, width, ins, outs = shape.sizes
        words = _unpacked(inputs["weights"], outs, ins)
        bias = (inputs["starts"] + added_to_sums(words))[:outs]
        sums = exact_product(inputs["input"].reshape(-1, ins), weights_of(words)[:outs, :ins]) + bias
        return {"output": Expected(sums.astype(np.int32).reshape(height, width, outs), ("y", "x", "channel"))}


OPERATOR = Conv1x1Powers()
