"""Kernels that follow pointers: what they pack is what is written out here, wherever the pointers lead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Array

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("rows", "taps", "channels")
KERNELS = [kernel for kernel in open_library(ROOT).kernels if "_pointers_" in kernel.name]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)


def written_out(kernel: Kernel, taps: Array) -> list[int]:
    """The panels of `taps` [row][tap][channel], byte by byte: the layout's name tells the rows and the group."""
    layout = kernel.contract.argument("packed").layout
    width, group = (int("".join(c for c in part if c.isdigit())) for part in layout.split("_"))
    rows, count, channels = taps.shape
    found = []
    for panel in range(0, rows, width):
        for tap in range(count):
            for first in range(0, channels, group):
                for row in range(panel, panel + width):
                    part = taps[min(row, rows - 1), tap, first : first + group].tolist()
                    found += part + [0] * (group - len(part))
    return found


@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 3, 21), (9, 2, 16), (8, 9, 3), (6, 4, 70)])
@every_kernel
def test_the_reference_is_what_is_written_out(kernel: Kernel, sizes: tuple[int, int, int]) -> None:
    assert kernel.operator is not None
    case = kernel.operator.case(kernel.contract, Shape(NAMES, sizes), "random", 5)
    taps = np.array([case.inputs["input[]"][row] for row in case.rows["input"]]).reshape(sizes)
    assert case.expected["packed"].array.tolist() == written_out(kernel, taps)


def test_pointers_of_a_case_are_in_no_order_and_some_are_equal() -> None:
    operator = KERNELS[0].operator
    assert operator is not None
    seen = [
        operator.case(KERNELS[0].contract, Shape(NAMES, (7, 9, 2)), "random", seed).rows["input"] for seed in (1, 2)
    ]
    assert not np.array_equal(seen[0], seen[1])
    for rows in seen:
        assert rows.min() >= 0 and rows.max() < 63 and 3 < len(set(rows.tolist())) < 63
        assert len(set(np.diff(rows).tolist())) > 9


def call(kernel: Kernel, image: Array, offsets: Array, channels: int) -> Array:
    with Caller() as caller:
        numbers = dict(zip(NAMES, (*offsets.shape, channels), strict=True))
        return caller(kernel, {"input": offsets, "input[]": image, **numbers})["packed"]


@every_kernel
def test_windows_of_one_image_share_its_bytes(kernel: Kernel) -> None:
    rng = np.random.default_rng(4)
    image, channels = rng.integers(-128, 128, (6, 7, 5), np.int8), 15  # three pixels, side by side
    offsets = np.array([[35 * (y + dy) + 5 * x for dy in range(3)] for y in range(4) for x in range(5)])
    windows = [[image[y + dy, x : x + 3].reshape(-1) for dy in range(3)] for y in range(4) for x in range(5)]
    assert call(kernel, image, offsets, channels).tolist() == written_out(kernel, np.array(windows))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"input": np.array([49])}, "`input` leads outside of the 64 bytes"),
        ({"input": np.array([-1])}, "`input` leads outside of the 64 bytes"),
        ({"input": np.array([0, 0])}, "`input` is 1 whole numbers with these numbers"),
        ({"input": np.array([0.0])}, "`input` is 1 whole numbers with these numbers"),
        ({"input[]": np.zeros(64, np.uint8)}, r"`input\[\]` holds int8, not uint8"),
        ({"inputs": np.array([0])}, r"no argument is called `inputs`; there are .*, input\[\]"),
    ],
)
@every_kernel
def test_pointers_that_do_not_fit_are_refused(kernel: Kernel, changed: dict[str, Array], words: str) -> None:
    given: dict[str, Array | int] = {
        "input": np.array([48]),
        "input[]": np.zeros(64, np.int8),
        "rows": 1,
        "taps": 1,
        "channels": 16,
    }
    with Caller() as caller:
        assert not caller(kernel, given)["packed"].any()
        with pytest.raises(InputError, match=words):
            caller(kernel, {**given, **changed})
        del given["input[]"]
        with pytest.raises(InputError, match=r"give an array for `input\[\]`"):
            caller(kernel, given)
