"""The word for a verdict, and what is said of results that nothing was compared with, the same wherever shown."""

from __future__ import annotations

from collections.abc import Iterator

from neonlab.verify.verdict import Status, Verdict

#: How the state of a verdict looks: `good`, `fair` or `bad`.
_MOODS = {Status.EXACT: "good", Status.RAN: "fair", Status.UNCHECKED: "bad", Status.WRONG: "bad"}
#: The same as a style of the terminal.
STYLES = {Status.EXACT: "green", Status.RAN: "yellow", Status.UNCHECKED: "bold red", Status.WRONG: "bold red"}
_REMARKS = {
    Status.RAN: 'results not compared (reference = "none")',
    Status.UNCHECKED: "results compared with nothing",
}


def word_of(verdict: Verdict) -> str:
    """`exact`, `ran`, `unchecked` or `WRONG`."""
    return "WRONG" if verdict.status is Status.WRONG else verdict.status.value


def mood_of(verdict: Verdict) -> str:
    """`good`, `fair` or `bad`."""
    return _MOODS[verdict.status]


def accepted_lines(verdict: Verdict, *, whole: bool = True) -> Iterator[str]:
    """Each fault that was accepted; where the `whole` kernel was tried, those too that no longer occur."""
    for fault in verdict.accepted:
        if fault.cases:
            cases = f"{fault.cases} case{'s' if fault.cases != 1 else ''}"
            yield f"accepted: {fault.fault} at {fault.where}, on {cases}: {fault.why}"
        elif whole and verdict.faultless:
            yield f"accept: {fault.fault} at {fault.where} no longer occurs: take it out of the contract"


def remark_of(verdict: Verdict) -> str:
    """What was not compared, and why; empty where results were."""
    if verdict.status not in _REMARKS:
        return ""
    fault = "another fault" if any(known.cases for known in verdict.accepted) else "a fault"
    return f"ran without {fault}, {_REMARKS[verdict.status]}"
