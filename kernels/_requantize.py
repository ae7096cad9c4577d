"""Requantize int32 sums as kernels with int8 output do: bias, a scale for each channel, zero point and clamp."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from neonlab import Array, Contract, DataSource
from neonlab.int8.fixed_point import Multiplier
from neonlab.int8.requantize import scheme_named

from ._fixed_point import FIXED_POINT
from ._output import draw_range, output_of

#: Schemes in kernels' names; fp32 is QNNPACK's, with a float32 scale for each channel.
SCHEMES = ("ruy", "gemmlowp", "fp32")
#: The arguments with an element for each channel, which belong to the weights.
PER_CHANNEL = ("bias", "multipliers", "shifts", "scales")
#: What is drawn from: these are few, and drawn from for every case.
_SIGNS = np.array([-1, 1])
_POWERS = np.array([(-31, 8), (-1, 4), (-29, -18)])
_EXPONENTS = np.array([1, 0.25])
_HALVES = np.array([0.0, 0.5, 0.5])
_BESIDE = np.array([-2, -1, -1, 0, 1, 1, 2])


def scheme_of(contract: Contract) -> str:
    """Return the scheme that the kernel's name gives; "" for a kernel that returns sums."""
    return next((part for part in contract.name.split("_") if part in SCHEMES), "")


def parameters(
    contract: Contract, weights: Array, data: DataSource, sums_of: Callable[[Mapping[str, Array]], Array]
) -> dict[str, Array]:
    """Draw bias, scales and output range for each channel of `weights` [channel][...].

    The arrays are filled up to the length that the contract reads.  The weights of some channels are changed in place.
    `sums_of` takes the result, because the zero points are in it, and returns the sums [..., channel] of the weights as
    they are then, without bias.
    """
    scheme = scheme_of(contract)
    if not scheme:
        return {}
    channels = len(weights)
    bias = contract.argument("bias")
    assert bias.read is not None
    filled = bias.read.evaluate(dict.fromkeys(("out_channels", "channels", "cols", "rows"), channels)) // 4
    found = {}
    found["bias"] = data.array(bias, (filled,))
    # Scales that bring sums of random products to about the size of an int8, or the ends of the range.
    size = np.log2(weights[0].size) / 2 + 12
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
        zeros = data.values(points, (2,))
        if data.pattern in ("lowest", "highest", "opposed"):
            # Zero points at the other end from the operands make the largest products.
            zeros[:] = low + high - int(weights.flat[0])
            zeros[0] = int(weights.flat[0]) if data.pattern == "opposed" else zeros[1]
        found["points"] = np.concatenate([zeros, draw_range(contract, data, "points")])
    else:
        found["range"] = draw_range(contract, data)
    kinds = data.random.random(channels)
    if data.pattern == "random":
        _thin(contract, weights, np.flatnonzero(kinds < 0.25), found, data)
        _bring_far(contract, np.flatnonzero(kinds > 0.875), found, data)
        near = np.flatnonzero((kinds >= 0.25) & (kinds < 0.5))
    else:
        near = np.flatnonzero(kinds < (1 if data.pattern == "one_hot" else 0.875))
    if near.size:
        _bring_to_steps(contract, near, sums_of(found).reshape(-1, channels), found, data)
    return found


def _one_of(some: Array, random: np.random.Generator, count: int) -> Array:
    """Return `count` of `some`, as `random.choice` draws them, which takes longer."""
    drawn: Array = some[random.integers(0, len(some), count)]
    return drawn


def _clipped(values: Array, low: float | Array, high: float | Array) -> Array:
    """Return what `np.clip` does, which takes three times as long for few values."""
    clipped: Array = np.minimum(np.maximum(values, low), high)
    return clipped


def _thin(contract: Contract, weights: Array, channels: Array, found: dict[str, Array], data: DataSource) -> None:
    """Leave `channels` one weight near 0 and no other, and a scale near 1.

    Their sums take few values.  Many of these are on ties, next to ties, or at the ends of the range.
    """
    if not len(channels):
        return
    random = data.random
    zero = int(found["points"][1]) if "points" in found else 0
    low, high = _limits_of(weights, contract)
    weights[channels] = zero
    of_channel = np.unravel_index(random.integers(weights[0].size, size=len(channels)), weights.shape[1:])
    only = zero + random.integers(1, 4, len(channels)) * _one_of(_SIGNS, random, len(channels))
    weights[channels, *of_channel] = _clipped(only, low, high)
    _set_scales(contract, found, data, channels, random.integers(-5, 2, len(channels)))
    found["bias"][channels] = random.integers(-64, 64, len(channels))


