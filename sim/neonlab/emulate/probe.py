"""The interface of probes, which watch a guest while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import NativeHook
from neonlab.isa.model.isa import Isa


class Probe(Protocol):
    """Compiled hooks over plain numpy state.  Each probe has its own `collect`, which returns a frozen result."""

    def hooks(self, isa: Isa) -> Sequence[NativeHook]:
        """Return the hooks to attach; called once, when a machine is made."""
        ...

    def reset(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Forget the last call; the next one has `buffers`."""
        ...
