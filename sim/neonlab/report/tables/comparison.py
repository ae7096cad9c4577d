"""Write a comparison as Markdown: one table against a revision, for a pull request, else a table for each shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neonlab.lab.compare.comparison import Comparison, Group, Side
from neonlab.lab.compare.figures import COUNTED, Figures, changes
from neonlab.measure.cores.bands import NO_DIFFERENCE
from neonlab.report.band_words import basis_line, ratio_line
from neonlab.report.comparison_words import (
    change_text,
    compiled_by,
    difference_lines,
    loop_figures,
    loop_names,
    with_share,
)


def comparison_markdown(comparison: Comparison) -> str:
    """Return the Markdown, which is the same on every machine."""
    body = _against(comparison) if comparison.revision is not None else _side_by_side(comparison)
    return "\n".join([*body, *_loops(comparison)]) + "\n"


def _against(comparison: Comparison) -> Iterator[str]:
    yield f"**neonlab: kernels against {comparison.revision}**"
    yield ""
    if comparison.groups:
        columns = [*COUNTED.values(), *(f"cycles, {core}" for core in comparison.cores)]
        yield _row(["kernel", "shape", "exact", *columns])
        yield "|---|---|---|" + "---:|" * len(columns)
        totals = {kernel: (count, before, after) for kernel, count, before, after in comparison.totals()}
        kernels = dict.fromkeys(group.sides[-1].kernel for group in comparison.groups)
        for kernel in kernels:
            for group in (one for one in comparison.groups if one.sides[-1].kernel == kernel):
                yield _row([kernel, str(group.shape), _verdict(group), *_changed(group, comparison.cores)])
            if kernel in totals:
                count, before, after = totals[kernel]
                yield _row([kernel, f"**all {count}**", "", *_cells(before, after, comparison.cores)])
        yield ""
        if comparison.cores:
            yield "Instructions and bytes are counted; cycles are the estimates of models."
            yield ""
            yield _bands(comparison.cores)
            yield ""
    for one in comparison.contracts:
        yield f"The contract of {one.kernel} has changed: {', '.join(f'`{entry}`' for entry in one.entries)}."
        yield ""
    for verb, names in (("New", comparison.added), ("Removed", comparison.removed)):
        if names:
            yield f"{verb}: {', '.join(names)}."
            yield ""
    if comparison.same:
        kernels_ = "kernel assembles" if len(comparison.same) == 1 else "kernels assemble"
        yield f"{len(comparison.same)} {kernels_} to the same code as then."
    elif not comparison.groups:
        yield "No kernel to compare."


def _verdict(group: Group) -> str:
    before, after = group.sides
    word = _exact(after)
    return f"{_exact(before)} → {word}" if before.profiles and _exact(before) != word else word


def _exact(side: Side) -> str:
    if side.wrong:
        return f"**no** ({side.failure.identifier})" if side.failure is not None else "**no**"
    return "yes" if side.exact else "unchecked" if side.unchecked else "not compared"


def _changed(group: Group, cores: Sequence[str]) -> list[str]:
    before, after = (side.figures for side in group.sides)
    if after is None:
        return [""] * (len(COUNTED) + len(cores))
    if before is None:
        named = after.named()
        return [f"{named[name]:,} (new)" if name in named else "" for name in _names(cores)]
    return _cells(before, after, cores)


def _cells(before: Figures, after: Figures, cores: Sequence[str]) -> list[str]:
    found = {change.name: change_text(change) for change in changes(before, after)}
    return [found.get(name, "") for name in _names(cores)]


def _names(cores: Sequence[str]) -> list[str]:
    return [*COUNTED, *(f"cycles {core}" for core in cores)]


def _side_by_side(comparison: Comparison) -> Iterator[str]:
    columns = ["instructions", "per MAC", "bytes loaded", "bytes stored", *(f"cycles, {c}" for c in comparison.cores)]
    for group in comparison.groups:
        reference = group.reference
        if reference is None or reference.figures is None:
            continue
        yield f"`{group.shape}`" + (f", {reference.macs:,} MACs:" if reference.macs else ":")
        yield ""
        yield _row(["kernel", "exact", *columns])
        yield "|---|---|" + "---:|" * len(columns)
        for side in group.sides:
            yield _row([side.name, _exact(side), *_figures(side, reference.figures, comparison.cores)])
        yield ""
    for told in compiled_by(comparison):
        yield told
        yield ""
    if comparison.cores:
        yield _bands(comparison.cores)
        yield ""


def _bands(cores: Sequence[str]) -> str:
    """Return what the ranges of cycles are, and which changes are no difference."""
    text = f"A range holds 80 % of measured functions: {'; '.join(basis_line(core) for core in cores)}."
    ratios = ratio_line(cores)
    return text if not ratios else f"{text} A change inside {ratios} is {NO_DIFFERENCE}."


def _figures(side: Side, base: Figures, cores: Sequence[str]) -> list[str]:
    figures = side.figures
    if figures is None:
        return [""] * (4 + len(cores))
    texts = {}
    for change in changes(base, figures):
        texts[change.name] = with_share(change)
    per_mac = f"{figures.instructions / side.macs:.4f}" if side.macs else ""
    first, *rest = (texts.get(name, "") for name in _names(cores))
    return [first, per_mac, *rest]


def _loops(comparison: Comparison) -> Iterator[str]:
    for difference in comparison.loops:
        title = f"{loop_names(difference)}; {loop_figures(difference)}"
        yield from ("", "<details>", f"<summary>{title}</summary>", "", "```diff")
        yield from difference_lines(difference)
        yield from ("```", "", "</details>")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
