"""Say how a run of a network differs from an earlier one."""

from __future__ import annotations

from collections.abc import Iterator

from neonlab.contract.options import ARCHITECTURES
from neonlab.lab.compare.figures import Change
from neonlab.network.run.earlier import Comparison
from neonlab.report.cells import end_of
from neonlab.report.comparison_words import percent, share_text

#: Characters of a layer's name; of a longer one the end is shown.
_NAME = 32


def comparison_lines(found: Comparison) -> Iterator[str]:
    """Yield a table of the layers that differ, and the sum."""
    earlier = found.earlier
    isa = next((words for one, words in ARCHITECTURES.items() if one.value == earlier.isa), earlier.isa)
    on = f" on {earlier.core}" if earlier.core is not None else ""
    yield f"Against {earlier.path}: {isa}{on}, {found.figure} there and here"
    for one in found.changed:
        name = end_of(one.layer, _NAME)
        yield f"  {name:<{_NAME}} {one.change.before:>11,} {one.change.after:>11,}  {_share(found, one.change)}"
        if one.before != one.after:
            yield f"    {_kernels(one.before)} → {_kernels(one.after)}"
    same = "no layer differs" if not found.changed else "all layers"
    yield f"  {same:<{_NAME}} {found.total.before:>11,} {found.total.after:>11,}  {_share(found, found.total)}".rstrip()
    if not found.same_core and found.figure == "cycles":
        yield "  Two cores have two models, whose errors add up: see the bands of both."
    if found.only:
        yield f"  Only one of them has {', '.join(found.only)}"


def _share(found: Comparison, change: Change) -> str:
    if not change.difference:
        return ""
    return share_text(change) if found.same_core else percent(change.relative)


def _kernels(titles: tuple[str, ...]) -> str:
    return ", ".join(title.partition("/")[2] for title in titles) or "host"
