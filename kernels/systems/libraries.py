"""Steps between layers as libraries compute them: TensorFlow's and nnlib's add, ncnn's and QNNPACK's layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from neonlab import Array, Calls, Outcome, System
from neonlab.int8.affine import dequantize, quantize_symmetric, symmetric_scale
from neonlab.int8.arrays import Output
from neonlab.int8.convolution import conv2d
from neonlab.int8.matmul import accumulate_subtracting_first
from neonlab.int8.ranged_addition import (
    Ranged,
    add_8p8_to_8_nnlib,
    add_8p8_to_32_tensorflow_linear,
    guessed_addition,
    linear_addition,
    no_narrower,
)
from neonlab.int8.requantize import effective_scale, ncnn_requantize, scheme_named
from neonlab.int8.windows import Window

from .._packing import pack_panels

Way = Callable[[Calls, np.random.Generator], tuple[Array, Array]]


class Library(System):
    """One computation of a library, on data drawn with a seed."""

    def __init__(self, system: str, title: str, way: Way) -> None:
        self.system, self.title, self._way = system, title, way

    def run(self, calls: Calls) -> Outcome:
        return Outcome(*self._way(calls, np.random.default_rng(21)))


def _ranged_pair(random: np.random.Generator) -> tuple[Ranged, Ranged]:
    left, right = random.integers(0, 255, (2, 700), dtype=np.uint8, endpoint=True)
    return Ranged(left, -3.5, 6.0), Ranged(right, -1.25, 2.0)


def _tensorflow_add(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run TensorFlow's add of 8 + 8 to 32 bits, in a range 2^17 times the largest end."""
    left, right = _ranged_pair(random)
    way = linear_addition(left, right)
    got = calls(
        "add_u8s32_flat_@", a=left.values, b=right.values, count=left.values.size,
        starts=np.array([way.left_start, way.right_start], np.int32),
        steps=np.array([way.left_step, way.right_step], np.int16),
    )["output"]  # fmt: skip
    return got, np.asarray(add_8p8_to_32_tensorflow_linear(left, right).values)


