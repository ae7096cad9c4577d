"""A new repository: one kernel, its operator, its tests, its CI, and baselines as they are measured here and now."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from neonlab.errors import InputError

#: What becomes of each file of the template.
_PLACES = {
    "README.md": "README.md",
    "asm/armv8/add_s8_saturated.S": "asm/armv8/add_s8_saturated.S",
    "gitignore": ".gitignore",
    "kernels/add.py": "kernels/add.py",
    "pyproject.toml": "pyproject.toml",
    "tests/test_add.py": "tests/test_add.py",
    "workflows/kernels.yml": ".github/workflows/kernels.yml",
}


def start_repository(folder: Path) -> list[Path]:
    """Write the files into `folder`, which is made, or is empty but for a .git; the paths written.  Raises InputError.

    Baselines are left to `regression.measure_baselines`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(path.name for path in folder.iterdir() if path.name != ".git")
        if there:
            raise InputError(f"{folder}: not empty (it holds {there[0]}): name a new folder")
        template = files("neonlab") / "template"
        written = []
        for source, place in _PLACES.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((template / source).read_bytes())
            written.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    return written
