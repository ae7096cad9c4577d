"""Choose the word for a verdict and the remark on results that were not compared, the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from neonlab.verify.verdict import Status, Verdict

#: The mood of each status, for its colour.
_MOODS = {
    Status.EXACT: "good",
    Status.IN_PART: "fair",
    Status.RAN: "fair",
    Status.UNCHECKED: "bad",
    Status.WRONG: "bad",
}
#: The style of each status in the terminal.
STYLES = {
    Status.EXACT: "green",
    Status.IN_PART: "yellow",
    Status.RAN: "yellow",
    Status.UNCHECKED: "bold red",
    Status.WRONG: "bold red",
}
_REMARKS = {
    Status.RAN: 'results not compared (reference = "none")',
    Status.UNCHECKED: "results compared with nothing",
}


def word_of(verdict: Verdict) -> str:
    """Return the word: `exact`, `exact in part`, `ran`, `unchecked` or `WRONG`."""
    return "WRONG" if verdict.status is Status.WRONG else verdict.status.value


def word_so_far(verdict: Verdict, planned: int) -> str:
    """Return the word of a verdict on some of `planned` cases: `exact so far` until all have run, `WRONG` at once."""
    word = word_of(verdict)
    return word if verdict.status is Status.WRONG or verdict.cases >= planned else f"{word} so far"


def mood_of(verdict: Verdict) -> str:
    """Return the mood: `good`, `fair` or `bad`."""
    return _MOODS[verdict.status]


def accepted_lines(verdict: Verdict) -> Iterator[str]:
    """Yield each accepted fault that showed; unless the cases are chosen, also entries whose fault no longer occurs."""
    for fault in verdict.accepted:
        if fault.cases:
            cases = f"{fault.cases} case{'s' if fault.cases != 1 else ''}"
            yield f"accepted: {fault.fault} at {fault.where}, on {cases}: {fault.why}"
        elif verdict.faultless and not verdict.chosen:
            yield f"accept: {fault.fault} at {fault.where} no longer occurs: take it out of the contract"


def remark_of(verdict: Verdict) -> str:
    """Return the remark that results were not compared, and why; "" if they were."""
    if verdict.status not in _REMARKS:
        return ""
    fault = "another fault" if any(known.cases for known in verdict.accepted) else "a fault"
    return f"ran without {fault}, {_REMARKS[verdict.status]}"
