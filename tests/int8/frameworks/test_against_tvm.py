"""TVM's q_multiply_shift, compiled for the host, gives the same bits as the UPWARD form here."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.tools import require_module

from neonlab.int8.arrays import INT32_MAX, INT32_MIN
from neonlab.int8.fixed_point import tvm_fixed_point_multiply, tvm_multiplier


@pytest.mark.slow
@pytest.mark.parametrize("real", [0.3, 0.0123, 0.25, 0.5, 1.7, 2.0**-9, 3e-6])
def test_multiplying_and_shifting_is_the_same(real: float) -> None:
    tvm = require_module("tvm")
    te, tirx = require_module("tvm.te"), require_module("tvm.tirx")
    random = np.random.default_rng(31)
    far = random.integers(-(1 << 30), 1 << 30, 3000)
    values = np.concatenate([np.arange(-3000, 3000), far, [INT32_MIN, INT32_MAX]]).astype(np.int32)
    multiplier = tvm_multiplier(real)
    mantissa, exponent = (tirx.const(int(part), "int32") for part in (multiplier.mantissa, multiplier.exponent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = te.placeholder(values.shape, "int32", name="source")
        scaled = te.compute(
            values.shape, lambda i: tirx.q_multiply_shift(source[i], mantissa, tirx.const(31, "int32"), exponent)
        )
        module = tvm.compile(tvm.IRModule({"main": te.create_prim_func([source, scaled])}), target="llvm")
        result = tvm.runtime.tensor(np.zeros_like(values))
        module["main"](tvm.runtime.tensor(values), result)
    assert (result.numpy() == tvm_fixed_point_multiply(values, multiplier)).all()
