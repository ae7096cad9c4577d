"""What chooses among others is equal where the choices are, however wide the sums behind them."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.prove.comparison.equality import compare
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")


class Looked:
    """Sums of 2**32 values, scaled to an index into 16 entries that are any numbers."""

    def __init__(self) -> None:
        self.table = ExpressionTable()
        self.entries = self.table.elements(16, -128, 127)
        self._sum = self.table.apply(Operation.ADD, *(self.table.elements(1, -(1 << 30), 1 << 30) for _ in range(2)))

    def number(self, value: int) -> Ids:
        return self.table.constants(np.array([value]))

    def index(self, *, by: int = 27, offset: int = 8, kept: int | None = None) -> Ids:
        """Scale the sum, which is clamped to what is `kept` before, and clamp what it becomes to 0 and 15."""
        total = self._sum if kept is None else self._clamped(self._sum, -kept, kept)
        rounded = self.table.apply(Operation.ADD, total, self.number(1 << (by - 1)))
        scaled = self.table.apply(Operation.SHIFT_RIGHT, rounded, amount=by)
        return self._clamped(self.table.apply(Operation.ADD, scaled, self.number(offset)), 0, 15)

    def _clamped(self, x: Ids, low: int, high: int) -> Ids:
        above = self.table.apply(Operation.MAXIMUM, x, self.number(low))
        return self.table.apply(Operation.MINIMUM, above, self.number(high))

    def whole(self, index: Ids) -> Ids:
        return self.table.apply(Operation.ENTRY, self.entries[:1], index, amount=16)

    def halves(self, index: Ids, *, second: int = 8) -> Ids:
        """Look up in the first half, and in the `second` for an index of 8 and more."""
        moved = self.table.apply(Operation.SUBTRACT, index, self.number(8))
        found = [
            self.table.apply(Operation.ENTRY, self.entries[first : first + 1], at, amount=8)
            for first, at in ((0, index), (second, moved))
        ]
        return self.table.apply(Operation.SELECT, self.table.apply(Operation.NEGATIVE, moved), *found)


@pytest.mark.parametrize(
    ("changed", "second", "equal"),
    [({}, 8, True), ({"kept": 5 << 27}, 8, False), ({"offset": 9}, 8, False), ({"by": 26}, 8, False), ({}, 7, False)],
    ids=["right", "clamped too far", "one beside", "scaled by twice as much", "the wrong half"],
)
def test_a_look_up_by_a_sum_is_equal_where_its_index_is(changed: dict[str, int], second: int, equal: bool) -> None:
    looked = Looked()
    ours = looked.halves(looked.index(**{"kept": 9 << 27, **changed}), second=second)
    answer = compare(looked.table, ours, looked.whole(looked.index()))
    assert answer.equal.tolist() == [equal]
