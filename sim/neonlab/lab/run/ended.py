"""Say that a unit of work ended its process, or ran out of time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Died:
    """A task that ended its process or ran out of time."""

    reason: str
