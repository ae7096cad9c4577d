"""ncnn's int8 layers give the same int8 numbers; its float outputs may fuse the bias in, one unit in the last place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.tools import require_module

from neonlab.int8.affine import dequantize, quantize_symmetric, symmetric_scale
from neonlab.int8.arrays import Output
from neonlab.int8.convolution import conv2d, depthwise_conv2d, fully_connected
from neonlab.int8.requantize import SCHEMES, ncnn_requantize
from neonlab.int8.windows import Window

INT8_WEIGHTS = np.uint32(0x000D4B38).tobytes()
HELD = Output(0, -127, 127)
SUMS = np.concatenate([np.random.default_rng(61).integers(-60000, 60000, 3000), np.arange(-2000, 2000)]).astype(
    np.int32
)


def run(folder: Path, layer: str, parameters: str, data: np.ndarray, *weights: bytes | np.ndarray) -> np.ndarray:
    """What one layer makes of `data`; weights as they follow one another in the model's file."""
    ncnn = require_module("ncnn")
    net = ncnn.Net()
    net.opt.num_threads = 1
    for switch in ("packing_layout", "fp16_storage", "fp16_arithmetic", "fp16_packed", "bf16_storage"):
        setattr(net.opt, f"use_{switch}", False)
    assert net.load_param_mem(f"7767517\n2 2\nInput data 0 1 data\n{layer} one 1 1 data out {parameters}\n") == 0
    path = folder / "model.bin"
    path.write_bytes(b"".join(one if isinstance(one, bytes) else _four_bytes(one.tobytes()) for one in weights))
    assert net.load_model(str(path)) == 0
    extractor = net.create_extractor()
    held = np.ascontiguousarray(data)  # a Mat points into the array and does not keep it
    assert extractor.input("data", ncnn.Mat(held)) == 0
    status, out = extractor.extract("out", 1)  # 1: as the layer leaves it
    assert status == 0
    return np.array(out)


