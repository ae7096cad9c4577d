"""Test what a check's main process imports; what its workers find is tested with `neonlab check`."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.command_line import ROOT

_EMULATOR = {"numba", "llvmlite", "unicorn", "capstone"}
_COMMAND = """
import sys
from neonlab.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.slow
def test_the_process_that_waits_for_the_workers_imports_no_emulator() -> None:
    command = ("-q", "check", "armv8/clip_s8s8_flat_64", "--shape", "65")
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, *command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("exact")
    imported = set(done.stderr.split())
    assert "numpy" in imported and "neonlab.lab.parallel.checks" in imported, "the list is none of modules"
    assert not imported & _EMULATOR
