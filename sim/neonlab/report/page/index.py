"""Build the index of pages: a row for each kernel, which its page contains, so that earlier pages keep their rows."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from neonlab.report.page.gather import KernelPage
from neonlab.report.tables.kernels import level_of

_WITHIN = re.compile(r'<script type="application/json" id="row">(.*?)</script>')


@dataclass(frozen=True, slots=True)
class IndexRow:
    """The row of a kernel; `instructions` is 0 if it was not profiled, `macs` 0 if none are declared.

    `level` is the instruction set and the extension that the kernel needs.
    """

    title: str
    status: str
    shape: str
    instructions: int
    macs: int
    cycles: dict[str, int]
    operator: str = ""
    level: str = ""

    @staticmethod
    def of(page: KernelPage) -> IndexRow:
        """Return the row of a page that is about to be written."""
        cycles = {core: one.cycles.cycles for core, one in page.profiles.items() if one.cycles is not None}
        first = next(iter(page.profiles.values()), None)
        instructions, macs = (first.counts.instructions, first.macs) if first is not None else (0, 0)
        kernel = page.kernel
        operator = kernel.operator.name if kernel.operator is not None else ""
        level = f"{kernel.title.partition('/')[0]} {level_of(kernel)}"
        status, shape = page.verdict.status.value, str(page.shape)
        return IndexRow(kernel.title, status, shape, instructions, macs, cycles, operator, level)

    def within(self) -> str:
        """Return the row as JSON to embed in the page; it cannot end a script element."""
        return json.dumps(asdict(self), separators=(",", ":")).replace("<", "\\u003c")


def rows_in(folder: Path, but: Collection[Path]) -> Iterator[tuple[IndexRow, str]]:
    """Yield rows of the pages in a folder, with their file names; other files are ignored."""
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
