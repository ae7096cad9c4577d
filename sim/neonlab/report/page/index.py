"""The index of pages: a row a kernel, which each page carries within, so that pages written earlier keep theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from neonlab.report.page.gather import KernelPage

_WITHIN = re.compile(r'<script type="application/json" id="row">(.*?)</script>')


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the index says of a kernel; `instructions` 0 where it was not profiled, `macs` where none are declared."""

    title: str
    status: str
    shape: str
    instructions: int
    macs: int
    cycles: dict[str, int]

    @staticmethod
    def of(page: KernelPage) -> IndexRow:
        """The row of a page that is about to be written."""
        cycles = {core: one.cycles.cycles for core, one in page.profiles.items() if one.cycles is not None}
        first = next(iter(page.profiles.values()), None)
        instructions, macs = (first.counts.instructions, first.macs) if first is not None else (0, 0)
        return IndexRow(page.kernel.title, page.verdict.status.value, page.shape, instructions, macs, cycles)

    def within(self) -> str:
        """What the page carries; no text in it ends a script."""
        return json.dumps(asdict(self), separators=(",", ":")).replace("<", "\\u003c")


def rows_in(folder: Path, but: Collection[Path]) -> Iterator[tuple[IndexRow, str]]:
    """Rows of the pages in a folder, with the names of their files; none of files that are no such page."""
    for path in sorted(folder.glob("*.html")):
        if path in but:
            continue
        try:
            found = _WITHIN.search(path.read_text(encoding="utf-8"))
            row = IndexRow(**json.loads(found[1])) if found is not None else None
        except (OSError, ValueError, TypeError):
            row = None
        if row is not None:
            yield row, path.name
