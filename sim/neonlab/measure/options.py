"""The options for measurements besides counts; a command checks them before it starts an emulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.errors import InputError
from neonlab.measure.cores.modelled import AskedCore, ModelledCore


@dataclass(frozen=True, slots=True, init=False)
class MemoryOptions:
    """Say what `profile` measures besides counts: the traffic of a call, and with `core` caches and cycles there.

    `core` may be given by its name, such as "cortex-a53".  `warm` models one of many calls back to back; the default is
    a first call on empty caches.  `prefetcher` says whether the core's own prefetcher works; prefetch instructions
    always do.  `loop` asks for the report on the hot loops, for a core with a pipeline model.  Without `traffic`,
    nothing besides counts is measured; a core needs the traffic.

    Raises InputError for a name that no core has, and for a core without the traffic.
    """

    core: ModelledCore | None
    warm: bool
    prefetcher: bool
    loop: bool
    traffic: bool

    def __init__(
        self,
        core: AskedCore | None = None,
        warm: bool = False,
        prefetcher: bool = True,
        loop: bool = False,
        traffic: bool = True,
    ) -> None:
        if core is not None and not traffic:
            raise InputError(f"the caches of {core} are modelled from the traffic: leave out `traffic`, or the core")
        object.__setattr__(self, "core", ModelledCore.named(core) if isinstance(core, str) else core)
        object.__setattr__(self, "warm", warm)
        object.__setattr__(self, "prefetcher", prefetcher)
        object.__setattr__(self, "loop", loop)
        object.__setattr__(self, "traffic", traffic)


#: Nothing besides counts.
COUNTS_ALONE = MemoryOptions(traffic=False)


def on_each(cores: Sequence[ModelledCore], *, warm: bool = False, loop: bool = False) -> tuple[MemoryOptions, ...]:
    """Return the options to measure a call on each core; without cores, those of one call that is only counted."""
    return tuple(MemoryOptions(core, warm, loop=loop) for core in cores) or (COUNTS_ALONE,)
