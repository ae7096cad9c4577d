"""The command where the system gives it little: closed, full and broken output, signals, no memory, a bare locale."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import ROOT, neonlab, started

CLIP = "armv8/clip_s8s8_flat_64"
FILE = "asm/armv8/clip/clip_s8s8_flat_64.S"
COMMAND = f'"{sys.executable}" -c "from neonlab.cli import main; main()"'


def shell(line: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A line of bash in which `neonlab` is the command."""
    text = f'neonlab() {{ {COMMAND} "$@"; }}; {line}'
    known = {**os.environ, **environment}
    return subprocess.run(["bash", "-c", text], cwd=cwd, env=known, capture_output=True, timeout=120, check=False)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["list", "--help", "--version", f"check {CLIP} --shape 20 --json", f"asm {FILE}"])
@pytest.mark.sweep(keep=4)
def test_output_that_cannot_be_written_is_one_message(words: str, unbuffered: str) -> None:
    full = shell(f"neonlab {words} > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert (full.returncode, full.stderr) == (2, b"neonlab: standard output: No space left on device\n")
    closed = shell(f"neonlab {words} >&-", PYTHONUNBUFFERED=unbuffered)
    assert closed.returncode == 2
    assert closed.stderr == b"neonlab: standard output is closed: there is nowhere to write to\n"


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("words", ["list", f"asm {FILE}", f"check {CLIP} --shape 20"])
def test_a_reader_that_leaves_ends_the_command_as_it_ends_git(words: str) -> None:
    ended = shell(f"neonlab {words} | true; echo ${{PIPESTATUS[0]}}")
    assert (ended.stdout, ended.stderr) == (b"141\n", b"")


def test_nothing_is_said_where_both_outputs_are_closed() -> None:
    assert shell("neonlab asm missing.S <&- >&- 2>&-").returncode == 2


def test_a_current_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    for command in ("list", f"check {CLIP}", "asm x.S"):
        ended = shell(f"mkdir gone; cd gone; rmdir ../gone; neonlab {command}", tmp_path)
        assert ended.returncode == 2
        assert ended.stderr == b"neonlab: the current folder is gone: change to one that there is\n"


def test_a_name_sends_no_control_character_to_the_terminal() -> None:
    ended = shell("neonlab asm $'red\\x1b[31m.S'")
    assert ended.returncode == 2 and b"red\\x1b[31m.S" in ended.stderr and b"\x1b" not in ended.stderr


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("command", ["check", "asm", "profile", "symbols", "contract"])
@pytest.mark.sweep(keep=2)
def test_a_name_of_5000_characters_is_refused_in_few_words(command: str) -> None:
    ended = neonlab(command, f"{'x' * 5000}.S")
    assert ended.returncode == 2
    assert "no such file: File name too long" in ended.stderr
    assert len(ended.stderr) < 600


@pytest.mark.slow
def test_letters_are_printed_in_a_locale_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "wörter.S").write_text('.text\n mov x0, #1 // → größer\n .error "größer"\n')
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = shell("neonlab asm *.S --isa armv8", tmp_path, **plain)
    assert ended.returncode == 2
    assert "wörter.S:3:2: error: größer".encode() in ended.stderr
    wrong = "tests/saboteurs/armv8/conv1x1_s8s32_hwc_4x4_wrong_pixel.S"
    known, strange = (shell(f"neonlab check {wrong}", ROOT, **some) for some in ({"PYTHONUTF8": "1"}, plain))
    assert "→".encode() in known.stdout
    assert (strange.returncode, strange.stdout, strange.stderr) == (1, known.stdout, b"")


def limited(kind: int, amount: int) -> Callable[[], None]:
    """Return a function that sets a limit in a process that begins."""
    return lambda: resource.setrlimit(kind, (amount, amount))


def under(limit: Callable[[], None], *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from neonlab.cli import main; main()", *arguments],
        cwd=cwd, preexec_fn=limit, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", [("check",), ("profile",), ("compare", CLIP)])
@pytest.mark.sweep(keep=1)
def test_a_shape_that_does_not_fit_the_memory_is_refused_with_what_it_needs(command: tuple[str, ...]) -> None:
    ended = under(limited(resource.RLIMIT_AS, 6 << 30), *command, CLIP, "--shape", "300000000")
    assert ended.returncode == 2
    assert "shape 300000000 needs about" in ended.stderr and "of 6.0 GiB of address space" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("mebibytes", [450, 1000, 3000])
@pytest.mark.sweep(keep=1)
def test_no_kernel_is_called_wrong_because_the_emulator_has_no_memory(mebibytes: int) -> None:
    ended = under(limited(resource.RLIMIT_AS, mebibytes << 20), "check", CLIP, "--shape", "20", "-j", "1")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "address space" in ended.stderr and ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_shape_is_never_read_as_another() -> None:
    ended = neonlab("check", CLIP, "--shape", "1000000000016")
    assert ended.returncode == 2 and "count = 1000000000016 is outside" in ended.stderr
    ended = neonlab("check", CLIP, "--shape", "9" * 19)
    assert ended.returncode == 2 and "a size has more than 18 digits" in ended.stderr


def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "large.S").write_text(".text\n .space 300000\n")
    (tmp_path / "old.bin").write_text("old")
    ended = under(
        limited(resource.RLIMIT_FSIZE, 65536), "asm", "large.S", "--isa", "armv8", "-o", "old.bin", cwd=tmp_path
    )
    assert (ended.returncode, ended.stderr) == (2, "neonlab: old.bin: cannot be written: File too large\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.S", "old.bin"]
    assert (tmp_path / "old.bin").read_text() == "old"


def group_of(number: int) -> list[str]:
    """Processes of a group that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(group) == number and state != "Z":
            found.append(folder.name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("everybody", [False, True])
@pytest.mark.parametrize("seconds", [1.0, 4.0])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.sweep(keep=3)
def test_a_signal_ends_the_command_and_its_workers_without_a_word(
    number: signal.Signals, seconds: float, everybody: bool
) -> None:
    with started("check") as command:
        time.sleep(seconds)
        (os.killpg if everybody else os.kill)(command.pid, number)
        output, errors = command.communicate(timeout=60)
    assert (command.returncode, output, errors) == (128 + number, "", "")
    for _ in range(100):
        if not group_of(command.pid):
            break
        time.sleep(0.1)
    assert group_of(command.pid) == []


def test_a_hundred_thousand_processes_are_not_begun() -> None:
    ended = neonlab("check", CLIP, "--shape", "20", "--pattern", "random", "--jobs", "100000", timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
