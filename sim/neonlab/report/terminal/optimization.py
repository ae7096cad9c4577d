"""Print what was found for a hot loop to a terminal of 80 columns."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.text import Text

from neonlab.optimize.outcome import Optimized, Standing
from neonlab.report.optimization_words import optimization_rows

#: Columns of a line, and of what stands before its text.
_LINE, _WIDTH = 80, 13
_STYLES = {Standing.PROVED: "green", Standing.EXACT: "yellow", Standing.UNCHANGED: ""}


def print_optimized(out: Console, found: Optimized, written: str, *, diff: bool) -> None:
    """Print the figures, what was changed, how it was judged, and where asked the change itself.

    `written` is the file that the new kernel was written to, "" for none.
    """
    line = Text(f"{found.kernel}  {found.core}  {found.shape}")
    out.print(line)
    word = Text(f"  {'outcome':<{_WIDTH}}")
    word.append(found.standing.value, _STYLES[found.standing])
    out.print(word)
    for name, text in optimization_rows(found, written):
        first, *rest = textwrap.wrap(text, _LINE - _WIDTH - 2) or [""]
        out.print(f"  {name:<{_WIDTH}}{first}", markup=False)
        for more in rest:
            out.print(f"  {'':<{_WIDTH}}{more}", markup=False)
    if diff and found.is_better:
        out.print("")
        for row in found.diff(written).splitlines():
            out.print(Text(row, _style(row)))


def _style(row: str) -> str:
    return {"+": "green", "-": "red", "@": "cyan"}.get(row[:1], "")
