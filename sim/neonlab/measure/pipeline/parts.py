"""Keep what is made of a program before it runs, for runs of the same program on variants of a core."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.program import CompiledProgram, compile_instructions

#: Figures of a core that the compiled pipeline reads when it runs, and that the compiled instructions do not depend on.
READ_WHEN_RUN = frozenset(
    ("queue", "results", "scheduler", "port_queue", "queue_hold", "retire", "mispredict", "history", "fetch",
     "fetch_queue", "taken_bubble", "loop_bubble", "far_bubble", "store_ahead", "passing", "passing_part", "crossings",
     "sources", "_found")
)  # fmt: skip
T = TypeVar("T")


class Parts:
    """What is made of one program, by what it depends on besides the program."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}

    def made(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returned when it was called for `key`."""
        if key not in self._made:
            self._made[key] = make()
        found: T = self._made[key]
        return found

    def compiled(self, instructions: Sequence[Instruction], core: PipelineCore) -> CompiledProgram:
        """Return what `compile_instructions` returns of the same `instructions` each time, on any `core`."""
        return self.made(_key(core), lambda: (core, compile_instructions(instructions, core)))[1]  # the core lives on


def _key(core: PipelineCore) -> Hashable:
    """Return all that compiled instructions depend on.  The timings, which are many, go by their identity."""
    figures = [getattr(core, one.name) for one in fields(core) if one.name not in READ_WHEN_RUN | {"timings"}]
    return ("compiled", id(core.timings), *figures)
