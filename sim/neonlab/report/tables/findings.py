"""Summarise a report in five sentences, with figures of this run or recorded errors only."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.lab.repository.library import Kernel
from neonlab.measure.cores.errors import UNSEEN, errors_of, is_stale
from neonlab.report.tables.goals import Reached, met_words
from neonlab.report.tables.layers import PATTERNS
from neonlab.report.tables.systems import Ran
from neonlab.report.tables.variants import VariantRow

#: Instruction set extensions that define a level, later ones first.
_EXTENSIONS = ("i8mm", "dotprod")


def level_of(kernel: Kernel) -> str:
    """Return the instruction set and the extension for products that the kernel needs: `armv8`, `armv8 dotprod`."""
    extension = next((one for one in _EXTENSIONS if one in kernel.contract.features), "")
    return f"{kernel.title.partition('/')[0]} {extension}".rstrip()


def takes_all_numbers(kernel: Kernel) -> bool:
    """Tell whether the contract allows int8 and uint8 operands all values, or all but -128, as symmetric operands do.

    A kernel for narrow weights needs fewer instructions, but cannot replace others.
    """
    operands = (one for one in kernel.contract.arguments if one.read is not None and one.value_range is not None)
    wanted = {"int8": (-127, 127), "uint8": (0, 255)}
    return all(
        one.value_range[0] <= low and high <= one.value_range[1]
        for one in operands
        if one.dtype is not None and one.value_range is not None and one.dtype.name in wanted
        for low, high in (wanted[one.dtype.name],)
    )


def best_of_levels(kernels: Sequence[Kernel], rows: Sequence[VariantRow]) -> dict[str, VariantRow]:
    """Return, for each level, the exact kernel and its layer with the fewest instructions per multiply-accumulate.

    Kernels for narrow operands are left out.
    """
    level = {kernel.title: level_of(kernel) for kernel in kernels if takes_all_numbers(kernel)}
    best: dict[str, VariantRow] = {}
    for row in rows:
        if row.profile is None or not row.profile.macs or not row.exact or row.kernel not in level:
            continue
        before = best.get(level[row.kernel])
        if before is None or _per_mac(row) < _per_mac(before):
            best[level[row.kernel]] = row
    return {name: best[name] for name in sorted(best)}


def findings(
    kernels: Sequence[Kernel],
    rows: Sequence[VariantRow],
    goals: Sequence[Reached],
    ran: Sequence[Ran],
    cores: Sequence[str],
) -> tuple[str, ...]:
    """Return a sentence each on exactness, cost by level, the largest gap to a goal, systems, and estimates."""
    return (
        _exactness(rows),
        _cheapest(best_of_levels(kernels, rows)),
        _gap(goals),
        _systems(ran),
        _estimates(cores),
    )


def _exactness(rows: Sequence[VariantRow]) -> str:
    tried = {row.kernel for row in rows}
    wrong = sorted({row.kernel for row in rows if not row.exact})
    layers = len({row.shape for row in rows})
    many = f"{len(rows) * len(PATTERNS):,} cases: {layers} layers of real networks, {len(PATTERNS)} patterns of data"
    if wrong:
        return f"{len(wrong)} of {len(tried)} kernels are not exact on {many}: {', '.join(wrong)}"
    return f"all {len(tried)} kernels are exact on {many}"


def _cheapest(best: dict[str, VariantRow]) -> str:
    if not best:
        return "no exact kernel multiplies"
    each = (f"{level} {_per_mac(row):.4f} ({row.kernel.partition('/')[2]})" for level, row in best.items())
    return f"fewest instructions per MAC for operands of all values, packing not included: {', '.join(each)}"


def _gap(goals: Sequence[Reached]) -> str:
    if not goals:
        return "kernels/ladder.toml sets no goal"
    worst = max(goals, key=lambda one: one.cycles / one.goal.cycles)
    over = worst.cycles / worst.goal.cycles - 1
    side = "above" if over >= 0 else "below"
    return (
        f"{met_words(goals)}; largest gap to one: {worst.kernel} takes {worst.cycles:.4f} cycles per MAC on "
        f"{worst.core}, {abs(over):.0%} {side} the {worst.goal.cycles:.4f} of {worst.goal.kernel}"
    )


def _systems(ran: Sequence[Ran]) -> str:
    if not ran:
        return "kernels/systems has no systems"
    titles = {(one.system.system, one.system.title) for one in ran}
    wrong = [f"{one.system.system} {one.system.title} on {one.isa.value}" for one in ran if not one.exact]
    values = sum(one.values for one in ran)
    if wrong:
        return f"{len(wrong)} of {len(ran)} runs of systems differ from their reference: {', '.join(wrong)}"
    count = f"{len(titles)} of {len(titles)} systems"
    return f"{count} are exact on each instruction set: {len(ran)} runs, {values:,} values compared"


def _estimates(cores: Sequence[str]) -> str:
    known, unknown, when = [], [], ""
    for core in cores:
        error = next((one for one in errors_of(core) if one.against == UNSEEN), None)
        if error is None:
            unknown.append(core)
        else:
            bias = f", 90th percentile {error.p90:.1%}" if error.p90 is not None else ""
            bias += f", bias {error.bias:+.1%}" if error.bias is not None else ""
            when = ", before its last change" if is_stale(core, error) else when
            known.append(f"{error.median:.1%}{bias} on {core} ({error.figures})")
    measured = f"median error on functions not used to adjust the model{when}: {', '.join(known)}" if known else ""
    rest = f"no such function was measured on {', '.join(unknown)}" if unknown else ""
    return f"cycles are estimates of models: {'; '.join(text for text in (measured, rest) if text)}"


def _per_mac(row: VariantRow) -> float:
    return row.profile.instructions_per_mac if row.profile is not None else float("inf")
