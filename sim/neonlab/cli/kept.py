"""Provide what commands need whose results are kept: the option, the cache, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress

if TYPE_CHECKING:
    from neonlab.lab.cache.results import Results

NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Compute all anew; take and keep no results.")]


def open_results(wanted: bool) -> Results:
    """Return the results that are kept; with `wanted` False, one that finds and keeps nothing."""
    from neonlab.lab.cache.folder import results_folder
    from neonlab.lab.cache.results import Results

    return Results(results_folder() if wanted else None)


def say_found(results: Results, kind: str, what: str) -> None:
    """Say on standard error how many results of a kind are from the cache, and why new ones cannot be kept."""
    results.write()
    asked, found = results.counts.get(kind, (0, 0))
    if found:
        progress.say(f"{found:,} of {asked:,} {what} from the cache; --no-cache computes them anew")
    if results.problem:
        progress.say(f"new {what} are not kept: {results.problem}")
