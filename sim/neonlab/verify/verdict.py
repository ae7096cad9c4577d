"""What a check found, as values that travel between processes and print themselves nowhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from neonlab.emulate.run import Fault, FaultKind
from neonlab.verify.case import NO_SIZES
from neonlab.verify.coverage import NotRun


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
        """Plain values for `--json`."""
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
        """Plain values for `--json`."""
        return {**asdict(self), "inputs": list(self.inputs), "text": list(self.text)}


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that went wrong: by a fault, or by a mismatch, with the command that shows it alone."""

    shape: str
    pattern: str
    seed: int
    fault: Fault | None = None
    mismatch: Mismatch | None = None
    explanation: Explanation | None = None

    @property
    def identifier(self) -> str:
        """Stable name of what went wrong: `mismatch`, or the fault's."""
        return self.fault.kind.value if self.fault is not None else "mismatch"

    @property
    def where(self) -> str:
        """file:line of the instruction held responsible, empty where none is."""
        if self.fault is not None:
            return f"{self.fault.source.path}:{self.fault.source.line}" if self.fault.source else ""
        return self.mismatch.writer.where if self.mismatch and self.mismatch.writer else ""

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
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


@dataclass(frozen=True, slots=True)
class RangeAnswer:
    """Whether any input within the declared ranges makes a lane wrap, at one shape: "safe", "wraps" or "undecided"."""

    status: str
    shape: str
    note: str


@dataclass(frozen=True, slots=True)
class Search:
    """What a search for a failing case did: how many it tried, and the simplest that failed."""

    cases: int
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that was tried on one kernel.

    `failures` holds each kind once, smallest shape first.  `ranges` is None where ranges were not asked about.
    `not_run` is None where all code ran, and of a kernel that failed.  `options` is what must be said on the command
    line beside `kernel` to mean the same.  `compiler` made the code: its name, version and flags; empty for code that
    was not compiled here.
    """

    kernel: str
    isa: str
    path: str
    cases: int
    failed: int
    failures: tuple[Failure, ...]
    has_reference: bool
    seed: int
    ranges: RangeAnswer | None = None
    options: str = ""
    compiler: str = ""
    not_run: NotRun | None = None

    @property
    def passed(self) -> bool:
        """Whether every case came out right."""
        return self.failed == 0

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {
            "kernel": self.kernel,
            "isa": self.isa,
            "path": self.path,
            "passed": self.passed,
            "has_reference": self.has_reference,
            "cases": self.cases,
            "failed": self.failed,
            "seed": self.seed,
            "failures": [failure.to_json() for failure in self.failures],
            "ranges": None if self.ranges is None else asdict(self.ranges),
            "not_run": None if self.not_run is None else self.not_run.to_json(),
            **({"compiler": self.compiler} if self.compiler else {}),
        }

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        from neonlab.report.notebook import verdict_html  # upwards: a notebook asks the value itself

        return verdict_html(self)


def fold(
    kernel: str, isa: str, path: str, has_reference: bool, outcomes: Iterable[Failure | None], seed: int
) -> Verdict:
    """One verdict from the outcomes of a kernel's cases."""
    cases, failures = 0, []
    for outcome in outcomes:
        cases += 1
        if outcome is not None:
            failures.append(outcome)
    return Verdict(kernel, isa, path, cases, len(failures), _telling(failures), has_reference, seed)


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
    return replace(verdict, ranges=answer, failed=verdict.failed + (failure is not None), failures=failures)


def _work(shape: str) -> int:
    return math.prod(max(1, abs(int(size))) for size in shape.split("x") if size and shape != NO_SIZES)
