"""Say what the options of this suite are; `tests.tiers` chooses what runs, `tests.passed` what need not run again."""

from __future__ import annotations

import os

import pytest

from neonlab.host.compiling import QUIET
from neonlab.lab.cache.folder import VARIABLE

pytest_plugins = ["tests.tiers", "tests.passed"]

# Commands that tests run say nothing of what goes on, which depends on how busy the machine is.
os.environ[QUIET] = "1"
# What a test runs is computed: a result of an earlier run proves nothing.  Tests of the cache have their own folders.
os.environ[VARIABLE] = "off"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update`, which brings what tests compare with up to date."""
    parser.addoption(
        "--update", action="store_true", help="write what examples print now into the README and the pages"
    )
