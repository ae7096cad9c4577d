"""Labels of the project's kernels say what is there: none is a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in (ROOT / "asm").rglob("*") if path.suffix in (".S", ".inc"))
_NUMBER = re.compile(r"\s*\d+:")


def numbered(text: str) -> Iterator[int]:
    """The lines, from 1, that begin with a label that is a number."""
    return (number for number, line in enumerate(text.splitlines(), 1) if _NUMBER.match(line))


@pytest.mark.parametrize(
    ("text", "lines"), [("1:\n    b 1b", [1]), ("    nop\n  12: nop", [2]), (".Lrow_1:\n    // 4 rows: 16 bytes", [])]
)
def test_a_number_is_found(text: str, lines: list[int]) -> None:
    assert list(numbered(text)) == lines


def test_no_label_of_a_kernel_is_a_number() -> None:
    assert FILES
    assert [f"{path.relative_to(ROOT)}:{line}" for path in FILES for line in numbered(path.read_text("utf-8"))] == []
