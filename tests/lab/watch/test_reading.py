"""Reading the states of a file: what is told while one waits, and what one does not wait for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import ADD, SUM, edit, new_repository

from neonlab.lab.watch import questions
from neonlab.lab.watch import reading as reader
from neonlab.lab.watch.questions import Subject, WatchedFile
from neonlab.lab.watch.reading import Reading, StateReader

SHAPE = "4096"


def readings(state_reader: StateReader, source: WatchedFile, state: int) -> list[Reading]:
    subject = state_reader.subject(source, state, SHAPE, ())
    assert isinstance(subject, Subject), subject
    return list(state_reader.read(subject, source, state))


@pytest.fixture
def source(tmp_path: Path) -> WatchedFile:
    return WatchedFile(new_repository(tmp_path) / "asm" / f"{ADD}.S")


@pytest.mark.slow
def test_each_step_is_told_when_it_begins(source: WatchedFile) -> None:
    told: list[str] = []
    with StateReader(tell=told.append) as state_reader:
        last = readings(state_reader, source, 1)[-1]
    assert last.tile and last.layer and last.complete
    assert told == [
        "assembling", "running the first cases", told[2], "running every case with every check",
        f"measuring it on the layer {SHAPE}", "looking for lanes that can wrap",
    ]  # fmt: skip
    assert told[2].startswith("measuring it on ")


@pytest.mark.slow
@pytest.mark.parametrize("long", [False, True], ids=["asked for", "took long"])
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
def test_a_verdict_that_is_asked_for_first_or_took_long_does_not_wait_for_the_figures(
    source: WatchedFile, monkeypatch: pytest.MonkeyPatch, wrong: bool, long: bool
) -> None:
    if long:
        monkeypatch.setattr(reader, "_LONG", 0.0)
    if wrong:
        edit(source.path.parents[len(Path(ADD).parts)], SUM, SUM.replace("sqadd", "sqsub"))
    with StateReader(verdict_first=not long) as state_reader:
        first, second, *_, last = readings(state_reader, source, 1)
    assert first.verdict is not None and first.verdict == second.verdict and first.verdict.passed is not wrong
    assert not first.tile and second.tile
    assert not first.complete and last.complete and not last.measuring


@pytest.mark.slow
def test_the_process_that_answers_first_rehearses_every_check_once(source: WatchedFile) -> None:
    asked: list[Callable[..., Any]] = []
    with StateReader() as state_reader:
        ask = state_reader._near.ask

        def note(function: Callable[..., Any], *task: Any, within: float | None = None) -> Any:
            asked.append(function)
            return ask(function, *task, within=within)

        state_reader._near.ask = note  # type: ignore[method-assign]
        readings(state_reader, source, 1)
        assert asked[-1] is questions.try_cases, "after the first answer"
        readings(state_reader, source, 2)
    assert asked.count(questions.try_cases) == 1
