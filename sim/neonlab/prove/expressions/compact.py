"""Drop the nodes of a table that nothing needs any more, in compiled code, and renumber the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import native_call
from neonlab.prove.expressions.operation import CONSTANT, ENTRY, INPUT, SUM


@native_call
def drop(nodes: Any, size: Any, first: int, needed: Any, numbers: Any) -> None:
    """Drop the nodes from `first` on that are neither `needed` (bool, one a row) nor operands of such.

    The others move down in their order, so that the entries of a look-up stay in a row.  `numbers` (int32, one a row)
    takes the new number of each node, -1 of those that were dropped.
    """
    end = size[0]
    for at in range(end - 1, first - 1, -1):
        if needed[at]:
            node = nodes[at]
            operation = node.operation
            if operation != CONSTANT and operation != INPUT and operation != SUM:
                needed[node.x] = True
                needed[node.y] = True
                needed[node.z] = True
                if operation == ENTRY:
                    for entry in range(node.amount):
                        needed[node.x + entry] = True
    for at in range(first):
        numbers[at] = at
    kept = first
    for at in range(first, end):
        numbers[at] = -1
        if needed[at]:
            nodes[kept] = nodes[at]
            node = nodes[kept]
            operation = node.operation
            if operation != CONSTANT and operation != INPUT and operation != SUM:
                node.x = np.int32(numbers[node.x])
                node.y = np.int32(numbers[node.y])
                node.z = np.int32(numbers[node.z])
            numbers[at] = kept
            kept += 1
    size[0] = kept
