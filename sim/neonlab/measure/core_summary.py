"""What a core is, in one line of figures."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from neonlab.measure.core import ALIASES, Core, core_names, load_core
from neonlab.measure.pipeline import steady_cycles
from neonlab.measure.pipeline_core import PipelineCore, load_pipeline, pipeline_names
from neonlab.measure.timing_programs import assembled

# Multiply-accumulates an instruction does, what it needs, and the instruction; the first that the core has is its best.
_MULTIPLIES = (
    (32, "i8mm", "smmla v{d}.4s, v30.16b, v31.16b"),
    (16, "dotprod", "sdot v{d}.4s, v30.16b, v31.16b"),
    (8, "", "smlal v{d}.8h, v30.8b, v31.8b"),
)
_DESTINATIONS = 24


@dataclass(frozen=True, slots=True)
class CoreSummary:
    """`peak` is the most int8 multiply-accumulates a cycle, by a stream of `peak_instruction` and nothing else."""

    core: Core
    pipeline: PipelineCore
    peak: float
    peak_instruction: str

    @property
    def kind(self) -> str:
        """How it issues, and how many instructions a cycle."""
        return f"{'in order' if self.pipeline.in_order else 'out of order'}, {self.pipeline.width} wide"


@functools.cache
def summary_of(name: str) -> CoreSummary:
    """The summary of the core called `name`.  CoreError or InputError when there is none."""
    core = load_core(name)
    pipeline = load_pipeline(name if name in pipeline_names() else ALIASES.get(name, name))
    for multiplies, feature, template in _MULTIPLIES:
        if feature and feature not in core.features:
            continue
        stream = assembled([template.format(d=number) for number in range(_DESTINATIONS)])
        if stream is None:
            raise AssertionError(f"{template} does not assemble")
        rate = len(stream) / steady_cycles(stream, pipeline)
        return CoreSummary(core, pipeline, round(multiplies * rate, 2), template.split()[0])
    raise AssertionError("the last multiply needs no feature")


def summaries() -> tuple[CoreSummary, ...]:
    """All cores, in order of name."""
    return tuple(summary_of(name) for name in core_names())
