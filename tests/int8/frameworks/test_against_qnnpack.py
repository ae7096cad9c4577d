"""PyTorch's quantized operators on its qnnpack engine give the same bits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.tools import require_module

from neonlab.int8.activation import look_up, sigmoid, table_of
from neonlab.int8.addition import Operand, add_qnnpack
from neonlab.int8.affine import Affine, dequantize, quantize
from neonlab.int8.arrays import Output
from neonlab.int8.convolution import conv2d, fully_connected
from neonlab.int8.elementwise import activation_range, clip, multiply
from neonlab.int8.pooling import average_pool_requantized, max_pool
from neonlab.int8.requantize import SCHEMES, effective_scale
from neonlab.int8.windows import Window

SCHEME = SCHEMES["qnnpack-fp32"]
EVERY_PAIR = [part.astype(np.uint8) for part in np.meshgrid(np.arange(256), np.arange(256))]
EVERY = np.arange(256).astype(np.uint8)
single = np.float32


@pytest.fixture
def torch() -> Iterator[Any]:
    """PyTorch with one thread, on qnnpack, its deprecations silenced; the engine put back afterwards."""
    module = require_module("torch")
    before, threads = module.backends.quantized.engine, module.get_num_threads()
    module.backends.quantized.engine = "qnnpack"
    module.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield module
    module.backends.quantized.engine = before
    module.set_num_threads(threads)


def tensor(torch: Any, values: np.ndarray, scale: float, zero_point: int) -> Any:
    return torch._make_per_tensor_quantized_tensor(torch.from_numpy(np.ascontiguousarray(values)), scale, zero_point)


def channels_first(image: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(image, 3, 1))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("scales", [(0.1, 0.2, 0.15), (0.037, 0.01, 0.09), (0.5, 0.25, 0.5), (1.7, 0.003, 0.9)])
def test_add_and_mul_of_every_pair_of_bytes_are_the_same(torch: Any, scales: tuple[float, float, float]) -> None:
    left, right = (Operand(v, s, z) for v, s, z in zip(EVERY_PAIR, scales, (100, 30), strict=False))
    a, b = (tensor(torch, side.values, side.scale, side.zero_point) for side in (left, right))
    output = Output.of("uint8", 128)
    got = torch.ops.quantized.add(a, b, scales[2], 128).int_repr().numpy()
    assert (got == add_qnnpack(left, right, scales[2], output)).all()
    got = torch.ops.quantized.mul(a, b, scales[2], 128).int_repr().numpy()
    scale = effective_scale(*scales, "float32")
    assert (got == SCHEME.requantize(multiply(left, right), scale, output)).all()


def test_linear_is_the_same(torch: Any) -> None:
    random = np.random.default_rng(51)
    rows = random.integers(0, 256, (20, 64)).astype(np.uint8)
    weights = random.integers(-128, 128, (9, 64)).astype(np.int8)
    step = single(0.03) * single(0.01)
    bias = random.integers(-9000, 9000, 9).astype(np.int32)
    reals = torch.from_numpy((bias * step).astype(np.float32))
    packed = torch.ops.quantized.linear_prepack(tensor(torch, weights, 0.01, 0), reals)
    got = torch.ops.quantized.linear(tensor(torch, rows, 0.03, 120), packed, 0.2, 7).int_repr().numpy()
    sums = fully_connected(rows, weights, 120, 0, bias)
    assert (got == SCHEME.requantize(sums, effective_scale(0.01, 0.03, 0.2, "float32"), Output.of("uint8", 7))).all()


@pytest.mark.parametrize(("groups", "outputs"), [(1, 4), (2, 4), (6, 6)])
def test_conv_is_the_same(torch: Any, groups: int, outputs: int) -> None:
    random = np.random.default_rng(52)
    image = random.integers(0, 256, (2, 9, 8, 6)).astype(np.uint8)
    weights = random.integers(-128, 128, (outputs, 3, 3, 6 // groups)).astype(np.int8)
    scales = random.uniform(0.001, 0.01, outputs).astype(np.float32)
    bias = random.integers(-3000, 3000, outputs).astype(np.int32)
    kernel = torch._make_per_channel_quantized_tensor(
        torch.from_numpy(channels_first(weights)),
        torch.from_numpy(scales.astype(np.float64)),
        torch.zeros(outputs, dtype=torch.long),
        0,
    )
    reals = torch.from_numpy((bias * (single(0.03) * scales)).astype(np.float32))
    packed = torch.ops.quantized.conv2d_prepack(kernel, reals, [2, 1], [1, 1], [1, 1], groups)
    source = tensor(torch, channels_first(image), 0.03, 120)
    got = torch.ops.quantized.conv2d(source, packed, 0.11, 130).int_repr().numpy()
    sums = conv2d(image, weights, 120, 0, bias, Window((2, 1), ((1, 1), (1, 1))), groups)
    ours = SCHEME.requantize(sums, effective_scale(scales, 0.03, 0.11, "float32"), Output.of("uint8", 130))
    assert (got == channels_first(ours)).all()


def test_pooling_is_the_same(torch: Any) -> None:
    image = np.random.default_rng(53).integers(0, 256, (2, 9, 8, 6)).astype(np.uint8)
    source = tensor(torch, channels_first(image), 0.03, 120).contiguous(memory_format=torch.channels_last)
    functional, output = torch.nn.functional, Output.of("uint8", 120)
    window = Window((2, 2), ((1, 1), (1, 1)))
    got = functional.avg_pool2d(source, 3, 2, 1).int_repr().numpy()
    assert (got == channels_first(average_pool_requantized(image, (3, 3), 120, 1.0, output, window))).all()
    got = functional.adaptive_avg_pool2d(source, 1).int_repr().numpy()
    assert (got == channels_first(average_pool_requantized(image, (9, 8), 120, 1.0, output))).all()
    got = functional.max_pool2d(source, 3, 2, 1).int_repr().numpy()
    assert (got == channels_first(max_pool(image, (3, 3), window))).all()


@pytest.mark.parametrize("scale", [0.05, 0.0121, 0.3])
def test_activations_are_the_same(torch: Any, scale: float) -> None:
    source = tensor(torch, EVERY, scale, 128)
    tanh = table_of(np.tanh, Affine(scale, 128), Affine(2 / 256, 128), "even")
    assert (torch.tanh(source).int_repr().numpy() == look_up(tanh, EVERY)).all()
    table = table_of(sigmoid, Affine(scale, 128), Affine(1 / 256, 0), "even")
    assert (torch.sigmoid(source).int_repr().numpy() == look_up(table, EVERY)).all()
    bounds = activation_range("relu", scale, Output.of("uint8", 128))
    assert (torch.relu(source).int_repr().numpy() == clip(EVERY, bounds)).all()


def test_quantizing_differs_next_to_midpoints_only_and_dequantizing_not_at_all(torch: Any) -> None:
    # PyTorch on x86 adds the zero point before it rounds, fused or not by machine.
    step = single(0.05)
    spread = np.random.default_rng(54).normal(0, 2, 4000)
    reals = np.concatenate([spread, np.arange(-300, 300) * 0.5 * step]).astype(np.float32)
    got = torch.quantize_per_tensor(torch.from_numpy(reals), 0.05, 100, torch.quint8)
    apart = got.int_repr().numpy() != quantize(reals, 0.05, Output.of("uint8", 100), "even", reciprocal=True)
    exact = reals[apart].astype(np.float64) / float(step)
    assert (np.abs(exact - np.floor(exact) - 0.5) < 1e-5).all()
    assert (got.dequantize().numpy() == dequantize(got.int_repr().numpy(), 0.05, 100)).all()
