"""Turn verdicts into remarks at a file and a line, which other people's tools show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.report.verdict_words import accepted_lines, remark_of, word_of
from neonlab.verify.verdict import Failure, Status, Verdict

ERROR, WARNING, NOTE = "error", "warning", "note"
UNCHECKED, NOT_RUN, ACCEPTED = "unchecked", "not-run", "accepted"
_PLACE = re.compile(r"(.+?):(\d+)(?:-(\d+))?(?::.*)?$")


@dataclass(frozen=True, slots=True)
class Remark:
    """One remark on a kernel.

    `path` is relative to the current folder where it lies below it; lines count from 1.  `level` is ERROR, WARNING or
    NOTE.  `word` is what compilers print there: the word of the verdict, or the level.  `rule` is the stable name: that
    of a fault, `mismatch`, UNCHECKED, NOT_RUN, ACCEPTED, or the word of a verdict that passed.  `related` are the macro
    calls around the line, each with its place.
    """

    path: str
    line: int
    last_line: int
    level: str
    word: str
    rule: str
    message: str
    kernel: str
    related: tuple[tuple[str, int, str], ...] = ()


def remarks_on(verdicts: Sequence[Verdict]) -> Iterator[Remark]:
    """Yield the remarks: first the verdict or its failures, then warnings.

    Code that no case ran is a warning, and so is a fault that a contract accepts and that no longer occurs.
    """
    for verdict in verdicts:
        if verdict.faultless:
            yield _of_verdict(verdict)
        for failure in verdict.failures:
            yield _of_failure(verdict, failure)
        for place in verdict.unseen.lines if verdict.unseen is not None else ():
            yield _remark(verdict, place, WARNING, NOT_RUN, "no case ran this")
        for told in accepted_lines(verdict):
            found = re.search(r" at (\S+:\d+)", told)
            yield _remark(verdict, found[1] if found else "", WARNING, ACCEPTED, told)


def shown_path(path: str) -> str:
    """Return the path from the current folder, with `/` between its parts; as it is where it lies elsewhere."""
    whole = Path(path).absolute()
    return (whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else Path(path)).as_posix()


def _of_verdict(verdict: Verdict) -> Remark:
    cases = f"{verdict.cases} case{'s' * (verdict.cases != 1)}"
    ranges = f", {verdict.ranges.words}" if verdict.ranges and verdict.ranges.words else ""
    said = "; ".join(part for part in (cases + ranges, remark_of(verdict), verdict.advice) if part)
    level = ERROR if verdict.status is Status.UNCHECKED else NOTE
    return _remark(verdict, "", level, verdict.status.value, said, word=word_of(verdict))


def _of_failure(verdict: Verdict, failure: Failure) -> Remark:
    case = f"at shape {failure.shape}, pattern {failure.pattern}, seed {failure.seed}"
    if failure.case is None:
        case = f"in a search of seed {failure.seed}"
    message = f"{failure.identifier}: {_said(failure)}, {case}"
    trail = failure.fault.source.trail if failure.fault and failure.fault.source else ()
    if failure.mismatch is not None and failure.mismatch.writer is not None:
        trail = failure.mismatch.writer.trail
    related = [_place(step) for step in trail]
    return _remark(
        verdict,
        failure.where,
        ERROR,
        failure.identifier,
        message,
        word=word_of(verdict),
        related=tuple(
            (shown_path(path), line, step.partition(": ")[2])
            for (path, line, _), step in zip(related, trail, strict=True)
        ),
    )


def _said(failure: Failure) -> str:
    if failure.fault is not None:
        return failure.fault.message.rstrip(".")
    assert failure.mismatch is not None  # a failure has one of both
    one = failure.mismatch
    index = ", ".join(f"{axis} {value}" for axis, value in one.index)
    place = f"{one.output}[{index}]" if index else one.output
    return f"{place} = {one.got}, expected {one.expected} ({one.wrong} of {one.total} elements wrong)"


def _remark(
    verdict: Verdict,
    place: str,
    level: str,
    rule: str,
    message: str,
    *,
    word: str = "",
    related: tuple[tuple[str, int, str], ...] = (),
) -> Remark:
    path, first, last = _place(place) if place else (verdict.path, 1, 1)
    told = message.replace(f"{Path.cwd()}/", "")
    return Remark(shown_path(path), first, last, level, word or level, rule, told, verdict.kernel, related)


def _place(text: str) -> tuple[str, int, int]:
    """Return path, first and last line of `file:line`, `file:first-last` or `file:line: ...`."""
    found = _PLACE.match(text)
    if found is None:
        return text, 1, 1
    return found[1], int(found[2]), int(found[3] or found[2])
