"""Open a model of any format that the lab reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.network.formats.tflite import ARITHMETICS, read_tflite
from neonlab.network.graph import Graph

#: Bytes of a model's file, at most.
MOST_BYTES = 1 << 30


def open_network(path: Path | str, arithmetic: str = "") -> Graph:
    """Return the network in a file, by its suffix: .tflite.

    `arithmetic` says whose kernels' results are wanted, where the format has several: for .tflite `reference` (the
    default) or `xnnpack`.  Raises InputError for a file that is not there, is damaged, or has nodes that the lab cannot
    run, and for an arithmetic that the format does not have.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: the lab reads {', '.join(_READERS)}")
    return reader(path, arithmetic)


def _tflite(path: Path, arithmetic: str) -> Graph:
    if arithmetic and arithmetic not in ARITHMETICS:
        raise InputError(f"the arithmetic of a .tflite is {' or '.join(ARITHMETICS)}, not {arithmetic}")
    return read_tflite(str(path), read_input(path, MOST_BYTES), arithmetic or ARITHMETICS[0])


_READERS: Mapping[str, Callable[[Path, str], Graph]] = {".tflite": _tflite}
