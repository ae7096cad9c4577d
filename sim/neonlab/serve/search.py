"""Look for a cheaper hot loop of the text in an editor, in a thread beside the server.

A search tells how far it is by a `Search`, each of which replaces the one before.  Its last one holds the outcome, or
the reason why there is none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.contract.options import NOTHING, Given
from neonlab.editor.desk import Text
from neonlab.editor.scratch import Scratch
from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import profile_all
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.watch.questions import subject_of
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.optimize.kernel import optimize
from neonlab.optimize.outcome import Optimized
from neonlab.serve.one_task import OneTask

#: Orders to try: a few seconds' worth, after which a person would rather look at what there is.
STEPS = 5000
_SEARCHING = "trying orders"  # as `optimize` names it
_OFTEN = 0.25  # seconds between two words of progress


@dataclass(frozen=True, slots=True)
class Search:
    """The state of a search for the loop of `text` on `core`: what it does, then its outcome or what prevents it.

    `shown` are the cycles of one call at `layer` in cold caches, as the page shows them: of the text, and of what was
    found.  None where nothing cheaper was.
    """

    text: Text
    core: str
    words: str = ""
    outcome: Optimized | None = None
    problem: str = ""
    layer: str = ""
    shown: tuple[int, int] | None = None

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more will be told."""
        return self.outcome is not None or bool(self.problem)


class _GivenUp(Exception):
    """The search was stopped while its outcome was judged."""


class Searcher(OneTask):
    """Runs one search at a time; `show` is called in the search's thread."""

    def __init__(
        self, root: Path | None, given: Mapping[Path, Given], shape: str | None, seed: int,
        show: Callable[[Search], None], steps: int = STEPS,
    ) -> None:  # fmt: skip
        super().__init__("search")
        self._root, self._given, self._shape, self._seed, self._show, self._steps = (
            root,
            given,
            shape,
            seed,
            show,
            steps,
        )
        self._stop = threading.Event()
        self._workers: Workers | None = None  # those of the search that is under way

    def begin(self, text: Text, core: str) -> bool:
        """Begin to search; return False and do nothing while another search is under way."""
        if self.is_busy:
            return False
        self._stop.clear()
        return self._start(self._run, Search(text, core))

    def stop(self) -> None:
        """End the search with the best loop so far; while that is judged, give up."""
        self._stop.set()

    def _end(self) -> None:
        workers = self._workers
        if workers is not None:
            workers.end()

    def _run(self, search: Search) -> None:
        try:
            with Scratch(search.text.path, self._root) as scratch, Workers() as self._workers:
                self._show(self._searched(search, scratch, self._workers))
        except (_GivenUp, CancelledError):
            self._show(replace(search, problem="stopped before its outcome was judged"))
        except OSError as error:
            self._show(replace(search, problem=str(error)))
        except Exception as error:  # the page must not wait for ever
            self._show(replace(search, problem=f"internal error: {type(error).__name__}: {error}"))
        finally:
            self._workers = None

    def _searched(self, search: Search, scratch: Scratch, workers: Workers) -> Search:
        text = search.text
        unsaved = next((beside for beside, now, saved in text.beside if now != saved), None)
        if unsaved is not None:  # the text that is found names the files that it includes
            return replace(search, problem=f"save {unsaved.name} first: the kernel includes it")
        path = scratch.write(text.text)
        try:
            kernel = open_kernel(path, self._given.get(text.path, NOTHING))
            shape: Shape | str = self._shape or ""
            progress = _Progress(search, self._show, self._stop)
            outcome = optimize(
                kernel, search.core, shape=shape, steps=self._steps, seed=self._seed, into=text.path.parent,
                workers=workers, begin=progress.begin, advance=progress.advance,
            )  # fmt: skip
            layer, shown = "", None
            if outcome.is_better:
                layer, shown = self._as_shown(search, kernel, outcome.text, workers, progress)
        except InputError as error:
            return replace(search, problem=scratch.real(str(error)))
        real = scratch.real
        named = replace(
            outcome, path=real(outcome.path), place=real(outcome.place), reason=real(outcome.reason),
            original=real(outcome.original), text=real(outcome.text),
        )  # fmt: skip
        return replace(search, outcome=named, layer=layer, shown=shown)

    def _as_shown(
        self, search: Search, kernel: Kernel, text: str, workers: Workers, progress: _Progress
    ) -> tuple[str, tuple[int, int] | None]:
        """Return the page's layer, and the cycles there that it shows of a kernel and will show of the new text."""
        subject = subject_of(kernel, parse_shape(kernel, self._shape) if self._shape else None, ())
        advance = progress.begin(f"profiling both as this page does, at {subject.layer}", 2, "texts")
        with Scratch(search.text.path, self._root) as scratch:
            new = open_kernel(scratch.write(text), self._given.get(search.text.path, NOTHING))
            memory = MemoryOptions(ModelledCore.named(search.core, cycles=True))
            work = [(kernel, subject.layer), (new, subject.layer)]
            found = profile_all(workers, work, seed=self._seed, memory=memory, advance=advance)
        cycles = [one.cycles.cycles for one in found if isinstance(one, Profile) and one.cycles is not None]
        return str(subject.layer), (cycles[0], cycles[1]) if len(cycles) == 2 else None


class _Progress:
    """Tells how far a search is, not too often, and ends it."""

    def __init__(self, search: Search, show: Callable[[Search], None], stop: threading.Event) -> None:
        self._search, self._show, self._stop = search, show, stop
        self._best = float("inf")
        self._doing, self._made, self._told = "", "", 0.0

    def begin(self, doing: str, total: int, unit: str) -> Callable[[int], None]:
        """Note what begins; the answer is to be told how much of it is done."""
        if self._doing == _SEARCHING:
            self._stop.clear()  # where the search was ended, what it found is judged, unless that is stopped too
        self._doing, self._made = doing, ""
        self._tell(at_once=True)

        done = 0

        def told(more: int) -> None:
            nonlocal done
            done += more
            self._made = f", {done:,} of {total:,} {unit}" if total else ""
            self._tell()
            if self._stop.is_set() and doing != _SEARCHING:
                raise _GivenUp

        return told

    def advance(self, _steps: int, cycles: float) -> bool:
        """Note the cycles of the best order so far; return False to end the search."""
        self._best = min(self._best, cycles)
        return not self._stop.is_set()

    def _tell(self, *, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._told > _OFTEN:
            self._told = now
            best = f", best {self._best:.4g} cycles" if self._best < float("inf") else ""
            self._show(replace(self._search, words=f"{self._doing}{self._made}{best}"))
