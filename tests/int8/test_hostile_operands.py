"""Whatever the operands, a reference function answers or raises OperandError: no warning, no other error, no NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neonlab.int8 import (
    activation,
    addition,
    affine,
    calibration,
    convolution,
    elementwise,
    fixed_point,
    incremental,
    matmul,
    pooling,
    ranged_addition,
    requantize,
    ristretto,
    softmax,
)
from neonlab.int8.arrays import OperandError, Output
from neonlab.int8.windows import Window

floats = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, 0.5, 1e-45, 1e-38, 3e38, 1e300, 2.0**31, 2.0**-32]))
numbers = st.one_of(st.integers(-300, 300), st.sampled_from([-(2**63), -(2**31), 2**31 - 1, 2**31, 2**62]))
small = st.integers(-1, 4)
shapes = st.lists(st.integers(0, 5), max_size=4).map(tuple)
types = st.sampled_from(["int8", "uint8", "int16", "int32", "uint32", "int64", "float32", "float64", "bool"])


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    shape, dtype = draw(shapes), draw(types)
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    if dtype.startswith("float"):
        with np.errstate(over="ignore"):
            reals: np.ndarray = np.full(shape, draw(floats)).astype(dtype) + random.normal(0, 1, shape).astype(dtype)
            return reals
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


def window(n: int) -> Window:
    return Window((1 + n % 2, 1), ((n, 0), (0, max(n, 0))), (1, 1 + n % 3))


CALLS: dict[str, Callable[..., Any]] = {
    **{
        name: lambda a, _b, x, _y, n, _m, name=name: requantize.SCHEMES[name].requantize(a, x, Output(n))
        for name in requantize.SCHEMES
    },
    "ncnn_sum_scale": lambda _a, _b, x, y, _n, _m: requantize.ncnn_sum_scale(x, y),
    "quantize_ncnn": lambda a, _b, x, _y, n, m: affine.quantize_ncnn(a, x, n, m),
    "ncnn_requantize": lambda a, b, x, y, _n, _m: requantize.ncnn_requantize(a, x, y, b, Output()),
    "quantize_multiplier": lambda _a, _b, x, _y, _n, _m: fixed_point.quantize_multiplier(x),
    "four terms": lambda a, b, _x, _y, n, m: matmul.accumulate_four_terms(a, b, n, m),
    "subtract first": lambda a, b, _x, _y, n, m: matmul.accumulate_subtracting_first(a, b, n, m),
    "ruy_mul": lambda a, b, _x, _y, n, m: matmul.ruy_mul(a, b, lhs_zero_point=n, rhs_zero_point=m),
    "ruy_mul_floats": lambda a, b, x, y, _n, _m: matmul.ruy_mul_floats(a, b, x, 0.0, y),
    "row and column sums": lambda a, b, _x, _y, _n, _m: (matmul.row_sums(a), matmul.column_sums(b)),
    "pack_to_signed": lambda a, _b, _x, _y, n, _m: matmul.pack_to_signed(a, n),
    "conv2d": lambda a, b, _x, _y, n, m: convolution.conv2d(a, b, n, m, None, window(n), max(m, 1)),
    "conv2d_terms": lambda a, b, _x, _y, n, m: convolution.conv2d_terms(a, b, n, m, window(m)),
    "transposed": lambda a, b, _x, _y, n, m: convolution.transposed_conv2d(a, b, (n, 5), n, m, None, window(n)),
    "depthwise": lambda a, b, _x, _y, n, m: convolution.depthwise_conv2d(a, b, n, m, None, window(n)),
    "fully_connected": lambda a, b, _x, _y, n, m: convolution.fully_connected(a, b, n, m),
    "max_pool": lambda a, _b, _x, _y, n, m: pooling.max_pool(a, (n, m), window(m)),
    "average_pool": lambda a, _b, _x, _y, n, m: pooling.average_pool(a, (n, m), window(n)),
    "average_pool_requantized": lambda a, _b, x, _y, n, m: pooling.average_pool_requantized(
        a, (n, 2), m, x, Output(), window(n)
    ),
    "average_pool_onnxruntime": lambda a, _b, x, y, n, m: pooling.average_pool_onnxruntime(
        a, (n, 2), affine.Affine(x, m, "int8"), y, Output(), window(n)
    ),
    "output": lambda a, _b, x, _y, n, _m: elementwise.clip(a, Output(n, x, 100)),
    "rescale": lambda a, _b, x, y, n, m: elementwise.rescale(addition.Operand(a, x, n), y, Output(m)),
    "concatenate": lambda a, b, x, y, n, m: elementwise.concatenate(
        [addition.Operand(a, x, n), addition.Operand(b, y, m)], n, x, Output()
    ),
    "pad": lambda a, _b, _x, _y, n, m: elementwise.pad(a, [(n, 1)] * 2, m),
    "activation_range": lambda _a, _b, x, _y, n, _m: elementwise.activation_range("relu6", x, Output(n)),
    "table_of": lambda a, _b, x, y, n, m: activation.look_up(
        activation.table_of(np.exp, affine.Affine(x, n, "int8"), affine.Affine(y, m)), a
    ),
    "softmax": lambda a, _b, x, y, _n, _m: activation.softmax(a, x, 1.0, affine.Affine(y, 0, "int8")),
    "softmax_onnxruntime": lambda a, _b, x, y, n, _m: activation.softmax_onnxruntime(a, x, affine.Affine(y, n, "int8")),
    "softmax_fixed_point": lambda a, _b, x, y, _n, _m: softmax.softmax_fixed_point(a, x, y),
    "affine_from_range": lambda _a, _b, x, y, _n, _m: affine.affine_from_range(x, y),
    "quantize": lambda a, _b, x, _y, n, _m: affine.quantize(a, x, Output(n), reciprocal=True),
    "requantize by channel": lambda a, b, _x, _y, _n, _m: requantize.SCHEMES["ruy"].requantize(a, b, Output()),
    "quantize by channel": lambda a, b, _x, _y, n, _m: affine.quantize(a, b, Output(n)),
    "dequantize by channel": lambda a, b, x, _y, n, _m: affine.dequantize(a, b, x if n else n, b),
    "effective_scale": lambda a, b, x, _y, _n, _m: requantize.effective_scale(a, x, b),
    "a scale of many numbers": lambda a, b, _x, _y, n, _m: affine.Affine(a, b, "int8" if n else "int7"),
    "a zero point of many numbers": lambda a, b, _x, _y, n, m: convolution.conv2d(a, b, a, m, None, window(n)),
    "quantize_gemmlowp": lambda a, _b, x, _y, n, _m: affine.quantize_gemmlowp(a, affine.Affine(x, n)),
    "dequantize": lambda a, _b, x, y, n, _m: affine.dequantize(a, x, n, y),
    "symmetric_scale": lambda a, _b, _x, _y, n, m: affine.symmetric_scale(a, n, m),
    "moving range": lambda a, b, x, _y, _n, _m: affine.MovingRange(x).updated(a).updated(b).affine(),
    "kl_threshold": lambda a, _b, _x, _y, _n, _m: calibration.kl_threshold(calibration.histogram_of(a, bins=140)),
    "fixed_point": lambda a, _b, x, _y, _n, _m: ristretto.to_fixed_point(a, ristretto.fixed_point_for_weights(x)),
    "minifloat": lambda a, _b, x, _y, _n, _m: ristretto.to_minifloat(a, ristretto.minifloat_for(x)),
    "power_of_two": lambda a, _b, _x, _y, n, m: ristretto.to_power_of_two(a, n, m),
    "quantize_step": lambda a, _b, x, _y, _n, _m: incremental.quantize_step(a, np.ones(a.shape, np.uint8), x),
    "update": lambda a, b, x, _y, _n, _m: incremental.update(a, b, a, x),
    **{
        f"add_{name}": lambda a, b, x, y, n, m, name=name: getattr(addition, f"add_{name}")(
            addition.Operand(a, x, n), addition.Operand(b, y, m), 0.7, Output()
        )
        for name in ("tflite", "tvm", "qnnpack", "xnnpack", "onnxruntime")
    },
    **{
        name: lambda a, b, x, y, n, _m, name=name, guess=guess: getattr(ranged_addition, name)(
            ranged_addition.Ranged(a, -abs(n), x), ranged_addition.Ranged(b, -2.0, y), *guess
        )
        for name, guess in (
            ("add_8p8_to_32_tensorflow", ()),
            ("add_8p8_to_32_tensorflow_linear", ()),
            ("add_8p8_to_32_nnlib", ()),
            ("add_8p8_to_8_nnlib", (-1.0, 1.0)),
        )
    },
}


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("name", CALLS)
@settings(deadline=None, derandomize=True, max_examples=60)
@given(a=arrays(), b=arrays(), x=floats, y=floats, n=st.one_of(small, numbers), m=st.one_of(small, numbers))
def test_a_reference_function_answers_or_says_what_is_wrong(
    name: str, a: np.ndarray, b: np.ndarray, x: float, y: float, n: int, m: int
) -> None:
    try:
        result = CALLS[name](a, b, x, y, n, m)
    except OperandError as error:
        assert str(error)
        return
    if isinstance(result, np.ndarray) and result.dtype.kind == "f":
        assert np.isfinite(result).all()
