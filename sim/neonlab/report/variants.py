"""The table of variants by layer: what `neonlab report` writes, as Markdown and JSON, the same on every machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab import __version__
from neonlab.errors import InputError
from neonlab.kernel_code import kernel_program
from neonlab.library import Kernel, Library
from neonlab.measure.profile import Profile
from neonlab.plan import CaseName, layers_of
from neonlab.report.hot_loop_cost import HotLoopCost, hot_loop_cost
from neonlab.verify.case import Depth, Shape
from neonlab.verify.verdict import Failure, Verdict

TABLE_MARKER = "variants"
_PATTERNS = ("random", "extremes")

CheckWork = list[tuple[Kernel, list[CaseName]]]
ProfileWork = list[tuple[Kernel, Shape]]


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel on one layer.  `profile` is None where the kernel does not run."""

    kernel: str
    layer: str
    shape: str
    exact: bool
    chosen: bool  # whether the operator's dispatch picks this kernel for the shape, or there is no dispatch
    profile: Profile | None
    hot_loop: HotLoopCost | None = None  # the kernel's, the same on each layer


def work_of(library: Library) -> tuple[CheckWork, ProfileWork]:
    """What to run: each kernel on each layer that its contract allows, kernel by kernel."""
    checks: CheckWork = []
    profiles: ProfileWork = []
    for kernel in library.kernels:
        if shapes := layers_of(kernel):
            checks.append(
                (kernel, [CaseName(shape, pattern, 1, Depth.QUICK) for shape in shapes for pattern in _PATTERNS])
            )
            profiles += [(kernel, shape) for shape in shapes]
    return checks, profiles


def rows_of(
    checks: CheckWork, verdicts: Sequence[Verdict], profiles: ProfileWork, counted: Sequence[Profile | Failure]
) -> list[Row]:
    """Join what was checked with what was counted, layer by layer."""
    wrong = {
        (kernel.title, failure.shape)
        for (kernel, _), verdict in zip(checks, verdicts, strict=True)
        for failure in verdict.failures
    }
    failed_more = {k.title for (k, _), v in zip(checks, verdicts, strict=True) if v.failed > len(v.failures)}
    rows = []
    hot_loops = _hot_loops(profiles, counted)
    for (kernel, shape), profile in zip(profiles, counted, strict=True):
        assert kernel.operator is not None
        layer = next(label for label, known in kernel.operator.layers.items() if known == shape)
        dispatch = next((d for d in kernel.operator.dispatches if kernel.name in d.members), None)
        ran = None if isinstance(profile, Failure) else profile
        exact = ran is not None and (kernel.title, str(shape)) not in wrong and kernel.title not in failed_more
        chosen = dispatch is None or dispatch.choose(shape) == kernel.name
        rows.append(Row(kernel.title, layer, str(shape), exact, chosen, ran, hot_loops.get(kernel.title)))
    order = {str(shape): number for number, shape in enumerate(shape for _, shape in profiles)}
    return sorted(rows, key=lambda row: (order[row.shape], row.kernel))


def _hot_loops(profiles: ProfileWork, counted: Sequence[Profile | Failure]) -> dict[str, HotLoopCost]:
    """Each kernel's hot loop, from the layer where it costs least: on shallow ones the loop around it is hotter."""
    found: dict[str, HotLoopCost] = {}
    for (kernel, _), profile in zip(profiles, counted, strict=True):
        if isinstance(profile, Failure) or not profile.macs:
            continue
        cost = hot_loop_cost(kernel_program(kernel), profile.counts)
        best = found.get(kernel.title)
        if cost is not None and (best is None or cost.instructions_per_mac < best.instructions_per_mac):
            found[kernel.title] = cost
    return found


_HEADINGS = (
    "kernel",
    "exact",
    "instructions",
    "per MAC",
    "hot loop",
    "loaded B / MAC",
    "stored B / MAC",
    "NEON registers",
)


def _cells(row: Row) -> tuple[str, ...]:
    name = row.kernel if row.chosen else f"{row.kernel} (not chosen)"
    if row.profile is None:
        return (name, "**no**", *[""] * (len(_HEADINGS) - 2))
    profile, counts = row.profile, row.profile.counts
    rates = (profile.instructions_per_mac, profile.loaded_per_mac, profile.stored_per_mac)
    per_mac, loaded, stored = (f"{rate:.4f}" if profile.macs else "" for rate in rates)
    return (
        name,
        "yes" if row.exact else "**no**",
        f"{counts.instructions:,}",
        per_mac,
        f"{row.hot_loop.instructions_per_mac:.4f}" if row.hot_loop is not None else "",
        loaded,
        stored,
        f"{counts.neon_registers} of {counts.neon_registers_available}",
    )


def _table(rows: Sequence[Row]) -> str:
    lines = ["| " + " | ".join(_HEADINGS) + " |", "|---|---|" + "---:|" * (len(_HEADINGS) - 2)]
    lines += ["| " + " | ".join(_cells(row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def markdown_document(rows: Sequence[Row]) -> str:
    """reports/variants.md."""
    parts = [
        "# Variants by layer\n",
        "Generated by `neonlab report`; do not edit. Counted on emulated cores, exactly: instructions executed, and\n"
        "bytes that loads and stores move (not cache traffic). *Exact* compares every output with int64 arithmetic on\n"
        f"data of the patterns {' and '.join(_PATTERNS)}, within the ranges each kernel declares. *Not chosen*:\n"
        "another kernel is dispatched to for that many pixels. *Hot loop*: instructions a MAC of the loop that\n"
        "executed most of them, without what comes around it.\n",
    ]
    for shape in dict.fromkeys(row.shape for row in rows):
        same = [row for row in rows if row.shape == shape]
        macs = next((row.profile.macs for row in same if row.profile is not None), 0)
        work = f", {macs:,} MACs" if macs else ""
        parts.append(f"## {same[0].layer}\n\nShape `{shape}`{work}.\n\n{_table(same)}")
    return "\n".join(parts)


def json_document(rows: Sequence[Row]) -> str:
    """reports/variants.json."""
    document = {
        "command": "report",
        "neonlab": __version__,
        "rows": [
            {
                "kernel": row.kernel,
                "layer": row.layer,
                "shape": row.shape,
                "exact": row.exact,
                "chosen": row.chosen,
                "hot_loop": None
                if row.hot_loop is None
                else {"instructions": row.hot_loop.instructions, "macs": row.hot_loop.macs},
                "profile": None if row.profile is None else _summary(row.profile),
            }
            for row in rows
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _summary(profile: Profile) -> dict[str, object]:
    full = profile.to_json()
    counts = {key: value for key, value in full["counts"].items() if key != "lines"}
    return {**full, "counts": counts}


def readme_table(rows: Sequence[Row]) -> str:
    """The table of one middling layer, for a README."""
    shape = "14x14x256x512"
    chosen = [row for row in rows if row.shape == shape]
    layer = chosen[0].layer if chosen else ""
    return f"{layer}, shape `{shape}`:\n\n{_table(chosen)}"


def embed_table(path: Path, marker: str, table: str) -> str:
    """The text of `path` with what stands between its two marker comments replaced.  Raises InputError."""
    begin, end = f"<!-- begin {marker} -->\n", f"<!-- end {marker} -->"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise InputError(f"{path}: has no `{begin.strip()}` and `{end}` to put the table between")
    return f"{head}{begin}\n{table}\n{end}{tail}"
