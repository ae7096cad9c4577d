"""What becomes of int32 sums in kernels that give int8: bias, a scale for each channel, zero point and clamp."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource
from neonlab.int8.fixed_point import Multiplier
from neonlab.int8.requantize import scheme_named

from ._fixed_point import FIXED_POINT
from ._output import draw_range, output_of

#: Schemes in kernels' names; fp32 is QNNPACK's, with a float32 scale for each channel.
SCHEMES = ("ruy", "gemmlowp", "fp32")


def scheme_of(contract: Contract) -> str:
    """The scheme that the kernel's name says, empty for one that gives sums."""
    return next((part for part in contract.name.split("_") if part in SCHEMES), "")


def parameters(contract: Contract, channels: int, depth: int, data: DataSource) -> dict[str, Array]:
    """Bias, scales and output range for `channels` channels, each filled up to whole vectors as the contract reads."""
    scheme = scheme_of(contract)
    if not scheme:
        return {}
    bias = contract.argument("bias")
    assert bias.read is not None
    filled = bias.read.evaluate(dict.fromkeys(("out_channels", "channels", "cols", "rows"), channels)) // 4
    found = {}
    found["bias"] = data.array(bias, (filled,))
    # Scales that bring sums of random products to about the size of an int8, or the ends of the range.
    size = np.log2(depth) / 2 + 12
    if data.pattern == "random":
        found["bias"] = data.draw((filled,), bias.dtype, -(2 ** int(size)), 2 ** int(size))
    if scheme == "fp32":
        scales = contract.argument("scales")
        ends = (2.0 ** (5 - size), 2.0 ** (8 - size)) if data.pattern == "random" else scales.value_range or (0.0, 1.0)
        found["scales"] = data.draw((filled,), scales.dtype, *ends)
    else:
        shifts = contract.argument("shifts")
        low, high = shifts.value_range or (-31, 7)
        if data.pattern == "random":
            low, high = max(low, round(4 - size)), min(high, round(9 - size))
        found["multipliers"] = data.array(contract.argument("multipliers"), (filled,))
        found["shifts"] = data.draw((filled,), shifts.dtype, low, high)
    with_points = any(argument.name == "points" for argument in contract.arguments)
    if with_points:
        points = contract.argument("points")
        low, high = points.value_range or (0, 255)
        zeros = data.draw((2,), points.dtype, low, high)
        found["points"] = np.concatenate([zeros, draw_range(contract, data, "points")])
    else:
        found["range"] = draw_range(contract, data)
    if data.pattern == "one_hot":
        _bring_bias_to_steps(contract, found, data)
    return found


def vary_channels(contract: Contract, weights: Array, found: dict[str, Array], data: DataSource) -> None:
    """Of random data, bring some channels, `weights` [channel][...], to where products of random numbers hardly come.

    A quarter of them have one weight near 0 and no other, and a scale near 1: their sums take few values, many of which
    come to lie on ties, next to them, or at the ends of the range.  An eighth have a bias and a scale that bring them
    anywhere from there to far beyond int32, where what saturates or is held must be right.  Changes both in place.
    """
    if data.pattern != "random" or "bias" not in found:
        return
    random, count = data.random, len(weights)
    kinds = random.random(count)
    thin, far = np.flatnonzero(kinds < 0.25), np.flatnonzero(kinds > 0.875)
    zero = int(found["points"][1]) if "points" in found else 0
    low, high = _limits_of(weights, contract)
    for channel in thin:
        weight = weights[channel]
        weight[...] = zero
        only = zero + int(random.integers(1, 4)) * int(random.choice([-1, 1]))
        weight.flat[int(random.integers(weight.size))] = min(max(only, low), high)
    _set_scales(contract, found, data, thin, random.integers(-5, 2, len(thin)))
    found["bias"][thin] = random.integers(-64, 64, len(thin))
    # Half of them about where float32 holds no more than integers, and tricks that round by it end.
    sizes = np.where(random.random(len(far)) < 0.5, random.integers(22, 26, len(far)), random.integers(6, 34, len(far)))
    scales = np.clip(random.integers(-24, 8, len(far)), sizes - 28, sizes)
    _set_scales(contract, found, data, far, scales)
    bound_low, bound_high = contract.argument("bias").value_range or (-(2**31), 2**31 - 1)
    biases = np.ldexp(random.uniform(0.75, 1.5, len(far)) * random.choice([-1, 1], len(far)), sizes - scales)
    found["bias"][far] = np.clip(np.rint(biases), bound_low, bound_high)