def _four_bytes(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def singles(*values: float | np.float32) -> np.ndarray:
    return np.array(values, np.float32)


def near(got: np.ndarray, ours: np.ndarray, largest: float) -> bool:
    return bool(np.abs(got - ours).max() <= largest * 2.0**-23)


@pytest.mark.parametrize("scale", [0.25, 1.0, 4.0, 32.0])
def test_quantize_is_the_same(tmp_path: Path, scale: float) -> None:
    spread = np.random.default_rng(62).normal(0, 2, 400)
    reals = np.concatenate([spread, np.arange(-300, 300) * 0.5]).astype(np.float32)
    got = run(tmp_path, "Quantize", "0=1", reals, singles(scale))
    assert got.dtype == np.int8
    assert (got == quantize_symmetric(reals, 1 / scale)).all()


@pytest.mark.parametrize(("scale", "bias"), [(0.01, 0.0), (0.0037, 1.7)])
def test_dequantize_is_the_same_to_the_last_place(tmp_path: Path, scale: float, bias: float) -> None:
    got = run(tmp_path, "Dequantize", "0=1 1=1", SUMS, singles(scale), singles(bias))
    ours = dequantize(SUMS, scale, 0, bias)
    assert near(got, ours, 60000 * scale + bias)
    assert bias or (got == ours).all()


@pytest.mark.parametrize(("scales", "bias"), [((0.01, 0.3), 0.0), ((0.0037, 0.5), 1.7), ((0.0625, 0.125), 3.0)])
def test_requantize_is_the_same(tmp_path: Path, scales: tuple[float, float], bias: float) -> None:
    got = run(tmp_path, "Requantize", "0=1 1=1 2=1", SUMS, singles(scales[0]), singles(scales[1]), singles(bias))
    assert (got == ncnn_requantize(SUMS, *scales, bias, HELD)).all()
    got = run(tmp_path, "Requantize", "0=1 1=1 2=0", SUMS, singles(scales[0]), singles(scales[1]))
    product = float(np.float32(scales[0]) * np.float32(scales[1]))
    assert (got == SCHEMES["ncnn"].requantize(SUMS, product, HELD)).all()


@pytest.mark.parametrize(
    ("kernel", "stride", "inputs", "outputs"), [(1, 1, 8, 8), (1, 1, 16, 12), (3, 1, 8, 8), (3, 2, 6, 5), (3, 1, 3, 8)]
)
def test_convolution_is_the_same(tmp_path: Path, kernel: int, stride: int, inputs: int, outputs: int) -> None:
    random = np.random.default_rng(63)
    image = random.normal(0, 1, (10, 9, inputs)).astype(np.float32)
    reals = random.normal(0, 0.3, (outputs, kernel, kernel, inputs)).astype(np.float32)
    # 3x3 layers of stride 1 may run as Winograd, for which its tools keep weights within 31 steps.
    weight_scale = symmetric_scale(reals, 0, 31 if kernel == 3 else 127)
    weights = quantize_symmetric(reals, weight_scale[:, None, None, None])
    bias = random.normal(0, 1, outputs).astype(np.float32)
    by_weight, by_input, by_output = (1 / weight_scale).astype(np.float32), np.float32(32), np.float32(7)
    window = Window((stride, stride), ((kernel // 2, kernel // 2),) * 2)
    sums = conv2d(quantize_symmetric(image, 1 / by_input)[None], weights, window=window)[0]
    scale_in = np.float32(1) / (by_input * by_weight)
    shape = f"0={outputs} 1={kernel} 11={kernel} 3={stride} 4={kernel // 2} 5=1 6={weights.size}"
    data, stored = np.moveaxis(image, 2, 0), np.moveaxis(weights, 3, 1)
    common = (INT8_WEIGHTS, stored, bias, by_weight, singles(by_input))
    got = run(tmp_path, "Convolution", f"{shape} 8=2", data, *common)
    ours = np.moveaxis(dequantize(sums, scale_in, 0, bias), 2, 0)
    assert near(got, ours, float(np.abs(ours).max()) + float(np.abs(bias).max()))
    got = run(tmp_path, "Convolution", f"{shape} 8=102", data, *common, singles(by_output))
    assert (got == np.moveaxis(ncnn_requantize(sums, scale_in, by_output, bias, HELD), 2, 0)).all()


def test_depthwise_and_inner_product_are_the_same_to_the_last_place(tmp_path: Path) -> None:
    random = np.random.default_rng(64)
    image = random.normal(0, 1, (10, 9, 8)).astype(np.float32)
    weights = random.integers(-127, 128, (3, 3, 8)).astype(np.int8)
    bias, by_weight, by_input = (
        v.astype(np.float32) for v in (random.normal(0, 1, 8), random.uniform(50, 200, 8), np.full(1, 32))
    )
    sums = depthwise_conv2d(
        quantize_symmetric(image, 1 / by_input)[None], weights, window=Window(padding=((1, 1), (1, 1)))
    )
    ours = np.moveaxis(dequantize(sums[0], np.float32(1) / (by_input * by_weight), 0, bias), 2, 0)
    tail = (bias, by_weight, by_input)
    stored = np.moveaxis(weights, 2, 0)
    shape = f"0=8 1=3 11=3 4=1 5=1 6={weights.size} 7=8 8=1"
    got = run(tmp_path, "ConvolutionDepthWise", shape, np.moveaxis(image, 2, 0), INT8_WEIGHTS, stored, *tail)
    assert near(got, ours, float(np.abs(ours).max()) + float(np.abs(bias).max()))
    row, matrix = image.ravel()[:64], random.integers(-127, 128, (8, 64)).astype(np.int8)
    sums = fully_connected(quantize_symmetric(row, 1 / by_input)[None], matrix)[0]
    ours = dequantize(sums, np.float32(1) / (by_input * by_weight), 0, bias)
    got = run(tmp_path, "InnerProduct", f"0=8 1=1 2={matrix.size} 8=2", row, INT8_WEIGHTS, matrix, *tail)
    assert near(got, ours, float(np.abs(ours).max()) + float(np.abs(bias).max()))
