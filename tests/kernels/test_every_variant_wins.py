"""No kernel is there that others beat at everything: each is the best of those that do its work at something.

What counts is in reports/: instructions and bytes of every kernel on every layer, and the cycles of the ladders' steps;
and that a dispatch picks it for a core, where it takes fewer cycles (`test_dispatch_by_core`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

import pytest

from neonlab.lab.repository.kernel_name import KernelName
from neonlab.lab.repository.library import Kernel, open_library

ROOT = Path(__file__).resolve().parents[2]
#: Variants that are ways to do the same work.
WAYS = {"left4", "inorder", "bylane", "ic32", "ic64"}
ROWS = json.loads((ROOT / "reports" / "variants.json").read_text())["rows"]
REPORTED = {row["kernel"] for row in ROWS}
LIBRARY = open_library(ROOT)
KERNELS = [kernel for kernel in LIBRARY.kernels if kernel.title in REPORTED]
PICKED_FOR_A_CORE = {name for dispatch in LIBRARY.dispatches.values() for name in dispatch.cores.values()}

Figures = dict[tuple[str, ...], float]


def work_of(kernel: Kernel) -> Hashable:
    """Return what a kernel does, whatever the way.  Packing is for one tile, so that tiles of it do different work.

    So do layouts: where planes lie one after another, no kernel for interleaved channels can stand in.
    """
    name = KernelName.parse(kernel.name)
    tile = name.tile if name.operator == "pack" else ()
    kinds = (name.operator, name.window, name.stride, name.inputs, name.output, name.layout, tile)
    return (kernel.isa, *kinds, frozenset(set(name.variants) - WAYS))


def figures_of_layers() -> dict[str, Figures]:
    """By kernel, what it takes of each thing on each layer."""
    found: dict[str, Figures] = {}
    for row in ROWS:
        counts = row["profile"]["counts"]
        figures = found.setdefault(row["kernel"], {})
        for what in ("instructions", "loaded_bytes", "stored_bytes"):
            figures[row["shape"], what] = counts[what]
    return found


def tables(document: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The ladders of reports/ladder.md: the kernels' titles, and the cells of their rows, headings first."""
    for section in re.split(r"^## ", document, flags=re.MULTILINE)[1:]:
        titles = re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in re.findall(r"^\|.*\|$", section, re.M)]
        if titles:
            yield titles, [cells[0], *cells[2:]]


def figures_of_ladders() -> dict[str, Figures]:
    """By kernel, cycles a multiply-accumulate on each core."""
    found: dict[str, Figures] = {}
    for titles, (heads, *rows) in tables((ROOT / "reports" / "ladder.md").read_text()):
        cores = [at for at, head in enumerate(heads) if at > heads.index("stored")]
        for title, row in zip(titles, rows, strict=True):
            assert row[1].strip("`") == title.split("/")[1]
            cycles: Figures = {(titles[0], heads[at]): float(row[at].strip("*")) for at in cores if row[at]}
            found.setdefault(title, {}).update(cycles)
    return found


TABLES = (figures_of_layers(), figures_of_ladders())


def wins(own: Figures, rivals: Sequence[Figures]) -> list[tuple[str, ...]]:
    """Where `own` is the least of those that have a figure there, if another has."""
    return [
        where
        for where, figure in own.items()
        if (others := [rival[where] for rival in rivals if where in rival]) and figure < min(others)
    ]


def rivals_of(kernel: Kernel) -> list[Kernel]:
    """The kernels that do the same work and run wherever it does."""
    features = set(kernel.contract.features)
    rivals = [other for other in KERNELS if other is not kernel and work_of(other) == work_of(kernel)]
    return [rival for rival in rivals if set(rival.contract.features) <= features]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)
def test_a_kernel_is_the_best_at_something(kernel: Kernel) -> None:
    rivals = rivals_of(kernel)
    won = [
        where
        for table in TABLES
        for where in wins(table.get(kernel.title, {}), [table.get(rival.title, {}) for rival in rivals])
    ]
    assert won or not rivals or kernel.name in PICKED_FOR_A_CORE, (
        f"{', '.join(rival.title for rival in rivals)} take no more anywhere: remove it"
    )


def test_one_that_others_beat_everywhere_is_found() -> None:
    faster: Figures = {("A53",): 1.0, ("bytes",): 9.0}
    smaller: Figures = {("A53",): 2.0, ("bytes",): 5.0}
    neither: Figures = {("A53",): 2.0}
    assert wins(faster, [smaller, neither]) == [("A53",)] and wins(smaller, [faster, neither]) == [("bytes",)]
    assert wins(neither, [faster, smaller]) == [] and wins({**neither, ("bytes",): 5.0}, [faster, smaller]) == []


@pytest.mark.slow
def test_the_tables_are_read_whole() -> None:
    assert len(KERNELS) > 100 and sum(bool(rivals_of(kernel)) for kernel in KERNELS) >= 10
    documents = list(tables((ROOT / "reports" / "ladder.md").read_text()))
    assert len(documents) >= 4 and all(len(titles) == len(rows) - 1 >= 2 for titles, rows in documents)
    assert sum(map(len, TABLES[1].values())) > 100
