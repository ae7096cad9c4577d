"""A base class for operators on runs of elements: one size, with counts around every vector length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neonlab import Operator, Shape


class FlatOperator(Operator):
    """An operator whose only size is the number of elements."""

    dimensions = ("count",)

    def tails(self) -> Iterable[Shape]:
        counts = (*range(1, 36), 47, 48, 63, 64, 65, 72, 79, 80, 127, 128, 131, 200)
        return (Shape(self.dimensions, (count,)) for count in counts)

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"count": shape["count"]}
