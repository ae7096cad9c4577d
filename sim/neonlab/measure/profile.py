"""What one call cost, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neonlab.measure.caches import CacheEvents
from neonlab.measure.counts import Counts
from neonlab.measure.loop_report import LoopReport
from neonlab.measure.run_cycles import RunCycles
from neonlab.measure.traffic import Traffic


@dataclass(frozen=True, slots=True)
class Profile:
    """What one call cost, counted exactly.  `macs` is the work the contract declares, 0 when it declares none.

    `traffic` is None where nobody asked for it; `caches` and `cycles`, the estimates of models, also without a core;
    `loop`, an estimate too, also where there is no loop.
    """

    kernel: str
    isa: str
    shape: str
    macs: int
    counts: Counts
    traffic: Traffic | None = None
    caches: CacheEvents | None = None
    cycles: RunCycles | None = None
    loop: LoopReport | None = None

    @property
    def instructions_per_mac(self) -> float:
        """Executed instructions for each multiply-accumulate; 0 when none is declared."""
        return self.counts.instructions / self.macs if self.macs else 0.0

    @property
    def loaded_per_mac(self) -> float:
        """Bytes loaded for each multiply-accumulate; 0 when none is declared."""
        return self.counts.loaded_bytes / self.macs if self.macs else 0.0

    @property
    def stored_per_mac(self) -> float:
        """Bytes stored for each multiply-accumulate; 0 when none is declared."""
        return self.counts.stored_bytes / self.macs if self.macs else 0.0

    @property
    def macs_per_cycle(self) -> float:
        """Multiply-accumulates a cycle; 0 when none is declared or no core was asked for."""
        return self.macs / self.cycles.cycles if self.cycles is not None and self.cycles.cycles else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`; what was not asked for is left out."""
        document = {
            "kernel": self.kernel,
            "isa": self.isa,
            "shape": self.shape,
            "macs": self.macs,
            "instructions_per_mac": round(self.instructions_per_mac, 6),
            "loaded_bytes_per_mac": round(self.loaded_per_mac, 6),
            "stored_bytes_per_mac": round(self.stored_per_mac, 6),
            "counts": self.counts.to_json(),
        }
        if self.traffic is not None:
            document["traffic"] = self.traffic.to_json()
        if self.caches is not None:
            document["caches"] = self.caches.to_json()
        if self.cycles is not None:
            document["cycles"] = {**self.cycles.to_json(), "macs_per_cycle": round(self.macs_per_cycle, 6)}
        if self.loop is not None:
            document["hot_loop"] = self.loop.to_json()
        return document
