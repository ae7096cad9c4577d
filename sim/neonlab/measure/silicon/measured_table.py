"""Read a table of instruction timings measured on silicon."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text

_LATENCY, _RATE = " latency", " per_cycle"


@dataclass(frozen=True, slots=True)
class Measured:
    """One row for one core: cycles per link of a chain, instructions a cycle; None where the table has no figure."""

    form: str
    latency: float | None
    per_cycle: float | None


def read_table(path: str | Path) -> Mapping[str, tuple[Measured, ...]]:
    """Return the rows by core, from a CSV file with columns `form`, `CORE latency`, `CORE per_cycle`.

    Raises InputError for another file.
    """
    try:
        lines = list(csv.reader(io.StringIO(read_input_text(path), newline=""), strict=True))
    except csv.Error as error:
        raise InputError(f"{path}: {error}") from None
    heading = lines[0] if lines else []
    if "form" not in heading or len(set(heading)) != len(heading):
        raise InputError(f"{path}: the first line must name each column once, one of them `form`")
    cores = [column[: -len(_LATENCY)] for column in heading if column.endswith(_LATENCY)]
    cores += [column[: -len(_RATE)] for column in heading if column.endswith(_RATE)]
    known = {"form", *(core + ending for core in cores for ending in (_LATENCY, _RATE))}
    if not cores or not set(heading) <= known:
        raise InputError(
            f"{path}: columns must be `form`, `CORE{_LATENCY}` and `CORE{_RATE}`, not {', '.join(heading)}"
        )
    table: dict[str, list[Measured]] = {core: [] for core in cores}
    seen: set[str] = set()
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        where = f"{path}: row {number}"
        if len(line) != len(heading):
            raise InputError(f"{where}: {len(line)} fields where the first line has {len(heading)}")
        row = dict(zip(heading, line, strict=True))
        form = row["form"].strip()
        if not form or form in seen:
            raise InputError(f"{where}: {'the form ' + form + ' comes twice' if form else 'no form'}")
        seen.add(form)
        for core, rows in table.items():
            latency, rate = (_figure(row.get(core + ending, ""), where) for ending in (_LATENCY, _RATE))
            if latency is not None or rate is not None:
                rows.append(Measured(form, latency, rate))
    return {core: tuple(rows) for core, rows in table.items()}


def _figure(text: str, where: str) -> float | None:
    if not text.strip():
        return None
    try:
        figure = float(text)
    except ValueError:
        raise InputError(f"{where}: `{text}` is not a number") from None
    if not math.isfinite(figure) or figure <= 0:
        raise InputError(f"{where}: a time or a rate must be above 0, not {text}")
    return figure
