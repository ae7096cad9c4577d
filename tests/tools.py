"""What tests compare with from outside the project: cross binutils and compilers, qemu-user, other frameworks."""

from __future__ import annotations

import importlib
import os
import shutil
import warnings
from typing import Any, NoReturn

import pytest


def require(program: str) -> str:
    """Path of `program`.  Skips the test when it is absent; fails it when NEONLAB_REQUIRE_TOOLS=1, as CI sets."""
    path = shutil.which(program)
    if path is None:
        _absent(program)
    return path


def require_module(name: str) -> Any:
    """The module called `name`, of the extra `frameworks`, under the same rule; its own warnings are its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            _absent(name)


def _absent(name: str) -> NoReturn:
    message = f"{name} is not installed"
    if os.environ.get("NEONLAB_REQUIRE_TOOLS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
