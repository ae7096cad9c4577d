"""Programs from outside the project that tests compare with: cross binutils, cross compilers, qemu-user."""

from __future__ import annotations

import os
import shutil

import pytest


def require(program: str) -> str:
    """Path of `program`.  Skips the test when it is absent; fails it when NEONLAB_REQUIRE_TOOLS=1, as CI sets."""
    path = shutil.which(program)
    if path is not None:
        return path
    message = f"{program} is not installed"
    if os.environ.get("NEONLAB_REQUIRE_TOOLS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
