"""Arithmetic of papers on quantization, by kernels on their numbers: IAO, INQ, KL calibration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neonlab import Array, Calls, Outcome, System
from neonlab.int8.affine import Affine, MovingRange, affine_from_range, quantize_gemmlowp, quantize_symmetric
from neonlab.int8.arrays import Output, wide
from neonlab.int8.calibration import histogram_of, kl_threshold
from neonlab.int8.fixed_point import multiply_twice_rounded, quantize_multiplier_smaller_than_one
from neonlab.int8.incremental import SCHEDULE, exponents_for, quantize_step
from neonlab.int8.matmul import accumulate_subtracting_first

from .._packing import pack_panels
from ..conv1x1_powers import added_to_sums, filled, packed, words_of

_PIXELS, _INS, _OUTS = 20, 24, 12


class Quantizer(System):
    """A product of quantized operands, drawn with a seed."""

    def __init__(
        self, system: str, title: str, way: Callable[[Calls, np.random.Generator], tuple[Array, Array]]
    ) -> None:
        self.system, self.title, self._way = system, title, way

    def run(self, calls: Calls) -> Outcome:
        return Outcome(*self._way(calls, np.random.default_rng(12)))


def _affine(calls: Calls, reals: Array) -> Affine:
    """Return scale and zero point, with zero exact, of the range that the kernel finds."""
    low, high = calls("range_f32f32_flat_@", input=reals, count=reals.size)["extremes"]
    return affine_from_range(float(low), float(high))


def _quantized(calls: Calls, reals: Array, affine: Affine) -> Array:
    """Return reals as uint8, by the kernel that rounds as gemmlowp does, on numbers 128 less.

    The kernel multiplies by 1 / scale and rounds before the zero point is added, where gemmlowp divides and rounds the
    sum: that differs beside midpoints, for 2 of 297,984 numbers drawn as here.
    """
    singles = reals.astype(np.float32)
    found = calls(
        "quantize_f32s8_flat_@_ncnn", input=singles, count=singles.size,
        inverse=np.array([1], np.float32) / np.float32(affine.scale),
        range=np.array([affine.zero_point - 128, -128, 127], np.int16),
    )["output"]  # fmt: skip
    return (found.view(np.uint8) ^ np.uint8(0x80)).reshape(reals.shape)


def _iao(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run IAO's layer: reals to uint8 with nudged zero points, then gemmlowp's product.

    The output's range is smoothed over batches.
    """
    x, w = random.normal(0.3, 1, (_PIXELS, _INS)), random.normal(-0.1, 0.5, (_INS, _OUTS))
    of_x, of_w = _affine(calls, x.astype(np.float32)), _affine(calls, w.astype(np.float32))
    a, b = (_quantized(calls, reals, affine) for reals, affine in ((x, of_x), (w, of_w)))
    moving = MovingRange()
    for noise in (0.0, 0.05, -0.03):
        moving = moving.updated(x @ w * (1 + noise))
    of_y = moving.affine()
    bias = random.integers(-500, 500, _OUTS, dtype=np.int32)
    multiplier = quantize_multiplier_smaller_than_one(of_x.scale * of_w.scale / of_y.scale)
    points = [of_x.zero_point, of_w.zero_point, of_y.zero_point, 0, 255]
    name = "matmul_u8u8_packed_@_bylane_zp_gemmlowp"
    contract = calls.kernel(name).contract
    got = calls(
        name, a=pack_panels(a, contract.argument("a").layout), b=pack_panels(b.T, contract.argument("b").layout),
        rows=_PIXELS, cols=_OUTS, depth=_INS, c_pitch=_OUTS, bias=bias, points=np.array(points, np.int16),
        multipliers=np.full(_OUTS, multiplier.mantissa, np.int32), shifts=np.full(_OUTS, multiplier.exponent, np.int32),
    )["c"]  # fmt: skip
    of_a, of_b = (quantize_gemmlowp(reals, affine) for reals, affine in ((x, of_x), (w, of_w)))
    sums = accumulate_subtracting_first(of_a, of_b, of_x.zero_point, of_w.zero_point, bias)
    expected = Output.of("uint8", of_y.zero_point).place(wide(multiply_twice_rounded(sums, multiplier)))
    return got.reshape(expected.shape), expected


