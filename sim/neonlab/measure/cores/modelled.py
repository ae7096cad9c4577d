"""Resolve the name of a core to its models, once: what is measured on a core is given a `ModelledCore`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.caches import ALIASES, Core, load_core
from neonlab.measure.cores.pipeline import PipelineCore, load_pipeline, pipeline_names


@dataclass(frozen=True, slots=True)
class ModelledCore:
    """Hold a core with its models: `chip` has caches and features, `pipeline` computes cycles; None without a model.

    `named` makes one.  Two are equal if their names are.  Another process receives the name, and reads the models.
    """

    name: str
    chip: Core = field(repr=False, compare=False)
    pipeline: PipelineCore | None = field(repr=False, compare=False)

    @staticmethod
    def named(name: str, *, cycles: bool = False) -> ModelledCore:
        """Return the core called `name`.

        Raises CoreError where there is none, and with `cycles` InputError where it has no pipeline model.
        """
        core = _load(name)
        if cycles and core.pipeline is None:
            raise InputError(f"there is no pipeline model of {name}; there are models of {', '.join(pipeline_names())}")
        return core

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[..., ModelledCore], tuple[str]]:
        return ModelledCore.named, (self.name,)

    def refusal(self, isa: Isa, features: frozenset[str]) -> str | None:
        """Return why it cannot run code of `isa` that needs these features, in words; None where it can."""
        return self.chip.refusal(isa, features)


#: A core, or its name.
AskedCore = ModelledCore | str


def cores_named(asked: Iterable[AskedCore]) -> tuple[ModelledCore, ...]:
    """Return the cores to estimate cycles on.  Raises InputError unless each has a pipeline model."""
    return tuple(ModelledCore.named(str(one), cycles=True) for one in asked)


@functools.cache
def _load(name: str) -> ModelledCore:
    """Read the models.  An alias without a pipeline model has that of the core whose tables it shares."""
    chip = load_core(name)
    of = name if name in pipeline_names() else ALIASES.get(name, name)
    return ModelledCore(name, chip, load_pipeline(of) if of in pipeline_names() else None)
