"""Define the figures that compare two states of a kernel: a variant, a revision, a baseline, the last save.

Counts are exact; cycles are the estimates of models, by core.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neonlab.measure.cores.bands import band_of, is_blurred

if TYPE_CHECKING:
    from neonlab.measure.profile import Profile

#: The exact counts, with the name of each in headings.
COUNTED = {"instructions": "instructions", "loaded_bytes": "bytes loaded", "stored_bytes": "bytes stored"}
_CYCLES = "cycles "


def core_of(name: str) -> str:
    """Return the core of a figure that is named `cycles CORE`; empty for a count."""
    return name.removeprefix(_CYCLES) if name.startswith(_CYCLES) else ""


def label_of(name: str) -> str:
    """Return the name of a figure as a table has it: `bytes loaded`, `cycles, CORE`."""
    return COUNTED.get(name, name.replace(_CYCLES, "cycles, "))


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one call on one shape; `cycles` by core."""

    instructions: int
    loaded_bytes: int
    stored_bytes: int
    cycles: Mapping[str, int]

    def named(self) -> dict[str, int]:
        """Return all figures in one mapping: counts under their names, cycles under `cycles CORE`."""
        counted = {name: int(getattr(self, name)) for name in COUNTED}
        return {**counted, **{_CYCLES + core: count for core, count in self.cycles.items()}}

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        ends = {core: band.around(count) for core, count in self.cycles.items() if (band := band_of(core)) is not None}
        return {
            **{name: int(getattr(self, name)) for name in COUNTED},
            "cycles": dict(self.cycles),
            "cycles_low": {core: round(low) for core, (low, _) in ends.items()},
            "cycles_high": {core: round(high) for core, (_, high) in ends.items()},
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Figures:
        """Return the figures that `to_json` gave as `values`; the ends of bands follow from the cycles."""
        return cls(**{name: int(values[name]) for name in COUNTED}, cycles=dict(values["cycles"]))


@dataclass(frozen=True, slots=True)
class Change:
    """One figure, before and after."""

    name: str
    before: int
    after: int

    @property
    def core(self) -> str:
        """Return the core whose cycles these are; empty for a count."""
        return core_of(self.name)

    @property
    def told(self) -> bool:
        """Tell whether a difference is one that the model can tell; a difference of exact counts always is.

        Cycles must differ by more than the band of the errors of ratios.
        """
        return bool(self.difference) and not is_blurred(self.core, self.before, self.after)

    @property
    def difference(self) -> int:
        """Return the increase."""
        return self.after - self.before

    @property
    def relative(self) -> float:
        """Return the increase as a share of the value before; 0 if that was 0."""
        return self.difference / self.before if self.before else 0.0


def figures_of(profiles: Iterable[Profile]) -> Figures:
    """Return the figures of one call, profiled once for each core (or once without any)."""
    rows = list(profiles)
    counts = rows[0].counts
    cycles = {row.cycles.core: row.cycles.cycles for row in rows if row.cycles is not None}
    return Figures(counts.instructions, counts.loaded_bytes, counts.stored_bytes, cycles)


def changes(before: Figures, after: Figures) -> tuple[Change, ...]:
    """Return the changes of the figures that both have."""
    old, new = before.named(), after.named()
    return tuple(Change(name, old[name], new[name]) for name in new if name in old)


def total(figures: Iterable[Figures]) -> Figures:
    """Return the sums of the figures, with cycles of the cores that all have."""
    rows = list(figures)
    cores = [core for core in rows[0].cycles if all(core in row.cycles for row in rows)]
    return Figures(
        sum(row.instructions for row in rows),
        sum(row.loaded_bytes for row in rows),
        sum(row.stored_bytes for row in rows),
        {core: sum(row.cycles[core] for row in rows) for core in cores},
    )
