"""Check a text while it is edited, the newest first, in a thread beside the server.

A `Desk` has a `Sheet` for each opened file.  Texts arrive by `ask`.  Sights go to `show`, each with more than the one
before, until the next text arrives.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.contract.options import NOTHING, Given
from neonlab.editor.scratch import Scratch
from neonlab.editor.sight import Sight, sight_of
from neonlab.errors import InputError
from neonlab.lab.watch.questions import Subject, WatchedFile
from neonlab.lab.watch.reading import Reading, StateReader, tell_nobody
from neonlab.lab.watch.session import Past, Session
from neonlab.measure.cores.modelled import ModelledCore

_PATIENCE = 1.0  # seconds that an older text may still take to its first result


_Texts = tuple[str, tuple[tuple[Path, str], ...]]


@dataclass(frozen=True, slots=True)
class Text:
    """The text to check: that in an editor, and that in the file.

    `beside` holds the included files that are open too, as (path, text, text in the file).
    """

    path: Path
    text: str
    saved: str
    beside: tuple[tuple[Path, str, str], ...] = ()

    @property
    def now(self) -> _Texts:
        """Return the texts in the editors."""
        return self.text, tuple((path, text) for path, text, _ in self.beside)

    @property
    def kept(self) -> _Texts:
        """Return the texts in the files."""
        return self.saved, tuple((path, saved) for path, _, saved in self.beside)


class Sheet:
    """The knowledge about one file; each text comes with those of the included files that are open."""

    def __init__(self, path: Path, root: Path | None) -> None:
        self.scratch = Scratch(path, root)
        self.known: tuple[_Texts, Reading] | None = None  # the text that was checked last, and its reading
        self.saved: tuple[_Texts, Reading] | None = None  # the same for the text in the file
        self.before: tuple[_Texts, Reading] | None = None  # the same for the file's previous text with other code
        self.committed: Reading | None = None
        self.saves = 0
        self.passing: list[_Texts] = []  # what was in the file at the last look, which the next text may have cut short

    def take(self, kept: _Texts, reading: Reading) -> None:
        """Record a reading of the texts in the files."""
        if self.saved is None or not _same(self.saved[0], kept):
            self.saves += 1
            there = self.saved[1] if self.saved is not None else Reading()
            if (there.tile or there.measuring) and there.digest != reading.digest:
                self.before = self.saved
        self.saved = (kept, reading)

    def write(self, texts: _Texts) -> None:
        """Write the texts to the scratch folder, in the places of their files."""
        self.scratch.write(texts[0], dict(texts[1]))


def _same(before: _Texts, after: _Texts) -> bool:
    """Tell whether no text has changed; a file that was only opened does not count as a change."""
    known = dict(before[1])
    return before[0] == after[0] and all(known.get(path, text) == text for path, text in after[1])


def _is_cut_short(reading: Reading) -> bool:
    """Tell whether the next text came before the layer's figures did."""
    return reading.measuring or (bool(reading.tile) and not reading.layer)


