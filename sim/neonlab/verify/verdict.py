"""What a check found, as values that travel between processes and print themselves nowhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum, StrEnum
from typing import Any

from neonlab.emulate.run import Fault, FaultKind
from neonlab.host.display import html_of
from neonlab.verify.cases.case import NO_SIZES, Case
from neonlab.verify.coverage import NotRun
from neonlab.verify.known_faults import AcceptedFault


@dataclass(frozen=True, slots=True)
class Writer:
    """The instruction that last wrote an element."""

    address: int
    where: str  # file:line
    source: str  # the line, or the statement it expanded to
    instruction: str  # disassembly
    trail: tuple[str, ...] = ()  # macro calls around it, outermost first


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An output that differs from the reference.

    `index` names the element that is wrong first in the order of memory, `offset` and `size` its bytes in the output.
    `map` draws the plane it lies in, a character an element (or a block of them): `.` right, `X` wrong.
    """

    output: str
    index: tuple[tuple[str, int], ...]
    got: str
    expected: str
    wrong: int
    total: int
    map_title: str
    map: tuple[str, ...]
    writer: Writer | None
    offset: int = 0
    size: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        writer = {**asdict(self.writer), "trail": list(self.writer.trail)} if self.writer else None
        return {**asdict(self), "index": dict(self.index), "map": list(self.map), "writer": writer}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The smallest and sparsest case that fails alike, and how its first wrong element came about.

    `inputs` lists what is left of each input; `slice` is a `verify.slice.Slice` as JSON, `text` the same to be read.
    """

    shape: str
    inputs: tuple[str, ...]
    got: str | None
    expected: str | None
    slice: Mapping[str, Any] | None
    text: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {**asdict(self), "inputs": list(self.inputs), "text": list(self.text)}


#: The pattern of data that no pattern drew: inputs that the analysis of ranges found.
WORST = "worst"


@dataclass(frozen=True, slots=True)
class Failure:
    """Hold one case that went wrong: its shape, pattern and seed, and the `fault` or the `mismatch`.

    `explanation` is the smallest case that fails alike and how its wrong element came about, where that was asked for.
    `witness` is the case itself where shape, pattern and seed do not draw it again: its pattern is WORST.
    """

    shape: str
    pattern: str
    seed: int
    fault: Fault | None = None
    mismatch: Mismatch | None = None
    explanation: Explanation | None = None
    witness: Case | None = field(default=None, compare=False, repr=False)

    @property
    def identifier(self) -> str:
        """Return the stable name of what went wrong: `mismatch`, or the value of the FaultKind."""
        return self.fault.kind.value if self.fault is not None else "mismatch"

    @property
    def where(self) -> str:
        """Return file:line of the instruction that is responsible; "" where none is known."""
        if self.fault is not None:
            return f"{self.fault.source.path}:{self.fault.source.line}" if self.fault.source else ""
        return self.mismatch.writer.where if self.mismatch and self.mismatch.writer else ""

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        found: dict[str, Any] = {
            "identifier": self.identifier,
            "shape": self.shape,
            "pattern": self.pattern,
            "seed": self.seed,
        }
        if self.fault is not None:
            fault = self.fault
            found["fault"] = {
                "message": fault.message,
                "address": fault.address,
                "where": self.where or None,
                "instruction": fault.instruction,
                "trail": list(fault.source.trail) if fault.source else [],
                "clause": fault.clause,
                "register": fault.register,
                "buffer": fault.buffer,
                "offset": fault.offset,
            }
        if self.mismatch is not None:
            found["mismatch"] = self.mismatch.to_json()
        if self.explanation is not None:
            found["explanation"] = self.explanation.to_json()
        return found


class JudgedBy(Enum):
    """What a kernel's results were compared with."""

    REFERENCE = "reference"  # what an operator, or a function in C, says is right
    NOTHING_SAID = "none"  # nothing, and the contract says so: reference = "none"
    NOTHING = "nothing"  # nothing, though nobody said that it is to be so


class Status(StrEnum):
    """The word for a verdict."""

    EXACT = "exact"  # every result was that of the reference
    RAN = "ran"  # no fault; results were not compared, as the contract says
    UNCHECKED = "unchecked"  # no fault, and nothing to compare results with: not passed
    WRONG = "wrong"


#: What an answer about ranges is of.  In the last, general registers did arithmetic on data that nobody could judge.
NEON_LANES, LANES_AND_SUMS, LANES_NOT_SUMS = "neon lanes", "neon lanes, scalar sums", "neon lanes, not scalar sums"


@dataclass(frozen=True, slots=True)
class RangeAnswer:
    """Whether any input within the declared ranges makes a lane wrap, at one shape: "safe", "wraps" or "undecided".

    `accepted` is the number of the fault that the contract accepts, among those that it names, where one was looked
    past to say so.
    `scope` names what was looked at: NEON lanes, and scalar sums only where all arithmetic of general registers on data
    could be judged.
    """

    status: str
    shape: str
    note: str
    accepted: int | None = None
    scope: str = NEON_LANES

    @property
    def words(self) -> str:
        """What follows the number of cases: what was shown, of what and where.  Empty where a witness failed."""
        if self.status == "wraps":
            return ""
        if self.status != "safe":
            return "ranges not decided"
        what = "NEON lane or scalar sum" if self.scope == LANES_AND_SUMS else "NEON lane"
        where = f", at {self.shape}" if self.shape != NO_SIZES else ""
        rest = "; scalar arithmetic not judged" if self.scope == LANES_NOT_SUMS else ""
        return f"no {what} wraps for any input in range{where}{rest}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {"status": self.status, "shape": self.shape, "note": self.note, "scope": self.scope}


