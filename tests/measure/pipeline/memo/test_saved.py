"""A saved state is all of the state that has influence on what is still to come, and nothing of the past."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.measure.pipeline.loops import random_loop

from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.machine import PipelineMachine
from neonlab.measure.pipeline.memo.saved import WORDS_BY_SIZE, read_state, size_of, write_state
from neonlab.measure.pipeline.record import SCRATCH
from neonlab.measure.pipeline.state import FIRST_PART, FIRST_RELATIVE, LIVE, WORDS, words_of

IN_ORDER, OUT_OF_ORDER = "cortex-a7", "cortex-a72"
#: The parts of the state that engines fill; the other engine's are empty.
PARTS = {
    IN_ORDER: ("registers", "lines", "stores", "units", "queue", "miss", "fetched"),
    OUT_OF_ORDER: ("registers", "lines", "stores", "stored", "fetched", "window"),
}
NOW = 1000


def machine_with_everything(core: str, seed: int) -> PipelineMachine:
    """At the cycle NOW, with every row of every part ahead of it."""
    machine = PipelineMachine(random_loop(seed), load_pipeline(core))
    live = live_of(machine)
    r = np.random.default_rng(seed)
    words = words_of_live(live)
    words[FIRST_RELATIVE:FIRST_PART] = r.integers(NOW + 1, NOW + 50, FIRST_PART - FIRST_RELATIVE)
    live["now"], live["fills"], live["storing"] = NOW, 5, 3
    for part in PARTS[core]:
        first, length = words_of(part)
        rows = rows_of(machine, part)
        cycles = NOW + 60 + np.arange(rows) // 3  # in a ring the oldest comes first, and several may be of one cycle
        words[first : first + rows * length] = r.integers(1, 90, rows * length)
        words[first : first + rows * length : length] = cycles
    if core == OUT_OF_ORDER:
        cycles_of(machine)[NOW + 4]["busy"] = 5
        cycles_of(machine)[NOW + 4]["begun"] = 4
        live["cleared"], live["top"] = NOW, NOW + 4
    return machine


def live_of(machine: PipelineMachine) -> Any:
    return machine._arrays["live"]


def cycles_of(machine: PipelineMachine) -> npt.NDArray[Any]:
    return machine._arrays["cycles"]


def words_of_live(live: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return live.view(np.int64)


def rows_of(machine: PipelineMachine, part: str) -> int:
    """How many rows of a part this core has."""
    core = machine._arrays["core"][0]
    live = live_of(machine)[0]
    rows = {
        "lines": live["fills"], "stores": live["storing"], "units": core["ports"], "queue": core["queue"],
        "fetched": core["fetch_queue"], "window": core["window"],
    }  # fmt: skip
    return int(rows[part]) if part in rows else int(np.prod(LIVE[part].shape, dtype=int))


def written(machine: PipelineMachine) -> list[int]:
    words = np.zeros(SCRATCH, np.int64)
    used = write_state(machine.state[0], words)
    return [int(word) for word in words[:used]]


@pytest.mark.slow
@pytest.mark.parametrize("core", [IN_ORDER, OUT_OF_ORDER])
def test_a_state_taken_up_at_another_time_is_the_same(core: str) -> None:
    for seed in range(5):
        machine = machine_with_everything(core, seed)
        state = written(machine)
        before = live_of(machine)[0].copy()
        read_state(machine.state[0], np.array(state), NOW + 12345)
        assert written(machine) == state
        after = live_of(machine)[0]
        assert after["now"] == NOW + 12345 and after["fetch_at"] - after["now"] == before["fetch_at"] - NOW
        assert np.array_equal(after["registers"]["ready"] - after["now"], before["registers"]["ready"] - NOW)
        for field in ("writer", "reason", "part", "forwards"):
            assert np.array_equal(after["registers"][field], before["registers"][field])


@pytest.mark.slow
@pytest.mark.parametrize("core", [IN_ORDER, OUT_OF_ORDER])
def test_every_word_of_what_lies_ahead_is_saved(core: str) -> None:
    machine = machine_with_everything(core, 7)
    state, words = written(machine), words_of_live(live_of(machine))
    places = list(range(FIRST_RELATIVE, FIRST_PART))
    for part in PARTS[core]:
        first, length = words_of(part)
        places += range(first, first + rows_of(machine, part) * length)
    for place in places:
        words[place] += 1
        changed = written(machine)
        words[place] -= 1
        assert changed != state, f"word {place} of {WORDS}"
    assert written(machine) == state
    if core == OUT_OF_ORDER:
        for field in ("busy", "begun"):
            cycles_of(machine)[NOW + 4][field] |= 2
            assert written(machine) != state
            cycles_of(machine)[NOW + 4][field] &= ~2


@pytest.mark.parametrize("core", [IN_ORDER, OUT_OF_ORDER])
def test_what_lies_behind_is_not_saved(core: str) -> None:
    machine = machine_with_everything(core, 9)
    words = words_of_live(live_of(machine))
    live_of(machine)["fetch_at"] = NOW
    for part in PARTS[core]:
        first, length = words_of(part)
        rows = rows_of(machine, part)
        words[first : first + rows * length : length] = NOW
    state = written(machine)
    for part in PARTS[core]:
        first, length = words_of(part)
        words[first : first + rows_of(machine, part) * length] = 3  # another writer, another cause, another past
    assert written(machine) == state


@pytest.mark.parametrize("core", [IN_ORDER, OUT_OF_ORDER])
def test_no_state_has_more_words_than_what_it_counts_for_allows(core: str) -> None:
    state = written(machine_with_everything(core, 3))
    assert len(state) <= WORDS_BY_SIZE * size_of(np.array(state))
