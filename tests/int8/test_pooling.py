"""Pooling against loops over the window."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.int8 import oracle

from neonlab.int8.arrays import OperandError, Output
from neonlab.int8.pooling import average_pool, average_pool_requantized, max_pool, pool_sums
from neonlab.int8.windows import Window

CASES = {
    "2x2 stride 2": ((2, 2), Window((2, 2))),
    "3x3 stride 2 padded": ((3, 3), Window((2, 2), ((1, 1), (0, 1)))),
    "3x2 dilated": ((3, 2), Window((1, 1), ((1, 0), (0, 1)), (2, 2))),
    "global": ((7, 6), Window()),
}


def windows(image: np.ndarray, kernel: tuple[int, int], window: Window) -> list[tuple[tuple[int, ...], list[int]]]:
    """Index of each output and the pixels under it."""
    n, height, width, channels = image.shape
    found: list[tuple[tuple[int, ...], list[int]]] = []
    for b, y, x, c in np.ndindex(n, *window.output_size((height, width), kernel), channels):
        rows = [y * window.stride[0] - window.padding[0][0] + i * window.dilation[0] for i in range(kernel[0])]
        columns = [x * window.stride[1] - window.padding[1][0] + j * window.dilation[1] for j in range(kernel[1])]
        inside = [int(image[b, r, s, c]) for r in rows for s in columns if 0 <= r < height and 0 <= s < width]
        found.append(((b, y, x, c), inside))
    return found


@pytest.fixture(params=["int8", "uint8"])
def image(request: pytest.FixtureRequest) -> np.ndarray:
    random = np.random.default_rng(5)
    return random.integers(0, 256, (2, 7, 6, 3)).astype(np.uint8).view(request.param)


@pytest.mark.parametrize("case", CASES)
def test_max_pool_is_the_greatest_pixel(case: str, image: np.ndarray) -> None:
    got = max_pool(image, *CASES[case])
    assert got.dtype == image.dtype
    assert all(got[at] == max(pixels) for at, pixels in windows(image, *CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_average_pool_rounds_away_or_truncates(case: str, image: np.ndarray) -> None:
    away, cut = (average_pool(image, *CASES[case], rounding=rounding) for rounding in ("away", "truncate"))
    for at, pixels in windows(image, *CASES[case]):
        mean = Fraction(sum(pixels), len(pixels))
        assert away[at] == oracle.away(mean)
        assert cut[at] == int(mean)


@pytest.mark.parametrize("count_padding", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_average_pool_by_requantizing_is_the_scheme_on_the_sums(
    case: str, count_padding: bool, image: np.ndarray
) -> None:
    kernel, window = CASES[case]
    zero, output = 3, Output.of(image.dtype.name, 10)
    got = average_pool_requantized(image, kernel, zero, 0.7, output, window, count_padding=count_padding)
    sums, counts = pool_sums(image, kernel, window, zero)
    for at, pixels in windows(image, kernel, window):
        assert sums[at] == sum(pixels) - zero * len(pixels)
        assert counts[at[1], at[2]] == len(pixels)
        count = kernel[0] * kernel[1] if count_padding else len(pixels)
        scale = oracle.float32(oracle.float32(0.7) / count)
        wanted = oracle.scaled("qnnpack-fp32", int(sums[at]), scale) + 10
        assert got[at] == max(output.minimum, min(output.maximum, wanted))


def test_what_cannot_be_pooled_is_refused() -> None:
    image = np.zeros((1, 4, 4, 1), np.int8)
    with pytest.raises(OperandError, match="lies entirely in the padding"):
        max_pool(image, (2, 2), Window(padding=((2, 0), (0, 0))))
    # Taps a pixel apart, on both sides of the only row.
    with pytest.raises(OperandError, match="lies entirely in the padding"):
        average_pool(image[:, :1], (2, 2), Window(padding=((1, 1), (0, 0)), dilation=(2, 1)))
    with pytest.raises(OperandError, match="wanted an image"):
        max_pool(image[0], (2, 2))
    with pytest.raises(OperandError, match="does not fit"):
        average_pool(image, (5, 5))
    with pytest.raises(OperandError, match="away or truncate"):
        average_pool(image, (2, 2), rounding="even")
