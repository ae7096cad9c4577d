"""What CONTRIBUTING.md and the workflow name is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:sim|tests|asm|kernels|reports|docs)/[\w./*]*)`", TEXT))))
def test_every_path_named_exists(path: str) -> None:
    assert list(ROOT.glob(path.rstrip("/"))) or "NAME" in path


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("command", sorted(set(re.findall(r"neonlab ([a-z]+)", TEXT))))
def test_every_command_named_is_one(command: str) -> None:
    run = [sys.executable, "-c", "from neonlab.cli import main; main()", command, "--help"]
    assert subprocess.run(run, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md"])
def test_every_target_of_make_named_is_one(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"(?:`|^    )make ([\w-]+)", (ROOT / page).read_text(), re.MULTILINE)
    assert {"report", "test", "test-all"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_workflow_runs_what_a_contributor_runs() -> None:
    assert "run: .ci/run" in (ROOT / ".github/workflows/ci.yml").read_text()
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
