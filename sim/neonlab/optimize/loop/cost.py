"""Cost the orders of a loop's instructions in well below a millisecond each, on the model that `profile` uses.

The instructions are compiled for the core once.  For an order, the compiled rows are put in that order, and so many
iterations run as the pipeline needs to settle, and then some more, which are timed.  Caches are not modelled: all data
are in the nearest one, as in the loop's cycles of a profile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.bounds import dispatch_bound, port_bound
from neonlab.measure.pipeline.machine import PipelineMachine

#: Iterations until the pipeline has settled, and those that are timed: in order, and where a window must fill first.
_IN_ORDER, _OUT_OF_ORDER = (4, 4), (8, 8)
_SMALL = 3  # states that the machine has room for, as a power of two: none is asked for


class LoopCost:
    """Costs orders of one loop's body, whose branch back comes last in `code`, on `core`."""

    def __init__(self, code: Sequence[Instruction], core: PipelineCore) -> None:
        self._machine = PipelineMachine(code, core, size=_SMALL, remembers=False)
        self._rows = self._machine.compiled.code.copy()
        last = len(code) - 1
        settled, self._timed = _IN_ORDER if core.in_order else _OUT_OF_ORDER
        self._settling = np.array([[0, last]] * settled, np.int64)
        self._timing = np.array([[0, last]] * self._timed, np.int64)
        once = np.ones(len(code), np.int64)
        self.bound = max(port_bound(self._machine.compiled, once), dispatch_bound(self._machine.compiled, once, core))
        self.evaluations = 0

    def __call__(self, order: Sequence[int]) -> float:
        """Return the cycles of an iteration with the body in this order of its indices."""
        self._machine.compiled.code[:-1] = self._rows[order]
        self._machine.restart()
        self._machine.run(self._settling)
        start = self._machine.clock
        self._machine.run(self._timing)
        self.evaluations += 1
        return (self._machine.clock - start) / self._timed
