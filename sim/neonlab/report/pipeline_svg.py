"""Draw the timeline of a hot loop as a self-contained SVG: a row per instruction, a column per cycle."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neonlab.measure.loop.report import LoopReport
    from neonlab.measure.loop.timeline import TimelineRow

_CELL, _ROW, _TOP, _LABEL, _LETTER = 7, 14, 18, 250, 6.1
_MARKS = {
    "D": ("dispatched", "#5b8def"),
    "=": ("waits", "#e0a030"),
    "e": ("executes", "#3a9d5d"),
    "E": ("its result is there", "#1f6f3f"),
    "-": ("done, waits to retire", "#b9bec7"),
    "R": ("retires", "#8a8f99"),
}


def pipeline_svg(report: LoopReport) -> str:
    """Return the SVG of two iterations of the loop; on hover it shows each stage and the cause of waits."""
    rows = report.timeline
    end = max((row.end for row in rows), default=0)
    width, height = _LABEL + end * _CELL + 4, _TOP + len(rows) * _ROW + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="monospace" font-size="10" fill="currentColor">',
        f"<title>{escape(f'two iterations of the hot loop on {report.core}')}</title>",
    ]
    for cycle in range(0, end + 1, 10):
        x = _LABEL + cycle * _CELL
        parts.append(f'<path d="M{x} {_TOP - 4}V{height}" stroke="currentColor" stroke-opacity=".15"/>')
        parts.append(f'<text x="{x}" y="{_TOP - 6}">{cycle}</text>')
    for number, row in enumerate(rows):
        parts += _row(report, row, _TOP + number * _ROW)
    return "".join([*parts, "</svg>"])


def _row(report: LoopReport, row: TimelineRow, top: int) -> list[str]:
    line = report.lines[row.instruction]
    label = f"{report.label(line)} {line.text}"
    most = int(_LABEL / _LETTER) - 1
    shown = label if len(label) <= most else f"{label[: most - 1]}…"
    parts = [f'<text x="0" y="{top + 10}"><title>{escape(label)}</title>{escape(shown)}</text>']
    cycle = row.start
    for mark, run in groupby(row.marks):
        length = len(list(run))
        meaning, colour = _MARKS[mark]
        cause = f" ({row.scheduled.cause})" if mark == "=" and row.scheduled.cause else ""
        told = f"{meaning}{cause}: cycle{'s' if length > 1 else ''} {cycle}"
        told += f" to {cycle + length - 1}" if length > 1 else ""
        parts.append(
            f'<rect x="{_LABEL + cycle * _CELL}" y="{top + 1}" width="{length * _CELL - 1}" height="{_ROW - 2}" '
            f'fill="{colour}"><title>{escape(told)}</title></rect>'
        )
        cycle += length
    return parts
