"""Quantization of a run of float32 to int8: real * (1 / scale), rounded, + zero point, clamped."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8 import affine
from neonlab.int8.rounding import dithered

from ._output import draw_range, output_of

_DIMENSIONS = ("count",)
#: The rounding of midpoints, by the word in a kernel's name; `stochastic` adds a dither and rounds down.
ROUNDINGS: Mapping[str, str] = {"ncnn": "away", "fp32": "even"}


class Quantize(Operator):
    """A quantization with one scale, given as its reciprocal, for all elements."""

    name = "quantize"
    dimensions = _DIMENSIONS
    # The image that MobileNet v1 takes, and its first activations (Howard et al. 2017, table 1).
    layers: Mapping[str, Shape] = {
        f"{size}x{size}x{channels}": Shape(_DIMENSIONS, (size * size * channels,))
        for size, channels in ((224, 3), (112, 32), (14, 512))
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("quantize_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"count": shape["count"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        inverse = data.array(contract.argument("inverse"), (1,))
        reals = data.array(contract.argument("input"), shape.sizes)
        if data.pattern == "random":  # a few steps beyond int8, many of them on a tie
            inverse = np.ldexp(np.float32(data.random.choice([0.5, 0.7, 0.93])), data.random.integers(-20, 20, 1))
            inverse = inverse.astype(np.float32)
            steps = data.random.uniform(-300, 300, shape.sizes) / data.random.choice([1, 1, 2, 64])
            ties = np.floor(steps) + data.random.choice([0.5, 0.49999997, 0.50000006], shape.sizes)
            steps = np.where(data.random.random(shape.sizes) < 0.5, steps, ties)
            reals = (steps / inverse).astype(np.float32)
        found = {"input": reals, "inverse": inverse, "range": draw_range(contract, data)}
        if _is_stochastic(contract):
            found["dither"] = _draw_dither(contract, reals * inverse, data)
        return found

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        with np.errstate(over="ignore"):
            steps = inputs["input"] * inputs["inverse"]
        if _is_stochastic(contract):
            steps, rounding = dithered(steps, inputs["dither"]), "even"
        else:
            rounding = ROUNDINGS[contract.name.rpartition("_")[2]]
        steps = np.clip(steps, np.float32(-1e9), np.float32(1e9))  # huge numbers are clamped in either case
        found = affine.quantize(steps, 1.0, output_of(contract, inputs["range"]), rounding)
        return {"output": Expected(found, ("element",))}


def _is_stochastic(contract: Contract) -> bool:
    return contract.name.endswith("_stochastic")


def _draw_dither(contract: Contract, steps: Array, data: DataSource) -> Array:
    """Draw a dither for each step: of random ones, half lift their step to the next integer, or just miss it."""
    argument = contract.argument("dither")
    drawn = data.array(argument, steps.shape)
    if data.pattern != "random":
        return drawn
    missing = np.ceil(steps) - steps + data.random.choice([0, 0, -1e-7, 1e-7], steps.shape)
    assert argument.value_range is not None
    lifting = np.clip(missing, *argument.value_range).astype(np.float32)
    return np.where(data.random.random(steps.shape) < 0.5, lifting, drawn)


OPERATOR = Quantize()
