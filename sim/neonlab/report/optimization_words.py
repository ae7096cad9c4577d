"""Say what was found for a hot loop, as named rows: for the terminal and for the page of `neonlab serve`."""

from __future__ import annotations

from collections.abc import Iterator

from neonlab.measure.cores.bands import NO_DIFFERENCE
from neonlab.optimize.outcome import LoopFigures, Optimized, Standing
from neonlab.report.band_words import basis_line, range_text

_EPSILON = 1e-6  # cycles


def optimization_rows(found: Optimized, written: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and text of each row; `written` is the file that the new kernel was written to, "" for none."""
    yield "loop", f"{found.place}, {100 * found.share:.0f} % of the cycles"
    yield "as it is", _figures(found.old)
    if found.is_better:
        gain = 100 * (1 - found.new.cycles / found.old.cycles)
        yield "optimized", f"{_figures(found.new)}: {gain:.0f} % fewer cycles"
        told = f": {NO_DIFFERENCE}" if found.is_blurred else ""
        yield "whole call", f"{found.call_before:,} cycles before, {found.call_after:,} after, warm{told}"
    yield "80 % band", _band(found)
    for change in found.changes:
        places = f"{change.places} place{'s' * (change.places != 1)}"
        yield "rewritten", f"{change.name}, {places}: {change.reason}"
    if found.ahead:
        far = "an iteration" if found.new.times == 1 else f"{found.new.times} iterations"
        yield "pipelined", f"{found.ahead} instruction{'s' * (found.ahead != 1)} {far} ahead"
    bound = _bound(found)
    if bound:
        yield "bound", bound
    yield "tried", f"{found.tried:,} orders, seed {found.seed}{', stopped' * found.stopped}"
    if found.untried:
        yield "not tried", found.untried
    if found.standing is Standing.UNCHANGED:
        yield "unchanged", found.reason
    else:
        yield "checked", f"exact on {found.checked} cases"
    if found.standing is Standing.PROVED:
        held = f", with {', '.join(found.held)} as drawn" if found.held else ""
        yield "proved", f"at all {found.proved} small shapes that run the new code{held}"
    elif found.standing is Standing.EXACT:
        yield "not proved", found.reason
    for tile in found.tiles:
        fewer = 100 * (1 - tile.call_cycles / (found.call_after or found.call_before))
        wants = f"; it wants {', '.join(tile.differences)}" if tile.differences else ""
        yield "other tile", f"{tile.kernel}: {tile.call_cycles:,} cycles for the whole call, {fewer:.0f} % fewer{wants}"
    for one in found.refused:
        names = " and ".join(change.name for change in one.changes) or "another order"
        yield "thrown away", f"{names}, {one.cycles:.4g} cycles: {one.reason}"
    if written:
        yield "written", written


def _bound(found: Optimized) -> str:
    """Return what is known of the fewest cycles that an order of the instructions takes, "" where nothing is.

    CP-SAT's bound is one for orders whose iterations all take the same cycles, of the same registers, in two stages.
    """
    if not found.least:
        return ""
    if found.new.cycles <= found.least + _EPSILON:
        return "no order of these instructions takes fewer: what issues them, or a port, is always busy"
    steady = "no order in these registers, of two stages at most and the same cycles in every iteration, takes fewer"
    if found.steady and found.new.cycles <= found.steady + _EPSILON:
        return f"{steady} (CP-SAT)"
    every = f"no order of these instructions takes fewer than {found.least:.4g} cycles"
    if found.steady <= found.least + _EPSILON:
        return every
    return f"{every}; {steady} than {found.steady:.4g} (CP-SAT)"


def _band(found: Optimized) -> str:
    """Return the ranges of the cycles of an iteration, as it is and optimized, and where they come from."""
    old, new = (range_text(found.core, one.cycles) for one in (found.old, found.new))
    if not old:
        return basis_line(found.core)
    after = f", optimized {new}" if found.is_better else ""
    return f"{old} cycles an iteration as it is{after}; {basis_line(found.core)}"


def _figures(one: LoopFigures) -> str:
    several = f" for {one.times} iterations" if one.times > 1 else ""
    return (
        f"{one.cycles:.4g} cycles an iteration, {one.instructions} instructions{several}, bounds: "
        f"ports {one.ports:.4g}, dispatch {one.dispatch:.4g}"
    )
