"""What the kernels that add are compared with is what the int8 library says of whole tensors."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from neonlab.int8.addition import Operand, add_tflite, add_tvm, tflite_addition
from neonlab.int8.arrays import Output
from neonlab.int8.fixed_point import tvm_multiplier
from neonlab.int8.ranged_addition import Ranged, add_8p8_to_32_tensorflow_linear, linear_addition
from neonlab.lab.repository.library import open_library

SEED = 8


@pytest.fixture(scope="module")
def operator() -> ModuleType:
    found = next(one for one in open_library(Path(__file__).resolve().parents[2]).operators if one.name == "add")
    return importlib.import_module(type(found).__module__)


def pairs() -> tuple[np.ndarray, np.ndarray]:
    values = np.arange(-128, 128, dtype=np.int8)
    return np.repeat(values, 256), np.tile(values, 256)


@pytest.mark.parametrize("number", range(8))
def test_tflites_and_tvms_sums_are_those_of_the_library_for_every_pair(operator: ModuleType, number: int) -> None:
    print("seed", SEED)
    rng = np.random.default_rng([SEED, number])
    scale_b, scale_a = np.sort(rng.uniform(0.01, 1, 2)).astype(np.float32).astype(float)
    output_scale = float(np.float32(rng.choice([scale_a, scale_b, rng.uniform(0.01, 2)])))
    zero_a, zero_b = (int(zero) for zero in rng.integers(-128, 128, 2))
    output = Output(int(rng.integers(-128, 128)), -100, 127)
    a, b = pairs()
    left, right = Operand(a, scale_a, zero_a), Operand(b, scale_b, zero_b)
    ways = tflite_addition(scale_a, scale_b, output_scale)
    assert (ways.left.mantissa, ways.left.exponent) == (operator.HALF.mantissa, operator.HALF.exponent)
    got = operator.tflite_sum(left.centred(), right.centred(), ways.right, ways.output, output)
    assert (got == add_tflite(left, right, output_scale, output)).all()
    ratios = [tvm_multiplier(scale / output_scale) for scale in (scale_a, scale_b)]
    got = operator.tvm_sum(left.centred(), right.centred(), *ratios, output)
    assert (got == add_tvm(left, right, output_scale, output)).all()


@pytest.mark.parametrize(("headroom", "bound"), [(17, 2**15 / 255), (14, 2**18 / 255)])
def test_a_step_of_tensorflows_sum_is_as_small_as_the_kernels_say(headroom: int, bound: float) -> None:
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    values = rng.integers(0, 256, (2, 100), dtype=np.uint8)
    for _ in range(100):
        ends = np.sort(rng.uniform(-10, 10, (2, 2)))
        left, right = (Ranged(one, *map(float, pair)) for one, pair in zip(values, ends, strict=True))
        way = linear_addition(left, right, headroom)
        assert 0 <= min(way.left_step, way.right_step) <= max(way.left_step, way.right_step) <= bound + 1
        assert max(abs(way.left_start), abs(way.right_start)) <= 2**29
        total = way.left_start + way.right_start + values[0].astype(int) * way.left_step
        total += values[1].astype(int) * way.right_step
        assert (total == add_8p8_to_32_tensorflow_linear(left, right, headroom).values).all()
