"""A base class for operators on runs of elements, whose one size is their number."""

from __future__ import annotations

from collections.abc import Mapping

from neonlab import Operator, Shape


class FlatOperator(Operator):
    """An operator whose only size is the number of elements."""

    dimensions = ("count",)

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"count": shape["count"]}
