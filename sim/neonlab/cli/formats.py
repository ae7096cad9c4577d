"""Choose the form in which verdicts are printed: for people, or for their tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_formats
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.verify.verdict import Verdict

FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="text|short|github|sarif|json",
        help="Print for people, a line each as compilers do, annotations of GitHub, SARIF 2.1.0, or JSON.",
        autocompletion=complete_formats,
    ),
]
FORMATS = ("text", "short", "github", "sarif", "json")


def chosen_format(said: str | None, json: bool) -> str:
    """Return the form to print in.  Raises InputError for another, or for two that differ."""
    if said is not None and said not in FORMATS:
        raise InputError(f"--format is one of {', '.join(FORMATS)}, not `{said}`")
    if json and said not in (None, "json"):
        raise InputError(f"--json is --format json, and --format {said} is something else: leave out one of them")
    return "json" if json else said or "text"


def print_remarks(form: str, verdicts: Sequence[Verdict]) -> None:
    """Print verdicts as `short`, `github` or `sarif`."""
    import json

    from neonlab.report.annotations.formats import github_lines, sarif_log, short_lines
    from neonlab.report.annotations.remark import remarks_on

    remarks = list(remarks_on(verdicts))
    progress.clear()
    if form == "sarif":
        print(json.dumps(sarif_log(remarks), indent=2))
        return
    for line in short_lines(remarks) if form == "short" else github_lines(remarks):
        print(line)
