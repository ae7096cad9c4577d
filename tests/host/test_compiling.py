"""Who waits for a compilation is told so, and nobody else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from neonlab.host.compiling import OF_PROVER, QUIET, TEXT, TOLD

PROGRAM = """
import os, subprocess, sys
from numba import njit
from neonlab.host.compiling import watch_compilation
watch_compilation()
def twice(number):
    return 2 * number
child = os.fork() if "fork" in sys.argv else None
if child:
    os.waitpid(child, 0)
for _ in range(int(sys.argv[1])):
    assert njit(twice)(21) == 42
if child != 0 and "start" in sys.argv:
    subprocess.run([sys.executable, __file__, "1"], check=True)
"""


def written_to_terminal(path: Path, compilations: int, *others: str) -> str:
    """What the program says on a standard error that is a terminal."""
    ours, theirs = pty.openpty()
    run = [sys.executable, str(path), str(compilations), *others]
    untold = {name: value for name, value in os.environ.items() if name not in (TOLD, QUIET)}
    result = subprocess.run(run, stderr=theirs, stdout=subprocess.PIPE, env=untold, timeout=120, check=False)
    os.close(theirs)
    text = b""
    try:
        while piece := os.read(ours, 4096):
            text += piece
    except OSError:  # nothing is left, and nobody writes any more
        pass
    os.close(ours)
    assert result.returncode == 0 and result.stdout == b"", text
    return text.decode()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("compilations", [0, 1, 2])
def test_the_first_compilation_is_told_of_once(tmp_path: Path, compilations: int) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert written_to_terminal(path, compilations).count(TEXT) == min(compilations, 1)


@pytest.mark.slow
@pytest.mark.parametrize("others", [("start",), ("fork", "start")], ids="+".join)
def test_processes_that_come_from_another_do_not_tell_again(tmp_path: Path, others: tuple[str, ...]) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert written_to_terminal(path, 1, *others).count(TEXT) == 1


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("quiet", [False, True], ids=["", "quiet"])
def test_it_is_told_where_standard_error_is_no_terminal_unless_quiet(tmp_path: Path, quiet: bool) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = {name: value for name, value in os.environ.items() if name not in (TOLD, QUIET)}
    environment |= {QUIET: "1"} if quiet else {}
    run = [sys.executable, str(path), "1"]
    result = subprocess.run(run, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "" if quiet else f"{TEXT}\n")


PROVER = """
import types
twice.__module__ = "neonlab.prove.table"
sys.modules[twice.__module__] = types.ModuleType(twice.__module__)
for _ in range(2):
    njit(twice)(21)
"""


def test_the_prover_is_told_of_though_other_code_was_compiled_before(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"{PROGRAM}{PROVER}")
    assert written_to_terminal(path, 1).split("\r\n") == [TEXT, OF_PROVER, ""]
    path.write_text(f"{PROGRAM}{PROVER}    njit(lambda number: number)(21)\n")
    assert written_to_terminal(path, 0).split("\r\n") == [OF_PROVER, ""], "and of what is compiled with it no more"
