"""The figures of reports/ladder.md, for pages to speak of: pulled in while building, so that they cannot go stale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import jinja2


@dataclass(frozen=True)
class Ladders:
    """Tables by title, each a row a kernel and a column a figure."""

    tables: dict[str, dict[str, dict[str, str]]]

    @staticmethod
    def read(path: Path) -> Ladders:
        """Every ladder of the report."""
        tables: dict[str, dict[str, dict[str, str]]] = {}
        for section in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            title, _, body = section.partition("\n")
            rows = [
                [cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", body, re.M)
            ]
            if rows and rows[0][:2] == ["", "kernel"]:
                names = rows[0][2:]
                tables[title] = {
                    row[1].strip("`"): dict(zip(names, (cell.strip("*") for cell in row[2:]), strict=True))
                    for row in rows[2:]
                }
        return Ladders(tables)

    def figure(self, title: str, kernel: str, column: str) -> str:
        """As the report prints it.  Raises KeyError for what it does not have, so that no page speaks of it."""
        value = self.tables[title][kernel][column]
        if not value:
            raise KeyError(f"{title}: {kernel} has no figure for {column}")
        return value

    def ratio(self, title: str, kernel: str, other: str, column: str) -> str:
        """How many times the figure of `other` that of `kernel` goes into."""
        return f"{float(self.figure(title, other, column)) / float(self.figure(title, kernel, column)):.2f}"

    def below(self, title: str, kernel: str, other: str, column: str) -> str:
        """Nothing, where the figure of `kernel` is the lower one, as the words around say; else raises ValueError."""
        mine, theirs = (float(self.figure(title, name, column)) for name in (kernel, other))
        if mine >= theirs:
            raise ValueError(f"{title}: {column} of {kernel} is {mine}, of {other} {theirs}: the page says otherwise")
        return ""


def environment(root: Path) -> jinja2.Environment:
    """What a template of a page may use: `figure`, `ratio`, `below`."""
    ladders = Ladders.read(root / "reports" / "ladder.md")
    made = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    made.globals.update(figure=ladders.figure, ratio=ladders.ratio, below=ladders.below)
    return made
