"""Open a model of any format that the lab reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from neonlab.errors import InputError
from neonlab.host.input_file import is_file, no_file, read_input
from neonlab.network.formats.ncnn.read import read_ncnn
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.formats.tflite import ARITHMETICS, read_tflite
from neonlab.network.graph import Graph

#: Bytes of a model's file, at most.
MOST_BYTES = 1 << 30


def open_network(
    path: Path | str,
    arithmetic: str = "",
    shapes: Mapping[str, Sequence[int]] = MappingProxyType({}),
    draw: int | None = None,
) -> Graph:
    """Return the network in a file, by its suffix: .tflite, .onnx, or .param with its .bin beside it.

    `arithmetic` says whose kernels' results are wanted, where the format has several: for .tflite `reference` (the
    default) or `xnnpack`.  `shapes` are those of the inputs, where the file leaves them to the caller.  With
    the seed `draw` the weights of a .param are drawn, and its .bin is not read.  Raises
    InputError for a file that is not there, is damaged, or has nodes that the lab cannot run, and for an arithmetic
    that the format does not have.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(f"{path}: the lab reads models with the suffixes {', '.join(_SUFFIXES)}")
    if arithmetic and (suffix != ".tflite" or arithmetic not in ARITHMETICS):
        raise InputError(f"only a .tflite has a choice of arithmetic: {' or '.join(ARITHMETICS)}, not {arithmetic}")
    data = read_input(path, MOST_BYTES)
    if suffix == ".tflite":
        return read_tflite(str(path), data, arithmetic or ARITHMETICS[0])
    if draw is not None and suffix != ".param":
        raise InputError(f"{path}: only of a .param the weights can be drawn; this format holds them in the same file")
    if suffix == ".param" and draw is not None:
        return read_ncnn(str(path), data, draw, shapes)
    if suffix == ".param":
        beside = path.with_suffix(".bin")
        if not is_file(beside):
            raise InputError(
                f"{path}: its weights are not beside it: {no_file(beside)}; "
                "--draw-weights draws them, for what the layers cost does not depend on them"
            )
        return read_ncnn(str(path), data, read_input(beside, MOST_BYTES), shapes, str(beside))
    return read_onnx(str(path), data, shapes)


_SUFFIXES = (".tflite", ".onnx", ".param")
