"""Hold what belongs to all symbols of one proof: their table, the names of their inputs, and the way to refuse."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from neonlab.prove.expressions.evaluate import reached_from
from neonlab.prove.expressions.operation import CONSTANT, INPUT, SUM, Operation
from neonlab.prove.expressions.sums import MOST_ARRAYS
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.refusal import Refusal

#: Modules whose frames are not the reference's own.
_NOT_THE_REFERENCE = ("neonlab.prove.", "numpy", "contextlib", "functools")


@dataclass(frozen=True)
class Symbols:
    """The table of a proof, and which input array each of its elements comes from.

    `sources` has a triple for each array: its name, its first element's number, and the number after its last.
    """

    table: ExpressionTable
    sources: list[tuple[str, int, int]] = field(default_factory=list)

    def names_of(self, ids: Ids) -> frozenset[str]:
        """Return the names of the input arrays that the nodes depend on."""
        reached = self.table.nodes[reached_from(self.table, ids)]
        elements = np.sort(reached["amount"][reached["operation"] == INPUT])
        arrays = np.bitwise_or.reduce(reached["sources"][reached["operation"] == SUM], initial=0)
        return frozenset(
            name
            for at, (name, first, end) in enumerate(self.sources)
            if np.searchsorted(elements, first) < np.searchsorted(elements, end)
            or arrays >> min(at, MOST_ARRAYS - 1) & 1
        )

    def _shifts_of(self, ids: Ids) -> Ids:
        """Return the nodes that decide by how much something is shifted in `ids`; `ids` where nothing is.

        Of the inputs that a number or a decision depends on, holding these narrows it most and keeps most of the proof.
        """
        reached = reached_from(self.table, ids)
        rows = self.table.nodes[reached]
        amounts: Ids = rows["y"][rows["operation"] == Operation.SHIFT_BY]
        return amounts if amounts.size else ids

    def refuse(self, reason: str, *ids: Ids) -> NoReturn:
        """Raise a Refusal that names the line of the reference and the inputs that the nodes depend on."""
        names = frozenset[str]().union(*(self.names_of(self._shifts_of(one)) for one in ids))
        raise Refusal(reason, names, place())

    def constants(self, numbers: npt.NDArray[Any]) -> Ids:
        """Return nodes for numbers, any shape."""
        return self.table.constants(numbers)

    def are_constant(self, ids: Ids) -> bool:
        """Tell whether every node is a number."""
        return bool((self.table.nodes["operation"][ids] == CONSTANT).all())


def place() -> str:
    """Return `file:line` of the innermost frame that belongs to a reference; empty where there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if not module.startswith(_NOT_THE_REFERENCE):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        if frame.f_back is None:
            break
        frame = frame.f_back
    return ""
