"""How workers begin: a command may be interrupted meanwhile, and a script need not know of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.command_line import started


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("seconds", [0.6, 1.0, 1.3, 1.6, 2.0, 3.0])
def test_a_command_that_is_interrupted_stops_without_a_traceback(seconds: float) -> None:
    with started("check") as command:
        time.sleep(seconds)
        os.killpg(command.pid, signal.SIGINT)
        output, errors = command.communicate(timeout=60)
    assert (command.returncode, output) == (130, "")
    assert "Traceback" not in errors


SCRIPT = """
import sys
from neonlab import open_library
from neonlab.lab.parallel import fork_server
from neonlab.lab.run.plan import plan_cases
from neonlab.lab.parallel.checks import check_all
from neonlab.lab.parallel.pool import Workers

fork_server._forks = lambda: {forks}
kernel = open_library({root!r}).find("armv8/add_s8s8_flat_16_tvm")[0]
with Workers(2) as workers:
    (verdict,) = check_all(workers, [(kernel, plan_cases(kernel)[:4])])
print(verdict.kernel, verdict.cases, verdict.passed, sys.modules["__main__"].__spec__)
"""


@pytest.mark.slow
@pytest.mark.parametrize("forks", [True, False])
def test_a_script_may_call_the_lab_at_its_top_level(tmp_path: Path, forks: bool) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(root=str(Path(__file__).resolve().parents[3]), forks=forks))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == ("armv8/add_s8s8_flat_16_tvm 4 True None\n", "")
