"""The options of commands whose work is spread: what is wrong with them is said at once, and Ctrl-C ends all of it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.command_line import ADD, interrupted, neonlab, new_repository, started


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("command", ["check", "prove", "mutate", "report"])
def test_an_address_that_is_none_is_refused(command: str, tmp_path: Path) -> None:
    done = neonlab(command, "--cluster", "somewhere", cwd=tmp_path)
    assert done.returncode == 2 and not done.stdout
    assert "--cluster somewhere: give the address of a scheduler, such as tcp://host:8786, or local:4" in done.stderr


def workers_of(address: str) -> list[str]:
    """The processes of this machine whose command line or environment names it."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if address in (one / "environ").read_text(errors="replace"):
                found.append((one / "cmdline").read_text(errors="replace").replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.mark.thorough("it starts a cluster of processes; tests/lab/cluster has what it rests on")
def test_an_interrupt_ends_the_command_and_all_of_its_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = new_repository(tmp_path / "repository")
    mark = f"NEONLAB_TEST_{tmp_path.name}"
    monkeypatch.setenv(mark, "1")
    monkeypatch.delenv("NEONLAB_QUIET", raising=False)
    monkeypatch.chdir(root)
    process = started("check", "--cluster", "local:1", ADD, "--layers", "--full", "--no-cache")
    assert process.stderr is not None
    said = ""
    while "checking" not in said and process.poll() is None:
        said += process.stderr.readline()
    time.sleep(1)
    _, rest = interrupted(process)
    assert process.returncode == 130 and rest.endswith("neonlab: stopped\n"), said + rest
    until = time.monotonic() + 20
    while workers_of(mark) and time.monotonic() < until:
        time.sleep(0.2)
    assert workers_of(mark) == []


@pytest.mark.thorough("it starts two clusters of processes")
def test_units_of_work_are_timed(tmp_path: Path) -> None:
    done = neonlab("bench", ADD, "--workers", "1", cwd=new_repository(tmp_path / "repository"))
    assert done.returncode == 0 and done.stdout.count("of 1 worker: ") == 2, done.stderr