class Desk:
    """Checks texts for one browser.  It is a context manager; `show` is called in the desk's own thread.

    `given` holds the options of some files, and `otherwise` those of all others.  `tell` is called in that thread too,
    with words for what is being done, "" once nothing is.
    """

    def __init__(
        self,
        root: Path | None,
        *,
        given: Mapping[Path, Given],
        otherwise: Given = NOTHING,
        shape: str | None,
        cores: Sequence[ModelledCore],
        seed: int,
        show: Callable[[Sight], None],
        tell: Callable[[str], None] = tell_nobody,
    ) -> None:
        self._root = root
        self._given, self._otherwise = given, otherwise
        self._shape = shape
        self._show = show
        self._cores = tuple(cores)
        self._tell = tell
        self._reader = StateReader(loops=True, verdict_first=True, seed=seed, tell=self._tell)
        self._sheets: dict[Path, Sheet] = {}
        self._pasts: dict[Path, Past] = {}
        self._state = 0
        self._next: Text | None = None
        self._kept: dict[Path, list[_Texts]] = {}  # what was in each file since its text was last looked at
        self._restart = self._stopped = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="desk", daemon=True)

    def __enter__(self) -> Desk:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._stopped = True
            self._reader.end()
            self._changed.notify()
        self._thread.join(10)
        self._reader.__exit__()
        for sheet in self._sheets.values():
            sheet.scratch.__exit__()
        for past in self._pasts.values():
            past.__exit__()

    def ask(self, text: Text, *, operators: bool = False) -> None:
        """Check `text` next, whatever is being checked; `operators` tells that a Python file was saved."""
        with self._changed:
            self._next = text
            self._kept.setdefault(text.path, []).append(text.kept)
            self._restart |= operators
            self._reader.interrupt()
            self._changed.notify()
        timer = threading.Timer(_PATIENCE, self._hurry, [text])
        timer.daemon = True
        timer.start()

    def _hurry(self, text: Text) -> None:
        with self._changed:
            if self._next is text:
                self._reader.end()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._next is not None or self._stopped)
                if self._stopped:
                    return
                text, restart = self._next, self._restart
                self._next, self._restart = None, False
                self._reader.resume()
            assert text is not None
            try:
                if restart:
                    self._forget()
                for sight in self._look(text):
                    if self._next is not None or self._stopped:
                        break
                    self._show(sight)
            except (InputError, OSError) as error:  # a disk error, or a folder that is gone
                self._show(Sight.of_problem(text.path, text.text, str(error)))
            except Exception as error:  # after any error the next text must still be checked
                self._show(Sight.of_problem(text.path, text.text, f"internal error: {type(error).__name__}: {error}"))
                self._forget()
            finally:
                if self._next is None:
                    self._tell("")

    def _forget(self) -> None:
        """Drop all results, since a Python file changed or the process beside failed."""
        self._reader.restart()
        for sheet in self._sheets.values():
            sheet.known = None

    def _look(self, text: Text) -> Iterator[Sight]:
        if text.path not in self._sheets:
            self._sheets[text.path] = Sheet(text.path, self._root)
        sheet = self._sheets[text.path]
        with self._changed:
            passed = [*sheet.passing, *self._kept.pop(text.path, [])]
        sheet.passing = [text.kept]
        for kept in passed:
            # A save that another one has followed at once is not looked at, but its text may be known from typing it.
            if kept != text.kept and sheet.known is not None and sheet.known[0] == kept:
                sheet.take(kept, sheet.known[1])
        sheet.write(text.now)
        source = WatchedFile(sheet.scratch.path, self._given.get(text.path, self._otherwise))
        subject = self._subject(source)
        if isinstance(subject, str):
            yield self._sight(text, sheet, None, Reading(problem=subject))
            return
        # A changed comment leaves the code the same but may move lines, so the texts are compared.
        known = sheet.known[1] if sheet.known is not None and sheet.known[0] == text.now else None
        reading = Reading()
        for reading in self._reader.read(subject, source, self._state, known):
            if reading.complete and not self._reader.interrupted:  # first, since showing may bring the next text
                sheet.known = text.now, reading
            yield self._sight(text, sheet, subject, reading)
        if self._reader.interrupted:
            return
        sheet.known = text.now, reading
        if reading.problem is not None:
            return
        saved = sheet.saved
        if text.now != text.kept and (saved is None or _is_cut_short(saved[1]) or not _same(saved[0], text.kept)):
            found = self._figures_of(text.kept, text, sheet, source)
            if not self._reader.interrupted:
                sheet.take(text.kept, found or Reading())
            yield self._sight(text, sheet, subject, reading)
        if text.now == text.kept and sheet.before is not None and _is_cut_short(sheet.before[1]):
            found = self._figures_of(sheet.before[0], text, sheet, source)
            if found is not None:
                sheet.before = sheet.before[0], found
                yield self._sight(text, sheet, subject, reading)
        past = self._pasts.setdefault(text.path, Past())
        if past.moved(text.path):
            committed = past.figures(self._reader, subject, replace(source, path=text.path), -self._state)
            if past.commit is not None:
                sheet.committed = committed
                yield self._sight(text, sheet, subject, reading)

    def _subject(self, source: WatchedFile) -> Subject | str:
        self._state += 1
        return self._reader.subject(source, self._state, self._shape, self._cores)

    def _figures_of(self, texts: _Texts, text: Text, sheet: Sheet, source: WatchedFile) -> Reading | None:
        """Measure other texts than those of `text`; None if they cannot be tried, or after an interrupt."""
        sheet.write(texts)
        try:
            subject = self._subject(source)
            return self._reader.figures(subject, source, self._state) if not isinstance(subject, str) else None
        finally:
            sheet.write(text.now)
            self._state += 1

    def _sight(self, text: Text, sheet: Sheet, subject: Subject | None, reading: Reading) -> Sight:
        if text.now == text.kept and not self._reader.interrupted and subject is not None:
            sheet.take(text.kept, reading)
        since = (sheet.before if text.now == text.kept else sheet.saved) or (None, None)
        past = self._pasts.get(text.path)
        session = Session(
            text.path, subject.tile if subject else None, subject.layer if subject else None,
            subject.cores if subject else (), reading,
            saved=since[1], committed=sheet.committed, commit=past.commit if past else None, saves=sheet.saves,
        )  # fmt: skip
        return sight_of(session, sheet.scratch, dict(text.now[1]), text.text)
