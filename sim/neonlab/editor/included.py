"""Show the cost of each line of included files in the panel beside the editor, with links to edit them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path

from neonlab.assemble.source import folder_and_name
from neonlab.report.page.source_listing import ListedLine, Listing

_Cost = tuple[int, int, str, int]


def included_html(listings: Iterable[Listing], core: str, editable: Callable[[Path], bool] = lambda _: False) -> str:
    """Return a table for each included file with its executed lines; tables with hot-loop lines are open.

    Rows of files that are `editable` link to their lines in an editor.
    """
    return "".join(
        _table(listing, listing.costs[core], editable(listing.path))
        for listing in listings
        if not listing.is_main and core in listing.costs
    )


def _table(listing: Listing, costs: tuple[_Cost, ...], editable: bool) -> str:
    rows = "".join(_rows(listing, costs))
    name = escape(folder_and_name(str(listing.path)))
    opened = " open" if listing.hot else ""
    head = "<thead><tr><th class=number>line</th><th class=number>cycles</th><th></th></tr></thead>"
    where = f' data-path="{escape(str(listing.path))}"' if editable else ""
    way = f'<button type="button" class="neonlab-goto"{where} data-line="1">edit</button>' if editable else ""
    return (
        f'<details class="neonlab-included"{where}{opened}><summary>cycles in {name}</summary>{way}'
        f'<div class="scroll"><table>{head}<tbody>{rows}</tbody></table></div></details>'
    )


def _rows(listing: Listing, costs: tuple[_Cost, ...]) -> Iterator[str]:
    before: ListedLine | None = None
    for line in listing.lines:
        if not line.executions:
            continue
        if before is not None and line.number > before.number + 1:
            yield "<tr><td></td><td></td><td class=dim>⋮</td></tr>"
        cycles, _, words, heat = costs[line.cost]
        told = f"executed {line.executions:,} times{f'; waited: {words}' if words else ''}"
        yield (
            f'<tr title="{escape(told)}" data-line="{line.number}"><td class="number dim">{line.number}</td>'
            f'<td class="number neonlab-heat h{heat}">{cycles:,}</td><td><code>{line.code}</code></td></tr>'
        )
        before = line