def _iao_on_signed(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run the product of `_iao` in four terms, on signed numbers.

    Operands are packed to int8 by ^0x80 with sums, multiplied as int8, and the terms of the zero points taken off.
    """
    a = random.integers(0, 255, (_PIXELS, _INS), dtype=np.uint8, endpoint=True)
    b = random.integers(1, 255, (_INS, _OUTS), dtype=np.uint8, endpoint=True)
    zero_a, zero_b, name = 117, 131, "matmul_s8s32_packed_@"
    contract = calls.kernel(name).contract
    sides = {}
    for side, matrix in (("a", a), ("b", np.ascontiguousarray(b.T))):
        width, depth = ("".join(filter(str.isdigit, part)) for part in contract.argument(side).layout.split("_"))
        pack = f"pack_u8s8_rows_{width}x{depth}_sums"
        sides[side] = calls(pack, source=matrix, rows=len(matrix), depth=_INS, pitch=_INS)
    packed = {side: found["packed"] for side, found in sides.items()}
    got = calls(
        "terms_s32s32_rows_@", input=calls(name, rows=_PIXELS, cols=_OUTS, depth=_INS, c_pitch=_OUTS, **packed)["c"],
        row_sums=sides["a"]["sums"][:_PIXELS], column_sums=sides["b"]["sums"][:_OUTS],
        points=np.array([zero_a - 128, zero_b - 128], np.int16), rows=_PIXELS, cols=_OUTS, depth=_INS,
    )["output"]  # fmt: skip
    return got.reshape(_PIXELS, _OUTS), accumulate_subtracting_first(a, b, zero_a, zero_b)


def _incremental(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run a layer of INQ by shifts: weights are 0 and powers of two, at 5 bits 1 to 128 times the least."""
    weights = random.normal(0, 0.2, (_OUTS, _INS)).astype(np.float32)
    mask = np.ones(weights.shape, np.uint8)
    _, least = exponents_for(float(abs(weights).max()), 5)
    for kept in SCHEDULE:
        weights, mask = quantize_step(weights, mask, kept, 5)
    image = random.integers(-128, 127, (_PIXELS, _INS), dtype=np.int8, endpoint=True)
    bias = random.integers(-500, 500, _OUTS, dtype=np.int32)
    words = filled(words_of(np.ldexp(weights, -least)))
    starts = -added_to_sums(words)
    starts[:_OUTS] += bias
    sums = calls(
        "conv1x1_s8u16s32_hwc_@_powers", input=image, weights=packed(words), starts=starts.astype(np.int32),
        pixels=_PIXELS, in_channels=_INS, out_channels=_OUTS,
    )["output"].reshape(_PIXELS, _OUTS)  # fmt: skip
    reals = image.astype(np.float64) @ weights.astype(np.float64).T + np.ldexp(bias.astype(np.float64), least)
    return np.ldexp(sums.astype(np.float64), least), reals


def _calibrated(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Quantize activations as ncnn does, with the threshold of least divergence from 2048 bins."""
    reals = (random.laplace(0, 1, 4096) * random.choice([1, 1, 1, 4], 4096)).astype(np.float32)
    scale = np.float32(kl_threshold(histogram_of(reals)).scale)
    got = calls(
        "quantize_f32s8_flat_@_ncnn", input=reals, count=reals.size, inverse=np.array([1 / scale], np.float32),
        range=np.array([0, -127, 127], np.int16),
    )["output"]  # fmt: skip
    return got, quantize_symmetric(reals, scale)


SYSTEMS = (
    Quantizer("IAO", "ranges, nudged zero points and gemmlowp's product of uint8", _iao),
    Quantizer("IAO", "the product in four terms, packed to int8 with sums", _iao_on_signed),
    Quantizer("INQ", "a layer of weights that are 0 or powers of two, by shifts", _incremental),
    Quantizer("KL calibration", "the range of least divergence, and numbers quantized with it", _calibrated),
)
