"""What becomes of int32 sums in kernels that give int8: bias, a scale for each channel, zero point and clamp."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from neonlab import Array, Contract, DataSource

_INT32 = np.iinfo(np.int32)


def ruy(sums: Array, multipliers: Array, shifts: Array) -> Array:
    """(x * m + 2^(30 - s)) >> (31 - s), held within int32: ruy's apply_multiplier.cc, TFLite's single rounding."""
    left = np.int64(31) - shifts
    rounded: Array = (sums * multipliers + (np.int64(1) << (left - 1))) >> left
    held: Array = np.clip(rounded, _INT32.min, _INT32.max)
    return held


def gemmlowp(sums: Array, multipliers: Array, shifts: Array) -> Array:
    """TFLite's MultiplyByQuantizedMultiplier with gemmlowp's fixedpoint.h; shifts to the left saturate."""
    lifted = np.clip(sums << np.maximum(shifts, 0), _INT32.min, _INT32.max)
    high = (lifted * multipliers + (1 << 30)) >> 31
    right = np.maximum(-shifts, 0)
    mask = (np.int64(1) << right) - 1
    quotient: Array = (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))
    return quotient


def fp32(sums: Array, scales: Array) -> Array:
    """float32 product, rounded to the nearest integer, ties to even: QNNPACK's requantization/fp32-scalar.c."""
    product = sums.astype(np.float32) * scales.astype(np.float32)
    return np.rint(np.clip(product, -(2.0**30), 2.0**30)).astype(np.int64)


SCHEMES: Mapping[str, Callable[..., Array]] = {"ruy": ruy, "gemmlowp": gemmlowp, "fp32": fp32}


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
    held = contract.argument("points" if with_points else "range")
    low, high = (int(bound) for bound in held.value_range or (-128, 127))
    zeros = data.draw((3 if with_points else 1,), held.dtype, low, high)
    limits = np.sort(data.random.integers(low, high, 2, endpoint=True))
    if data.pattern != "random" or data.random.integers(2):
        limits = np.array([low, high])
    found[held.name] = np.concatenate([zeros, limits]).astype(held.dtype)
    return found


def requantized(contract: Contract, sums: Array, inputs: Mapping[str, Array]) -> Array:
    """`sums` int64 [..., channels] as the kernel gives them: the contract's scheme, then zero point and clamp."""
    scheme, channels = scheme_of(contract), sums.shape[-1]
    if not scheme:
        return sums.astype(np.int32)
    names = ("scales",) if scheme == "fp32" else ("multipliers", "shifts")
    scales = [inputs[name][:channels] for name in names]
    if scheme != "fp32":
        scales = [array.astype(np.int64) for array in scales]
    zero, low, high = (int(value) for value in (inputs["points"] if "points" in inputs else inputs["range"])[-3:])
    scaled = SCHEMES[scheme](sums + inputs["bias"][:channels], *scales)
    output = next(argument for argument in contract.arguments if argument.write is not None)
    clamped: Array = np.clip(scaled + zero, low, high).astype(output.dtype)
    return clamped