@dataclass(frozen=True, slots=True)
class Search:
    """What a search for a failing case did: how many it tried, and the simplest that failed."""

    cases: int
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hold the result of checking one kernel: how many `cases` were tried, how many `failed`, and why.

    `failures` holds each kind of failure once, the smallest shape first.  `has_reference` says whether results were
    compared at all.  `ranges` says whether any input in the declared ranges makes a lane wrap; None where that was not
    asked.  `not_run` lists code that no case executed; None where all code ran, and for a kernel that failed.
    `options` must follow `kernel` on the command line to mean the same kernel.  `compiler` is the compiler that made
    the code, with version and flags; "" for code that was not compiled here.
    `accepted` holds the faults that the contract accepts, those too that showed on no case; empty where none was looked
    for.  `advice` says what to do about a kernel that was compared with nothing.
    """

    kernel: str
    isa: str
    path: str
    cases: int
    failed: int
    failures: tuple[Failure, ...]
    judged_by: JudgedBy
    seed: int
    ranges: RangeAnswer | None = None
    options: str = ""
    compiler: str = ""
    not_run: NotRun | None = None
    advice: str = ""
    accepted: tuple[AcceptedFault, ...] = ()

    @property
    def has_reference(self) -> bool:
        """Whether results were compared."""
        return self.judged_by is JudgedBy.REFERENCE

    @property
    def faultless(self) -> bool:
        """Whether no case failed, be it that results were compared or not."""
        return self.failed == 0

    @property
    def status(self) -> Status:
        """What to call it."""
        if not self.faultless:
            return Status.WRONG
        if self.has_reference:
            return Status.EXACT
        return Status.RAN if self.judged_by is JudgedBy.NOTHING_SAID else Status.UNCHECKED

    @property
    def passed(self) -> bool:
        """Tell whether every case came out right, and was compared unless the contract says that nothing can be."""
        return self.status in (Status.EXACT, Status.RAN)

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {
            "kernel": self.kernel,
            "isa": self.isa,
            "path": self.path,
            "passed": self.passed,
            "status": self.status.value,
            "has_reference": self.has_reference,
            "cases": self.cases,
            "failed": self.failed,
            "seed": self.seed,
            "failures": [failure.to_json() for failure in self.failures],
            "ranges": None if self.ranges is None else self.ranges.to_json(),
            "not_run": None if self.not_run is None else self.not_run.to_json(),
            **({"compiler": self.compiler} if self.compiler else {}),
            "accepted": [fault.to_json() for fault in self.accepted],
            **({"advice": self.advice} if self.advice else {}),
        }

    def _repr_html_(self) -> str | None:
        """Return the HTML that a notebook shows."""
        return html_of(self)


def fold(
    kernel: str,
    isa: str,
    path: str,
    judged_by: JudgedBy,
    outcomes: Iterable[Failure | None],
    seed: int,
    *,
    advice: str = "",
) -> Verdict:
    """One verdict from the outcomes of a kernel's cases."""
    cases, failures = 0, []
    for outcome in outcomes:
        cases += 1
        if outcome is not None:
            failures.append(outcome)
    return Verdict(kernel, isa, path, cases, len(failures), _telling(failures), judged_by, seed, advice=advice)


#: What a kernel computes with is not what it should be, for one of these reasons.
UNKNOWN_DATA = (
    FaultKind.UNINITIALISED_REGISTER,
    FaultKind.UNINITIALISED_READ,
    FaultKind.UPPER_HALF_ARGUMENT,
    FaultKind.NONDETERMINISTIC,
)
_WRONG_DATA = (*UNKNOWN_DATA, FaultKind.OUT_OF_BOUNDS_READ, FaultKind.OUT_OF_BOUNDS_WRITE, FaultKind.LANE_WRAP)


def _telling(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """The failures worth showing: each kind once, on the smallest shape it showed on.

    Those that no line is known of (a jump into nowhere goes on in its own way each time) stand back for those that have
    one; and one mistake that shows as this on one shape and as that on another is told once, by what explains more.
    """
    found: dict[str, Failure] = {}
    for failure in sorted(failures, key=lambda failure: _work(failure.shape)):
        found.setdefault(failure.identifier, failure)
    placed = tuple(failure for failure in found.values() if failure.where)
    return tuple(failure for failure in placed if not _explained(failure, placed)) or tuple(found.values())


def _explained(failure: Failure, others: Sequence[Failure]) -> bool:
    """Whether `failure` may come of another: a wrong result of wrong data, a wrapped lane of what nobody set."""
    kinds = [other.fault.kind for other in others if other.fault is not None]
    if failure.fault is None:
        return any(kind in _WRONG_DATA for kind in kinds)
    if failure.fault.kind is not FaultKind.LANE_WRAP:
        return False
    return any(o.where == failure.where and o.fault and o.fault.kind in UNKNOWN_DATA for o in others)


def with_ranges(verdict: Verdict, answer: RangeAnswer, failure: Failure | None) -> Verdict:
    """The verdict with the answer about ranges; a witness of a wrap makes it fail."""
    failures = (*verdict.failures, failure) if failure is not None else verdict.failures
    accepted = tuple(
        replace(fault, cases=fault.cases + (number == answer.accepted)) for number, fault in enumerate(verdict.accepted)
    )
    failed = verdict.failed + (failure is not None)
    return replace(verdict, ranges=answer, failed=failed, failures=failures, accepted=accepted)


def _work(shape: str) -> int:
    return math.prod(max(1, abs(int(size))) for size in shape.split("x") if size and shape != NO_SIZES)
