"""Hold the permissions of every byte of a guest's memory.

One byte of permissions stands for each byte of guest memory.  A table maps pages of addresses to shadow pages; a page
that nothing may touch has none of its own.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neonlab.emulate.guest.address_space import HIGH

PAGE = 4096  # bytes
#: Guest addresses in use lie below LIMIT, or within as many bytes from HIGH on.
LIMIT = 1 << 34
#: What is subtracted from the addresses from HIGH on: they follow the others in the table.
FOLD = HIGH - LIMIT
PAGES = 2 * LIMIT // PAGE


def folded(address: int) -> int:
    """Return an address as the table has it; -1 for one that is in neither part."""
    if address >= HIGH:
        address -= FOLD
        return address if address < 2 * LIMIT else -1
    return address if 0 <= address < LIMIT else -1


class Shadow:
    """The permissions of every byte of a guest's memory."""

    def __init__(self) -> None:
        self.pages = np.zeros(PAGES, np.int32)
        self._pool = np.zeros(64 * PAGE, np.uint8)
        self._used = 1  # page 0 of the pool stands for memory that nothing may touch
        self._kept = 1
        self._mapped: list[tuple[int, int]] = []

    @property
    def pool(self) -> npt.NDArray[np.uint8]:
        """Return the bytes of permissions; the array is replaced when it grows."""
        return self._pool

    def keep(self) -> None:
        """Make the current permissions survive `clear`."""
        self._kept, self._mapped = self._used, []

    def clear(self) -> None:
        """Drop the permissions given since `keep`."""
        for first, end in self._mapped:
            pages = self.pages[first:end]
            pages[pages >= self._kept] = 0
        self._used, self._mapped = self._kept, []

    def allow(self, start: int, end: int, permissions: int | npt.NDArray[np.uint8]) -> None:
        """Give the bytes from `start` to `end` these permissions, or one each, in place of those they had."""
        if start >= end:
            return
        end -= start - folded(start)
        start = folded(start)
        first, past = start // PAGE, -(-end // PAGE)
        if past == first + 1 and (page := int(self.pages[first])):  # as most margins and small buffers lie
            base = (page - first) * PAGE
            self._pool[base + start : base + end] = permissions
            return
        pages = self.pages[first:past]
        missing = np.flatnonzero(pages == 0)
        if missing.size:
            self._mapped.append((first, past))
            self._grow(missing.size)
            pages[missing] = np.arange(self._used, self._used + missing.size, dtype=np.int32)
            self._pool[self._used * PAGE : (self._used + missing.size) * PAGE] = 0
            self._used += missing.size
        if np.all(np.diff(pages) == 1):
            base = (int(pages[0]) - first) * PAGE
            self._pool[base + start : base + end] = permissions
            return
        for number, page in enumerate(pages.tolist(), first):
            low, high = max(start, number * PAGE), min(end, (number + 1) * PAGE)
            base = (page - number) * PAGE
            given = permissions if isinstance(permissions, int) else permissions[low - start : high - start]
            self._pool[base + low : base + high] = given

    def permissions(self, address: int) -> int:
        """Return the permissions of one byte."""
        address = folded(address)
        if address < 0:
            return 0
        return int(self._pool[int(self.pages[address // PAGE]) * PAGE + address % PAGE])

    def _grow(self, pages: int) -> None:
        wanted = (self._used + pages) * PAGE
        if wanted > self._pool.size:
            pool = np.zeros(max(wanted, 2 * self._pool.size), np.uint8)
            pool[: self._used * PAGE] = self._pool[: self._used * PAGE]
            self._pool = pool
