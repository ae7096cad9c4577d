"""Read how much memory this process can still allocate, and word the message for running out of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes that can still be allocated, and the limit they come from: `ulimit -v`, a control group, or the machine."""

    bytes: int
    of: str


def memory_left() -> Room | None:
    """Return the least of what the process's limit, its control group and the machine leave; None if none is known."""
    found = [room for room in (address_space_left(), _control_group(), _machine()) if room is not None]
    return min(found, key=lambda room: room.bytes, default=None)


def gib(size: int) -> str:
    """Format a number of bytes in GiB: `1.3 GiB`, below 1 GiB with two decimals, `0.05 GiB`."""
    return f"{size / _GIB:.2f} GiB" if size < _GIB else f"{size / _GIB:,.1f} GiB"


def out_of_memory(error: MemoryError) -> str:
    """Return the message for running out of memory, with the room that is left."""
    room = memory_left()
    left = f", {gib(room.bytes)} are left of {room.of}" if room is not None else ""
    asked = f" ({error})" if str(error) else ""
    return f"needs more memory than there is{left}{asked}: take a smaller shape, or fewer processes with --jobs"


def address_space_left() -> Room | None:
    """Return the room that `ulimit -v` leaves this process; None where it sets no limit."""
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
    """Return the room that the control group (cgroup v2, as containers set it) leaves; None without a limit."""
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
