"""The options for measurements besides counts; a command checks them before it starts an emulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.errors import InputError
from neonlab.measure.cores.modelled import AskedCore, ModelledCore

#: Calls back to back between two times at which nothing runs, at most.
MOST_CALLS = 1024


@dataclass(frozen=True, slots=True, init=False)
class MemoryOptions:
    """Say what `profile` measures besides counts: the traffic of a call, and with `core` caches and cycles there.

    `core` may be given by its name, such as "cortex-a53".  `warm` models one of many calls back to back; the default is
    a first call on empty caches.  With `cold_weights` it is as `warm`, but buffers that hold weights are in no cache
    when a call begins, as where the rest of a network runs in between.  `calls` models so many calls back to back, from
    an empty pipeline until all is done, with warm caches, as checkasm times them; figures are those of one call on
    average.  `prefetcher` says whether the core's own prefetcher works; prefetch instructions always do.  `loop` asks
    for the report on the hot loops, for a core with a pipeline model.  Without `traffic`, nothing besides counts is
    measured; a core needs the traffic.

    Raises InputError for a name that no core has, for a core without the traffic, for a state without a core, and for
    `calls` that are more than MOST_CALLS, or `warm` too.
    """

    core: ModelledCore | None
    warm: bool
    prefetcher: bool
    loop: bool
    traffic: bool
    cold_weights: bool
    calls: int

    def __init__(
        self,
        core: AskedCore | None = None,
        warm: bool = False,
        prefetcher: bool = True,
        loop: bool = False,
        traffic: bool = True,
        cold_weights: bool = False,
        calls: int = 0,
    ) -> None:
        if core is not None and not traffic:
            raise InputError(f"the caches of {core} are modelled from the traffic: leave out `traffic`, or the core")
        if calls and warm:
            raise InputError("give `calls` or `warm`: one empties the pipeline before so many calls, the other never")
        if not 0 <= calls <= MOST_CALLS:
            raise InputError(f"`calls` is a number of calls, 1 to {MOST_CALLS}, not {calls}")
        if core is None and (cold_weights or calls):
            raise InputError(f"`{'calls' if calls else 'cold_weights'}` says how to model a core: give `core` too")
        object.__setattr__(self, "core", ModelledCore.named(core) if isinstance(core, str) else core)
        object.__setattr__(self, "warm", warm or cold_weights or calls > 0)
        object.__setattr__(self, "prefetcher", prefetcher)
        object.__setattr__(self, "loop", loop)
        object.__setattr__(self, "traffic", traffic)
        object.__setattr__(self, "cold_weights", cold_weights)
        object.__setattr__(self, "calls", calls)


#: Nothing besides counts.
COUNTS_ALONE = MemoryOptions(traffic=False)


@dataclass(frozen=True, slots=True)
class Found:
    """Say what a modelled call finds, as `warm`, `cold_weights` and `calls` of MemoryOptions; by default nothing."""

    warm: bool = False
    cold_weights: bool = False
    calls: int = 0


#: Empty caches, and an empty pipeline.
NOTHING_FOUND = Found()


def on_each(
    cores: Sequence[ModelledCore], *, finds: Found = NOTHING_FOUND, loop: bool = False
) -> tuple[MemoryOptions, ...]:
    """Return the options to measure a call on each core; without cores, those of one call that is only counted."""
    return tuple(
        MemoryOptions(core, finds.warm, loop=loop, cold_weights=finds.cold_weights, calls=finds.calls) for core in cores
    ) or (COUNTS_ALONE,)
