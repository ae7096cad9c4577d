"""What `watch` measures of a layer is found again, unless a file was written since the kernel was opened."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import ADD, LAYER, SUM, edit, new_repository

from neonlab import Profile
from neonlab.lab.cache.folder import VARIABLE, results_folder
from neonlab.lab.cache.results import Results
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import profile_all
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile_case
from neonlab.lab.watch import questions
from neonlab.lab.watch.questions import WatchedFile
from neonlab.measure.options import COUNTS_ALONE
from neonlab.verify.verdict import Failure

STATES = iter(range(10**6, 10**7))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedFile]:
    """A kernel that was written a while ago, in a place with a cache of its own."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kept"))
    root = new_repository(tmp_path / "repository")
    time.sleep(0.2)  # as a file is, unless it was saved at this moment
    yield WatchedFile(root / "asm" / f"{ADD}.S")


def measured(file: WatchedFile, monkeypatch: pytest.MonkeyPatch, *, again: bool, state: int | None = None) -> Profile:
    """The profile of the layer, which is computed anew or not."""
    computed = []

    def counted(*given: Any) -> Profile | Failure:
        computed.append(given)
        return profile_case(*given)

    with monkeypatch.context() as change:
        change.setattr("neonlab.lab.watch.questions.profile_case", counted)
        shape = parse_shape(file.open(), LAYER)
        state = next(STATES) if state is None else state
        found = questions.measure(file, state, shape, COUNTS_ALONE, 1, True)
    assert bool(computed) == again
    assert isinstance(found, Profile)
    return found


def test_a_layer_that_was_measured_is_not_measured_again(file: WatchedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    first = measured(file, monkeypatch, again=True)
    assert measured(file, monkeypatch, again=False).to_json() == first.to_json()


def test_watch_and_profile_find_what_the_other_has_kept(file: WatchedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    first = measured(file, monkeypatch, again=True)
    kernel = file.open()
    with Results(results_folder()) as results, Workers(1, results=results) as workers:
        [found] = profile_all(workers, [(kernel, parse_shape(kernel, LAYER))])
        assert results.counts["profiles._profile"] == (1, 1)
    assert isinstance(found, Profile) and found.to_json() == first.to_json()


def test_another_kernel_is_measured_anew(file: WatchedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    first = measured(file, monkeypatch, again=True)
    edit(file.path.parents[2], SUM, SUM + SUM)
    time.sleep(0.2)
    assert measured(file, monkeypatch, again=True).counts.instructions > first.counts.instructions


def test_a_file_written_since_the_kernel_was_opened_is_not_answered_for(
    file: WatchedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = next(STATES)
    questions.digest(file, state)
    edit(file.path.parents[2], SUM, SUM + SUM)
    measured(file, monkeypatch, again=True, state=state)  # of one text or the other
    time.sleep(0.2)
    measured(file, monkeypatch, again=True)
    measured(file, monkeypatch, again=False)
