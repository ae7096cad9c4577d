"""The process that runs units for a worker of a cluster: one line for each answer, whatever a unit prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository

from neonlab.lab.cache.plain import read
from neonlab.lab.cluster.wire import fingerprint, units_text
from neonlab.lab.parallel import checks
from neonlab.lab.parallel.pool import KernelHandle
from neonlab.lab.repository.library import open_member
from neonlab.lab.run.plan import plan_cases

PRINTS = 'import os\n\nprint("{}")\nos.write(1, b"no line of JSON\\n")\n'


@pytest.mark.slow
def test_what_an_operator_prints_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    root = new_repository(tmp_path)
    operator = root / "kernels" / "add.py"
    operator.write_text(operator.read_text() + PRINTS)
    kernel = open_member(root, root / "asm" / f"{ADD}.S")
    cases = plan_cases(kernel)[:2]
    units = units_text(checks._check_chunk, [(KernelHandle.of(kernel), cases, False, None)], fingerprint(kernel))
    asked = json.dumps({"number": 7, "units": units, "place": ""})
    host = [sys.executable, "-m", "neonlab.lab.cluster.host", "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(host, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(asked + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        process.stdin.close()
        assert process.stdout.read() == ""
        said = process.stderr.read()
    told = json.loads(line)
    assert told["number"] == 7, told
    [[tried, seconds]] = read(told["value"])
    assert tried == checks._check_chunk(KernelHandle.of(kernel), cases) and seconds > 0
    assert "no line of JSON" in said
