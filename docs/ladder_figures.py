"""Generate the page docs/pages/ladder.md: its template with the figures of reports/ladder.md.

A test compares the page with the result; `pytest tests/docs --update` writes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import jinja2

from neonlab.measure.cores.bands import NO_DIFFERENCE, is_blurred
from neonlab.measure.cores.pipeline import pipeline_names


@dataclass(frozen=True)
class Ladders:
    """Tables by title; a row of a table is a kernel, a column a figure.  `near` says how many loops are near bounds."""

    tables: dict[str, dict[str, dict[str, str]]]
    near: str

    @staticmethod
    def read(path: Path) -> Ladders:
        """Read every ladder of the report.  Raises ValueError if it does not say how many loops are near bounds."""
        text = path.read_text(encoding="utf-8")
        near = re.search(r"^(\d+ of \d+) are within 10 % of their bounds\.$", text, re.MULTILINE)
        if near is None:
            raise ValueError(f"{path}: does not say how many loops are near their bounds")
        tables: dict[str, dict[str, dict[str, str]]] = {}
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
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
        return Ladders(tables, near[1])

    def figure(self, title: str, kernel: str, column: str) -> str:
        """Return the figure as the report prints it.  Raises KeyError if the report has none."""
        value = self.tables[title][kernel][column]
        if not value:
            raise KeyError(f"{title}: {kernel} has no figure for {column}")
        return value

    def ratio(self, title: str, kernel: str, other: str, column: str) -> str:
        """Return the figure of `other` divided by that of `kernel`, with two decimals."""
        return f"{float(self.figure(title, other, column)) / float(self.figure(title, kernel, column)):.2f}"

    def times(self, title: str, kernel: str, other: str, column: str) -> str:
        """Return how many times as fast `kernel` is as `other`, and that it is none where the model cannot tell."""
        blurred = self._is_blurred(title, kernel, other, column)
        return f"{self.ratio(title, kernel, other, column)} times" + (f" ({NO_DIFFERENCE})" if blurred else "")

    def told(self, title: str, kernel: str, other: str, column: str) -> str:
        """Return nothing, or that the model can tell no difference of cycles, to stand behind two figures."""
        return f"; {NO_DIFFERENCE}" if self._is_blurred(title, kernel, other, column) else ""

    def _is_blurred(self, title: str, kernel: str, other: str, column: str) -> bool:
        mine, theirs = (float(self.figure(title, name, column)) for name in (kernel, other))
        cores = [name for name in pipeline_names() if name.endswith(f"-{column.lower()}")]
        return any(is_blurred(core, theirs, mine) for core in cores)

    def below(self, title: str, kernel: str, other: str, column: str) -> str:
        """Return nothing if the figure of `kernel` is below that of `other`, as the page says.

        Raises ValueError otherwise, and for cycles whose difference the model cannot tell.
        """
        mine, theirs = (float(self.figure(title, name, column)) for name in (kernel, other))
        if mine >= theirs:
            raise ValueError(f"{title}: {column} of {kernel} is {mine}, of {other} {theirs}: the page says otherwise")
        if self._is_blurred(title, kernel, other, column):
            raise ValueError(f"{title}: {column} of {kernel} is {mine}, of {other} {theirs}: {NO_DIFFERENCE}")
        return ""


TEMPLATE = Path("docs/ladder.md.jinja")
PAGE = Path("docs/pages/ladder.md")


def ladder_page(root: Path) -> str:
    """Return the text of the page, from the template and the report under `root`.

    Raises KeyError for a figure that the report lacks, ValueError for one that contradicts the words around it.
    """
    ladders = Ladders.read(root / "reports" / "ladder.md")
    made = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True)
    made.globals.update(
        near=ladders.near, figure=ladders.figure, times=ladders.times, told=ladders.told, below=ladders.below
    )
    return made.from_string((root / TEMPLATE).read_text(encoding="utf-8")).render()
