"""Find the kernels of a repository, in asm/armv7 and asm/armv8 and in folders below these.

How kernels are spread over folders says nothing: a kernel is known by its instruction set and its file's name.
"""

from __future__ import annotations

from pathlib import Path

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa

#: The folders of asm/ by their names.
FOLDERS = {"armv7": Isa.A32, "armv8": Isa.A64}


def kernel_files(root: Path) -> list[Path]:
    """Return the files with kernels of the repository at `root`: those of ARMv7 first, each set in order of names.

    Raises InputError where two files of an instruction set have the same name.
    """
    found: list[Path] = []
    for folder in FOLDERS:
        by_name: dict[str, Path] = {}
        for path in sorted((root / "asm" / folder).rglob("*.S"), key=lambda path: (path.name, path)):
            if path.name in by_name:
                raise InputError(f"{path}: {by_name[path.name]} holds the kernel {folder}/{path.stem} already")
            by_name[path.name] = path
        found += by_name.values()
    return found


def kernel_file(root: Path, title: str) -> Path | None:
    """Return the file of the kernel `armv8/NAME`; None where there is none, or more than one."""
    folder, _, name = title.rpartition("/")
    if folder not in FOLDERS:
        return None
    flat = root / "asm" / folder / f"{name}.S"
    found = [flat] if flat.is_file() else []
    found += [path for path in (root / "asm" / folder).glob("**/*/*.S") if path.stem == name]
    return found[0] if len(found) == 1 else None


def isa_folder(path: Path) -> Path | None:
    """Return the nearest asm/armv7 or asm/armv8 that the file lies in, at any depth; None where it lies in none."""
    return next((one for one in path.parents if one.name in FOLDERS and one.parent.name == "asm"), None)


def is_in(root: Path, path: Path) -> bool:
    """Tell whether the file is one of the kernels of the repository at `root`, by its place."""
    folder = isa_folder(path)
    return path.suffix == ".S" and folder is not None and folder.parent == root / "asm"
