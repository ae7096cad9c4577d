"""Workers may die or hang; who waits for them does not."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path

import pytest
from tests.sample import CONV1X1

from neonlab.emulate.run import Fault, FaultKind
from neonlab.errors import InputError
from neonlab.lab.parallel.checks import check_again, check_all
from neonlab.lab.parallel.pool import KernelHandle, WorkerError, Workers
from neonlab.lab.parallel.profiles import profile_all
from neonlab.lab.parallel.searches import search_all
from neonlab.lab.repository.library import open_library
from neonlab.lab.run.ended import Died
from neonlab.lab.run.judgement import Tried, up_to_enough
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import WITNESS, Failure

ROOT = Path(__file__).resolve().parents[3]


def square(number: int) -> int:
    if number == 3:
        os.abort()
    if number == 5:
        while True:
            pass
    if number == 7:
        raise InputError("seven is not a number")
    return number * number


@pytest.mark.slow
def test_results_come_in_order_and_a_dead_or_hung_task_costs_only_itself() -> None:
    heard: list[int] = []
    with Workers(2, time_limit=3.0) as workers:
        results = list(workers.run(square, [(number,) for number in range(7)], heard.append))
    assert [result for result in results if not isinstance(result, Died)] == [0, 1, 4, 16, 36]
    assert isinstance(results[3], Died) and "died" in results[3].reason
    assert isinstance(results[5], Died) and results[5].reason == "no end within 3 s of processor time"
    assert sorted(heard) == list(range(7))


def test_bad_input_found_in_a_worker_is_raised_here() -> None:
    with Workers(1) as workers, pytest.raises(InputError, match="seven"):
        list(workers.run(square, [(6,), (7,)]))


def opened(gate: Path, number: int) -> int:
    """Return the number, the first only once the gate is open."""
    for _ in range(3000 if number == 0 else 0):
        if gate.exists():
            return number
        time.sleep(0.01)
    return number or -1


def test_tasks_are_counted_as_they_end_though_results_come_in_order(tmp_path: Path) -> None:
    gate, heard = tmp_path / "gate", list[int]()

    def done(number: int) -> None:
        heard.append(number)
        if len(heard) == 3:
            gate.touch()

    with Workers(2) as workers:
        assert list(workers.run(opened, [(gate, number) for number in range(4)], done)) == [0, 1, 2, 3]
    assert sorted(heard[:3]) == [1, 2, 3] and heard[3] == 0


def test_an_error_is_raised_in_its_turn_though_it_comes_first(tmp_path: Path) -> None:
    gate, got = tmp_path / "gate", list[object]()
    with Workers(2) as workers, pytest.raises(InputError, match="seven"):
        results = workers.run(square_behind, [(gate, 2), (gate, 7), (gate, 4)])
        got.extend(next(results) for _ in range(1))
        next(results)
    assert got == [4]


def square_behind(gate: Path, number: int) -> int:
    """Return the square, that of 2 once 7 was refused."""
    if number == 7:
        gate.touch()
    while number == 2 and not gate.exists():
        time.sleep(0.01)
    return square(number)


def test_who_waits_for_a_pool_that_is_ended_is_told(tmp_path: Path) -> None:
    workers, told, begun = Workers(1), list[type](), tmp_path / "begun"

    def wait() -> None:
        with pytest.raises(CancelledError) as raised, workers:  # whose end comes while the other thread ends it
            list(workers.run(hang, [(begun,)]))
        told.append(raised.type)

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not begun.exists():
        time.sleep(0.01)
    workers.end()
    waiting.join()
    assert told == [CancelledError]
    with pytest.raises(CancelledError):
        workers.begin(square, 2)


def hang(begun: Path) -> None:
    begun.touch()
    time.sleep(600)


class Stubborn(Exception):
    """An error that cannot be made again from its arguments, as some libraries have them."""

    def __init__(self, code: int) -> None:
        super().__init__(f"code {code}", "of a library")


def stubborn(code: int) -> int:
    raise Stubborn(code)


def test_an_error_that_cannot_travel_is_told_of_all_the_same() -> None:
    with Workers(1) as workers, pytest.raises(WorkerError, match=r"in stubborn\n(.|\n)*Stubborn: .*code 7"):
        list(workers.run(stubborn, [(7,)]))


def test_an_interrupt_leaves_no_module_half_imported_that_results_are_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = []

    def import_module(name: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        imported.append(name)

    monkeypatch.setattr("neonlab.lab.parallel.profiles.importlib.import_module", import_module)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Workers(1) as workers, pytest.raises(KeyboardInterrupt):
            profile_all(workers, [])
    finally:
        signal.signal(signal.SIGINT, before)
    assert imported == ["neonlab.measure.profile"]


@pytest.mark.slow
def test_verdicts_do_not_depend_on_the_number_of_workers() -> None:
    kernels = [kernel for kernel in CONV1X1 if "hwc" in kernel.name and "dotprod" not in kernel.name]
    work = [(kernel, plan_cases(kernel, patterns=["random"])[:30]) for kernel in kernels]
    verdicts = []
    for jobs in (1, 2):
        with Workers(jobs) as workers:
            verdicts.append(check_all(workers, work))
    assert verdicts[0] == verdicts[1] and all(verdict.passed and verdict.cases == 30 for verdict in verdicts[0])


def test_a_case_that_kills_its_worker_is_found_among_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = open_library(ROOT).kernels[0]
    cases = plan_cases(kernel)[:5]
    killer = cases[3]

    def run(self: Workers, _function: object, tasks: list[tuple[KernelHandle, list[CaseName]]], done: object = None):  # type: ignore[no-untyped-def]  # noqa: ANN202
        for _, chunk, *_ in tasks:
            yield Died("the emulator's process died") if killer in chunk else Tried([None] * len(chunk))

    monkeypatch.setattr(Workers, "run", run)
    with Workers(1) as workers:
        (verdict,) = check_all(workers, [(kernel, cases)])
    assert (verdict.cases, verdict.failed) == (5, 1)
    assert verdict.failures[0].identifier == "emulator-died" and verdict.failures[0].case == killer


def test_a_search_that_kills_its_worker_is_told_with_the_command_that_searches_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = open_library(ROOT).kernels[0]
    monkeypatch.setattr(Workers, "run", lambda _self, _function, tasks: [Died("it died") for _ in tasks])
    with Workers(1) as workers:
        (verdict,) = search_all(workers, [kernel], 5, 9)
    (failure,) = verdict.failures
    assert (verdict.cases, verdict.failed, failure.identifier) == (5, 1, "emulator-died")
    assert failure.again(kernel.title) == f"neonlab check {kernel.title} --search 5 --seed 9"


def test_a_saved_case_that_kills_its_worker_is_run_again_from_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = open_library(ROOT).kernels[0]
    case = replace(draw_case(kernel, plan_cases(kernel)[0]), pattern=WITNESS)
    monkeypatch.setattr(Workers, "run", lambda _self, _function, tasks: [Died("it died") for _ in tasks])
    with Workers(1) as workers:
        verdict = check_again(workers, kernel, case, "a file.npz")
    (failure,) = verdict.failures
    assert (verdict.cases, failure.identifier, failure.witness) == (1, "emulator-died", case)
    assert failure.again(kernel.title) == f"neonlab check {kernel.title} --again 'a file.npz'"


def test_as_many_failures_are_kept_as_one_process_would_have_found() -> None:
    name = CaseName(Shape(("n",), (1,)), "random", 1)
    failure = Failure(name, fault=Fault(FaultKind.STACK_POINTER, "", 0))
    half = [None, failure] * 20
    assert up_to_enough(half) == half[:24] and up_to_enough(half[:23]) == half[:23]
    assert up_to_enough([failure] * 12) == [failure] * 12
    endless = Failure(name, fault=Fault(FaultKind.STEP_BUDGET, "", 0))
    assert up_to_enough([*half[:5], *[endless] * 5]) == [*half[:5], *[endless] * 3]
