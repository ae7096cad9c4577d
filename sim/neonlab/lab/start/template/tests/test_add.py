"""The kernels of kernels/add.py on numbers worked out by hand; `pytest` tries each kernel of asm/ on its own too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neonlab import Kernel, check, open_library

LIBRARY = open_library(Path(__file__).resolve().parents[1])
ADDITIONS = [kernel for kernel in LIBRARY.kernels if kernel.operator is not None and kernel.operator.name == "add"]


def test_the_reference_saturates() -> None:
    kernel = ADDITIONS[0]
    shape = LIBRARY.operators[0].layers["a feature map of 14x14x256"]
    a, b = (np.array(values, np.int8) for values in ([1, 100, -100, -128], [2, 100, -100, 127]))
    assert kernel.operator is not None
    expected = kernel.operator.expected(kernel.contract, shape, {"a": a, "b": b})
    assert expected["c"].array.tolist() == [3, 127, -128, -1]


@pytest.mark.parametrize("kernel", ADDITIONS, ids=lambda kernel: kernel.title)
def test_a_kernel_is_exact_on_every_small_shape(kernel: Kernel) -> None:
    verdict = check(kernel, every_tail=True)
    assert verdict.passed, verdict.failures[0]
