"""Build the manual as `make docs` does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.console import ROOT


def build_site(folder: Path) -> Path:
    """Build the site into `folder` and return it."""
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", "docs/mkdocs.yml", "-d", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder
