"""Answer questions about one state of a kernel, in the process beside `neonlab watch` and `neonlab serve`.

Each question is short, so that a newer state of the file never waits long.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.contract.options import NOTHING, Given
from neonlab.errors import InputError
from neonlab.lab.parallel.profiles import _profile
from neonlab.lab.parallel.proofs import _prove
from neonlab.lab.repository.able_cores import able_cores
from neonlab.lab.repository.kernel_code import code_digest, kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import answer_ranges, explain
from neonlab.lab.run.plan import draw_case, parse_shape, plan_cases, shape_for, shapes_to_prove
from neonlab.lab.run.profile import profile_case
from neonlab.lab.run.ranged import Reach, furthest
from neonlab.lab.run.saved import save_failure
from neonlab.lab.run.shapes import code_of, integers_of
from neonlab.lab.watch.kept import KeptAnswers
from neonlab.lab.watch.layer import layer_to_watch, tile_of
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.prove.proof import ShapeProof
from neonlab.sources.program import forget_programs
from neonlab.verify.cases.case import CaseName, Depth
from neonlab.verify.checker import Checker
from neonlab.verify.coverage import Coverage
from neonlab.verify.known_faults import AcceptedFault, accepted_faults
from neonlab.verify.verdict import Failure, JudgedBy, RangeAnswer


@dataclass(frozen=True, slots=True)
class WatchedFile:
    """A file, and the options that say how to read it."""

    path: Path
    given: Given = NOTHING

    def open(self) -> Kernel:
        """Open the kernel in the file.  Raises InputError."""
        return open_kernel(self.path, self.given)


@dataclass(frozen=True, slots=True)
class Subject:
    """The description of a kernel without its code, and what it is measured on: a layer, a part of that, cores."""

    title: str
    isa: str
    path: Path
    judged_by: JudgedBy
    advice: str
    layer: Shape
    tile: Shape
    cores: tuple[ModelledCore, ...]


def subject_of(kernel: Kernel, shape: Shape | None, cores: Sequence[ModelledCore]) -> Subject:
    """Describe `kernel` on the layer `shape`, or one chosen, and on those of `cores` that can run it, or else others.

    Raises InputError if the kernel does not accept the shape.
    """
    layer = shape_for(kernel, shape) if shape is not None else layer_to_watch(kernel)
    if shape is not None:
        kernel.contract.check_values(integers_of(kernel, layer))
    tile = tile_of(kernel, layer)
    isa, able = kernel.isa.value, able_cores(kernel, cores)
    return Subject(kernel.title, isa, kernel.path, kernel.judged_by, kernel.advice, layer, tile, able)


@dataclass
class _Ready:
    """The state of a file that the last question was about."""

    state: tuple[WatchedFile, int]
    kernel: Kernel
    checker: Checker
    kept: KeptAnswers
    ranged: Reach | None = None  # the case to analyse ranges at, of those checked so far

    def check(self, name: CaseName, depth: Depth) -> Failure | None:
        """Check a case, and note how much it executes."""
        found = self.checker.check(draw_case(self.kernel, name), depth)
        self.ranged = furthest([self.ranged, Reach(name, self.checker.extent)])
        return found


_ready: _Ready | None = None
_plan: tuple[str, list[CaseName]] | None = None


def _of(source: WatchedFile, state: int) -> _Ready:
    """Return the kernel of `source`, opened and assembled again if `state`, which counts the saves, has changed."""
    global _ready
    if _ready is None or _ready.state != (source, state):
        if _ready is not None:
            _ready.checker.close()
            _ready.kept.close()
            _ready = None
        forget_programs()
        opened = time.time_ns()
        kernel = source.open()
        checker = Checker(kernel_program(kernel), kernel.contract)
        _ready = _Ready((source, state), kernel, checker, KeptAnswers(kernel, opened))
    return _ready


def subject(source: WatchedFile, state: int, shape: str | None, cores: Sequence[ModelledCore]) -> Subject:
    """Describe the file and what it is measured on; `shape` is read for each state, whose sizes may be others.

    Raises InputError.
    """
    kernel = _of(source, state).kernel
    return subject_of(kernel, parse_shape(kernel, shape) if shape is not None else None, cores)


def digest(source: WatchedFile, state: int) -> str:
    """Return the digest of the kernel's code, followed by its contract.  Raises InputError."""
    kernel = _of(source, state).kernel
    return f"{code_digest(kernel)} {kernel.contract!r}"


