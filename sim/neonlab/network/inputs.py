"""Read the inputs of a network from an .npz file, and find them by their names."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.network.graph import MOST_ELEMENTS, Array

_MOST_BYTES = 1 << 30


def by_name(given: Mapping[str, Array], names: Sequence[str], where: str = "") -> dict[str, Array]:
    """Return arrays in the order of `names`; where there is one input, one array may have any name.

    Raises InputError, which begins with `where`, for an input that is missing or superfluous.
    """
    if len(names) == 1 and len(given) == 1:
        given = {names[0]: next(iter(given.values()))}
    wrong = sorted(set(given) ^ set(names))
    if wrong:
        raise InputError(
            f"{where}the network takes {', '.join(f'`{name}`' for name in names)}; missing or superfluous: "
            f"{', '.join(f'`{name}`' for name in wrong)}"
        )
    return {name: given[name] for name in names}


def read_inputs(path: Path) -> dict[str, Array]:
    """Return the arrays of an .npz file by name.

    Raises InputError for a file that is none, that holds objects, or whose arrays are too large.
    """
    data = read_input(path, _MOST_BYTES)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > 8 * MOST_ELEMENTS:
                raise InputError(f"{path}: its arrays have more than {8 * MOST_ELEMENTS:,} bytes")
        with np.load(io.BytesIO(data), allow_pickle=False) as held:
            return {name: np.asarray(held[name]) for name in held.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError(f"{path}: no .npz file of arrays: {error}") from None
