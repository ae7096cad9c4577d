"""The measured counts and estimated costs of one call, ready to be displayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neonlab.errors import InputError
from neonlab.host.display import html_of
from neonlab.measure.caches.probe import CacheEvents
from neonlab.measure.counts import Counts
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.memory_probe import Traffic
from neonlab.measure.run_cycles import RunCycles
from neonlab.measure.shape import Shape


@dataclass(frozen=True, slots=True)
class Profile:
    """The work and the cost of one call.

    `counts` (instructions, bytes, registers, executions by line) and `traffic` (bytes by buffer) are exact.  `caches`
    (PMU events), `cycles` and `loops` (the hot loops, the hottest first) are estimates of a core's models.  `traffic`
    is None where it was not asked for, `caches` and `cycles` where no core was; `loops` may be empty.  `macs` is the
    number of multiply-accumulates that the contract states, 0 where it states none.  `compiler` is the compiler that
    made the code, "" where none did.
    """

    kernel: str
    isa: str
    shape: Shape
    macs: int
    counts: Counts
    traffic: Traffic | None = None
    caches: CacheEvents | None = None
    cycles: RunCycles | None = None
    loops: tuple[LoopReport, ...] = ()
    compiler: str = ""

    @property
    def loop(self) -> LoopReport | None:
        """Return the hottest loop, or None."""
        return self.loops[0] if self.loops else None

    @property
    def instructions_per_mac(self) -> float:
        """Return executed instructions per multiply-accumulate; 0 where `macs` is 0."""
        return self.counts.instructions / self.macs if self.macs else 0.0

    @property
    def loaded_per_mac(self) -> float:
        """Return bytes loaded per multiply-accumulate; 0 where `macs` is 0."""
        return self.counts.loaded_bytes / self.macs if self.macs else 0.0

    @property
    def stored_per_mac(self) -> float:
        """Return bytes stored per multiply-accumulate; 0 where `macs` is 0."""
        return self.counts.stored_bytes / self.macs if self.macs else 0.0

    @property
    def macs_per_cycle(self) -> float:
        """Return multiply-accumulates per cycle; 0 where `macs` is 0 or no core was asked for."""
        return self.macs / self.cycles.cycles if self.cycles is not None and self.cycles.cycles else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them; what was not asked for is left out."""
        document = {
            "kernel": self.kernel,
            "isa": self.isa,
            "shape": str(self.shape),
            "macs": self.macs,
            "instructions_per_mac": round(self.instructions_per_mac, 6),
            "loaded_bytes_per_mac": round(self.loaded_per_mac, 6),
            "stored_bytes_per_mac": round(self.stored_per_mac, 6),
            "counts": self.counts.to_json(),
        }
        if self.compiler:
            document["compiler"] = self.compiler
        if self.traffic is not None:
            document["traffic"] = self.traffic.to_json()
        if self.caches is not None:
            document["caches"] = self.caches.to_json()
        if self.cycles is not None:
            document["cycles"] = {**self.cycles.to_json(), "macs_per_cycle": round(self.macs_per_cycle, 6)}
        if self.loop is not None:
            document["hot_loop"] = self.loop.to_json()
        if self.loops[1:]:
            document["other_loops"] = [loop.to_json() for loop in self.loops[1:]]
        return document

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per source line: executions, and with a core cycles by cause.

        Raises InputError where pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise InputError("Profile.to_frame needs the package pandas: pip install pandas") from None
        cycles = {(one.path, one.line): one for one in self.cycles.lines} if self.cycles is not None else {}
        causes = sorted({cause for one in cycles.values() for cause in one.causes})
        rows = []
        for line in self.counts.lines:
            row = {"path": line.path, "line": line.line, "text": line.text.strip(), "executions": line.executions}
            if self.cycles is not None:
                spent = cycles.get((line.path, line.line))
                row["cycles"] = spent.cycles if spent is not None else 0
                row |= {cause: spent.causes.get(cause, 0) if spent is not None else 0 for cause in causes}
            rows.append(row)
        columns = ["path", "line", "text", "executions"] + (["cycles", *causes] if self.cycles is not None else [])
        return pandas.DataFrame(rows, columns=columns)

    def _repr_html_(self) -> str | None:
        """Return the HTML that a notebook shows."""
        return html_of(self)
