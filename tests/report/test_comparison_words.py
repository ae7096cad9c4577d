"""Words on a comparison: loops of unlike structure stand side by side, and fit 80 columns."""

from __future__ import annotations

import pytest

from neonlab.lab.run.profile import compare
from neonlab.report.comparison_words import difference_lines

PAIR = ["armv8/conv1x1_s8s32_hwc_4x4", "armv8/conv1x1_s8s32_hwc_4x4_inorder"]
MORE = "more: `neonlab profile --loop` shows a loop whole"


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("most", [3, 1000])
def test_unlike_loops_stand_side_by_side(most: int) -> None:
    (difference,) = compare(PAIR, "4x8x64x8", core="cortex-a53").loops
    assert not difference.rows, "they are unlike"
    head, columns, *rows = difference_lines(difference, most)
    assert "differ in structure" in head and columns.split() == ["cycles", "line", "before", "cycles", "line", "after"]
    assert all(len(row) <= 78 for row in (head, columns, *rows)), "two spaces stand before it"
    before, after = difference.beside
    whole = most > len(after)
    assert len(rows) == (max(len(before), len(after)) if whole else most + 1)
    assert rows[-1].endswith(MORE) is not whole
    column = columns.index("cycles", 1)
    for row, one, other in zip(rows[:most], before, after, strict=False):
        left, right = row[:column].split(), row[column:].split()
        assert left[1:3] == [str(one.line), one.text.split()[0]]
        assert right[1:3] == [str(other.line), other.text.split()[0]]


def test_like_loops_stand_line_against_line() -> None:
    (difference,) = compare([PAIR[0], PAIR[0]], "4x8x64x8", core="cortex-a53").loops
    assert difference.beside == ((), ())
    assert list(difference_lines(difference)) == ["the same instructions, none of which costs more or less than before"]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("width", "whole"), [(78, False), (118, True)])
def test_an_instruction_that_does_not_fit_is_cut_where_one_sees_it(width: int, whole: bool) -> None:
    (difference,) = compare(PAIR, "4x8x64x8", core="cortex-a53").loops
    _, columns, *rows = difference_lines(difference, 1000, width)
    assert all(len(row) <= width for row in rows)
    column, start = columns.index("cycles", 1), columns.index("before")
    cut = 0
    for row, one in zip(rows, difference.beside[0], strict=False):
        shown = row[start:column].strip()
        known, text = shown.removesuffix("…").replace(" ", ""), one.text.replace(" ", "")
        assert text.startswith(known) and (shown.endswith("…") or known == text), shown
        assert not shown.endswith("…") or len(row[:column].rstrip()) == column - 1, "cut only for want of room"
        cut += shown.endswith("…")
    assert whole is not bool(cut)
