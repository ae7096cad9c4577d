"""Sizes at which code decides otherwise are found by running it, whatever the decision is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository
from tests.kernel_sources import file_of, inlined

from neonlab.lab.repository.library import Kernel, open_kernel, open_member
from neonlab.lab.run import plan
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.turning import turning_shapes
from neonlab.measure.shape import Shape

ENTRY = "add_s8_saturated:\n"
LOADED = ".Lloaded:\n"
#: Code that decides about the number of elements in x3, and the only sizes at which it spoils the first element.
DECISIONS = {
    "in two subtractions": ("    sub x9, x3, #1000\n    sub x9, x9, #5\n    cbnz x9, 9f\n", {1005}),
    "in blocks": ("    lsr x9, x3, #4\n    sub x9, x9, #50\n    cmp x9, #13\n    b.ne 9f\n", set(range(1008, 1024))),
    "between two sizes": ("    sub x9, x3, #593\n    cmp x9, #31\n    b.hi 9f\n", set(range(593, 625))),
    "in a scaled register": (
        "    mov x10, #321\n    cmp x3, x10, lsl #2\n    b.ne 9f\n",
        {1284},
    ),
    "in a remainder and a limit": (
        "    mov x9, #125\n    udiv x10, x3, x9\n    msub x10, x10, x9, x3\n    cmp x10, #121\n    b.ne 9f\n"
        "    cmp x3, #625\n    b.lo 9f\n",
        {746, 871, 996},
    ),
}


@pytest.fixture(params=list(DECISIONS))
def decided(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Kernel, set[int]]]:
    """A kernel that is wrong at some sizes."""
    code, sizes = DECISIONS[request.param]
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text()
    assert text.count(ENTRY) == 1
    spoils = "    ldrb w9, [x0]\n    eor w9, w9, #64\n    strb w9, [x2]\n    add x0, x0, #1\n    sub x0, x0, #2\n9:\n"
    path.write_text(text.replace(ENTRY, ENTRY + code + spoils))
    yield open_member(root, path), sizes


def test_a_size_that_no_constant_names_is_tried_and_fails(decided: tuple[Kernel, set[int]]) -> None:
    kernel, sizes = decided
    wrong = {name.shape.work for name in turning_names(kernel)} & sizes
    assert wrong, turning_shapes(kernel)
    failures = [found for found in check_cases(kernel, turning_names(kernel)) if found is not None]
    assert {found.shape.sizes[0] for found in failures if found.shape is not None} >= wrong


def turning_names(kernel: Kernel) -> list[plan.CaseName]:
    found = set(turning_shapes(kernel))
    return [name for name in plan.plan_cases(kernel) if name.shape in found]


def test_a_pair_of_sizes_is_reached_one_decision_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "armv8" / "gemv_s8s32_rows_8.S"
    path.parent.mkdir()
    text = inlined(file_of("armv8/gemv_s8s32_rows_8"))
    assert text.count(LOADED) == 1
    rows, depth = "    cmp rows, #7\n    b.ne 9f\n", "    and count, depth, #63\n    cmp count, #47\n    b.ne 9f\n"
    path.write_text(text.replace(LOADED, f"{LOADED}{rows}{depth}    movi v0.16b, #0\n9:\n"))
    assert (7, 47) in {shape.sizes for shape in turning_shapes(open_kernel(path))}


def test_a_kernel_that_never_ends_is_left_to_the_checks(tmp_path: Path) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    path.write_text(path.read_text().replace(ENTRY, f"{ENTRY}1:  b 1b\n"))
    assert turning_shapes(open_member(root, path)) == ()


def test_the_sizes_are_the_same_each_time_and_follow_the_code(tmp_path: Path) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text()
    before = turning_shapes(open_member(root, path))
    path.write_text(text.replace(ENTRY, ENTRY + DECISIONS["in two subtractions"][0].replace("9f", "9f\n9:")))
    changed = open_member(root, path)
    assert Shape(("count",), (1005,)) in turning_shapes(changed) and Shape(("count",), (1005,)) not in before
    path.write_text(text)
    assert turning_shapes(open_member(root, path)) == before
