"""Print a hot loop flat, as it executes, 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neonlab.report.flat_loop import cycles_text, flat_rows, flat_title

if TYPE_CHECKING:
    from neonlab.measure.loop.report import LoopReport

_WIDTH = 80
_PORTS = 12  # most columns of ports


def flat_lines(report: LoopReport) -> Iterator[str]:
    """Yield a title, a heading, and a line for each instruction; a text that has no room is cut."""
    rows = list(flat_rows(report))
    label = max(4, *(len(row.label) for row in rows))
    text = max(11, *(len(row.instruction) for row in rows))
    ports = max(5, *(min(_PORTS, len(row.ports)) for row in rows))
    text = min(text, 34)
    yield f"  {flat_title(report)}"
    yield f"  cycles  {'line':<{label}}  {'instruction':<{text}}  {'ports':<{ports}}  waited for"
    for row in rows:
        shown = f"  {cycles_text(row.cycles)}  {row.label:<{label}}  {_cut(row.instruction, text):<{text}}  "
        yield _cut(f"{shown}{_cut(row.ports, ports):<{ports}}  {row.waits}".rstrip(), _WIDTH)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
