"""What a unit of work gives that ended its process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Died:
    """A task that ended its process or ran out of time."""

    reason: str
