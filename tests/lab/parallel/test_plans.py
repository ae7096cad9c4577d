"""A kernel that one process plans and checks gets the verdict that it gets when its cases are shared out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from neonlab.lab.parallel import plans
from neonlab.lab.parallel.plans import plan_and_check
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.library import Kernel, open_kernel, open_library
from neonlab.lab.run.ended import Died
from neonlab.lab.run.plan import plan_cases
from neonlab.verify.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
KERNELS = {kernel.title: kernel for kernel in open_library(ROOT).kernels}
SMALL = ("armv8/relu_s8s8_flat_64", "armv7/relu_s8s8_flat_64", "armv8/pack_s8s8_rows_4x16")
WRONG = ROOT / "docs/tutorial/conv1x1_s8s32_3_range.S"


class _Phases:
    """Notes what a command would show: of how many of which unit how many ended."""

    def __init__(self) -> None:
        self.seen: list[list[Any]] = []

    def begin(self, total: int, unit: str) -> Callable[[int], None]:
        """Begin a phase."""
        phase: list[Any] = [unit, total, 0]
        self.seen.append(phase)

        def advance(ended: int) -> None:
            phase[2] += ended

        return advance


def _checked(workers: Workers, kernels: Sequence[Kernel], **options: Any) -> tuple[list[Verdict], list[list[Any]]]:
    phases = _Phases()
    verdicts = plan_and_check(workers, [(kernel, ()) for kernel in kernels], phases.begin, ranges=True, **options)
    return verdicts, phases.seen


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"patterns": ["random"]}, {"seed": 3}])
def test_a_kernel_gets_the_same_verdict_from_one_process_as_from_several(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    kernels = [*(KERNELS[title] for title in SMALL), open_kernel(WRONG)]
    with Workers(2) as workers:
        parts, shown = _checked(workers, kernels, **options)
        assert [(unit, done == total) for unit, total, done in shown] == [("cases", True)]
        monkeypatch.setattr(plans, "_MANY", 2)
        whole, shown = _checked(workers, kernels, **options)
        assert shown == [["kernels", len(kernels), len(kernels)]]
    assert whole == parts
    assert [verdict.passed for verdict in whole[:3]] == [True] * 3
    assert all(verdict.ranges is not None for verdict in whole if verdict.faultless)


@pytest.mark.slow
def test_a_kernel_with_more_cases_than_one_process_takes_is_checked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, small = KERNELS["armv8/pack_s8s8_rows_4x16"], KERNELS[SMALL[0]]
    count = len(plan_cases(kernel, patterns=["random"], every_tail=True))
    assert count > 1_000
    monkeypatch.setattr(plans, "_MANY", 1)
    with Workers(2) as workers:
        verdicts, shown = _checked(workers, [kernel, small], patterns=["random"], every_tail=True)
    assert shown == [["kernels", 2, 2], ["cases", count, count]]
    assert [(verdict.kernel, verdict.cases > 0, verdict.passed) for verdict in verdicts] == [
        (kernel.title, True, True), (small.title, True, True),
    ]  # fmt: skip
    assert verdicts[0].cases == count


@pytest.mark.slow
def test_a_kernel_whose_process_ends_is_planned_and_checked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = [KERNELS[title] for title in SMALL[:2]]
    monkeypatch.setattr(plans, "_MANY", 1)
    with Workers(2) as workers:
        run = workers.run
        asked = []

        def dying(
            function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], done: Callable[[int], None] = lambda _: None
        ) -> Generator[Any]:
            asked.append(function.__name__)
            results = run(function, tasks, done)
            if function is not plans._plan_and_check:
                yield from results
                return
            next(results)
            yield Died("the emulator's process died")
            yield from results

        monkeypatch.setattr(workers, "run", dying)
        verdicts, shown = _checked(workers, kernels, patterns=["random"])
    assert [verdict.kernel for verdict in verdicts] == [kernel.title for kernel in kernels]
    assert all(verdict.passed for verdict in verdicts)
    count = len(plan_cases(kernels[0], patterns=["random"]))
    assert shown == [["kernels", 2, 2], ["cases", count, count]]
    assert asked[:2] == ["_plan_and_check", "_check_chunk"]
