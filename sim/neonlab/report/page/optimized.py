"""Lay out what `neonlab optimize` found for a kernel's hot loop, for its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neonlab.lab.repository.library import Kernel
from neonlab.measure.cores.bands import is_blurred
from neonlab.optimize.outcome import Standing
from neonlab.report.tables.loops.rows import Row, diff_of, is_of_code

_STATES = {"+": "good", "-": "bad", "@": "dim"}
_HEADER = 2  # lines of a unified diff that name the files


@dataclass(frozen=True, slots=True)
class OptimizedLoop:
    """Hold what was found for the loop on a core: cycles of an iteration, words, and the diff.

    `call` is the change of the whole warm call, with ~ where `is_blurred` says that the model cannot tell it, and –
    where nothing was found.  `is_older` says that the kernel's code is not that of the row any more.  `shown` says what
    was shown of the new loop, `words` what was changed.  `lines` are those of the diff, each with the class that
    colours it; none where nothing was found, or the row was kept without it.
    """

    core: str
    shape: str
    before: float
    after: float
    bound: float
    call: str
    is_blurred: bool
    is_better: bool
    is_older: bool
    shown: str
    words: str
    lines: tuple[tuple[str, str], ...]

    @property
    def added(self) -> int:
        """The number of lines that the new text has and the old one has not."""
        return sum(state == "good" for state, _ in self.lines)

    @property
    def removed(self) -> int:
        """The number of lines that the old text has and the new one has not."""
        return sum(state == "bad" for state, _ in self.lines)


def optimized_loops(kernel: Kernel, rows: Sequence[Row]) -> list[OptimizedLoop]:
    """Return the layout of the rows of one kernel, as `neonlab.report.tables.loops` keeps them."""
    return [_loop(kernel, row) for row in rows]


def _loop(kernel: Kernel, row: Row) -> OptimizedLoop:
    before, after = row["call_cycles"]["before"], row["call_cycles"]["after"]
    is_better = row["status"] != Standing.UNCHANGED.value
    blurred = is_better and is_blurred(row["core"], before, after)
    call = f"{'~ ' * blurred}{100 * (after / before - 1):+.0f} %".replace("-", "−")
    return OptimizedLoop(
        core=row["core"], shape=row["shape"], before=row["before"]["cycles"], after=row["after"]["cycles"],
        bound=max(row["after"]["bounds"].values()), call=call if is_better else "–", is_blurred=blurred,
        is_better=is_better, is_older=not is_of_code(row, kernel), shown=_shown(row), words=_words(row),
        lines=tuple(_coloured(diff_of(row) or "")),
    )  # fmt: skip


def _shown(row: Row) -> str:
    if row["status"] != Standing.PROVED.value:
        return str(row["status"])
    held = f", with {', '.join(row['held'])} as drawn" if row["held"] else ""
    return f"proved at all {row['shapes_proved']} small shapes that run the new code{held}"


def _words(row: Row) -> str:
    """Return what was changed, or why nothing was found, as a sentence."""
    if row["status"] == Standing.UNCHANGED.value:
        return f"{row['reason'][:1].upper()}{row['reason'][1:]}."
    made = [f"{one['name']} ({one['places']} place{'s' * (one['places'] != 1)})" for one in row["changes"]]
    made += [f"{row['ahead']} instructions an iteration ahead"] if row["ahead"] else []
    kept = "" if diff_of(row) is not None else " The row was kept without its diff."
    return f"Changed: {', '.join([*made, 'the order'])}.{kept}"


def _coloured(diff: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a unified diff behind its header, which names the same file twice, with their classes."""
    for line in diff.splitlines()[_HEADER:]:
        yield _STATES.get(line[:1], ""), line
