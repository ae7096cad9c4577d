"""How much memory this process may still have, and the words for what needs more."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes that may still be had, and what sets the limit: `ulimit -v`, a control group, the machine."""

    bytes: int
    of: str


def memory_left() -> Room | None:
    """The least of what the process's limit, its control group and the machine leave; None where none of them tells."""
    found = [room for room in (address_space_left(), _control_group(), _machine()) if room is not None]
    return min(found, key=lambda room: room.bytes, default=None)


def gib(size: int) -> str:
    """Bytes as people say them: `1.3 GiB`, of small ones `0.05 GiB`."""
    return f"{size / _GIB:.2f} GiB" if size < _GIB else f"{size / _GIB:,.1f} GiB"


def out_of_memory(error: MemoryError) -> str:
    """What to say where memory has run out."""
    room = memory_left()
    left = f", {gib(room.bytes)} are left of {room.of}" if room is not None else ""
    asked = f" ({error})" if str(error) else ""
    return f"needs more memory than there is{left}{asked}: take a smaller shape, or fewer processes with --jobs"


def address_space_left() -> Room | None:
    """What `ulimit -v` leaves this process; None where it sets no limit."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError, ValueError, IndexError):
        return None
    return Room(max(0, limit - pages * os.sysconf("SC_PAGE_SIZE")), f"{gib(limit)} of address space (ulimit -v)")


def _control_group() -> Room | None:
    """The limit of a container, in the unified hierarchy of Linux."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        return Room(max(0, int(limit) - used), f"{gib(int(limit))} that the control group has")
    except (OSError, ValueError):  # no limit is the word `max`
        return None


def _machine() -> Room | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        sizes = {name: int(rest.split()[0]) << 10 for name, _, rest in (line.partition(":") for line in lines)}
        return Room(sizes["MemAvailable"] + sizes.get("SwapFree", 0), f"{gib(sizes['MemTotal'])} that the machine has")
    except (OSError, ValueError, KeyError, IndexError):
        return None
