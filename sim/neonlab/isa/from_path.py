"""Find the instruction set of a file from its name and folders."""

from __future__ import annotations

import re
from pathlib import Path

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa

_FOLDERS = {
    "armv7": Isa.A32, "arm32": Isa.A32, "aarch32": Isa.A32, "a32": Isa.A32,
    "armv8": Isa.A64, "arm64": Isa.A64, "aarch64": Isa.A64, "a64": Isa.A64,
}  # fmt: skip

_WORD = re.compile(r"[A-Za-z0-9]+")


def isa_of_path(path: Path) -> Isa:
    """Return the instruction set that the file's name or the nearest of its folders names.

    Kernel libraries write `arm64/low_memory/gemm.S` and `4x8-aarch32-neon.S`.  Raises InputError where no name tells.
    """
    for name in (*_WORD.findall(path.stem), *(parent.name for parent in path.absolute().parents)):
        if name in _FOLDERS:
            return _FOLDERS[name]
    raise InputError(
        f"{path}: A32 or A64? Choose with --isa armv7 or --isa armv8, or put the file in a folder of that name"
    )
