"""Print how a network was quantized, and what that costs, to a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console

from neonlab.network.quantize.study import Study
from neonlab.report.cells import end_of
from neonlab.report.quantize.words import Row, head_line, kept_line, layer_rows, layers_title, trial_rows

#: Characters of a tensor's name; of a longer one the end is shown.
_NAME = 32


def print_study(out: Console, study: Study, written: str, emulated: Iterable[str]) -> None:
    """Print the table of schemes, that of tensors, which scheme is kept, and the lines of the emulated run."""
    lines = [head_line(study), "", *_aligned(trial_rows(study)), "", layers_title(study)]
    lines += [*_aligned(layer_rows(study)), "", kept_line(study, written), *emulated]
    for line in lines:
        out.print(line, markup=False, highlight=False)


def _aligned(rows: Iterable[Row]) -> Iterator[str]:
    """Yield lines with words at the left and figures at the right of their columns, and no column that is empty."""
    held = [tuple(end_of(cell, _NAME) for cell in row) for row in rows]
    columns = [column for column in zip(*held, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    first, *others = widths
    for name, *figures in zip(*columns, strict=True):
        cells = [f"{name:<{first}}", *(f"{cell:>{width}}" for cell, width in zip(figures, others, strict=True))]
        yield "  ".join(cells).rstrip()
