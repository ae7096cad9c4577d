"""Windows of ncnn's SAME padding are those of the package, wherever the lab runs them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.network.ncnn_models import Writer, run_package
from tests.tools import require_module

from neonlab.errors import InputError
from neonlab.network.formats.ncnn.read import read_ncnn
from neonlab.network.layout import to_file
from neonlab.network.reference.inference import drawn, feed, run_reference

#: Width and height of the image; kernel; stride.
CASES = list(product([(8, 7), (9, 8)], [(1, 1), (1, 3), (2, 3), (3, 1)], [1, 2, 3]))


def one_layer(kind: str, size: tuple[int, int], kernel: tuple[int, int], stride: int, mode: int) -> Writer:
    writer = Writer(3)
    writer.input("data", *size, 2)
    if kind == "pool":
        words = f"0=1 1={kernel[0]} 11={kernel[1]} 2={stride} 5={mode}"
        writer.layer("Pooling", "one", ["data"], ["out"], words)
        return writer
    count = 2 * 2 * kernel[0] * kernel[1]
    parameters = {0: 2, 1: kernel[0], 11: kernel[1], 3: stride, 4: {2: -233, 3: -234}[mode], 5: 0, 6: count, 8: 2}
    writer.weighted("Convolution", "one", "data", "out", count, count // 2, parameters)
    return writer


@pytest.mark.parametrize("mode", [2, 3], ids=["upper", "lower"])
@pytest.mark.parametrize("kind", ["pool", "conv"])
def test_a_layer_gives_what_the_package_gives_or_is_refused(kind: str, mode: int, tmp_path: Path) -> None:
    require_module("ncnn")
    refused = []
    for size, kernel, stride in CASES:
        writer = one_layer(kind, size, kernel, stride, mode)
        try:
            graph = read_ncnn("model.param", writer.text, writer.weights, {})
        except InputError as error:
            refused.append((size, kernel, stride))
            assert "which cuts the image off" in str(error)
            continue
        given = drawn(graph, 3)
        (theirs,) = run_package(writer.write(tmp_path), given["data"], ["out"])
        ours = to_file(graph, run_reference(graph, feed(graph, given))["out"])
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() <= np.abs(theirs).max() * 2.0**-18, (size, kernel, stride)
    assert 0 < len(refused) < len(CASES) // 3
