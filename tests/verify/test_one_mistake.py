"""One mistake in a kernel is told once, whichever cases it shows in and however closely these are watched."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kernel_sources import file_of, inlined

from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check

NAME = "clip_s8s8_flat_64"


@pytest.mark.parametrize(
    ("old", "new", "identifier", "blamed"),
    [
        # undefined where nothing is watched
        ("    ret\n", "    mrs     x9, cntvct_el0\n    ret\n", "nondeterministic", "mrs"),
        # a garbage addend wraps in some cases, and changes the result in others
        ("    movi    v0.16b, #0\n", "    add     v16.16b, v16.16b, v20.16b\n", "uninit-register", "add"),
        # beyond the end for 16 elements, for 17 the wrong ones
        (
            "    ldr     q0, [input], #16\n",
            "    ldr     q0, [input, #1]\n    add     input, input, #16\n",
            "oob-read",
            "ldr",
        ),
        # wrong, and no fault anywhere
        ("    body    v3\n", "", "mismatch", "st1"),
    ],
)
def test_one_mistake_is_told_once(old: str, new: str, identifier: str, blamed: str, tmp_path: Path) -> None:
    text = inlined(file_of(f"armv8/{NAME}"))
    assert old in text
    path = tmp_path / "armv8" / f"{NAME}.S"
    path.parent.mkdir()
    path.write_text(text.replace(old, new, 1))
    failures = check(open_kernel(path)).failures
    assert [failure.identifier for failure in failures] == [identifier]
    line = int(failures[0].where.rpartition(":")[2])
    assert path.read_text().splitlines()[line - 1].split()[0] == blamed
