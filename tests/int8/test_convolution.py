"""Convolutions against loops over every output, kernel tap and channel."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.int8.arrays import OperandError
from neonlab.int8.convolution import conv2d, conv2d_terms, depthwise_conv2d, fully_connected, transposed_conv2d
from neonlab.int8.windows import Window

CASES = {
    "1x1": ((1, 1), Window(), 1),
    "3x3 padded": ((3, 3), Window(padding=((1, 1), (1, 1))), 1),
    "3x3 stride 2, uneven padding": ((3, 3), Window((2, 2), ((0, 1), (1, 0))), 1),
    "3x2 dilated, stride 1 by 2": ((3, 2), Window((1, 2), ((2, 2), (0, 1)), (2, 3)), 1),
    "5x5 grouped": ((5, 5), Window(padding=((2, 2), (2, 2))), 2),
    "groups as many as channels": ((3, 3), Window(padding=((1, 1), (1, 1))), 4),
}


def by_hand(
    image: np.ndarray,
    weights: np.ndarray,
    zero: int,
    weight_zero: np.ndarray,
    bias: np.ndarray,
    window: Window,
    groups: int,
) -> np.ndarray:
    n, height, width, channels = image.shape
    out, kh, kw, depth = weights.shape
    oh, ow = window.output_size((height, width), (kh, kw))
    result = np.zeros((n, oh, ow, out), np.int64)
    for b, y, x, o in np.ndindex(*result.shape):
        total = int(bias[o])
        for i, j, c in np.ndindex(kh, kw, depth):
            row = y * window.stride[0] - window.padding[0][0] + i * window.dilation[0]
            column = x * window.stride[1] - window.padding[1][0] + j * window.dilation[1]
            inside = 0 <= row < height and 0 <= column < width
            value = int(image[b, row, column, o // (out // groups) * depth + c]) if inside else zero
            total += (value - zero) * (int(weights[o, i, j, c]) - int(weight_zero[o]))
        result[b, y, x, o] = total
    assert channels == depth * groups
    return result


@pytest.mark.parametrize("types", [("int8", "int8"), ("uint8", "uint8"), ("uint8", "int8")])
@pytest.mark.parametrize("case", CASES)
def test_conv2d_is_the_sum_over_its_taps(case: str, types: tuple[str, str]) -> None:
    kernel, window, groups = CASES[case]
    random = np.random.default_rng(11)
    ranges = {"int8": (-128, 128), "uint8": (0, 256)}
    image = random.integers(*ranges[types[0]], (2, 7, 6, 4)).astype(types[0])
    weights = random.integers(*ranges[types[1]], (8, *kernel, 4 // groups)).astype(types[1])
    zero, weight_zero = int(image[0, 0, 0, 0]), weights[:, 0, 0, 0]
    bias = random.integers(-5000, 5000, 8).astype(np.int32)
    wanted = by_hand(image, weights, zero, weight_zero, bias, window, groups)
    got = conv2d(image, weights, zero, weight_zero, bias, window, groups)
    assert got.dtype == np.int32
    assert got.tolist() == wanted.tolist()
    terms = conv2d_terms(image, weights, zero, weight_zero, window, groups)
    assert terms.total(bias).tolist() == wanted.tolist()
    raw = by_hand(image, weights, 0, np.zeros(8), np.zeros(8), Window(window.stride, dilation=window.dilation), groups)
    inside = terms.products if not np.any(window.padding) else None
    assert inside is None or inside.tolist() == raw.tolist()
    if groups == 4:
        by_channel = depthwise_conv2d(image, weights[..., 0].transpose(1, 2, 0), zero, weight_zero, bias, window)
        assert by_channel.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("kernel", "window", "size"),
    [
        ((2, 2), Window((2, 2)), (8, 6)),
        ((3, 3), Window((2, 2), ((1, 0), (0, 1))), (8, 7)),
        ((4, 5), Window((1, 3), ((2, 1), (4, 0))), (4, 9)),
        ((1, 2), Window((3, 4)), (12, 14)),
    ],
)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_transposed_conv2d_gives_each_pixel_by_each_tap(
    dtype: str, kernel: tuple[int, int], window: Window, size: tuple[int, int]
) -> None:
    random = np.random.default_rng(13)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    image = random.integers(low, high + 1, (2, 4, 3, 5)).astype(dtype)
    weights = random.integers(low, high + 1, (6, *kernel, 5)).astype(dtype)
    zero, weight_zero = int(image[0, 0, 0, 0]), weights[:, 0, 0, 0]
    bias = random.integers(-5000, 5000, 6).astype(np.int32)
    wanted = np.tile(bias.astype(np.int64), (2, *size, 1))
    for n, y, x, i, j in np.ndindex(2, 4, 3, *kernel):
        row = y * window.stride[0] + i - window.padding[0][0]
        column = x * window.stride[1] + j - window.padding[1][0]
        if 0 <= row < size[0] and 0 <= column < size[1]:
            centred = image[n, y, x].astype(np.int64) - zero
            wanted[n, row, column] += (weights[:, i, j].astype(np.int64) - weight_zero[:, None]) @ centred
    got = transposed_conv2d(image, weights, size, zero, weight_zero, bias, window)
    assert got.dtype == np.int32 and got.tolist() == wanted.tolist()


def test_transposed_conv2d_has_no_dilation_and_no_empty_result() -> None:
    image, weights = np.ones((1, 2, 2, 3), np.int8), np.ones((4, 2, 2, 3), np.int8)
    with pytest.raises(OperandError, match="no dilation"):
        transposed_conv2d(image, weights, (4, 4), window=Window((2, 2), dilation=(2, 1)))
    with pytest.raises(OperandError, match="1 or more"):
        transposed_conv2d(image, weights, (0, 4))


def test_fully_connected_is_conv1x1_on_one_pixel() -> None:
    random = np.random.default_rng(12)
    rows, weights = (random.integers(-128, 128, shape).astype(np.int8) for shape in ((5, 20), (7, 20)))
    bias = random.integers(-99, 99, 7).astype(np.int32)
    conv = conv2d(rows[:, None, None], weights[:, None, None], 3, -2, bias)
    assert fully_connected(rows, weights, 3, -2, bias).tolist() == conv[:, 0, 0].tolist()


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation", "padding"),
    [
        ((224, 224), (3, 3), (2, 2), (1, 1), ((0, 1), (0, 1))),
        ((14, 15), (3, 3), (1, 2), (1, 1), ((1, 1), (1, 1))),
        ((9, 9), (3, 5), (1, 1), (2, 1), ((2, 2), (2, 2))),
        ((7, 7), (1, 1), (2, 2), (1, 1), ((0, 0), (0, 0))),
    ],
)
def test_same_padding_is_tensorflows(
    size: tuple[int, int],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    padding: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    window = Window.same(size, kernel, stride, dilation)
    assert window.padding == padding
    assert window.output_size(size, kernel) == tuple(-(-s // t) for s, t in zip(size, stride, strict=True))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, w: conv2d(x, w[..., :2]), "1 groups of 2 do not make 4"),
        (lambda x, w: conv2d(x[0], w), "wanted image"),
        (lambda x, w: conv2d(x.astype(np.int16), w), "the image holds int16"),
        (lambda x, w: conv2d(x, w, 128), "zero point does not fit int8"),
        (lambda x, w: conv2d(x, w, 0, [0, 1]), "wanted one number or"),
        (lambda x, w: conv2d(x, w, 0, 0, [1, 2]), "the bias has shape"),
        (lambda x, w: conv2d(x[:, :2], w), "does not fit an image of 2x5"),
        (lambda x, w: depthwise_conv2d(x, w), "wanted image"),
        (lambda x, w: fully_connected(x[0, 0], w), "wanted \\[out, in\\]"),
        (lambda x, w: Window(stride=(0, 1)), "start at 1"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(OperandError, match=message):
        call(np.zeros((1, 5, 5, 4), np.int8), np.zeros((8, 3, 3, 4), np.int8))