def _limits_of(weights: Array, contract: Contract) -> tuple[int, int]:
    name = next(argument.name for argument in contract.arguments if argument.name in ("weights", "b"))
    limits = contract.argument(name).value_range or (np.iinfo(weights.dtype).min, np.iinfo(weights.dtype).max)
    return int(limits[0]), int(limits[1])


def _set_scales(contract: Contract, found: dict[str, Array], data: DataSource, channels: Array, powers: Array) -> Array:
    """Scales of [2^(power-1), 2^power) for `channels`, half of them powers of two; returns them as they are held."""
    random, count = data.random, len(channels)
    exact = random.random(count) < 0.5
    if "scales" in found:
        low, high = contract.argument("scales").value_range or (0.0, 1.0)
        scales = np.ldexp(np.where(exact, 0.5, random.uniform(0.5, 1, count)), powers)
        found["scales"][channels] = np.clip(scales, low, high)
        return found["scales"][channels].astype(np.float64)
    low, high = contract.argument("shifts").value_range or (-31, 7)
    found["shifts"][channels] = np.clip(powers, low, high)
    found["multipliers"][channels] = np.where(exact, 1 << 30, random.integers(1 << 30, 1 << 31, count))
    real: Array = np.ldexp(found["multipliers"][channels].astype(np.float64), found["shifts"][channels] - 31)
    return real


def _bring_bias_to_steps(contract: Contract, found: dict[str, Array], data: DataSource) -> None:
    """Where next to all sums are 0: a bias and a scale for each channel that alone give a step of the output, or a tie.

    Or the bias next to it.  Scales reach from small ones to those above 1, which sums of random products leave no room
    for; half of them are powers of two, since no other brings an integer to a tie.
    """
    filled, random = found["bias"].size, data.random
    lowest_power, highest_power = random.choice([(-24, 8), (-1, 4), (-24, -18)], filled).T
    powers = random.integers(lowest_power, highest_power)
    steps = random.integers(-140, 140, filled) + random.choice([0.0, 0.5], filled)
    real = _set_scales(contract, found, data, np.arange(filled), powers)
    low, high = contract.argument("bias").value_range or (-(2**31), 2**31 - 1)
    beside = random.choice([0, 0, -2, -1, 1, 2], filled)
    found["bias"] = np.clip(np.rint(steps / real) + beside, low, high).astype(found["bias"].dtype)
    lowest, highest = (int(limit) for limit in found["points" if "points" in found else "range"][-2:])
    zero = (lowest + highest) // 2 + int(random.integers(-20, 20))  # amid the steps, so that few of them are clamped
    found["points" if "points" in found else "range"][-3] = zero


def requantized(contract: Contract, sums: Array, inputs: Mapping[str, Array]) -> Array:
    """`sums` int64 [..., channels] as the kernel gives them: the contract's scheme, then zero point and clamp."""
    scheme, channels = scheme_of(contract), sums.shape[-1]
    if not scheme:
        return sums.astype(np.int32)
    name = next(argument.name for argument in contract.arguments if argument.write is not None)
    output = output_of(contract, (inputs["points"] if "points" in inputs else inputs["range"])[-3:], name)
    total = (sums + inputs["bias"][:channels]).astype(np.int32)
    if scheme == "fp32":
        return scheme_named("qnnpack-fp32").requantize(total, inputs["scales"][:channels], output)
    multiplier = Multiplier(inputs["multipliers"][:channels], inputs["shifts"][:channels])
    return output.place(FIXED_POINT[scheme](total, multiplier).astype(np.int64))
