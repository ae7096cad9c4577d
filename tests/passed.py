"""Let a second run leave out what a first one has shown: `--write-passed=FILE`, then `--leave-passed=FILE`.

`.ci/run` runs `make test` on a bare machine, then `make test-all` on one with every tool.  What passed on the first
needs no tool, and would be run again on the same sources.  What was skipped there is not among what passed.

The equals sign is needed.  pytest looks for its settings before it knows these options, and would take a file that
stands alone for a place of tests, whose folder has no settings.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add both options."""
    parser.addoption("--write-passed", type=Path, metavar="FILE", help="write the names of the tests that passed")
    parser.addoption("--leave-passed", type=Path, metavar="FILE", help="leave out the tests that FILE names")


def pytest_configure(config: pytest.Config) -> None:
    """Note results where they arrive: in the process that the person started, not in xdist's workers."""
    file = config.getoption("--write-passed")
    if file is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Passed(file), "passed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed before."""
    file = config.getoption("--leave-passed")
    if file is not None:
        passed = set(file.read_text().splitlines())
        left = [item for item in items if item.nodeid in passed]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item.nodeid not in passed]


class _Passed:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._ran: set[str] = set()
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)
        elif report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
            self._ran.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the names, one a line."""
        self._file.write_text("".join(f"{name}\n" for name in sorted(self._ran - self._failed)))