def first_cases(
    source: WatchedFile, state: int, tile: Shape, few: int, seed: int
) -> tuple[list[CaseName], list[Failure | None]]:
    """Return all cases with the `few` most telling first, and the outcomes of those, by results alone.

    The first that fails is the last: it is run again to find what wrote the wrong result, and one says enough at once.
    """
    ready = _of(source, state)
    kernel = ready.kernel
    names = _planned(kernel, seed)
    on_tile = [CaseName(shape_for(kernel, tile), pattern, seed) for pattern in ("random", "extremes")]
    order = list(dict.fromkeys([*on_tile, names[-1], *names[:: max(1, len(names) // few)], *names]))
    outcomes: list[Failure | None] = []
    for name in order[:few]:
        outcomes.append(ready.check(name, Depth.QUICK))
        if outcomes[-1] is not None:
            break
    return order, outcomes


def _planned(kernel: Kernel, seed: int) -> list[CaseName]:
    """Return the cases of a kernel, cached by its contract and the constants of its code, on which they depend."""
    global _plan
    key = f"{kernel.contract!r} {code_of(kernel)!r} {seed}"
    if _plan is None or _plan[0] != key:
        _plan = key, plan_cases(kernel, seed=seed, turning=False)
    return _plan[1]


def try_cases(source: WatchedFile, state: int, names: list[CaseName]) -> list[Failure | None]:
    """Return the outcome of each case."""
    ready = _of(source, state)
    return [ready.check(name, name.depth) for name in names]


def coverage(source: WatchedFile, state: int) -> Coverage:
    """Return what the cases tried so far executed."""
    return _of(source, state).checker.coverage


def accepted(source: WatchedFile, state: int) -> tuple[AcceptedFault, ...]:
    """Return the faults that the contract accepts, with the number of cases so far in which each showed."""
    ready = _of(source, state)
    return accepted_faults(ready.kernel.contract, ready.checker.accepted)


def measure(
    source: WatchedFile, state: int, shape: Shape, memory: MemoryOptions, seed: int, keeps: bool = False
) -> Profile | Failure:
    """Return the kernel's profile on `shape`; with `keeps`, from the results that are kept, or for them."""
    ready = _of(source, state)
    case = CaseName(shape_for(ready.kernel, shape), "random", seed)
    if not keeps:
        return profile_case(ready.kernel, case, memory)
    return ready.kept.answer(_profile, (case, memory), lambda: profile_case(ready.kernel, case, memory))


def ranges(source: WatchedFile, state: int) -> tuple[RangeAnswer, Failure | None] | None:
    """Tell whether any input in range makes a lane wrap; None if no case that was checked is suitable."""
    ready = _of(source, state)
    return answer_ranges(ready.kernel, ready.ranged.name) if ready.ranged is not None else None


def explained(source: WatchedFile, state: int, failure: Failure) -> Failure:
    """Return the failure with its explanation."""
    return explain(_of(source, state).kernel, failure)


def to_prove(source: WatchedFile, state: int) -> list[Shape]:
    """Return the shapes to prove the kernel at: the small ones that `check` tries."""
    return shapes_to_prove(_of(source, state).kernel)


def proved(source: WatchedFile, state: int, shape: Shape, seed: int, keeps: bool = False) -> ShapeProof:
    """Return what can be shown at a shape; inputs that refute the kernel are explained and saved.

    With `keeps` the proof is from the results that are kept, or for them.
    """
    from neonlab.lab.run.prove import prove_one  # the prover is loaded where it is asked

    ready = _of(source, state)
    kernel, held = ready.kernel, frozenset[str]()
    found = (
        ready.kept.answer(_prove, (shape, seed, held), lambda: prove_one(kernel, shape, seed, held))
        if keeps
        else prove_one(kernel, shape, seed, held)
    )
    if found.failure is None:
        return found
    failure = explain(kernel, found.failure)
    with contextlib.suppress(InputError):
        failure = save_failure(kernel, failure)
    return replace(found, failure=failure)
