"""What to look at beside the counts; needs no emulator, so that a command can say it before it starts one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """The traffic of a call, and with `core` what it does to the caches of the core of that name.

    `warm` makes the call twice and shows the second, on the caches that the first left; else they are empty.
    `prefetcher` says whether the core's own works; the kernel's prefetch instructions always do.  `loop` asks to look
    into the hot loop, where the core has a pipeline model.
    """

    core: str | None = None
    warm: bool = False
    prefetcher: bool = True
    loop: bool = False
