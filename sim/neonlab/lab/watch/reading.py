"""Read the verdict and the figures of one state of a kernel's file, first what is known at once, then more.

A `StateReader` keeps two processes warm: one for what is known at once, one for what takes longer, so that the latter
never delays the next save.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from neonlab.errors import InputError
from neonlab.host.time_limit import TIME_LIMIT
from neonlab.lab.compare.figures import Figures, figures_of
from neonlab.lab.parallel.assistant import INTERRUPTED, Assistant
from neonlab.lab.parallel.pool import died
from neonlab.lab.run.ended import Died
from neonlab.lab.run.judgement import ENOUGH_FAILURES
from neonlab.lab.watch import questions as watch_side
from neonlab.lab.watch.questions import Subject, WatchedFile
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import on_each
from neonlab.measure.shape import Shape
from neonlab.prove.proof import Proof, ProofStatus, ShapeProof
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Failure, Verdict, fold, with_ranges

if TYPE_CHECKING:
    from neonlab.measure.profile import Profile

#: Number of cases tried first, and in each further chunk.
FIRST_CASES, _CHUNK = 10, 24
#: Seconds after which a verdict does not wait for figures.
_LONG = 1.0
#: Number of shapes after which a proof is reported.
_SHAPES = 16


@dataclass(frozen=True, slots=True)
class Reading:
    """The knowledge about one state of the file so far.

    `problem` says why it cannot be tried (it does not assemble, has no contract).  `planned` is the number of cases;
    the verdict holds those tried.  `tile` and `layer` are profiles on a part of the layer and on all of it, one for
    each core, and empty until they are made; `unmeasured` says why they are not, where no fault does.  `seconds` is
    the time from the save to the first verdict with the tile's figures; `measuring` is True before.  `proof`
    holds the shapes tried so far where a proof is asked for; `unproved` is True until it is whole.
    """

    digest: str = ""
    problem: str | None = None
    verdict: Verdict | None = None
    planned: int = 0
    tile: tuple[Profile, ...] = ()
    layer: tuple[Profile, ...] = ()
    unmeasured: str = ""
    seconds: float = 0.0
    measuring: bool = False
    proof: Proof | None = None
    unproved: bool = False

    @property
    def complete(self) -> bool:
        """Tell whether nothing more will follow."""
        if self.problem is not None:
            return True
        tried = self.verdict is not None and (
            self.verdict.cases >= self.planned or self.verdict.failed >= ENOUGH_FAILURES
        )
        measured = bool(self.layer) or not self.tile or bool(self.unmeasured)
        return tried and not self.measuring and measured and not self.unproved

    @property
    def tile_figures(self) -> Figures | None:
        """Return the figures on the tile, None until there are any."""
        return figures_of(self.tile) if self.tile else None

    @property
    def layer_figures(self) -> Figures | None:
        """Return the figures on the layer, None until there are any."""
        return figures_of(self.layer) if self.layer else None


def tell_nobody(words: str) -> None:
    """Tell nobody what is being done."""


class StateReader:
    """Reads numbered states of files.  It is a context manager.

    With `loops`, profiles of the layer include the hot loop.  With `prove`, kernels that no case shows to be wrong are
    proved after the cases.  With `keeps`, profiles of the layer and proofs are found among the results that are kept.
    With `verdict_first`, no verdict waits for figures.  `tell` is called with words for each step that begins, for
    those who wait for it.
    """

    def __init__(
        self,
        *,
        loops: bool = False,
        verdict_first: bool = False,
        seed: int = 1,
        prove: bool = False,
        keeps: bool = False,
        tell: Callable[[str], None] = tell_nobody,
    ) -> None:
        self._loops, self._prove, self._keeps = loops, prove, keeps
        self._seed = seed
        self._patience = 0.0 if verdict_first else _LONG
        self._tell = tell
        self._began = (0, 0.0)  # the state that was described last, and when that began
        self._rehearsed = False
        self._near, self._far = Assistant(), Assistant()
        self.interrupted = False

    def __enter__(self) -> StateReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._near.__exit__()
        self._far.__exit__()

    def restart(self) -> None:
        """Restart the processes, since a Python file that they imported has changed."""
        self._rehearsed = False
        self._near.restart()
        self._far.restart()

    def interrupt(self) -> None:
        """Stop the longer work until `resume`; may be called from another thread."""
        self.interrupted = True
        self._far.leave()

    def end(self) -> None:
        """End the running question at once, if any; may be called from another thread."""
        self.interrupt()
        self._rehearsed = False
        self._near.end()

    def resume(self) -> None:
        """Allow the longer work again."""
        self.interrupted = False
        self._far.resume()

    def subject(
        self, source: WatchedFile, state: int, shape: str | None, cores: Sequence[ModelledCore]
    ) -> Subject | str:
        """Describe the file and what it is measured on; or return in words why it cannot be tried."""
        self._began = state, perf_counter()
        self._tell("assembling")
        found = self._near.ask(watch_side.subject, source, state, shape, tuple(cores))
        return _reason(found) if isinstance(found, (Died, InputError)) else found

    def read(
        self, subject: Subject, source: WatchedFile, state: int, known: Reading | None = None
    ) -> Iterator[Reading]:
        """Yield readings of the file, each with more than the one before.

        Only `known` is yielded if it is complete and of this code.  Nothing follows after `interrupt`.
        """
        ask = self._near.ask
        began = self._began[1] if self._began[0] == state else perf_counter()
        digest = ask(watch_side.digest, source, state)
        if isinstance(digest, (Died, InputError)):
            yield Reading(problem=_reason(digest))
            return
        if known is not None and known.complete and known.digest == digest and not known.unmeasured:
            yield known
            return
        self._tell("running the first cases")
        started = ask(watch_side.first_cases, source, state, subject.tile, FIRST_CASES, self._seed)
        if isinstance(started, (Died, InputError)):
            outcomes: list[Failure | None] = [self._failure(subject.tile, started)]
            names: list[CaseName] = []
        else:
            names, outcomes = started  # only results were compared so far; every check follows below
        reading = Reading(digest, planned=max(len(names), 1), verdict=self._verdict(subject, outcomes))
        if perf_counter() - began > self._patience:  # the figures will take as long again
            yield replace(reading, measuring=True)
        self._tell(f"measuring it on {subject.tile}")
        tile, why = self._measured(self._near, subject, source, state, subject.tile)
        seconds = perf_counter() - began
        reading = replace(reading, tile=tile, unmeasured=why, seconds=seconds, unproved=self._prove)
        yield reading
        # If the file has changed again, its save will be reported soon.
        if self._far.ask(watch_side.digest, source, state) == digest:
            yield from self._rest(subject, source, state, names, reading)

    def _rest(
        self, subject: Subject, source: WatchedFile, state: int, names: list[CaseName], reading: Reading
    ) -> Iterator[Reading]:
        ask = self._far.ask
        self._rehearse(source, state, names)
        if names:
            self._tell("running every case with every check")
            reading = yield from self._all_cases(subject, source, state, names, reading)
        if reading.verdict is not None and reading.verdict.faultless:
            covered = ask(watch_side.coverage, source, state)
            if not isinstance(covered, (Died, InputError)):
                reading = replace(reading, verdict=replace(reading.verdict, not_run=covered.not_run))
            known = ask(watch_side.accepted, source, state)
            if reading.verdict is not None and not isinstance(known, (Died, InputError)):
                reading = replace(reading, verdict=replace(reading.verdict, accepted=known))
        if reading.tile:
            self._tell(f"measuring it on the layer {subject.layer}")
            layer, why = self._measured(self._far, subject, source, state, subject.layer, loop=self._loops)
            reading = replace(reading, layer=layer, unmeasured=why)
        if reading.verdict is not None and reading.verdict.faultless:
            self._tell("looking for lanes that can wrap")
            answer = ask(watch_side.ranges, source, state)
            if answer is not None and not isinstance(answer, (Died, InputError)):
                reading = replace(reading, verdict=with_ranges(reading.verdict, *answer))
        elif reading.verdict is not None:
            self._tell("explaining what is wrong")
            told = [(f, ask(watch_side.explained, source, state, f)) for f in reading.verdict.failures]
            failures = tuple(failure if isinstance(more, (Died, InputError)) else more for failure, more in told)
            reading = replace(reading, verdict=replace(reading.verdict, failures=failures))
        asked = self._prove and reading.verdict is not None and reading.verdict.faultless
        reading = replace(reading, unproved=asked)
        if not self.interrupted:
            yield reading
        if asked and not self.interrupted:
            yield from self._proofs(subject, source, state, reading)

    def _rehearse(self, source: WatchedFile, state: int, names: list[CaseName]) -> None:
        """Let the near process run one case with every check, once, so that the first wrong text need not load them."""
        if names and not self._rehearsed and not self.interrupted:
            self._rehearsed = True
            self._near.ask(watch_side.try_cases, source, state, names[:1])

    def _proofs(self, subject: Subject, source: WatchedFile, state: int, reading: Reading) -> Iterator[Reading]:
        """Yield readings while the kernel is proved, shape by shape, until one refutes it."""
        shapes = self._far.ask(watch_side.to_prove, source, state)
        proof = Proof(subject.title, subject.isa, str(subject.path), ())
        for shape in () if isinstance(shapes, (Died, InputError)) else shapes:
            # The first proof on a machine compiles the prover, for a minute and more where others compile too.
            one = self._far.ask(watch_side.proved, source, state, shape, self._seed, self._keeps, within=TIME_LIMIT)
            if self.interrupted:
                return
            if isinstance(one, (Died, InputError)):
                one = ShapeProof(shape, ProofStatus.NOT_PROVED, self._seed, reason=_reason(one))
            proof = replace(proof, shapes=(*proof.shapes, one))
            if one.status is ProofStatus.REFUTED:
                break
            if len(proof.shapes) % _SHAPES == 0:
                yield replace(reading, proof=proof)
        if not self.interrupted:
            yield replace(reading, proof=proof, unproved=False)

    def figures(self, subject: Subject, source: WatchedFile, state: int) -> Reading | None:
        """Return a reading without a verdict; None if the file cannot be tried, or after `interrupt`."""
        digest = self._far.ask(watch_side.digest, source, state)
        if isinstance(digest, (Died, InputError)):
            return None
        tile, layer = (self._measured(self._far, subject, source, state, s)[0] for s in (subject.tile, subject.layer))
        return Reading(digest, tile=tile, layer=layer) if not self.interrupted else None

    def _all_cases(
        self, subject: Subject, source: WatchedFile, state: int, names: list[CaseName], reading: Reading
    ) -> Generator[Reading, None, Reading]:
        """Yield readings while every case runs with every check, the few of the beginning first; return the last."""
        outcomes: list[Failure | None] = []
        starts = [0, *range(FIRST_CASES, len(names), _CHUNK)]
        for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
            if sum(one is not None for one in outcomes) >= ENOUGH_FAILURES:
                break
            chunk = names[start:end]
            found = self._far.ask(watch_side.try_cases, source, state, chunk)
            if self.interrupted:
                break
            if isinstance(found, (Died, InputError)):
                found = [self._failure(chunk[0].shape, found)] * len(chunk)
            outcomes = [*outcomes, *found]
            reading = replace(reading, verdict=self._verdict(subject, outcomes))
            yield reading
        return reading

    def _measured(
        self,
        assistant: Assistant,
        subject: Subject,
        source: WatchedFile,
        state: int,
        shape: Shape,
        *,
        loop: bool = False,
    ) -> tuple[tuple[Profile, ...], str]:
        """Return profiles on each core; empty if the kernel does not run, with the reason where that is no fault."""
        profiles = []
        for memory in on_each(subject.cores, loop=loop):
            # The first profile on a machine compiles the pipeline, for a minute and more where others compile too.
            # The tile takes less time than a look at what is kept.
            asked = source, state, shape, memory, self._seed, self._keeps and shape == subject.layer
            found = assistant.ask(watch_side.measure, *asked, within=TIME_LIMIT)
            if isinstance(found, Failure) or found is INTERRUPTED:
                return (), ""
            if isinstance(found, (Died, InputError)):
                return (), _reason(found)
            profiles.append(found)
        return tuple(profiles), ""

    def _failure(self, shape: Shape, ended: Died | InputError) -> Failure:
        return died(CaseName(shape, "random", self._seed), Died(_reason(ended)))

    def _verdict(self, subject: Subject, outcomes: Sequence[Failure | None]) -> Verdict:
        title, isa, path = subject.title, subject.isa, subject.path
        return fold(title, isa, str(path), subject.judged_by, outcomes, self._seed, advice=subject.advice)


def _reason(ended: Died | InputError) -> str:
    return ended.reason if isinstance(ended, Died) else str(ended)
