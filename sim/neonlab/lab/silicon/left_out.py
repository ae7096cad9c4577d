"""Read what models gave for functions that were left out with their family, and compute the errors to record.

The file is CSV with a row for each function on a core.  Its comment `# origin: TEXT` says where the figures are from:

    core,tables,family,function,version,measured,modelled
    cortex-a53,13dc32a8fd31ba1d,filters,put_h264_qpel8_mc20,before,300.5,291
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.lab.silicon.truth import TOLERANCE
from neonlab.measure.cores.bands import kind_of
from neonlab.measure.cores.errors import IN_ORDER, LEFT_OUT, OUT_OF_ORDER, ModelError, RatioError
from neonlab.measure.cores.pipeline import pipeline_names
from neonlab.measure.cores.spread import FEWEST, spread_of

_COLUMNS = ("core", "tables", "family", "function", "version", "measured", "modelled")
_VERSIONS = ("", "before", "after")
_ORIGIN = "# origin:"
_LEAST = 0.03
_ABOUT = """\
# Functions that showed which rules the models lacked, each modelled with numbers that were chosen without its family.
# `neonlab cores --functions TABLE.toml --fit docs/functions/fit.toml --into docs/functions` wrote it.
# `neonlab cores --left-out docs/functions/left_out.csv --record` computes the models' errors and bands from it.
"""


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """One function on a core, in cycles: measured, and modelled with numbers that were chosen without its `family`.

    `tables` is the hash of the core's tables that the numbers were chosen for.  `version` is `before` or `after` for
    two versions of a function, else empty.
    """

    core: str
    tables: str
    family: str
    function: str
    version: str
    measured: float
    modelled: float

    @property
    def ratio(self) -> float:
        """Return modelled / measured."""
        return self.modelled / self.measured


@dataclass(frozen=True, slots=True)
class LeftOutTable:
    """All rows of a file, and one line on where their figures are from."""

    origin: str
    rows: tuple[LeftOutRow, ...]


def read_left_out(path: Path) -> LeftOutTable:
    """Read the file at `path`.  Raises InputError with the place of the first mistake."""
    lines = read_input_text(path).splitlines()
    origin = next((line[len(_ORIGIN) :].strip() for line in lines if line.startswith(_ORIGIN)), "")
    if not origin:
        raise InputError(f"{path}: a comment `{_ORIGIN} TEXT` must say where the figures are from")
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line and not line.startswith("#")]
    if not numbered or tuple(numbered[0][1].split(",")) != _COLUMNS:
        raise InputError(f"{path}: the first line without `#` must be `{','.join(_COLUMNS)}`")
    rows: dict[tuple[str, str, str], LeftOutRow] = {}
    for (number, _), cells in zip(numbered[1:], csv.reader(line for _, line in numbered[1:]), strict=True):
        where = f"{path}:{number}"
        row = _row(cells, where)
        key = row.core, row.function, row.version
        if key in rows:
            raise InputError(f"{where}: {' '.join(key).rstrip()} was on a line before: keep one of them")
        rows[key] = row
    if not rows:
        raise InputError(f"{path}: has no rows")
    for core in {row.core for row in rows.values()}:
        if len({row.tables for row in rows.values() if row.core == core}) > 1:
            raise InputError(
                f"{path}: rows of {core} are of different tables: `tables` must be the same in all of them"
            )
    return LeftOutTable(origin, tuple(rows.values()))


def left_out_text(table: LeftOutTable) -> str:
    """Return the text of such a file."""
    out = io.StringIO()
    out.write(f"{_ABOUT}{_ORIGIN} {table.origin}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in table.rows:
        figures = (f"{figure:.7g}" for figure in (one.measured, one.modelled))
        writer.writerow((one.core, one.tables, one.family, one.function, one.version, *figures))
    return out.getvalue()


def _row(cells: Sequence[str], where: str) -> LeftOutRow:
    if len(cells) != len(_COLUMNS):
        raise InputError(f"{where}: has {len(cells)} columns, not {len(_COLUMNS)}: {', '.join(_COLUMNS)}")
    core, tables, family, function, version, *figures = cells
    if core not in pipeline_names():
        raise InputError(f"{where}: there is no model of `{core}`")
    if not (tables and family and function):
        raise InputError(f"{where}: `tables`, `family` and `function` must not be empty")
    if version not in _VERSIONS:
        raise InputError(f"{where}: `version` must be before, after or empty, not `{version}`")
    try:
        measured, modelled = map(float, figures)
    except ValueError:
        measured = modelled = math.nan
    if not (0 < measured < math.inf and 0 < modelled < math.inf):
        raise InputError(f"{where}: `measured` and `modelled` must be cycles above 0, not {' and '.join(figures)}")
    return LeftOutRow(core, tables, family, function, version, measured, modelled)


def left_out_errors(table: LeftOutTable) -> dict[str, ModelError]:
    """Return the errors of each core in order of name, then of all cores in order and of all others, pooled."""
    found: dict[str, ModelError] = {}
    for core in sorted({row.core for row in table.rows}):
        rows = [row for row in table.rows if row.core == core]
        found[core] = _error(rows, rows[0].tables, table.origin)
    for kind in (IN_ORDER, OUT_OF_ORDER):
        rows = [row for row in table.rows if kind_of(row.core) == kind]
        if rows:
            found[kind] = _error(rows, "", table.origin)  # of several tables: each core has the hash of its own
    return found


def _error(rows: Sequence[LeftOutRow], tables: str, origin: str) -> ModelError:
    ratios = [row.ratio for row in rows]
    within = sum(abs(ratio - 1) <= TOLERANCE for ratio in ratios)
    families = len({row.family for row in rows})
    return spread_of(ratios).as_error(LEFT_OUT, tables, origin, within=within, families=families)


def ratio_errors(table: LeftOutTable) -> Mapping[str, RatioError]:
    """Return the errors of ratios of two versions of a function, by kind of core; none of fewer than FEWEST pairs."""
    found = {}
    for kind in (IN_ORDER, OUT_OF_ORDER):
        pairs = _pairs([row for row in table.rows if kind_of(row.core) == kind])
        if len(pairs) >= FEWEST:
            spread = spread_of([after.ratio / before.ratio for before, after in pairs])
            assert spread.low is not None and spread.high is not None
            differing = [pair for pair in pairs if abs(pair[1].measured / pair[0].measured - 1) >= _LEAST]
            right = sum((b.measured < a.measured) == (b.modelled < a.modelled) for b, a in differing)
            found[kind] = RatioError(
                len(pairs), round(spread.median, 4), round(spread.low, 4), round(spread.high, 4), len(differing),
                right, _LEAST, table.origin,
            )  # fmt: skip
    return found


def _pairs(rows: Sequence[LeftOutRow]) -> list[tuple[LeftOutRow, LeftOutRow]]:
    after = {(row.core, row.function): row for row in rows if row.version == "after"}
    before = (row for row in rows if row.version == "before")
    return [(row, after[row.core, row.function]) for row in before if (row.core, row.function) in after]
