"""Keep the inputs of a case in a file, so that exactly this case can be run again.

Such inputs were found, not drawn: no pattern and seed give them.  The file is a .npz of plain arrays, without pickles.
It does not hold what is expected of the inputs, which the reference computes anew.

    data = saved_bytes(SavedCase(contract.name, isa, shape, seed, integers, inputs, rows))

Equal cases give equal bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Array

#: Most bytes of a file.
_MOST = 1 << 30
_FORMAT = "neonlab case 1"
#: The member with all that is no array: JSON in UTF-8, as bytes.
_FACTS = "case"
_INPUTS, _ROWS = "inputs/", "rows/"
#: The time of every member, the first that the format has.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class SavedCase:
    """Hold one case of the function `kernel` of the instruction set `isa`, without what is expected of it."""

    kernel: str
    isa: str
    shape: Shape
    seed: int
    integers: Mapping[str, int]
    inputs: Mapping[str, Array]
    rows: Mapping[str, Array]


def saved_bytes(case: SavedCase) -> bytes:
    """Return the file of a case."""
    arrays = _arrays_of(case)
    facts = _facts(case)
    facts["sha256"] = _digest(facts, arrays)
    told = json.dumps(facts, sort_keys=True).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, array in {_FACTS: np.frombuffer(told, np.uint8), **arrays}.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", _NO_TIME)
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, member.getvalue())
    return out.getvalue()


def read_saved(path: Path) -> SavedCase:
    """Return the case in a file.

    Raises InputError for a file that cannot be read, that is no such file, or whose contents have changed since it was
    written.
    """
    data = read_input(path, _MOST)
    try:
        return _parsed(data)
    except Exception as error:  # a damaged archive raises whatever its parsers meet
        told = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"{path}: damaged, or no case that neonlab has saved: {told}") from None


def _parsed(data: bytes) -> SavedCase:
    arrays: dict[str, Array] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_STORED or info.file_size > len(data):
                raise ValueError(f"its member {info.filename} is compressed")
            arrays[info.filename.removesuffix(".npy")] = np.load(io.BytesIO(archive.read(info)), allow_pickle=False)
    facts = json.loads(arrays.pop(_FACTS).tobytes())
    said = facts.pop("sha256")
    if facts["format"] != _FORMAT:
        raise ValueError(f"its format is {facts['format']}")
    if said != _digest(facts, arrays):
        raise ValueError("its contents are not those that were saved")
    names, sizes = zip(*facts["shape"], strict=True) if facts["shape"] else ((), ())
    return SavedCase(
        str(facts["kernel"]),
        str(facts["isa"]),
        Shape(tuple(map(str, names)), tuple(map(int, sizes))),
        int(facts["seed"]),
        {str(name): int(value) for name, value in facts["integers"].items()},
        {name.removeprefix(_INPUTS): array for name, array in arrays.items() if name.startswith(_INPUTS)},
        {name.removeprefix(_ROWS): array for name, array in arrays.items() if name.startswith(_ROWS)},
    )


def _facts(case: SavedCase) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "kernel": case.kernel,
        "isa": case.isa,
        "shape": [list(pair) for pair in zip(case.shape.names, case.shape.sizes, strict=True)],
        "seed": case.seed,
        "integers": {name: int(value) for name, value in case.integers.items()},
    }


def _arrays_of(case: SavedCase) -> dict[str, Array]:
    found = {_INPUTS + name: array for name, array in case.inputs.items()}
    found |= {_ROWS + name: array for name, array in case.rows.items()}
    return {name: np.asarray(found[name], found[name].dtype.newbyteorder("<"), order="C") for name in sorted(found)}


def _digest(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """Return the SHA-256 of all contents, whatever the archive around them."""
    total = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.tobytes())
    return total.hexdigest()
