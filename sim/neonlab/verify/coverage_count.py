"""Count the instructions that the cases of a kernel run, to find those that no case runs.

Reachable code is found from the instructions that ran, along branches and calls with a named target.  Code behind a
jump through a register counts once something there has run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.verify.coverage import Coverage, Extent


class CoverageCount:
    """Adds up the instructions that several runs of one program executed."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._changes: npt.NDArray[np.int64] | None = None
        self._base = 0
        self._last: npt.NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, meter: BlockMeter) -> None:
        """Add the last run that `meter`, of this program, counted."""
        self._base = meter.base
        self._last = meter.changes
        self._changes = self._last.copy() if self._changes is None else np.add(self._changes, self._last)

    def extent(self) -> Extent:
        """Return the extent of the run that was added last, before its meter counts another."""
        executions = np.cumsum(self._last)  # of halfwords
        return Extent(2 * int(np.count_nonzero(executions)), 2 * int(executions.sum()))

    def coverage(self) -> Coverage:
        """Return the coverage of all runs that were added."""
        if self._changes is None:
            return Coverage()
        by_address = self._program.by_address
        halves = np.flatnonzero(np.cumsum(self._changes))
        ran = frozenset(address for address in (self._base + 2 * halves).tolist() if address in by_address)
        reached, waiting = set(ran), list(ran)
        while waiting:
            for address in by_address[waiting.pop()].next_addresses:
                if address in by_address and address not in reached:
                    reached.add(address)
                    waiting.append(address)
        first, end = self._program.served
        missed = (
            address
            for address in sorted(reached - ran)
            if by_address[address].mnemonic != "nop" and not first <= address < end
        )
        return Coverage(ran, {address: self._where(address) for address in missed})

    def _where(self, address: int) -> tuple[str, int]:
        line = self._program.line_at(address)
        return (line.path, line.line) if line is not None else (f"{self._program.path} at {address:#x}", 0)
