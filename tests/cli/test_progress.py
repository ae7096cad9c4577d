"""Commands report progress while they work, and name their phases in order."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import ADD, edit, new_repository

from neonlab.cli.progress import Lines, Progress
from neonlab.host.compiling import QUIET

ROOT = Path(__file__).resolve().parents[2]
SABOTEUR = "tests/saboteurs/armv8/conv1x1_s8s32_hwc_4x4_wrong_pixel.S"


class Clock:
    """Seconds that pass when the test says so."""

    tenths = 1000

    def __call__(self) -> float:
        return self.tenths / 10


class Told:
    """A progress whose lines are kept, told first after 2 s and then every 10 s."""

    def __init__(self) -> None:
        self.clock, self.lines = Clock(), list[str]()
        self.progress = Progress(Lines(self.lines.append), self.clock, first=2.0, every=10.0)

    def wait(self, seconds: float) -> None:
        """Let time pass, with a tick every tenth of a second, as the thread makes them."""
        for _ in range(round(seconds * 10)):
            self.clock.tenths += 1
            self.progress.tick()


def test_what_ends_soon_says_nothing() -> None:
    told = Told()
    told.progress.begin("planning")
    told.wait(1.9)
    told.progress.clear()
    told.wait(60)
    assert told.lines == []


def test_a_phase_is_told_of_after_2_seconds_and_then_every_10_with_what_is_done() -> None:
    told = Told()
    advance = told.progress.begin("checking", 8400, "cases")
    told.wait(4)
    advance(1200)
    advance(3)
    told.wait(20)
    assert told.lines == [
        "checking: 0 of 8,400 cases, 2 s",
        "checking: 1,203 of 8,400 cases, 12 s",
        "checking: 1,203 of 8,400 cases, 22 s",
    ]


def test_short_phases_are_no_silence_together() -> None:
    told = Told()
    for name in ("starting", "planning", "checking"):
        told.progress.begin(name)
        told.wait(0.9)
    assert told.lines == ["checking: 0 s"]


def test_a_phase_that_follows_one_told_of_is_told_of_at_once() -> None:
    told = Told()
    told.progress.begin("checking", 3, "cases")
    told.wait(3)
    told.progress.begin("explaining")
    told.wait(9)
    assert told.lines == ["checking: 0 of 3 cases, 2 s", "explaining: 0 s"]


def test_after_something_else_was_printed_the_silence_counts_anew() -> None:
    told = Told()
    told.progress.begin("tables")
    told.wait(3)
    told.progress.clear()
    told.wait(100)
    told.progress.begin("pages")
    told.wait(1)
    assert told.lines == ["tables: 2 s", "pages: 0 s"]


def test_what_a_phase_that_is_over_still_reports_is_not_counted_to_the_next() -> None:
    told = Told()
    late = told.progress.begin("checking", 3, "cases")
    told.progress.begin("profiling", 5, "calls")
    late(3)
    told.wait(2)
    assert told.lines == ["profiling: 0 of 5 calls, 2 s"]


def run_and_tell_at_once(*arguments: str, cwd: Path = ROOT) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The command, to which any time is long enough to tell of; and the names of its phases."""
    program = "from neonlab.cli import main, progress; progress.FIRST = 0.0; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        env={name: value for name, value in os.environ.items() if name != QUIET},
        check=False,
    )
    names = [re.sub(r"(: [\d,]+ of .*)?(, |: )\d+ s$", "", line) for line in done.stderr.splitlines()]
    return done, list(dict.fromkeys(name.removeprefix("neonlab: ") for name in names))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "phases"),
    [
        (("check", SABOTEUR, "--shape", "1x16x1x1"), ["planning the cases of 1 kernel", "checking"]),
        (("check", ADD, "--search", "3"), ["searching among 3 cases of each kernel"]),
        (("profile", ADD, "--shape", "64"), ["profiling"]),
        (("compare", ADD, ADD, "--shape", "64"), ["comparing"]),
        (("compare", "--against", "HEAD"), ["reading HEAD", "comparing code", "comparing"]),
        (("mutate", ADD, "--limit", "2"), ["making mutants", "judging"]),
        (("contract", f"asm/{ADD}.S", "--learn", "count=1,2,3"), ["running the function"]),
        (("schemes", "--scale", "0.5"), ["comparing schemes"]),
        (("symbols", f"asm/{ADD}.S"), ["reading add_s8_saturated.S"]),
        (("report", ADD, "--core", "cortex-a53"), ["pages: planning", "pages: checking", "pages: profiling"]),
        (("init", "another"), ["measuring baselines"]),
    ],
    ids=lambda value: "-".join(value[:1]) if isinstance(value, tuple) else "",
)
@pytest.mark.sweep(keep=4)
def test_phases_are_named_in_order(arguments: tuple[str, ...], phases: list[str], tmp_path: Path) -> None:
    inside = SABOTEUR not in arguments
    if inside:
        new_repository(tmp_path)
        edit(tmp_path, "count, count, #16\n", "count, count, #0x10\n    nop\n")
    done, told = run_and_tell_at_once(*arguments, cwd=tmp_path if inside else ROOT)
    assert told[0] == arguments[0]
    assert [name for name in told if name in phases] == phases, done.stderr
    if not inside:
        assert done.returncode == 1 and told[-1] == "explaining 1 failure"


@pytest.mark.slow
def test_json_on_standard_output_stays_one_document() -> None:
    done, told = run_and_tell_at_once("check", SABOTEUR, "--shape", "1x16x1x1", "--json")
    assert json.loads(done.stdout)["command"] == "check" and "checking" in told


@pytest.mark.slow
def test_on_a_terminal_a_bar_shows_the_phase_and_is_taken_away() -> None:
    ours, theirs = pty.openpty()
    program = "from neonlab.cli import main, progress; progress._BAR_AFTER = 0.0; main()"
    run = [sys.executable, "-c", program, "check", SABOTEUR, "--shape", "1x16x1x1"]
    environment = {name: value for name, value in os.environ.items() if name != QUIET} | {"TERM": "xterm"}
    with subprocess.Popen(run, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, env=environment) as process:
        os.close(theirs)
        text = b""
        with contextlib.suppress(OSError):  # nothing is left, and nobody writes any more
            while piece := os.read(ours, 4096):  # a terminal that nobody reads takes in 4 KB, and then the writer waits
                text += piece
        os.close(ours)
        assert process.stdout is not None and b"WRONG" in process.stdout.read()
    assert process.returncode == 1
    assert b"checking" in text and b"0/9 cases" in text
    assert text.endswith(b"\x1b[2K") and text.count(b"\x1b[?25l") == text.count(b"\x1b[?25h")


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--quiet", "-q"])
def test_nothing_is_said_with_quiet(option: str) -> None:
    done, _ = run_and_tell_at_once(option, "check", SABOTEUR, "--shape", "1x16x1x1")
    assert done.stderr == "" and "WRONG" in done.stdout