def _bring_far(contract: Contract, channels: Array, found: dict[str, Array], data: DataSource) -> None:
    """Give `channels` a bias and a scale that bring them to any size up to far beyond int32, where clipping shows."""
    random, count = data.random, len(channels)
    if not count:
        return
    # Half of them about where float32 holds no more than integers, and tricks that round by it end.
    sizes = np.where(random.random(count) < 0.5, random.integers(22, 26, count), random.integers(6, 34, count))
    scales = _clipped(random.integers(-24, 8, count), sizes - 28, sizes)
    _set_scales(contract, found, data, channels, scales)
    low, high = contract.argument("bias").value_range or (-(2**31), 2**31 - 1)
    biases = np.ldexp(random.uniform(0.75, 1.5, count) * _one_of(_SIGNS, random, count), sizes - scales)
    found["bias"][channels] = _clipped(np.rint(biases), low, high)


def _limits_of(weights: Array, contract: Contract) -> tuple[int, int]:
    name = next(argument.name for argument in contract.arguments if argument.name in ("weights", "b"))
    limits = contract.argument(name).value_range or (np.iinfo(weights.dtype).min, np.iinfo(weights.dtype).max)
    return int(limits[0]), int(limits[1])


def _set_scales(contract: Contract, found: dict[str, Array], data: DataSource, channels: Array, powers: Array) -> Array:
    """Set scales of [2^(power-1), 2^power) for `channels`, many of them powers of two; return them as stored.

    Fewer of the small scales are powers of two: with the multipliers of powers of two, which are the lowest there are,
    large sums lose a bit.
    """
    random, count = data.random, len(channels)
    exact = random.random(count) < np.where(powers > -16, 0.5, 0.2)
    if "scales" in found:
        low, high = contract.argument("scales").value_range or (0.0, 1.0)
        scales = np.ldexp(np.where(exact, 0.5, random.uniform(0.5, 1, count)), powers)
        found["scales"][channels] = _clipped(scales, low, high)
        return found["scales"][channels].astype(np.float64)
    low, high = contract.argument("shifts").value_range or (-31, 7)
    found["shifts"][channels] = _clipped(powers, low, high)
    found["multipliers"][channels] = np.where(exact, 1 << 30, random.integers(1 << 30, 1 << 31, count))
    return _real_scales(found, channels)


def _real_scales(found: dict[str, Array], channels: Array) -> Array:
    real: Array = np.ldexp(found["multipliers"][channels].astype(np.float64), found["shifts"][channels] - 31)
    return real


def _bring_to_steps(
    contract: Contract, channels: Array, sums: Array, found: dict[str, Array], data: DataSource
) -> None:
    """Give `channels` a bias and a scale that bring one of their sums to a tie or a step; `sums` has every channel's.

    The tie or step is one of the output, inside its range where the bias reaches so far; or the sum is one next to it.
    Scales go from small ones, for which only the largest sums make a step, to scales above 1, for which sums of random
    products are too large.
    """
    random, count = data.random, len(channels)
    one = sums[random.integers(len(sums), size=count), channels]
    low, high = contract.argument("bias").value_range or (-(2**31), 2**31 - 1)
    lowest_power, highest_power = _one_of(_POWERS, random, count).T
    powers = random.integers(lowest_power, highest_power)
    # Sums that the bias cannot bring near 0 need a scale that does.
    most_power = 7 - np.ceil(np.log2(np.maximum(np.abs(one) - high, 1))).astype(np.int64)
    powers = np.where(powers > most_power, random.integers(most_power - 4, most_power, endpoint=True), powers)
    real = _set_scales(contract, found, data, channels, powers)
    # Some bits are set only in products of 2^30 and more: multipliers of most such sums take little away from them.
    large = np.flatnonzero(np.abs(one) >= 1 << 28)
    large = large[random.random(large.size) < 0.75] if large.size else large
    if "multipliers" in found and large.size:
        found["multipliers"][channels[large]] = random.integers(15 << 27, 1 << 31, large.size)
        real = _real_scales(found, channels)
    zero, lowest, highest = (int(limit) for limit in found["points" if "points" in found else "range"][-3:])
    least = _clipped((one + low) * real, lowest - zero - 1, highest - zero)
    most = _clipped((one + high) * real, least, highest - zero + 1)
    # Most of them far from 0, where the largest sums are.
    at = random.random(count) ** _one_of(_EXPONENTS, random, count)
    near_end, far_end = np.where(np.abs(least) < np.abs(most), (least, most), (most, least))
    steps = np.rint(near_end + at * (far_end - near_end)) + _one_of(_HALVES, random, count)
    beside = _one_of(_BESIDE, random, count)
    # There few shapes have to do, so all of them are ties.
    if large.size:
        steps[large] = np.floor(steps[large]) + 0.5
        beside[large] = _clipped(beside[large], -1, 1)
    found["bias"][channels] = _clipped(np.rint(steps / real) + beside - one, low, high)


def requantized(contract: Contract, sums: Array, inputs: Mapping[str, Array]) -> Array:
    """Return `sums`, int64 [..., channels], as the kernel outputs them: the contract's scheme, zero point and clamp."""
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
