"""A register file whose bytes belong to input elements, on which the prover replays instructions."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from tests.isa.single_step import State

from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import VECTOR_BYTES, file_bytes, general_start
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.kernel import replay
from neonlab.prove.kernel.cells import CELL, PLAIN
from neonlab.prove.kernel.conditions import STATE_SIZE
from neonlab.prove.kernel.places import NUMBERS
from neonlab.prove.kernel.plan import Plans


def bytes_of(isa: Isa, state: State) -> np.ndarray:
    """The register file of a state, as the prover lays it out; the last general register of A64 is zero."""
    row = np.zeros(file_bytes(isa), np.uint8)
    size = VECTOR_BYTES[isa]
    for register, value in state.items():
        if register.file == "vector":
            row[size * register.index : size * (register.index + 1)] = list(value.to_bytes(size, "little"))
        elif register.file == "general" and not (isa is Isa.A64 and register.index == 31):
            start = general_start(isa, register.index)
            row[start : start + 8] = list(value.to_bytes(8, "little"))
    return row


class SymbolicFile:
    """A register file whose bytes belong to input elements, of as many bytes each as a draw says."""

    def __init__(self, isa: Isa, rng: random.Random) -> None:
        self.isa, self.table, self._size = isa, ExpressionTable(), file_bytes(isa)
        self.cells = np.zeros(self._size, CELL)
        self.cells["node"], self.cells["width"] = PLAIN, 1
        self.places: list[tuple[int, int]] = []  # first byte and bytes of each element
        last = self._size - 8 if isa is Isa.A64 else self._size
        for start in range(0, last, 8):
            width = rng.choice((1, 2, 4, 4))
            if start >= general_start(isa, 0):
                width = 4
            for at in range(start, start + 8, width):
                if start >= general_start(isa, 0) and isa is Isa.A32 and at > start:
                    continue  # general registers of A32 have four bytes
                (node,) = self.table.elements(1, 0, (1 << 8 * width) - 1)
                part = self.cells[at : at + width]
                part["node"], part["width"], part["position"] = node, width, np.arange(width)
                self.places.append((at, width))

    def values(self, row: np.ndarray) -> np.ndarray:
        """The value of each element for the bytes of a register file."""
        return np.array([int.from_bytes(row[at : at + width].tobytes(), "little") for at, width in self.places])

    def execute(
        self, plans: Plans, numbers: Sequence[int], row: np.ndarray, flags: int = 0,
        recorded: Sequence[Sequence[int]] | None = None,
    ) -> int:  # fmt: skip
        """Replay instructions, by their numbers; return how that ended.

        `row` has the bytes before them, and `recorded` what each of them wrote: of each register its number.
        """
        plain = np.zeros(NUMBERS + len(plans.numbers), CELL)
        plain["node"], plain["width"] = PLAIN, 1
        self.cells = np.concatenate([self.cells[: self._size], plain])
        values = np.concatenate([row, np.zeros(NUMBERS, np.uint8), plans.numbers])
        state, suspects = np.zeros(STATE_SIZE, np.int64), np.zeros((8, 3), np.int64)
        written = recorded if recorded is not None else [[] for _ in numbers]
        halves = [(one & (1 << 64) - 1, one >> 64) for step in written for one in step]
        none = np.zeros(0, np.uint64)
        self.table.reserve(2 * replay.ROWS_A_STEP)
        return int(
            replay.replay(
                self.table.nodes, self.table.size, self.cells, values, state, suspects, np.array([flags], np.uint64),
                np.array(numbers), np.cumsum([0, *map(len, written)]), np.array(halves, np.uint64).reshape(-1, 2),
                plans.plan, plans.lanes, plans.sources, plans.copies, plans.accesses, plans.addresses, plans.reads,
                plans.clears, plans.writes, none, none, np.zeros(0, np.int64), self.isa.pointer_bytes, self._size,
            )
        )  # fmt: skip

    def nodes(self, row: np.ndarray) -> np.ndarray:
        """The node of every byte of a register that an element or a result is in; -1 for others."""
        known = np.flatnonzero(self.cells["node"][: self._size] != PLAIN)
        found = np.full(self._size, -1, np.int32)
        of_known = np.zeros(len(known), np.int32)
        self.table.reserve(64 * len(known))
        replay.read_all(self.table.nodes, self.table.size, self.cells, row, known, 8, False, of_known)
        found[known] = of_known
        return found
