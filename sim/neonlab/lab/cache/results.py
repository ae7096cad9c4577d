"""Keep results under the hash of all that they depend on, so that nothing is computed twice.

A key is a SHA-256 of the question (what is asked, with its options, shapes and seeds), of the kernel (its code,
contract and reference) and of the lab.  A result is kept only if nothing of that was written while it was computed.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.lab.cache.kernel_sources import KernelSources, known_sources, still_the_same
from neonlab.lab.cache.lab_version import lab_digest, lab_stamps, written_since_start
from neonlab.lab.cache.plain import NotPlain, read, written
from neonlab.lab.cache.share import Share
from neonlab.lab.cache.store import Entry, Store
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died

#: Seconds for which results may wait to be written together.
_TOGETHER = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """Ask something of a kernel: the `key` of the answer, its `kind`, and the `work`, the same when code changes."""

    key: str
    kind: str
    work: str
    kernel: Kernel


class Results:
    """The results that are kept in a folder; None keeps and finds nothing.  It is a context manager, for one thread.

    `counts` has of each kind how many questions were asked, and how many of them were answered from it.  With `asks`,
    there are questions where nothing is kept, too.
    """

    #: The shard of a command that these are of, and for how many processes work is cut; 0 leaves that to the caller.
    share: Share | None = None
    spread = 0

    def __init__(self, folder: Path | None, *, asks: bool = False) -> None:
        asks = asks or folder is not None
        self._store = Store(folder) if folder is not None else None
        self._lab = lab_digest() if asks else ""
        self._stamps = lab_stamps() if asks else ()
        self._usable = asks and not written_since_start()
        self._sources: dict[Kernel, KernelSources | None] = {}
        self._waiting: list[tuple[Question, Entry]] = []
        self._since = time.monotonic()
        self.counts: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        if self._store is not None:
            self.write()
            self._store.close()

    @property
    def is_on(self) -> bool:
        """Tell whether questions are asked, and results kept and found."""
        return self._usable

    def part(self, kind: str, weights: Sequence[float]) -> list[int]:
        """Return the numbers of the units of a kind that are done here, of all that have these weights."""
        return list(range(len(weights)))

    @property
    def problem(self) -> str:
        """Return why results could not be kept, in words; "" if they could."""
        return self._store.problem if self._store is not None else ""

    def question(self, kind: str, kernel: Kernel, *values: Any) -> Question | None:
        """Return the question about a kernel; None if its answers cannot be kept.

        `kind` says what is asked, and `values` with which options.
        """
        if not self.is_on:
            return None
        if kernel not in self._sources:
            self._sources[kernel] = known_sources(kernel)
        sources = self._sources[kernel]
        if sources is None:
            return None
        try:
            said = written([kind, list(values)])
        except NotPlain:
            return None
        key = hashlib.sha256(f"{self._lab} {sources.digest} {said}".encode()).hexdigest()
        work = hashlib.sha256(f"{kernel.title} {said}".encode()).hexdigest()[:32]
        return Question(key, kind, work, kernel)

    def answers(self, questions: Sequence[Question | None], kind: str) -> list[Any]:
        """Return the answer to each question, all of one kind; None where none is kept."""
        asked, found = self.counts.get(kind, (0, 0))
        self.counts[kind] = asked + len(questions), found
        if self._store is None:
            return [None] * len(questions)
        texts = self._store.texts([one.key for one in questions if one is not None])
        answers = [value_of(texts.get(one.key)) if one is not None else None for one in questions]
        self.counts[kind] = asked + len(questions), found + sum(one is not None for one in answers)
        return answers

    def seconds(self, questions: Sequence[Question | None]) -> list[float | None]:
        """Return how long each was last computed, whatever has changed since; None where that is not known."""
        if self._store is None:
            return [None] * len(questions)
        known = self._store.seconds([one.work for one in questions if one is not None])
        return [known.get(one.work) if one is not None else None for one in questions]

    def keep(self, question: Question | None, answer: Any, seconds: float = 0.0) -> None:
        """Keep an answer, which took so long, soon; one that cannot be written is not kept."""
        if question is None or not self.is_on:
            return
        try:
            entry = Entry(question.key, question.kind, written(answer), question.work, seconds)
        except NotPlain:
            return
        self._waiting.append((question, entry))
        if time.monotonic() - self._since >= _TOGETHER:
            self.write()

    def ended(self, question: Question | None, end: Died) -> None:
        """Do nothing: that a process ended may be the computer's doing, and is not kept."""

    def write(self) -> None:
        """Write what waits, without answers about what has changed since it was asked."""
        waiting, self._waiting = self._waiting, []
        self._since = time.monotonic()
        if not waiting or self._store is None:
            return
        if lab_stamps() != self._stamps:
            self._usable = False
            return
        same = {kernel: self.is_same(kernel) for kernel in {question.kernel for question, _ in waiting}}
        self._store.keep(entry for question, entry in waiting if same[question.kernel])

    def is_same(self, kernel: Kernel) -> bool:
        """Tell whether all that the kernel depends on is as it was when it was first asked about."""
        before = self._sources[kernel]
        return before is not None and still_the_same(kernel, before)


def value_of(text: str | None) -> Any:
    """Return the value of a text; None for one that is no value of the lab."""
    if text is None:
        return None
    try:
        return read(text)
    except NotPlain:
        return None
