"""Report progress on standard error: the phase, how much of it is done, and for how long it has run.

No command is silent for longer than `FIRST` seconds.  On a terminal a bar shows the phase and disappears with it.
Elsewhere a line is printed after `FIRST` seconds, then at the start of each phase, and every `EVERY` seconds.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TextIO

from neonlab.host.compiling import QUIET

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

#: Seconds until the first line, and between lines.  A process needs some tenths of a second to start.
FIRST, EVERY = 1.4, 10.0
#: The same for a bar on a terminal.
_BAR_AFTER, _BAR_EVERY = 0.5, 0.2


@dataclass(slots=True)
class Phase:
    """One part of the work: `done` of `total` `unit`s (total 0 if unknown), started at `since`, in clock seconds."""

    name: str
    total: int
    unit: str
    since: float
    done: int = 0

    def line(self, now: float) -> str:
        """Return the phase as text: `checking: 1,203 of 8,400 cases, 14 s`."""
        counted = f"{self.done:,} of {self.total:,} {self.unit}, " if self.total else ""
        return f"{self.name}: {counted}{now - self.since:.0f} s"


class Display(Protocol):
    """A place where phases are shown."""

    def show(self, phase: Phase, now: float) -> None:
        """Show the phase as it is at `now`."""

    def clear(self) -> None:
        """Show no phase, since nothing runs or other output follows."""


class Lines:
    """Prints a line each time, for logs and pipes."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def show(self, phase: Phase, now: float) -> None:
        """Print the phase."""
        self._write(phase.line(now))

    def clear(self) -> None:
        """Do nothing: printed lines stay."""


class Bar:
    """Draws one line of a terminal, which rich redraws several times a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bar: RichProgress | None = None
        self._shown: Phase | None = None

    def show(self, phase: Phase, now: float) -> None:
        """Draw the phase; start drawing with the first."""
        if self._bar is None:
            self._bar = self._begin()
        if phase is not self._shown or phase.name != self._bar.tasks[0].description:
            for task in self._bar.task_ids:
                self._bar.remove_task(task)
            self._bar.add_task(phase.name, total=phase.total or None, count="")
            self._shown = phase
        count = f"{phase.done:,}/{phase.total:,} {phase.unit}" if phase.total else ""
        self._bar.update(self._bar.task_ids[0], completed=phase.done, count=count)

    def clear(self) -> None:
        """Remove the line."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._shown = None

    def _begin(self) -> RichProgress:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"))
        bar = RichProgress(*columns, TimeElapsedColumn(), console=Console(file=self._stream), transient=True)
        bar.start()
        return bar


class Progress:
    """The phase that a command is in, shown when it is due.

    `clock` returns seconds.  Nothing here waits: `tick` is called regularly and shows what is due.  Threads may call
    any method.
    """

    def __init__(
        self, display: Display, clock: Callable[[], float] = time.monotonic, *, first: float, every: float
    ) -> None:
        self._display, self._clock = display, clock
        self._first, self._every = first, every
        self._lock = threading.RLock()
        self._phase: Phase | None = None
        self._due = clock() + first
        self._talking = False

    def begin(self, name: str, total: int = 0, unit: str = "") -> Callable[[int], None]:
        """Start a phase and end the one before; return a function to call with the number of units done."""
        with self._lock:
            now = self._clock()
            phase = self._phase = Phase(name, total, unit, now)
            if self._talking or now >= self._due:
                self._show(now)

        def advance(steps: int) -> None:
            with self._lock:
                phase.done += steps

        return advance

    def rename(self, name: str) -> None:
        """Call the phase something else, as it tells what it has found so far."""
        with self._lock:
            if self._phase is not None:
                self._phase.name = name

    def clear(self) -> None:
        """End the phase, since other output follows or the command waits for the user."""
        with self._lock:
            self._phase = None
            self._talking = False
            self._due = self._clock() + self._first
            self._display.clear()

    def tick(self) -> None:
        """Show the phase if it is due."""
        with self._lock:
            now = self._clock()
            if self._phase is not None and now >= self._due:
                self._show(now)

    def _show(self, now: float) -> None:
        assert self._phase is not None
        self._display.show(self._phase, now)
        self._talking = True
        self._due = now + self._every


@contextlib.contextmanager
def ticking(progress: Progress) -> Iterator[None]:
    """Call `tick` from a thread while the block runs."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            progress.tick()

    thread = threading.Thread(target=watch, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        progress.clear()


_current: Progress | None = None


@contextlib.contextmanager
def telling(name: str) -> Iterator[None]:
    """Show phases on standard error while the block runs, the first named `name`; nothing if `QUIET` is set."""
    global _current
    if os.environ.get(QUIET) or _current is not None:
        yield
        return
    stream = sys.stderr
    if stream.isatty():
        progress = Progress(Bar(stream), first=_BAR_AFTER, every=_BAR_EVERY)
    else:
        lines = Lines(lambda text: print(f"neonlab: {text}", file=stream, flush=True))
        progress = Progress(lines, first=FIRST, every=EVERY)
    _current = progress
    progress.begin(name)
    try:
        with ticking(progress):
            yield
    finally:
        _current = None


def begin(name: str, total: int = 0, unit: str = "") -> Callable[[int], None]:
    """Start a phase of the command and end the one before; return a function to call with the number of units done."""
    return _current.begin(name, total, unit) if _current is not None else lambda _: None


def rename(name: str) -> None:
    """Call the phase of the command something else."""
    if _current is not None:
        _current.rename(name)


def say(words: str) -> None:
    """Print a line on standard error at once, if progress is shown."""
    if _current is not None:
        _current.clear()
        print(f"neonlab: {words}", file=sys.stderr, flush=True)


def clear() -> None:
    """End the phase until the next begins, since other output follows or the command waits for the user."""
    if _current is not None:
        _current.clear()
