"""Read and write baselines: a committed TOML file with the allowed cost of each kernel.

    [settings]
    cores = ["cortex-a53"]
    cycles_tolerance_percent = 1.0

    ["armv8/add_s8_saturated"."50176"]
    instructions = 18820
    ...

Counts have no tolerance; cycles, which models estimate, have the one that the file states.  Entries are sorted.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.lab.compare.figures import COUNTED, Change, Figures, changes

FILE = "baselines.toml"
_CORES, _TOLERANCE = ("cortex-a53",), 1.0
_HEAD = """\
# What each kernel may cost at each shape, at most. Written by `pytest --neonlab-update`, compared with by `pytest`.
# An entry added by hand, empty, adds a shape. Instructions and bytes have no tolerance.
"""


@dataclass(frozen=True)
class Baselines:
    """Figures by kernel (`armv8/name`) and shape; None for an entry that is still empty.

    `cores` are those that cycles are estimated on, `tolerance` is the percentage by which cycles may exceed their
    baseline.  `version` is that of the neonlab that wrote the file.
    """

    cores: tuple[str, ...] = _CORES
    tolerance: float = _TOLERANCE
    version: str = ""
    entries: Mapping[str, Mapping[str, Figures | None]] = field(default_factory=dict)

    def shapes_of(self, kernel: str) -> tuple[str, ...]:
        """Return the shapes that have an entry."""
        return tuple(self.entries.get(kernel, {}))

    def of(self, kernel: str, shape: str) -> Figures | None:
        """Return the allowed figures; None if there are none."""
        return self.entries.get(kernel, {}).get(shape)

    def exceeded(self, kernel: str, shape: str, figures: Figures) -> tuple[Change, ...]:
        """Return the figures above their baseline, beyond the tolerance."""
        return tuple(c for c in self._changes(kernel, shape, figures) if c.after > self._most(c))

    def beaten(self, kernel: str, shape: str, figures: Figures) -> tuple[Change, ...]:
        """Return the figures below their baseline."""
        return tuple(change for change in self._changes(kernel, shape, figures) if change.difference < 0)

    def with_figures(self, kernel: str, shape: str, figures: Figures) -> Baselines:
        """Return a copy with one entry set."""
        entries = {**self.entries, kernel: {**self.entries.get(kernel, {}), shape: figures}}
        return Baselines(self.cores, self.tolerance, self.version, entries)

    def without(self, kernels: set[str]) -> Baselines:
        """Return a copy without the entries of `kernels`."""
        left = {kernel: shapes for kernel, shapes in self.entries.items() if kernel not in kernels}
        return Baselines(self.cores, self.tolerance, self.version, left)

    def _changes(self, kernel: str, shape: str, figures: Figures) -> tuple[Change, ...]:
        allowed = self.of(kernel, shape)
        return changes(allowed, figures) if allowed is not None else ()

    def _most(self, change: Change) -> float:
        return change.before if change.name in COUNTED else change.before * (1 + self.tolerance / 100)

    def to_toml(self) -> str:
        """Return the file's text; equal figures give equal text."""
        from neonlab import __version__

        lines = [_HEAD, "[settings]", f"cores = {json.dumps(list(self.cores))}"]
        lines += [f"cycles_tolerance_percent = {float(self.tolerance)}", f'neonlab = "{__version__}"', ""]
        for kernel in sorted(self.entries):
            for shape in sorted(self.entries[kernel], key=_sizes):
                lines.append(f"[{json.dumps(kernel)}.{json.dumps(shape)}]")
                figures = self.entries[kernel][shape]
                if figures is not None:
                    lines += [f"{name} = {getattr(figures, name)}" for name in COUNTED]
                    lines += [f"cycles.{core} = {figures.cycles[core]}" for core in sorted(figures.cycles)]
                lines.append("")
        return "\n".join(lines)


def _sizes(shape: str) -> tuple[tuple[int, ...], str]:
    parts = shape.split("x")
    return tuple(int(part) if part.lstrip("-").isdigit() else 0 for part in parts), shape


def read_baselines(path: Path) -> Baselines | None:
    """Read the file; None if there is none.  Raises InputError where it is malformed."""
    if not path.exists():
        return None
    text = read_input_text(path)
    try:
        table = tomllib.loads(text)
        settings = table.pop("settings", {})
        entries = {
            kernel: {shape: _figures(entry) for shape, entry in shapes.items()} for kernel, shapes in table.items()
        }
        cores = tuple(str(core) for core in settings.get("cores", _CORES))
        tolerance = float(settings.get("cycles_tolerance_percent", _TOLERANCE))
        return Baselines(cores, tolerance, str(settings.get("neonlab", "")), entries)
    except (tomllib.TOMLDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not a file of baselines that `pytest --neonlab-update` wrote: {error!r}") from None


def _figures(entry: Mapping[str, Any]) -> Figures | None:
    if not entry:
        return None
    cycles = {str(core): int(count) for core, count in entry.get("cycles", {}).items()}
    return Figures(**{name: int(entry[name]) for name in COUNTED}, cycles=cycles)
