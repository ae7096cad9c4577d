"""Define the results of a check: plain values that processes exchange, and that do not print themselves."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum, StrEnum
from typing import Any

from neonlab.emulate.run import Fault, FaultKind
from neonlab.host.display import html_of
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, CaseName
from neonlab.verify.coverage import NotRun
from neonlab.verify.known_faults import AcceptedFault


@dataclass(frozen=True, slots=True)
class LastWriter:
    """The instruction that last wrote an element."""

    address: int
    where: str  # file:line
    source: str  # the line, or the statement it expanded to
    instruction: str  # disassembly
    trail: tuple[str, ...] = ()  # macro calls around it, outermost first


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An output that differs from the reference.

    `index` names the first wrong element in memory order, `offset` and `size` its bytes in the output.  `map` draws the
    plane that holds it, one character for an element (or a block of them): `.` right, `X` wrong.
    """

    output: str
    index: tuple[tuple[str, int], ...]
    got: str
    expected: str
    wrong: int
    total: int
    map_title: str
    map: tuple[str, ...]
    writer: LastWriter | None
    offset: int = 0
    size: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        writer = {**asdict(self.writer), "trail": list(self.writer.trail)} if self.writer else None
        return {**asdict(self), "index": dict(self.index), "map": list(self.map), "writer": writer}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The smallest and sparsest case that fails in the same way, and the origin of its first wrong element.

    `inputs` lists the elements of each input that are not zero; `slice` is a `verify.slice.Slice` as JSON, `text` the
    same as text.
    """

    shape: Shape
    inputs: tuple[str, ...]
    got: str | None
    expected: str | None
    slice: Mapping[str, Any] | None
    text: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {**asdict(self), "shape": str(self.shape), "inputs": list(self.inputs), "text": list(self.text)}


#: The pattern name of inputs that the range analysis found.
WORST = "worst"
#: The pattern name of inputs that a proof found, or that a file holds.
WITNESS = "witness"


@dataclass(frozen=True, slots=True)
class Failure:
    """Hold one case that failed: its shape, pattern and seed, and the `fault` or the `mismatch`.

    `case` is None where a search ended its process, so that nobody knows the case; `search_seed` is the search's, and
    `search_cases` the number of cases that it was to try.  `explanation` is the smallest case that fails in the same
    way and the origin of its wrong element, if it was asked for.  `witness` is the case itself if shape, pattern and
    seed do not reproduce it: its pattern is WORST or WITNESS.  `saved` is the file with it, if it was saved.
    """

    case: CaseName | None
    fault: Fault | None = None
    mismatch: Mismatch | None = None
    explanation: Explanation | None = None
    witness: Case | None = field(default=None, compare=False, repr=False)
    search_seed: int = 0
    search_cases: int = 0
    saved: str = field(default="", compare=False)

    @property
    def shape(self) -> Shape | None:
        """Return the shape of the case, None where the case is not known."""
        return self.case.shape if self.case is not None else None

    @property
    def pattern(self) -> str:
        """Return the pattern of the case's data, "" where the case is not known."""
        return self.case.pattern if self.case is not None else ""

    @property
    def seed(self) -> int:
        """Return the seed of the case, or of the search that ended at it."""
        return self.case.seed if self.case is not None else self.search_seed

    @property
    def identifier(self) -> str:
        """Return the stable name of the failure: `mismatch`, or the value of the FaultKind."""
        return self.fault.kind.value if self.fault is not None else "mismatch"

    @property
    def where(self) -> str:
        """Return file:line of the instruction that is responsible; "" where none is known."""
        if self.fault is not None:
            return f"{self.fault.source.path}:{self.fault.source.line}" if self.fault.source else ""
        return self.mismatch.writer.where if self.mismatch and self.mismatch.writer else ""

    def again(self, kernel: str) -> str:
        """Return the command that runs the case again; "" where none does.

        `kernel` is what the command line calls the kernel, with its options.
        """
        command = f"neonlab check {kernel}"
        if self.case is None:
            return f"{command} --search {self.search_cases} --seed {self.seed}" if self.search_cases else ""
        if self.saved:
            return f"{command} --again {shlex.quote(self.saved)}"
        if self.pattern == WITNESS:
            return ""
        # No option selects the inputs that the range analysis found; checking that shape finds them again.
        pattern = "" if self.pattern == WORST else f" --pattern {self.pattern}"
        return f"{command} --shape {self.shape}{pattern} --seed {self.seed}"

    def to_json(self, kernel: str = "") -> dict[str, Any]:
        """Return plain values, as `--json` prints them; with the command that runs the case of `kernel` again."""
        found: dict[str, Any] = {
            "identifier": self.identifier,
            "shape": str(self.shape) if self.shape is not None else "",
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
        if self.saved:
            found["saved"] = self.saved
        if kernel and (again := self.again(kernel)):
            found["again"] = again
        return found


class JudgedBy(Enum):
    """The source of the results that a kernel's were compared with."""

    REFERENCE = "reference"  # the results of an operator, or of a function in C
    NOTHING_SAID = "none"  # nothing, as the contract declares: reference = "none"
    NOTHING = "nothing"  # nothing, although the contract does not declare that


class Status(StrEnum):
    """The word for a verdict."""

    EXACT = "exact"  # every result equals that of the reference, and all code ran
    IN_PART = "exact in part"  # the same, but some code ran in no case, so that nothing is known about it
    RAN = "ran"  # no fault; results were not compared, as the contract declares
    UNCHECKED = "unchecked"  # no fault, but nothing to compare results with: not passed
    WRONG = "wrong"


#: The scope of an answer about ranges.  In the last, general registers did arithmetic on data that could not be judged.
NEON_LANES, LANES_AND_SUMS, LANES_NOT_SUMS = "neon lanes", "neon lanes, scalar sums", "neon lanes, not scalar sums"


@dataclass(frozen=True, slots=True)
class RangeAnswer:
    """The answer whether any input within the declared ranges makes a lane wrap, at one shape.

    `status` is "safe", "wraps" or "undecided".  `accepted` is the number of the accepted fault among those of the
    contract, if one was ignored for this answer.  `scope` names what was examined: NEON lanes, and scalar sums only if
    all arithmetic in general registers on data could be judged.
    """

    status: str
    shape: Shape
    note: str
    accepted: int | None = None
    scope: str = NEON_LANES

    @property
    def words(self) -> str:
        """Return the words that follow the number of cases: what was shown, and for what; empty if a witness failed."""
        if self.status == "wraps":
            return ""
        if self.status != "safe":
            return "ranges not decided"
        what = "NEON lane or scalar sum" if self.scope == LANES_AND_SUMS else "NEON lane"
        where = f", at {self.shape}" if self.shape.sizes else ""
        rest = "; scalar arithmetic not judged" if self.scope == LANES_NOT_SUMS else ""
        return f"no {what} wraps for any input in range{where}{rest}"

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {"status": self.status, "shape": str(self.shape), "note": self.note, "scope": self.scope}


@dataclass(frozen=True, slots=True)
class Search:
    """The result of a search for a failing case: the number of cases tried, and the simplest that failed."""

    cases: int
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hold the result of checking one kernel: how many `cases` were tried, how many `failed`, and why.

    `failures` holds each kind of failure once, the smallest shape first.  `has_reference` tells whether results were
    compared at all.  `ranges` tells whether any input in the declared ranges makes a lane wrap; None if that was not
    asked.  `not_run` lists code that no case executed; None where all code ran, and for a kernel that failed.  `chosen`
    tells that a person chose shapes or data, which are not expected to run all code.

    `options` must follow `kernel` on the command line to mean the same kernel.  `compiler` is the compiler that made
    the code, with version and flags; "" for code that was not compiled here.  `accepted` holds the faults that the
    contract accepts, including those that showed in no case; empty if none was looked for.  `advice` says what to do
    about a kernel that was compared with nothing.
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
    chosen: bool = False

    @property
    def has_reference(self) -> bool:
        """Tell whether results were compared."""
        return self.judged_by is JudgedBy.REFERENCE

    @property
    def faultless(self) -> bool:
        """Tell whether no case failed, whether or not results were compared."""
        return self.failed == 0

    @property
    def unseen(self) -> NotRun | None:
        """Return the code that no case ran where the cases should have run all, else None."""
        return None if self.chosen else self.not_run

    @property
    def status(self) -> Status:
        """Return the word for the verdict."""
        if not self.faultless:
            return Status.WRONG
        if self.has_reference:
            return Status.EXACT if self.unseen is None else Status.IN_PART
        return Status.RAN if self.judged_by is JudgedBy.NOTHING_SAID else Status.UNCHECKED

    @property
    def passed(self) -> bool:
        """Tell whether every case was right, and was compared unless the contract declares that nothing can be."""
        return self.status in (Status.EXACT, Status.IN_PART, Status.RAN)

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
            "failures": [failure.to_json(f"{self.kernel} {self.options}".rstrip()) for failure in self.failures],
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
    """Return one verdict from the outcomes of a kernel's cases."""
    cases, failures = 0, []
    for outcome in outcomes:
        cases += 1
        if outcome is not None:
            failures.append(outcome)
    return Verdict(kernel, isa, path, cases, len(failures), _telling(failures), judged_by, seed, advice=advice)


#: Faults that mean the kernel computes with wrong data.
UNKNOWN_DATA = (
    FaultKind.UNINITIALISED_REGISTER,
    FaultKind.UNINITIALISED_READ,
    FaultKind.UPPER_HALF_ARGUMENT,
    FaultKind.NONDETERMINISTIC,
)
_WRONG_DATA = (*UNKNOWN_DATA, FaultKind.OUT_OF_BOUNDS_READ, FaultKind.OUT_OF_BOUNDS_WRITE, FaultKind.LANE_WRAP)


def _telling(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """Return the failures worth showing: each kind once, on the smallest shape that showed it.

    Failures without a known line, such as a jump to an invalid address, are dropped if others have one.  A mistake that
    shows as different kinds on different shapes is told once, by the kind that explains more.
    """
    found: dict[str, Failure] = {}
    for failure in sorted(failures, key=lambda one: one.shape.work if one.shape is not None else 1):
        found.setdefault(failure.identifier, failure)
    placed = tuple(failure for failure in found.values() if failure.where)
    return tuple(failure for failure in placed if not _explained(failure, placed)) or tuple(found.values())


def _explained(failure: Failure, others: Sequence[Failure]) -> bool:
    """Tell whether another failure may explain this one: wrong data a wrong result, uninitialised data a wrap."""
    kinds = [other.fault.kind for other in others if other.fault is not None]
    if failure.fault is None:
        return any(kind in _WRONG_DATA for kind in kinds)
    if failure.fault.kind is not FaultKind.LANE_WRAP:
        return False
    return any(o.where == failure.where and o.fault and o.fault.kind in UNKNOWN_DATA for o in others)


def with_ranges(verdict: Verdict, answer: RangeAnswer, failure: Failure | None) -> Verdict:
    """Return the verdict with the answer about ranges; a witness of a wrap makes it fail."""
    failures = (*verdict.failures, failure) if failure is not None else verdict.failures
    accepted = tuple(
        replace(fault, cases=fault.cases + (number == answer.accepted)) for number, fault in enumerate(verdict.accepted)
    )
    failed = verdict.failed + (failure is not None)
    return replace(verdict, ranges=answer, failed=failed, failures=failures, accepted=accepted)
