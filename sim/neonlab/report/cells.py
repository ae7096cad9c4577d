"""Write the cells of tables: a row of Markdown, and a name that is too long for its column."""

from __future__ import annotations

from collections.abc import Iterable


def markdown_row(cells: Iterable[str]) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def end_of(name: str, width: int) -> str:
    """Return the name, or its end behind `…` where it is longer than `width`: names of tensors differ at their ends."""
    return name if len(name) <= width else f"…{name[1 - width :]}"
