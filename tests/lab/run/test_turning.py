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
from neonlab.lab.run.turning import far_turning_shapes, turning_shapes
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import CaseName

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
    "in a square": ("    mul x9, x3, x3\n    mov x10, #5329\n    cmp x9, x10\n    b.ne 9f\n", {73}),
    "in a square and a product": (
        "    mul x9, x3, x3\n    mov x10, #7\n    madd x9, x3, x10, x9\n    mov x10, #14508\n    cmp x9, x10\n"
        "    b.ne 9f\n",
        {117},
    ),
    "in two conditions": (
        "    cmp x3, #1000\n    b.ls 9f\n    and x9, x3, #63\n    cmp x9, #37\n    b.ne 9f\n",
        set(range(1061, 1 << 14, 64)),
    ),
    "in two conditions that are chosen by": (
        "    cmp x3, #700\n    cset w9, hi\n    and x10, x3, #31\n    cmp x10, #21\n    cset w10, eq\n"
        "    tst w9, w10\n    b.eq 9f\n",
        set(range(725, 1 << 14, 32)),
    ),
}
#: Code behind such a decision: `a` is read from one element too early.
SPOILS = "    ldrb w9, [x0]\n    eor w9, w9, #64\n    strb w9, [x2]\n    add x0, x0, #1\n    sub x0, x0, #2\n9:\n"


@pytest.fixture(params=list(DECISIONS))
def decided(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Kernel, set[int]]]:
    """A kernel that is wrong at some sizes."""
    code, sizes = DECISIONS[request.param]
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text()
    assert text.count(ENTRY) == 1
    path.write_text(text.replace(ENTRY, ENTRY + code + SPOILS))
    yield open_member(root, path), sizes


def test_a_size_that_no_constant_names_is_tried_and_fails(decided: tuple[Kernel, set[int]]) -> None:
    kernel, sizes = decided
    wrong = {name.shape.work for name in turning_names(kernel)} & sizes
    assert wrong, turning_shapes(kernel)
    failures = [found for found in check_cases(kernel, turning_names(kernel)) if found is not None]
    assert {found.shape.sizes[0] for found in failures if found.shape is not None} >= wrong


def turning_names(kernel: Kernel) -> list[CaseName]:
    found = set(turning_shapes(kernel))
    return [name for name in plan.plan_cases(kernel) if name.shape in found]


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("size", [20_001, 777_777, 1 << 20])
def test_a_size_too_large_for_the_search_is_tried_once(size: int, tmp_path: Path) -> None:
    """The size stands in a literal pool, where no constant of an instruction names it."""
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    compared = f"    ldr x9, ={size}\n    cmp x3, x9\n    b.ne 9f\n{SPOILS}"
    path.write_text(path.read_text().replace(ENTRY, ENTRY + compared))
    kernel = open_member(root, path)
    assert size in {shape.sizes[0] for shape in far_turning_shapes(kernel)}
    tried = [name for name in plan.plan_cases(kernel) if name.shape.sizes == (size,) and name.pattern == "random"]
    assert [one is not None for one in check_cases(kernel, tried)] == [True]


def test_each_length_that_a_table_of_a_byte_tells_apart_is_tried(tmp_path: Path) -> None:
    """A function of one length may do otherwise at any."""
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    looked_up = "    adrp x9, marks\n    add x9, x9, :lo12:marks\n    and x10, x3, #255\n    ldrb w9, [x9, x10]\n"
    marks = "\n    .section .rodata\nmarks:\n    .fill 201, 1, 0\n    .byte 1\n    .fill 54, 1, 0\n"
    path.write_text(path.read_text().replace(ENTRY, f"{ENTRY}{looked_up}    cbz w9, 9f\n{SPOILS}") + marks)
    kernel = open_member(root, path)
    names = plan.plan_cases(kernel, turning=False)
    assert {n.shape.sizes[0] for n in names} >= set(range(1, 257))
    failures = [found for found in check_cases(kernel, names) if found is not None]
    assert {found.shape.sizes[0] % 256 for found in failures if found.shape is not None} == {201}


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
