"""Each worker has units that wait beside those that it runs, until few are left."""

from __future__ import annotations

from neonlab.lab.cluster.desks import Desks


def given_out(desks: Desks, running: int, *, ahead: bool) -> list[str]:
    """The workers that get a message each until none gets one."""
    found: list[str] = []
    while worker := desks.free(running + len(found), ahead=ahead):
        desks.sent(worker, f"kernel {len(found)}")
        found.append(worker)
    return found


def test_each_thread_of_each_worker_has_one_that_runs_before_any_has_one_that_waits() -> None:
    desks = Desks(lambda: {"a": 1, "b": 2})
    found = given_out(desks, 0, ahead=True)
    assert sorted(found[:3]) == ["a", "b", "b"] and sorted(found) == ["a", "a", "b", "b", "b", "b"]
    desks.answered("b")
    assert given_out(desks, 5, ahead=True) == ["b"]


def test_unless_some_are_sent_ahead_none_waits_behind_another() -> None:
    desks = Desks(lambda: {"a": 1, "b": 1})
    assert given_out(desks, 0, ahead=True) == ["a", "b", "a", "b"]
    assert given_out(desks, 4, ahead=False) == []
    desks.answered("a")
    desks.answered("a")
    assert given_out(desks, 2, ahead=False) == []  # those of a worker that ended may run at the other
    desks.answered("b")
    assert given_out(desks, 1, ahead=False) == ["a"]


def test_a_worker_gets_units_of_the_kernel_that_it_was_sent_last() -> None:
    desks = Desks(lambda: {"a": 1})
    assert desks.prepared("a") is None
    given_out(desks, 0, ahead=True)
    assert desks.prepared("a") == "kernel 1"


def test_nothing_is_sent_to_a_worker_that_has_gone_nor_where_there_is_none() -> None:
    there = {"a": 1, "b": 1}
    desks = Desks(lambda: there)
    del there["a"]
    assert given_out(desks, 0, ahead=True) == ["b", "b"]
    del there["b"]
    assert given_out(desks, 0, ahead=True) == []
