"""One flag that brings what tests compare with up to date."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="write what examples print now into the README and the pages"
    )
