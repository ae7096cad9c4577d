"""Layers in Ristretto's number formats, by kernels on numbers drawn with a seed."""

from __future__ import annotations

import numpy as np

from neonlab import Array, Calls, Outcome, System
from neonlab.int8.ristretto import (
    FixedPoint,
    fixed_point_for_activations,
    fixed_point_for_weights,
    minifloat_for,
    to_fixed_point,
    to_minifloat,
    to_power_of_two,
)
from neonlab.int8.rounding import dithered

from ..conv1x1_powers import added_to_sums, filled, packed, words_of
from ..minifloat import form_of
from ..powers import limits_of

_PIXELS, _INS, _OUTS = 20, 24, 12


class FixedPointLayer(System):
    """A layer in dynamic fixed point: floats in, products of int8, a shift that rounds, floats out.

    Input, weights and output have separate binary points; ties of all three go away from zero, as C's `round`.
    """

    system, title = "Ristretto", "a layer of dynamic fixed point, from floats, ties away from zero"

    def run(self, calls: Calls) -> Outcome:
        """Compute the layer by kernels and by the reference on reals."""
        random = np.random.default_rng(12)
        # Many inputs lie between two steps, and so do many outputs, as weights have few bits behind the point.
        x = np.ldexp(np.rint(random.normal(0, 120, (_PIXELS, _INS))), -6).astype(np.float32)
        w = random.normal(0, 0.2, (_OUTS, _INS)).astype(np.float32)
        of_x, of_w = fixed_point_for_activations(float(abs(x).max())), fixed_point_for_weights(float(abs(w).max()), 4)
        of_y = fixed_point_for_activations(float(abs(x @ w.T).max()))
        sums = calls(
            "conv1x1_s8s32_hwc_@", input=_steps(calls, x, of_x), weights=_steps(calls, w, of_w), pixels=_PIXELS,
            in_channels=_INS, out_channels=_OUTS,
        )["output"][: _PIXELS * _OUTS]  # fmt: skip
        got = calls(
            "requantize_s32s8_rows_@_precise", input=sums, rows=_PIXELS, cols=_OUTS, input_pitch=4 * _OUTS,
            output_pitch=_OUTS, bias=np.zeros(_OUTS, np.int32), multipliers=np.full(_OUTS, 1 << 30, np.int32),
            shifts=np.full(_OUTS, 1 + of_y.fraction - of_x.fraction - of_w.fraction, np.int32),
            range=_range(of_y),
        )["output"].reshape(_PIXELS, _OUTS)  # fmt: skip
        # The factors as reals are multiples of powers of two, and so their sums are exact in float64.
        reals = to_fixed_point(x, of_x).astype(np.float64) @ to_fixed_point(w, of_w).astype(np.float64).T
        return Outcome(np.ldexp(got.astype(np.float32), -of_y.fraction), to_fixed_point(reals, of_y))


class StochasticNumbers(System):
    """Numbers rounded to dynamic fixed point, up as likely as their fraction is large."""

    system, title = "Ristretto", "numbers in dynamic fixed point, rounded stochastically"

    def run(self, calls: Calls) -> Outcome:
        """Round by the kernel and by the reference, with the same dither.

        Steps and dither have so few bits behind the point that float32 holds their sums.
        """
        random, bits = np.random.default_rng(15), 14
        form = fixed_point_for_activations(3.5)
        reals = np.ldexp(np.rint(np.ldexp(random.normal(0, 1.5, 2000), bits + form.fraction)), -bits - form.fraction)
        dither = np.ldexp(random.integers(1, 1 << bits, reals.size), -bits)
        got = calls(
            "quantize_f32s8_flat_@_stochastic", input=reals.astype(np.float32), count=reals.size,
            dither=dither.astype(np.float32), inverse=np.ldexp(np.ones(1, np.float32), form.fraction),
            range=_range(form),
        )["output"]  # fmt: skip
        steps = dithered(np.ldexp(np.clip(reals, form.least, form.most), form.fraction), dither)
        return Outcome(*(np.ldexp(one.astype(np.float32), -form.fraction) for one in (got, steps)))


class MinifloatNumbers(System):
    """Numbers rounded to a minifloat of 8 bits that their largest magnitude chooses."""

    system, title = "Ristretto", "numbers as minifloats of 8 bits"

    def run(self, calls: Calls) -> Outcome:
        """Round by the kernel and by the reference."""
        random = np.random.default_rng(13)
        reals = (random.normal(0, 1, 2000) * np.exp2(random.uniform(-12, 7, 2000))).astype(np.float32)
        form = minifloat_for(float(abs(reals).max()))
        got = calls("minifloat_f32f32_flat_@", input=reals, count=reals.size, form=form_of(form))["output"]
        return Outcome(got, to_minifloat(reals, form))


class PowersLayer(System):
    """A layer whose weights are powers of two: floats rounded by a kernel, and products of int8 by shifts."""

    system, title = "Ristretto", "a layer of weights rounded to powers of two, by shifts"

    def run(self, calls: Calls) -> Outcome:
        """Compute the layer by kernels and by the reference on reals."""
        random, least, most = np.random.default_rng(14), -8, -1
        weights = random.normal(0, 0.2, (_OUTS, _INS)).astype(np.float32)
        image = random.integers(-128, 127, (_PIXELS, _INS), dtype=np.int8, endpoint=True)
        powers = calls("powers_f32f32_flat_@", input=weights, count=weights.size, limits=limits_of(least, most))
        words = filled(words_of(np.ldexp(powers["output"].reshape(weights.shape), -least)))
        sums = calls(
            "conv1x1_s8u16s32_hwc_@_powers", input=image, weights=packed(words), pixels=_PIXELS, in_channels=_INS,
            out_channels=_OUTS, starts=(-added_to_sums(words)).astype(np.int32),
        )["output"].reshape(_PIXELS, _OUTS)  # fmt: skip
        reals = image.astype(np.float64) @ to_power_of_two(weights, least, most).astype(np.float64).T
        return Outcome(np.ldexp(sums.astype(np.float64), least), reals)


def _range(form: FixedPoint) -> Array:
    """Return the range of the integers that stand for numbers of the format, as kernels take it."""
    return np.array([0, -(1 << form.width - 1), (1 << form.width - 1) - 1], np.int16)


def _steps(calls: Calls, reals: Array, form: FixedPoint) -> Array:
    """Return the int8 that stand for reals in dynamic fixed point, by the kernel: the product is exact."""
    steps = calls(
        "quantize_f32s8_flat_@_ncnn", input=reals, count=reals.size,
        inverse=np.ldexp(np.ones(1, np.float32), form.fraction), range=_range(form),
    )["output"]  # fmt: skip
    return steps.reshape(reals.shape)


SYSTEMS = (FixedPointLayer(), StochasticNumbers(), MinifloatNumbers(), PowersLayer())
