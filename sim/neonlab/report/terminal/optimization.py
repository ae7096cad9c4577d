"""Print what was found for a hot loop to a terminal of 80 columns."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from neonlab.optimize.outcome import LoopFigures, Optimized, Standing

_STYLES = {Standing.PROVED: "green", Standing.EXACT: "yellow", Standing.UNCHANGED: ""}


def print_optimized(out: Console, found: Optimized, written: str, *, diff: bool) -> None:
    """Print the figures, what was changed, how it was judged, and where asked the change itself.

    `written` is the file that the new kernel was written to, "" for none.
    """
    line = Text(f"{found.kernel}  {found.core}  {found.shape}  ")
    line.append(found.standing.value, _STYLES[found.standing])
    out.print(line)
    out.print(f"  loop         {found.place}, {100 * found.share:.0f} % of the cycles", markup=False)
    out.print(f"  as it is     {_figures(found.old)}", markup=False)
    if found.is_better:
        gain = 100 * (1 - found.new.cycles / found.old.cycles)
        out.print(f"  optimized    {_figures(found.new)}: {gain:.0f} % fewer cycles", markup=False)
        out.print(f"  whole call   {found.call_before:,} cycles before, {found.call_after:,} after, warm", markup=False)
    for change in found.changes:
        places = f"{change.places} place{'s' * (change.places != 1)}"
        out.print(f"  rewritten    {change.name}, {places}: {change.reason}", markup=False)
    if found.ahead:
        out.print(f"  pipelined    {found.ahead} instructions run an iteration ahead", markup=False)
    out.print(f"  tried        {found.tried:,} orders, seed {found.seed}{', stopped' * found.stopped}", markup=False)
    _print_judgement(out, found)
    for one in found.refused:
        names = " and ".join(change.name for change in one.changes) or "another order"
        out.print(f"  thrown away  {names}, {one.cycles:.4g} cycles: {one.reason}", markup=False)
    if written:
        out.print(f"  written      {written}", markup=False)
    if diff and found.is_better:
        out.print("")
        for row in found.diff(written).splitlines():
            out.print(Text(row, _style(row)))


def _print_judgement(out: Console, found: Optimized) -> None:
    if not found.is_better:
        out.print(f"  unchanged    {found.reason}", markup=False)
        return
    out.print(f"  checked      exact on {found.checked} cases", markup=False)
    if found.standing is Standing.PROVED:
        held = f", with {', '.join(found.held)} as drawn" if found.held else ""
        out.print(f"  proved       at all {found.proved} small shapes that run the new code{held}", markup=False)
    else:
        out.print(f"  not proved   {found.reason}", markup=False)


def _figures(one: LoopFigures) -> str:
    return (
        f"{one.cycles:.4g} cycles an iteration, {one.instructions} instructions, bounds: ports {one.ports:.4g}, "
        f"dispatch {one.dispatch:.4g}"
    )


def _style(row: str) -> str:
    return {"+": "green", "-": "red", "@": "cyan"}.get(row[:1], "")
