"""What is wrong is found before anything is proved, and nothing but the reason is left of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.optimize.loops import CONTRACT, SAFE_A64, longest_loop

from neonlab.contract.options import PLAIN
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.optimize.judgement import Judgement, judge, scratch_beside
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.find import code_of, instances
from neonlab.optimize.output.edit import definitions_of, edited, text_for
from neonlab.optimize.rewrites.pointers import by_offsets
from neonlab.optimize.rewrites.unroll import unrolled
from neonlab.optimize.schedule.search import Found


def unrolled_right(code: LoopCode) -> LoopCode:
    new = unrolled(code, 2)
    assert new is not None
    return new


def judged(text: str) -> Judgement:
    """Judge a text in place of the kernel's own; its calls take 999 cycles."""
    kernel = open_kernel(SAFE_A64)
    with scratch_beside(kernel) as folder, Workers(1) as workers:
        path = folder / SAFE_A64.name
        path.write_text(text)
        return judge(kernel, path, [], 999, workers, lambda _name, _total, _unit: lambda _: None)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("smull2  v8.8h, v0.16b, v4.16b", "smlal2  v8.8h, v0.16b, v4.16b", "mismatch"),
        ("ldr     q0, [input], #16", "ldr     q0, [input, #16]!", ""),
        ("sadalp  v16.4s, v8.8h", "sadalp  v16.4s, v9.8h", ""),
        ("subs    channels, channels, #16", "subs    channels, channels, #32", ""),
        ("smull   v8.8h", "smull   v8.9h", "error"),
    ],
)
def test_a_wrong_change_is_not_right(old: str, new: str, reason: str) -> None:
    text = SAFE_A64.read_text()
    assert old in text
    found = judged(text.replace(old, new, 1))
    assert not found.is_right and not found.is_proved and found.reason and reason in found.reason


def _rest_left_out(code: LoopCode) -> LoopCode:
    new = unrolled(code, 2)
    assert new is not None and new.unrolled is not None
    return replace(new, unrolled=replace(new.unrolled, done="al"))


def _one_iteration_too_many(code: LoopCode) -> LoopCode:
    new = unrolled(code, 2)
    assert new is not None and new.unrolled is not None
    return replace(new, unrolled=replace(new.unrolled, few="lo", again="hs", done="lt"))


def _pointer_left_behind(code: LoopCode) -> LoopCode:
    twice = unrolled(code, 2)
    new = by_offsets(twice, CONTRACT) if twice is not None else None
    assert new is not None
    last = max(at for at, step in enumerate(new.body) if step.text.startswith("add x"))
    return replace(new, body=(*new.body[:last], *new.body[last + 1 :]))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("wrong", [_rest_left_out, _one_iteration_too_many, _pointer_left_behind, unrolled_right])
def test_a_loop_that_is_unrolled_wrongly_is_not_right(wrong: Callable[[LoopCode], LoopCode]) -> None:
    kernel = open_kernel(SAFE_A64)
    program = kernel_program(kernel)
    groups = instances(program, longest_loop(kernel))
    code = code_of(program, kernel.contract, groups[0])
    new = wrong(code)
    known = definitions_of(SAFE_A64, PLAIN, program, groups)
    text = edited(
        text_for(SAFE_A64, PLAIN, program, groups, SAFE_A64.parent, known), code, new,
        Found(0.0, tuple(range(len(new.body))), ()), [],
    )  # fmt: skip
    found = judged("\n".join(text) + "\n")
    assert found.is_right == (wrong is unrolled_right)
    assert found.is_right or found.reason


def test_new_code_that_no_small_shape_runs_is_exact_and_not_proved() -> None:
    found = judged(SAFE_A64.read_text())
    assert found.is_right and not found.is_proved and found.reason == "no small shape runs the new code"
    assert found.checked >= 40 and found.call_cycles == 999


def test_the_scratch_folder_has_the_operators_of_the_kernel_and_goes_away() -> None:
    kernel = open_kernel(SAFE_A64)
    with scratch_beside(kernel) as folder:
        path = Path(folder / SAFE_A64.name)
        path.write_text(SAFE_A64.read_text())
        assert open_kernel(path).operator is not None
    assert not folder.exists()
