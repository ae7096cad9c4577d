"""Print cycles to a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from neonlab.report.band_words import band_text, basis_line, range_text

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.measure.cores.bands import Band
    from neonlab.measure.profile import Profile
    from neonlab.measure.run_cycles import RunCycles

_COLUMNS = 80
_LINES, _WAITS, _UNKNOWN = 8, 4, 5
_NAMED = 0.01  # least share of the cycles for a cause to be named in a brief output


def print_cycles(out: Console, profile: Profile, *, brief: bool = False) -> None:
    """Print the events, the causes of cycles, the bounds, and the most expensive lines; if `brief` the first two."""
    if profile.cycles is not None:
        for line in _cycles(profile, profile.cycles, brief):
            out.print(line[:_COLUMNS], markup=False)


def print_layers(out: Console, profiles: Sequence[Profile]) -> None:
    """Print one row per profile: its cycles on the core, and its largest bound."""
    shapes = max(len(str(profile.shape)) for profile in profiles)
    for kernel in dict.fromkeys(profile.kernel for profile in profiles):
        rows = [profile for profile in profiles if profile.kernel == kernel and profile.cycles is not None]
        if not rows:
            continue
        first = rows[0].cycles
        assert first is not None
        out.print(f"{kernel} on {first.core}, {first.state} (estimate of a model)", markup=False)
        for text in (f"the model: {first.model_error}", f"80 % band, {basis_line(first.core)}"):
            for line in _wrapped(text, 2):
                out.print(line, markup=False)
        heading = f"  {'shape':<{shapes}} {'CPU_CYCLES':>12} {'80 % band':>11} {'IPC':>5} {'MACs/c':>7}  largest bound"
        out.print(heading[:_COLUMNS], markup=False)
        for row in rows:
            if row.cycles is not None:
                out.print(_layer(row, row.cycles, shapes)[:_COLUMNS], markup=False)
        total = sum(row.cycles.cycles for row in rows if row.cycles is not None)
        macs = sum(row.macs for row in rows)
        rate = f"{macs / total:>7.2f}" if macs and total else ""
        band = range_text(first.core, total)
        out.print(f"  {'all':<{shapes}} {total:>12,} {band:>11} {'':>5} {rate}".rstrip(), markup=False)


def _layer(profile: Profile, cycles: RunCycles, shapes: int) -> str:
    name = cycles.bounds.largest
    bound = getattr(cycles.bounds, name)
    share = f"{name}, {bound / cycles.cycles:.0%} of it" if cycles.cycles else ""
    rate = f"{profile.macs_per_cycle:>7.2f}" if profile.macs else f"{'':>7}"
    band = range_text(cycles.core, cycles.cycles)
    return f"  {profile.shape!s:<{shapes}} {cycles.cycles:>12,} {band:>11} {cycles.ipc:>5.2f} {rate}  {share}"


def _cycles(profile: Profile, cycles: RunCycles, brief: bool) -> Iterator[str]:
    events, total = cycles.events, cycles.cycles
    yield f"  cycles on {cycles.core}, {cycles.state} (estimate of a model)"
    yield from _wrapped(f"the model: {cycles.model_error}", 4)
    yield f"    {'CPU_CYCLES':<25}  {total:>15,}  {cycles.ipc:.2f} instructions per cycle"
    if cycles.band is not None:
        yield f"    {'80 % band':<25}  {band_text(cycles.band, total):>15}  {_basis(cycles.band)}"
    if profile.macs:
        peak = f"  of {cycles.peak:g} with {cycles.peak_form} alone" if cycles.peak else ""
        yield f"    {'MACs per cycle':<25}  {profile.macs_per_cycle:>15.2f}{peak}"
    for name in ("STALL_FRONTEND", "STALL_BACKEND"):
        yield f"    {name:<25}  {events[name]:>15,}  {_share(events[name], total)}"
    yield (
        f"    {'BR_MIS_PRED':<25}  {events['BR_MIS_PRED']:>15,}  "
        f"{_share(events['BR_MIS_PRED'], events['BR_PRED'])} of conditional branches"
    )
    yield "  cycles by cause"
    for cause, count in sorted(cycles.causes.items(), key=lambda item: -item[1]):
        if count >= (_NAMED * total if brief else 1):
            yield f"    {cause:<25}  {count:>15,}  {_share(count, total)}"
    if brief:
        return
    bounds = cycles.bounds
    yield "  lower bounds of the cycles, each from one resource"
    for name in ("ports", "dispatch", "dependencies", "memory"):
        bound = getattr(bounds, name)
        mark = "  <- most" if name == bounds.largest else ""
        yield f"    {name:<25}  {round(bound):>15,}  {_share(bound, total)}{mark}"
    busy = [f"{port} {share:.0%}" for port, share in cycles.occupancy.items() if share >= 0.005]
    yield f"  ports busy  {'  '.join(busy)}"
    yield "      cycles  line"
    for line in sorted(cycles.lines, key=lambda line: (-line.cycles, line.path, line.line))[:_LINES]:
        main = max(line.causes, key=lambda cause: line.causes[cause])
        why = f"{main} {_share(line.causes[main], line.cycles).strip()}"
        yield f"  {line.cycles:>10,}  {Path(line.path).name}:{line.line}  {why}  {line.text.strip()}"
    for wait in cycles.waits[:_WAITS]:
        yield f"  {wait.cycles:>10,}  line {wait.line} stalls on line {wait.producer_line}: {wait.cause}"
    if cycles.unknown:
        executed = sum(cycles.unknown.values())
        yield f"  not in the core's table, timed as usual for their class: {executed:,} executed"
        for text, times in list(cycles.unknown.items())[:_UNKNOWN]:
            yield f"  {times:>10,}  {text}"


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, 76, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2))


def _basis(band: Band) -> str:
    """Return what the band comes from in 32 columns."""
    first = "" if band.stale else "errors on "
    return f"{first}{band.figures} functions{', pooled' if band.pooled else ''}{', older' if band.stale else ''}"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:5.1f} %" if whole else ""
