"""`same_code` finds what is not as it was in a kernel, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.kernel_sources import file_of, inlined
from tests.kernels.same_code import Parts, differences, kernels_in, parts_of

TITLE = "armv8/clip_s8s8_flat_64"


@pytest.fixture
def text() -> str:
    return inlined(file_of(TITLE))


def parts(folder: Path, text: str) -> Parts:
    path = folder / "armv8" / "deep" / f"{Path(TITLE).name}.S"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return parts_of(path)


def test_another_place_and_other_comments_make_no_difference(tmp_path: Path, text: str) -> None:
    commented = re.sub(r"//.*", "// nothing", f"\n{text}\n// the end\n")
    assert parts(tmp_path, commented) == parts_of(file_of(TITLE))
    assert kernels_in(tmp_path) == {} and TITLE in kernels_in(Path(__file__).parents[2])


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("    ret\n", "    nop\n    ret\n", "section .text"),
        ("    .p2align 4\n", "    .p2align 5\n", "section .text"),
        ("    ret\n", "    b       elsewhere\n", "relocations"),
        ("    .global ", "    .local  ", "symbols"),
        ("stack     = 0", "stack     = 16", "contract"),
    ],
)
def test_a_change_is_told_with_what_it_changes(tmp_path: Path, text: str, old: str, new: str, part: str) -> None:
    assert old in text
    now = {TITLE: parts(tmp_path, text.replace(old, new))}
    [line] = differences({TITLE: parts_of(file_of(TITLE))}, now)
    assert line.startswith(f"{TITLE}: differs in ") and part in line


def test_a_kernel_that_is_new_or_gone_is_told() -> None:
    assert list(differences({"a": {}}, {"b": {}})) == ["a: is gone", "b: is new"]
