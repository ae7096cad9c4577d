"""Write the errors on functions left out with their family, for the terminal and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from neonlab.measure.cores.errors import ModelError, RatioError
from neonlab.report.tables.cores import error_json


def left_out_json(errors: Mapping[str, ModelError], ratios: Mapping[str, RatioError]) -> dict[str, Any]:
    """Return `left_out` of `neonlab cores --left-out --json`."""
    return {
        "errors": [{"title": title, "error": error_json(error, title)} for title, error in errors.items()],
        "ratios": [
            {
                "title": kind,
                "pairs": one.pairs,
                "median_error": one.median,
                "low": one.low,
                "high": one.high,
                "decided": one.decided,
                "right": one.right,
                "least": one.least,
            }
            for kind, one in ratios.items()
        ],
    }


def left_out_lines(errors: Mapping[str, ModelError], ratios: Mapping[str, RatioError]) -> Iterator[str]:
    """Yield the lines for the terminal, in at most 80 columns: a row by core, then the errors of ratios."""
    yield f"{'':<14}functions  families  median  90th p.    bias  modelled / measured, 80 %"
    for title, one in errors.items():
        p90, bias = one.p90 or 0.0, one.bias or 0.0
        band = "too few" if one.low is None or one.high is None else f"{one.low:.2f}–{one.high:.2f}"
        yield f"{title:<14}{one.figures:>9} {one.families or 0:>9} {one.median:>7.1%} {p90:>8.1%} {bias:>+7.1%}  {band}"
    for kind, ratio in ratios.items():
        yield from textwrap.wrap(ratio.sentence(kind), 80, subsequent_indent="  ")
