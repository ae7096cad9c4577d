"""Find the files of packages that hold trained models, without importing the packages, which need much else."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from tests.tools import require_module


def models_of(package: str) -> Path:
    """The folder with the models of an installed package; skips the test where it is absent."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        require_module(package)
        raise AssertionError("skipped above")
    return Path(spec.origin).parent / "models"
