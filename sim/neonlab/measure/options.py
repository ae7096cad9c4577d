"""The options for measurements besides counts; a command checks them before it starts an emulator."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Say what `profile` measures besides counts: the traffic of a call, and with `core` caches and cycles there.

    `core` is the name of a core model, such as "cortex-a53".  `warm` models a second call on the caches that a first
    one left; the default is empty caches.  `prefetcher` says whether the core's own prefetcher works; prefetch
    instructions always do.  `loop` asks for the report on the hot loops, for a core with a pipeline model.
    """

    core: str | None = None
    warm: bool = False
    prefetcher: bool = True
    loop: bool = False
