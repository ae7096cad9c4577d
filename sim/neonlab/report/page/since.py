"""Lay out what has changed in a kernel since a git revision, for its page."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.lab.compare.comparison import Comparison
from neonlab.lab.compare.figures import Change, changes, label_of
from neonlab.report.comparison_words import difference_lines, loop_figures, mood_of_change, share_text

_LINES = 120  # of a loop of unlike structure
_STATES = {"+": "good", "-": "bad"}


@dataclass(frozen=True, slots=True)
class ChangedLoop:
    """Hold the hot loops of both on a core: words on them, and lines, each with the class that colours it."""

    core: str
    words: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Since:
    """Hold what has changed since `revision`: `rows` of figures before and now, contract entries, and hot loops.

    A row is a label, both figures, the change in words, and the class that colours it.  `word` says why there is no
    row, where there is none.
    """

    revision: str
    rows: tuple[tuple[str, int, int, str, str], ...]
    entries: tuple[str, ...]
    loops: tuple[ChangedLoop, ...]
    word: str


def since_of(comparison: Comparison) -> Since:
    """Return the layout of the comparison of one kernel on one shape with what it was at a revision."""
    (group,) = comparison.groups
    before, now = group.sides
    word = ""
    if comparison.added:
        word = "The kernel was not there."
    elif before.figures is None:
        word = f"It had no figures there{': it was wrong' if before.failure is not None else ' on this shape'}."
    then, figures = before.figures, now.figures
    rows = [_row(one) for one in changes(then, figures)] if then is not None and figures is not None else []
    loops = []
    for one in comparison.loops:
        lines = [(_STATES.get(line[:1], ""), line) for line in difference_lines(one, _LINES)]
        loops.append(ChangedLoop(one.core, loop_figures(one), tuple(lines)))
    entries = tuple(entry for change in comparison.contracts for entry in change.entries)
    return Since(comparison.revision or "", tuple(rows), entries, tuple(loops), word)


def _row(change: Change) -> tuple[str, int, int, str, str]:
    words = share_text(change) if change.difference else "="
    return label_of(change.name), change.before, change.after, words, mood_of_change(change)