def _nnlib_add(guess: tuple[float, float], passes: int) -> Way:
    """Return a run of nnlib's add of 8 + 8 to 8 bits, which must take `passes` passes.

    The first pass uses the guessed range; a second one uses a range widened by the extremes that the first found.
    """

    def way(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
        left, right = _ranged_pair(random)

        def one_pass(low: float, high: float) -> dict[str, Array]:
            numbers = guessed_addition(left, right, low, high)
            held = np.array([numbers.alpha, numbers.kappa, numbers.recip, numbers.offset], np.int16)
            count = left.values.size
            return calls("add_u8u8_flat_@_nnlib", a=left.values, b=right.values, count=count, way=held)

        low, high = no_narrower(*guess, left)
        found, taken = one_pass(low, high), 1
        step = np.float32(right.maximum - right.minimum)
        least, most = (float(np.float32(end) * step / np.float32(255)) for end in found["extremes"])
        if least < low or high < most:
            found, taken = one_pass(*no_narrower(min(low, least), max(high, most), left)), 2
        expected = add_8p8_to_8_nnlib(left, right, *guess)
        if (taken, expected.passes) != (passes, passes):
            return np.full(1, taken), np.full(1, expected.passes) + 256
        return found["output"], np.asarray(expected.values)

    return way


def _ncnn_layer(size: tuple[int, int]) -> Way:
    """Return a run of ncnn's steps around its int8 convolution: floats to int8, the product, sums to floats."""

    def way(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
        ins, outs, pixels = 24, 12, size[0] * size[1]
        image = random.normal(0, 1, (ins, pixels)).astype(np.float32)
        weights = random.normal(0, 0.1, (outs, ins)).astype(np.float32)
        # The kernels take weights of 6 bits, as ncnn's own 8x4 kernel is exact for.
        of_image, of_weights = symmetric_scale(image), symmetric_scale(weights, 0, 31)
        w = quantize_symmetric(weights, of_weights[:, np.newaxis])
        inverse = np.array([1 / np.float32(of_image)], np.float32)
        q = calls(
            "quantize_f32s8_flat_@_ncnn", input=image, count=image.size, inverse=inverse,
            range=np.array([0, -127, 127], np.int16),
        )["output"]  # fmt: skip
        name = "conv1x1_s8s32_chw_@" + ("_left4" if pixels % 8 == 4 else "")
        sums = calls(name, input=q, weights=w, pixels=pixels, in_channels=ins, out_channels=outs)["output"]
        scales, bias = (of_image * of_weights).astype(np.float32), random.normal(0, 1, outs).astype(np.float32)
        got = calls(
            "dequantize_s32f32_chw_@", input=sums, rows=outs, cols=pixels, input_pitch=4 * pixels,
            output_pitch=4 * pixels, scales=scales, bias=bias,
        )["output"]  # fmt: skip
        image8 = quantize_symmetric(image, of_image).T.reshape(1, *size, ins)
        expected = conv2d(image8, w[:, np.newaxis, np.newaxis, :])[0].reshape(pixels, outs).T
        return got.reshape(outs, pixels), dequantize(expected, scales[:, np.newaxis], bias=bias[:, np.newaxis])

    return way


def _ncnn_requantized(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run two int8 layers in succession: sums in HWC to the next layer's int8, by two scales in floats."""
    image = random.integers(-127, 127, (30, 24), dtype=np.int8, endpoint=True)
    weights = random.integers(-127, 127, (12, 24), dtype=np.int8, endpoint=True)
    sums = calls("conv1x1_s8s32_hwc_@", input=image, weights=weights, pixels=30, in_channels=24, out_channels=12)[
        "output"
    ]
    first = random.uniform(1e-4, 3e-4, 12).astype(np.float32)
    second, bias = np.full(12, 17.5, np.float32), random.normal(0, 1, 12).astype(np.float32)
    got = calls(
        "requantize_s32s8_rows_@_ncnn", input=sums, rows=30, cols=12, input_pitch=48, output_pitch=12, scales_in=first,
        bias=bias, scales_out=second, range=np.array([0, -127, 127], np.int16),
    )["output"]  # fmt: skip
    total = accumulate_subtracting_first(image, weights.T)
    return got.reshape(30, 12), ncnn_requantize(total, first, second, bias, Output(0, -127, 127))


def _qnnpack_layer(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run a fully connected layer of uint8 with zero points, scaled in float32."""
    a = random.integers(0, 255, (20, 40), dtype=np.uint8, endpoint=True)
    b = random.integers(0, 255, (40, 16), dtype=np.uint8, endpoint=True)
    bias = random.integers(-9000, 9000, 16, dtype=np.int32)
    scale = effective_scale(0.02, 0.013, 0.11, "float32")
    name = "matmul_u8u8_packed_@_bylane_zp_fp32"
    contract = calls.kernel(name).contract
    got = calls(
        name, a=pack_panels(a, contract.argument("a").layout), b=pack_panels(b.T, contract.argument("b").layout),
        rows=20, cols=16, depth=40, c_pitch=16, bias=bias, scales=np.full(16, scale, np.float32),
        points=np.array([121, 133, 99, 0, 255], np.int16),
    )["c"]  # fmt: skip
    sums = accumulate_subtracting_first(a, b, 121, 133, bias)
    return got.reshape(20, 16), scheme_named("qnnpack-fp32").requantize(sums, scale, Output.of("uint8", 99))


def _four_terms(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run TVM's qnn.conv2d: products of raw numbers, both kinds of sums, and the four terms, each by a kernel."""
    image = random.integers(-128, 127, (1, 9, 9, 16), dtype=np.int8, endpoint=True)
    weights = random.integers(-127, 127, (8, 3, 3, 16), dtype=np.int8, endpoint=True)
    zero_image, zero_weights, depth = 11, -5, 9 * 16

    def windows(by: Array) -> Array:
        return calls(
            "conv3x3_s8s32_hwc_@", input=image, weights=by, height=7, width=7, in_channels=16, out_channels=len(by),
            input_pitch=9 * 16, output_pitch=7 * len(by) * 4,
        )["output"]  # fmt: skip

    of_weights = calls("gemv_s8s32_rows_@", weights=weights, input=np.ones(depth, np.int8), rows=8, depth=depth)
    got = calls(
        "terms_s32s32_rows_@", input=windows(weights), row_sums=windows(np.ones((1, 3, 3, 16), np.int8)),
        column_sums=of_weights["output"], points=np.array([zero_image, zero_weights], np.int16), rows=7 * 7, cols=8,
        depth=depth,
    )["output"].reshape(7, 7, 8)  # fmt: skip
    return got, conv2d(image, weights, zero_image, zero_weights, window=Window())[0]


SYSTEMS: Sequence[System] = (
    Library("TensorFlow", "QuantizedAdd, 8 + 8 to 32 bits", _tensorflow_add),
    Library(
        "nnlib", "QuantizedAdd, 8 + 8 to 8 bits, in a range that was guessed wide enough", _nnlib_add((-6.0, 9.0), 1)
    ),
    Library(
        "nnlib", "QuantizedAdd, 8 + 8 to 8 bits, in two passes as the guess was too narrow", _nnlib_add((-1.0, 1.5), 2)
    ),
    Library("ncnn", "quantize, conv1x1 in CHW, dequantize; 7x8 pixels", _ncnn_layer((7, 8))),
    Library(
        "ncnn", "quantize, conv1x1 in CHW with 4 pixels left over, dequantize; 14x14 pixels", _ncnn_layer((14, 14))
    ),
    Library("ncnn", "conv1x1 in HWC, requantized for the next layer", _ncnn_requantized),
    Library("QNNPACK", "fully connected layer of uint8 with zero points", _qnnpack_layer),
    Library("TVM", "qnn.conv2d in four terms, both operands with zero points", _four_terms),
)
