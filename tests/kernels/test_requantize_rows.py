"""Which kernel computes which scheme of the int8 library, and what their reference says of the scales they take."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from neonlab.int8.arrays import Output
from neonlab.int8.fixed_point import Multiplier, quantize_multiplier
from neonlab.int8.requantize import SCHEMES
from neonlab.lab.repository.library import open_library

LIBRARY = open_library(Path(__file__).resolve().parents[2])
SEED = 5


@pytest.fixture(scope="module")
def operator() -> ModuleType:
    found = next(one for one in LIBRARY.operators if one.name == "requantize")
    return importlib.import_module(type(found).__module__)


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_of_the_library_has_a_kernel_on_each_instruction_set(
    operator: ModuleType, scheme: str, isa: str
) -> None:
    titles = [kernel.title for kernel in LIBRARY.kernels]
    word = operator.KERNEL_OF_SCHEME[scheme]
    assert sum(title.startswith(f"{isa}/requantize_s32s8_") and title.endswith(f"_{word}") for title in titles) == 1


def sums_and_scales(largest_scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Sums of all sizes with scales that bring them to about an int8; many ties."""
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    size = rng.integers(4, 31, 4000)
    sums = np.rint(rng.uniform(-1, 1, 4000) * 2.0**size).astype(np.int32)
    mantissas = np.where(rng.random(4000) < 0.5, 0.5, rng.uniform(0.5, 1, 4000)).astype(np.float32)
    scales = np.ldexp(mantissas.astype(np.float64), np.minimum(8 - size, 0))
    return sums, np.minimum(scales, largest_scale)


def encoded(scheme: str, scales: np.ndarray) -> Multiplier:
    """Multipliers as the scheme's library makes them; QNNPACK's have the 24 bits of a float32."""
    return quantize_multiplier(scales.astype(np.float32) if scheme.startswith("qnnpack") else scales)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_kernel_that_stands_for_a_scheme_computes_it(operator: ModuleType, scheme: str) -> None:
    word = operator.KERNEL_OF_SCHEME[scheme]
    sums, scales = sums_and_scales(0.99)
    output = Output(3, -128, 127)
    wanted = SCHEMES[scheme].requantize(sums, scales, output)
    if word in operator.FIXED_POINT:
        got = output.place(operator.FIXED_POINT[word](sums, encoded(scheme, scales)).astype(np.int64))
    elif word == "fp32":
        got = SCHEMES["qnnpack-fp32"].requantize(sums, scales, output)
    else:
        got = operator.ncnn_requantize(sums, scales, 1.0, 0.0, output)
    assert (got == wanted).all()
    assert len(np.unique(wanted)) > 200


@pytest.mark.parametrize("word", ["ruy", "precise"])
def test_sums_that_are_clamped_either_way_may_be_held(operator: ModuleType, word: str) -> None:
    rng = np.random.default_rng(SEED)
    sums = rng.integers(-(2**31), 2**31, 2000).astype(np.int32)
    exponents = rng.integers(-31, 8, 2000).astype(np.int32)
    multipliers = rng.integers(2**30, 2**31, 2000).astype(np.int32)
    got = operator.FIXED_POINT[word](sums, Multiplier(multipliers, exponents))
    exact = sums.astype(np.float64) * multipliers * np.ldexp(1.0, exponents - 31)
    near = np.abs(exact) < 1e6
    assert (np.abs(got - exact)[near] <= 0.5000001).all()
    assert (np.abs(got.astype(np.int64)[~near]) > 1e5).all()
    assert (np.sign(got)[~near] == np.sign(exact)[~near]).all()
