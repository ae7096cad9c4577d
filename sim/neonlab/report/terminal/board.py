"""Print what a board found: exactness on silicon, and measured beside modelled cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from neonlab.report.band_words import basis_line, range_text

if TYPE_CHECKING:
    from neonlab.lab.board.beside_model import BesideModel
    from neonlab.lab.board.export import Exported
    from neonlab.lab.board.result import BoardResult

_COUNTED = {
    "perf_event": "cycles counted by perf_event",
    "pmccntr": "cycles counted by PMCCNTR",
}
_LEFT_OUT_LINES = 4


def board_lines(result: BoardResult, rows: Sequence[BesideModel], core: str) -> Iterator[str]:
    """Yield the lines about a result: the machine, then each kernel with its failures and its times."""
    yield _machine(result, core)
    for kernel in result.kernels:
        failed = f", {kernel.wrong} of {kernel.tried} tried failed" if kernel.wrong else ""
        left = f", {len(kernel.left_out)} left out" if kernel.left_out else ""
        yield f"{kernel.verdict:<10} {kernel.title}  {kernel.cases} cases on the board{failed}{left}"
        for case, what in kernel.failures:
            yield f"    {case}: {what}"
        yield from _timings([row for row in rows if row.kernel is kernel], core)
    if any(row.modelled is not None for row in rows):
        yield from wrap(f"80 % band, {basis_line(core)}", 80, subsequent_indent="  ")


def _machine(result: BoardResult, core: str) -> str:
    machine = result.machine
    midr = "" if machine.midr is None else f" (MIDR {machine.midr:#010x})"
    name = core or "core unknown"
    governor = f", governor {machine.governor}" if machine.governor else ""
    if result.counter in _COUNTED:
        counted = _COUNTED[result.counter]
    elif result.hz:
        counted = f"cycles from a clock at {result.hz / 1e6:.0f} MHz"
    else:
        counted = "no cycles: no counter may be read, and the system tells no frequency"
    return f"{name}{midr}, {machine.system} {machine.release}{governor}; {counted}"


def _timings(rows: Sequence[BesideModel], core: str) -> Iterator[str]:
    if not rows:
        return
    width = max(len(row.timing.shape) for row in rows)
    yield f"    {'shape':<{width}}  {'measured':>12} {'modelled':>12} {'80 % band':>12} {'ratio':>7}"
    for row in rows:
        timing = row.timing
        measured = f"{timing.measured:,.1f}" if timing.measured is not None else "-"
        modelled = f"{row.modelled:,.0f}" if row.modelled is not None else "-"
        band = range_text(core, row.modelled) if row.modelled is not None else "-"
        ratio = f"{row.ratio:.3f}" if row.ratio is not None else "-"
        yield f"    {timing.shape:<{width}}  {measured:>12} {modelled:>12} {band:>12} {ratio:>7}"
        if timing.measured is None and timing.time is not None:
            yield f"      {timing.time:,.0f} ns a call"
        if timing.reason or row.reason:
            yield f"      {timing.reason or row.reason}"


def export_lines(exported: Exported) -> Iterator[str]:
    """Yield the lines about an export: what it has, and what to type next."""
    for one in exported.kernels:
        shapes = ", ".join(str(shape) for shape, _ in one.timings)
        yield f"{one.kernel.title}: {len(one.cases)} cases; times {shapes or 'no shape'}"
        if one.left_out:
            yield f"    left out, for want of room (--budget): {len(one.left_out)} cases, such as"
        for title in list(one.left_out)[:_LEFT_OUT_LINES]:
            yield f"      {title}"
    yield f"{exported.folder}: {len(exported.files)} files, {exported.case_bytes / 1e6:.1f} MB of cases"
    yield "next: make there, CC=... for another computer; on the board ./bench > result.json"
    yield "then: neonlab board import result.json"
