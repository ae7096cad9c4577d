"""Results of one shard of a command, as they are found; and those of all shards, as one machine would find them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.lab.cache.lab_version import lab_digest, lab_versions
from neonlab.lab.cache.plain import NotPlain, written
from neonlab.lab.cache.results import Question, Results, value_of
from neonlab.lab.cache.share import Share
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.shards.file import Shard

#: Units that a shard should have for each kind of work, so that shards take equally long.
_UNITS = 2


class _Asking(Results):
    """Results whose units were dealt to shards: each kernel must be known by what it depends on."""

    def __init__(self, folder: Path | None, share: Share) -> None:
        super().__init__(folder, asks=True)
        if not self.is_on:
            raise InputError("the sources of neonlab were written while it started: run the command again")
        self.spread = _UNITS * share.of
        self._dealt: dict[str, int] = {}

    def question(self, kind: str, kernel: Kernel, *values: Any) -> Question | None:
        """Return the question about a kernel.  Raises InputError for units of shards whose results cannot be kept."""
        question = super().question(kind, kernel, *values)
        if question is None and kind in self._dealt:
            raise InputError(
                f"{kernel.title}: nothing tells all that its results depend on, so no shard can hold them: "
                "leave it out, or leave out --shard"
            )
        return question


class RecordedResults(_Asking):
    """The results of one shard, recorded from the first kind of work on that is dealt to shards.

    Results that are kept in `folder` are recorded too, and new ones are kept there; None keeps none.
    """

    def __init__(self, folder: Path | None, share: Share) -> None:
        super().__init__(folder, share)
        self.share = share
        self._recorded: dict[str, tuple[str, str]] = {}
        self._kernels: dict[Kernel, None] = {}

    def part(self, kind: str, weights: Sequence[float]) -> list[int]:
        """Return the numbers of the units of this shard."""
        self._dealt[kind] = self._dealt.get(kind, 0) + len(weights)
        assert self.share is not None
        return self.share.deal(weights)

    def answers(self, questions: Sequence[Question | None], kind: str) -> list[Any]:
        """Return the answer to each question, all of one kind; None where none is kept."""
        answers = super().answers(questions, kind)
        for question, answer in zip(questions, answers, strict=True):
            if answer is not None:
                self._record(question, answer)
        return answers

    def keep(self, question: Question | None, answer: Any, seconds: float = 0.0) -> None:
        """Record an answer, and keep it."""
        self._record(question, answer)
        super().keep(question, answer, seconds)

    def ended(self, question: Question | None, end: Died) -> None:
        """Record that the unit ended its process."""
        self._record(question, end)

    def _record(self, question: Question | None, answer: Any) -> None:
        if question is None or not self._dealt:
            return
        try:
            self._recorded[question.key] = question.kind, written(answer)
        except NotPlain:
            if question.kind in self._dealt:
                raise InputError(f"{question.kernel.title}: a result cannot be written to a shard") from None
            return  # the merge computes it
        self._kernels[question.kernel] = None

    def shard(self, command: str, arguments: Sequence[str]) -> Shard:
        """Return what was recorded, as the shard of a command.

        Raises InputError if a kernel, or what it depends on, was written since.
        """
        for kernel in self._kernels:
            if not self.is_same(kernel):
                raise InputError(f"{kernel.title} was written while the shard ran: run the shard again")
        assert self.share is not None
        return Shard(
            command, tuple(arguments), self.share, str(Path.cwd()), lab_digest(), tuple(lab_versions()), self._dealt,
            self._recorded,
        )  # fmt: skip


class MergedResults(_Asking):
    """The results of all shards of a command.  What was not dealt to shards is taken from `folder`, or computed."""

    def __init__(self, folder: Path | None, shards: Sequence[Shard]) -> None:
        super().__init__(folder, shards[0].share)
        self._units = shards[0].units
        self._texts = {key: text for shard in shards for key, (_, text) in shard.results.items()}

    def part(self, kind: str, weights: Sequence[float]) -> list[int]:
        """Return all numbers.  Raises InputError where the shards were cut from other work."""
        self._dealt[kind] = self._dealt.get(kind, 0) + len(weights)
        if self._dealt[kind] > self._units.get(kind, 0):
            raise InputError(
                f"the shards were cut from {self._units.get(kind, 0):,} units of work, and here are more: "
                "kernels or operators are not those that the shards ran on"
            )
        return list(range(len(weights)))

    def answers(self, questions: Sequence[Question | None], kind: str) -> list[Any]:
        """Return the answer to each question.  Raises InputError for a unit that was dealt and is in no shard."""
        found = [value_of(self._texts.get(one.key)) if one is not None else None for one in questions]
        if kind in self._dealt:
            for question, answer in zip(questions, found, strict=True):
                if question is not None and answer is None:
                    raise InputError(
                        f"{question.kernel.title}: the shards have no result for it as it is here: the kernel, what "
                        "it includes or its operator is not what the shards ran on: merge where these are the same"
                    )
            return found
        left = [number for number, answer in enumerate(found) if answer is None]
        for number, answer in zip(left, super().answers([questions[n] for n in left], kind), strict=True):
            found[number] = answer
        return found


def merge_here(shards: Sequence[Shard]) -> None:
    """Raise InputError unless the shards were run by this lab, and in this folder."""
    versions = lab_versions()
    for shard in shards:
        if shard.lab != lab_digest():
            other = [
                f"{theirs}, here {ours}"
                for theirs, ours in zip(shard.versions, versions, strict=False)
                if theirs != ours
            ]
            told = "; ".join(other) or "its sources differ"
            raise InputError(f"shard {shard.share} was run by another neonlab than this: {told}: merge with that one")
    if shards[0].folder != str(Path.cwd()):
        raise InputError(f"the shards were run in {shards[0].folder}: run merge there, for results name files")
