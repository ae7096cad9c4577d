"""Print comparisons to a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from neonlab.measure.cores.bands import NO_DIFFERENCE, is_blurred
from neonlab.report.band_words import basis_line, range_text, ratio_line
from neonlab.report.comparison_words import compiled_by, difference_lines, loop_figures, loop_names, percent

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.lab.compare.comparison import Comparison, Group, Side

_WIDTH = 80


def print_comparison(out: Console, comparison: Comparison, most: int = 16, width: int = _WIDTH) -> None:
    """Print for each shape a table of counts and one of cycles per core, with a row per kernel; then the hot loops.

    Of loops of unlike structure, `most` instructions are shown, in lines of `width`.
    """
    for group in comparison.groups:
        reference = group.reference
        if reference is None:
            continue
        work = f"  {reference.macs:,} MACs" if reference.macs else ""
        out.print(Text(str(group.shape), "bold").append(work, "not bold"))
        out.print(_counts(group, reference))
        for core in comparison.cores:
            out.print(_cycles(group, core))
    for told in compiled_by(comparison):
        for line in wrap(told, _WIDTH, subsequent_indent="  ", break_on_hyphens=False):
            out.print(line, markup=False)
    for line in _bands(comparison):
        out.print(line, markup=False)
    references = [group.reference for group in comparison.groups if group.reference is not None]
    if any(reference.macs for reference in references):
        out.print(
            "/MAC, ld/M, st/M: instructions, bytes loaded and bytes stored per MAC; change:\n"
            "in instructions and in cycles, relative to the first row",
            markup=False,
        )
    elif references:
        out.print("change: in instructions and in cycles, relative to the first row", markup=False)
    for difference in comparison.loops:
        for line in wrap(loop_names(difference), _WIDTH, subsequent_indent="  ", break_on_hyphens=False):
            out.print(Text(line, "bold"))
        for line in wrap(loop_figures(difference), _WIDTH, initial_indent="  ", subsequent_indent="    "):
            out.print(line, markup=False)
        for text in difference_lines(difference, most, width - 2):
            out.print(Text(f"  {text}"[:width], {"-": "red", "+": "green"}.get(text[:1], "")))


def _bands(comparison: Comparison) -> Iterator[str]:
    """Yield what the ranges come from, and which changes the model cannot tell."""
    for core in comparison.cores:
        yield from wrap(f"80 % band, {basis_line(core)}", _WIDTH, subsequent_indent="  ")
    ratios = ratio_line(comparison.cores)
    if ratios:
        yield from wrap(f"~ {NO_DIFFERENCE}: a ratio inside {ratios}", _WIDTH, subsequent_indent="  ")


def _table(first: str, *headings: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(first, overflow="fold")
    for text in headings:
        table.add_column(text, justify="right", no_wrap=True)
    return table


def _name(side: Side) -> Text:
    word = " WRONG" if side.wrong else " unchecked" if side.unchecked and side.profiles else ""
    return Text(side.name).append(word, "bold red")


def _counts(group: Group, reference: Side) -> Table:
    with_macs = bool(reference.macs)
    rates = ("/MAC", "change", "ld/M", "st/M") if with_macs else ("change", "loaded B", "stored B")
    table = _table("kernel", "instr", *rates, "NEON")
    base = reference.profiles[0].counts.instructions
    for side in group.sides:
        if not side.profiles:
            table.add_row(_name(side), *["–"] * (len(rates) + 2))
            continue
        profile = side.profiles[0]
        counts = profile.counts
        per_mac = [f"{profile.instructions_per_mac:.4f}"] if with_macs else []
        moved = (
            (f"{profile.loaded_per_mac:.3f}", f"{profile.stored_per_mac:.3f}")
            if with_macs
            else (f"{counts.loaded_bytes:,}", f"{counts.stored_bytes:,}")
        )
        table.add_row(
            _name(side),
            f"{counts.instructions:,}",
            *per_mac,
            _change(counts.instructions, base),
            *moved,
            f"{counts.neon_registers}/{counts.neon_registers_available}",
        )
    return table


def _cycles(group: Group, core: str) -> Table:
    rate = ["MACs/c"] if group.reference is not None and group.reference.macs else []
    table = _table(f"on {core} (estimate)", "CPU_CYCLES", "80 % band", "IPC", *rate, "change")
    base: int | None = None
    for side in group.sides:
        profile = side.on(core)
        if profile is None or profile.cycles is None:
            table.add_row(_name(side), *["–"] * (4 + len(rate)))
            continue
        cycles = profile.cycles.cycles
        base = base or cycles
        mark = "~" if is_blurred(core, base, cycles) else ""
        table.add_row(
            _name(side),
            f"{cycles:,}",
            range_text(core, cycles),
            f"{profile.cycles.ipc:.2f}",
            *([f"{profile.macs_per_cycle:.2f}"] if rate else []),
            mark + _change(cycles, base),
        )
    return table


def _change(count: int, base: int) -> str:
    return percent((count - base) / base) if base and count != base else ""
