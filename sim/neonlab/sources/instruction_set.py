"""Tell the instruction set of code: what is asked for, what the code is, or what its name says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.contract.options import Given
from neonlab.errors import InputError
from neonlab.isa.from_path import isa_of_path
from neonlab.isa.model.isa import Isa
from neonlab.sources.toolchain import is_c


def isa_of(path: Path, given: Given) -> Isa:
    """Return the instruction set of a file: the given one, else that of an object or of the folder; A64 for other C.

    Raises InputError where nothing tells it.
    """
    if given.isa is not None:
        return given.isa
    if path.suffix in ASSEMBLY:
        return isa_of_path(path)
    if is_c(path):
        return _named(path) or Isa.A64
    from neonlab.objects.load import isa_of_object

    return isa_of_object(path)


def isa_for_contract(path: Path, given: Given, stated: Any) -> Isa | None:
    """Return the instruction set for a contract whose entry `isa` is `stated`; None where the contract alone decides.

    The given one counts; then the contract's, if it has one; then that of an object, or of the file's name or folder.
    """
    if given.isa is not None:
        return given.isa
    if isinstance(stated, list) or (isinstance(stated, dict) and len(stated) == 1):
        return None
    if _is_object(path):
        from neonlab.objects.load import isa_of_object

        return isa_of_object(path)
    return _named(path) or (None if isinstance(stated, dict) else Isa.A64)


def may_be_several(path: Path) -> bool:
    """Tell whether the code may be for several instruction sets: neither an object, nor assembly named for one."""
    return not _is_object(path) and not (path.suffix in ASSEMBLY and _named(path) is not None)


def _named(path: Path) -> Isa | None:
    """Return the instruction set that the file's name or folder names; None without."""
    try:
        return isa_of_path(path)
    except InputError:
        return None


def _is_object(path: Path) -> bool:
    from neonlab.objects.load import is_object

    return is_object(path)
