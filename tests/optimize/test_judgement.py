"""What is wrong is found before anything is proved, and nothing but the reason is left of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.optimize.loops import SAFE_A64

from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.library import open_kernel
from neonlab.optimize.judgement import Judgement, judge, scratch_beside


def judged(text: str) -> Judgement:
    """Judge a text in place of the kernel's own; its calls take 999 cycles."""
    kernel = open_kernel(SAFE_A64)
    with scratch_beside(kernel) as folder, Workers(1) as workers:
        path = folder / SAFE_A64.name
        path.write_text(text)
        return judge(kernel, path, [], 999, workers, lambda _name, _total, _unit: lambda _: None)


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
