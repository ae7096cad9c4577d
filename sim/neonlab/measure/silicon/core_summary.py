"""Summarise a core in one line of figures."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from neonlab.measure.cores.caches import Core, core_names
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.bounds import peak_of
from neonlab.measure.silicon.timing_programs import assembled

# int8 multiply-accumulates, and the feature that each needs
_MULTIPLIES = (
    ("", "smlal v0.8h, v1.8b, v2.8b"),
    ("dotprod", "sdot v0.4s, v1.16b, v2.16b"),
    ("i8mm", "smmla v0.4s, v1.16b, v2.16b"),
)


@dataclass(frozen=True, slots=True)
class CoreSummary:
    """The summary: `peak` is the most int8 MACs a cycle, with `peak_instruction` and nothing else."""

    core: Core
    pipeline: PipelineCore
    peak: float
    peak_instruction: str

    @property
    def kind(self) -> str:
        """The kind of issue, in order or out of order, and the width."""
        return f"{'in order' if self.pipeline.in_order else 'out of order'}, {self.pipeline.width} wide"


@functools.cache
def summary_of(name: str) -> CoreSummary:
    """Return the summary of the core called `name`.  Raises CoreError or InputError when there is none."""
    modelled = ModelledCore.named(name, cycles=True)
    core, pipeline = modelled.chip, modelled.pipeline
    assert pipeline is not None  # asked for
    lines = [line for feature, line in _MULTIPLIES if not feature or feature in core.features]
    peak, form = peak_of(assembled(lines) or (), pipeline)
    return CoreSummary(core, pipeline, round(peak, 2), form.partition(".")[0])


def summaries() -> tuple[CoreSummary, ...]:
    """Return the summaries of all cores, in order of name."""
    return tuple(summary_of(name) for name in core_names())
