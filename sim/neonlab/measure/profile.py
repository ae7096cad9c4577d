"""What one call cost, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neonlab.measure.caches import CacheEvents
from neonlab.measure.counts import Counts
from neonlab.measure.traffic import Traffic


@dataclass(frozen=True, slots=True)
class Profile:
    """What one call cost, counted exactly.  `macs` is the work the contract declares, 0 when it declares none.

    `traffic` is None where nobody asked for it; `caches`, the estimate of a model, also without a core.
    """

    kernel: str
    isa: str
    shape: str
    macs: int
    counts: Counts
    traffic: Traffic | None = None
    caches: CacheEvents | None = None

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
        return document
