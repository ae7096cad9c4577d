"""Run mutation tests of kernels: find every slip that the lab would not notice.

`neonlab.verify.mutation.mutants` makes mutants, `neonlab.verify.mutation.trial` judges them.  This module judges many
kernels in parallel and counts the results.
"""

from __future__ import annotations

import contextlib
import functools
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neonlab.emulate.run import FaultKind
from neonlab.errors import InputError
from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.parallel.unit import unit
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.mutant_proofs import Fate, MutantProof, MutantProver
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.lab.run.saved import save_failure
from neonlab.measure.shape import Shape
from neonlab.verify.mutation.equivalence import ReviewedTable
from neonlab.verify.mutation.mutants import Mutant, mutants_of, sample
from neonlab.verify.mutation.text import SLIPS
from neonlab.verify.mutation.trial import Judgement, Trial

_CHUNK = 40
#: Mutants that a process proves at a time.
_FEW = 8


@dataclass(frozen=True)
class MutantsOfKernel:
    """The fate of the mutants of one kernel.  `judged` holds every mutant tried, in program order."""

    kernel: str
    isa: str
    made: int  # number of all mutants; all are tried unless there is a limit
    judged: tuple[tuple[Mutant, Judgement], ...]
    proofs: Mapping[Mutant, MutantProof] | None = None  # of those that no check detects, if they were proved

    @property
    def undetected(self) -> tuple[Mutant, ...]:
        """Return the mutants that no case kills, whether or not there is a reason."""
        return tuple(mutant for mutant, judgement in self.judged if judgement.killed is None)

    def of(self, fate: Fate) -> tuple[Mutant, ...]:
        """Return the mutants that a proof gave this fate."""
        return tuple(mutant for mutant, proof in (self.proofs or {}).items() if proof.fate is fate)

    @property
    def killed(self) -> int:
        """Return the number of mutants that some case detects."""
        return sum(judgement.killed is not None for _, judgement in self.judged)

    @property
    def reasons(self) -> Mapping[str, int]:
        """Return the number of equivalent mutants by reason."""
        counts = Counter(judgement.reason for _, judgement in self.judged if judgement.reason is not None)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def survivors(self) -> tuple[Mutant, ...]:
        """Return the mutants that no case kills and that are not known to be equivalent."""
        return tuple(mutant for mutant, judgement in self.judged if judgement.survives)

    @property
    def score(self) -> float:
        """Return killed mutants as a share of those that are not equivalent; 1 if there are none."""
        worse = len(self.judged) - sum(self.reasons.values())
        return self.killed / worse if worse else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values: figures, and every mutant that was not killed."""
        slips = {}
        for slip in SLIPS:
            of_slip = [judgement for mutant, judgement in self.judged if mutant.slip == slip]
            slips[slip] = {
                "mutants": len(of_slip),
                "killed": sum(judgement.killed is not None for judgement in of_slip),
                "equivalent": sum(judgement.reason is not None for judgement in of_slip),
                "survived": sum(judgement.survives for judgement in of_slip),
            }
        return {
            "kernel": self.kernel,
            "isa": self.isa,
            "made": self.made,
            "mutants": len(self.judged),
            "killed": self.killed,
            "equivalent": sum(self.reasons.values()),
            "survived": len(self.survivors),
            "score": round(self.score, 4),
            "slips": slips,
            "reasons": dict(self.reasons),
            **({"proofs": {fate.value: len(self.of(fate)) for fate in Fate}} if self.proofs is not None else {}),
            "not_killed": [
                {
                    "line": mutant.line,
                    "slip": mutant.slip,
                    "original": mutant.original,
                    "mutant": mutant.mutant,
                    "reason": judgement.reason,
                    **({"proof": self.proofs[mutant].to_json()} if self.proofs is not None else {}),
                }
                for mutant, judgement in self.judged
                if judgement.killed is None
            ],
        }


def mutants(kernel: Kernel, limit: int | None = None, seed: int = 1) -> tuple[int, tuple[Mutant, ...]]:
    """Return the number of the kernel's mutants, and those to try: all, or `limit` of them drawn by `seed`.

    Raises InputError for a kernel without a reference.
    """
    if kernel.operator is None:
        reason = "no operator computes right results for it, so wrong results cannot be found"
        raise InputError(f"{kernel.title}: {reason}" + (f": {kernel.advice}" if kernel.advice else ""))
    every = mutants_of(kernel_program(kernel))
    return len(every), sample(every, limit, seed ^ zlib.crc32(kernel.title.encode()))


def trial_of(kernel: Kernel) -> Trial:
    """Return a trial of the kernel's mutants on the cases that `check` tries."""
    cases = [(draw_case(kernel, name), name.depth) for name in plan_cases(kernel)]
    return Trial(kernel_program(kernel), kernel.contract, cases)


@functools.lru_cache(maxsize=1)
def _trial(name: KernelHandle) -> Trial:
    return trial_of(name.open())


@unit
def _judge(name: KernelHandle, chunk: Sequence[Mutant]) -> list[Judgement]:
    trial = _trial(name)
    return [trial.judge(mutant) for mutant in chunk]


def judge_all(
    workers: Workers,
    work: Sequence[tuple[Kernel, int, Sequence[Mutant]]],
    reviewed: ReviewedTable,
    advance: Callable[[int], None] = lambda _: None,
) -> list[MutantsOfKernel]:
    """Judge the mutants of each kernel (kernel, number of its mutants, those to try).

    A mutant that ends its process is killed.  `advance` is called with the number judged since its last call.  In a
    shard, only its own mutants are judged.
    """
    tasks = [
        (kernel, list(tried[start : start + _CHUNK]))
        for kernel, _, tried in work
        for start in range(0, len(tried), _CHUNK)
    ]
    tasks = [tasks[number] for number in workers.part(_judge, [len(chunk) for _, chunk in tasks])]
    named = [(KernelHandle.of(kernel), chunk) for kernel, chunk in tasks]
    judged: dict[str, list[tuple[Mutant, Judgement]]] = {kernel.title: [] for kernel, _, _ in work}
    results = workers.run(_judge, named, lambda index: advance(len(tasks[index][1])))
    for (kernel, chunk), result in zip(tasks, results, strict=True):
        if isinstance(result, Died):
            alone = [(KernelHandle.of(kernel), [mutant]) for mutant in chunk]
            result = [
                Judgement(FaultKind.EMULATOR_DIED.value) if isinstance(one, Died) else one[0]
                for one in workers.run(_judge, alone)
            ]
        judged[kernel.title] += zip(chunk, result, strict=True)
    found = []
    for kernel, made, _ in work:
        mine = judged[kernel.title]
        said = reviewed.reasons(kernel.title, [mutant for mutant, judgement in mine if judgement.survives])
        mine = [(mutant, Judgement(reason=said[mutant]) if mutant in said else one) for mutant, one in mine]
        found.append(MutantsOfKernel(kernel.title, kernel.isa.value, made, tuple(mine)))
    return found


@functools.lru_cache(maxsize=1)
def _prover(name: KernelHandle, shapes: tuple[Shape, ...]) -> MutantProver:
    return MutantProver(name.open(), shapes)


@unit
def _prove(name: KernelHandle, shapes: tuple[Shape, ...], chunk: Sequence[Mutant]) -> list[MutantProof]:
    prover = _prover(name, shapes)
    return [prover.prove(mutant) for mutant in chunk]


def prove_undetected(
    workers: Workers,
    work: Sequence[tuple[Kernel, Sequence[Shape]]],
    results: Sequence[MutantsOfKernel],
    advance: Callable[[int], None] = lambda _: None,
) -> list[MutantsOfKernel]:
    """Return the results with proofs of the mutants that no check detects, at the shapes of each kernel.

    Without shapes, a few are chosen that run all of the code.  A mutant that ends its process is open.  Inputs for
    which one fails are saved as a case of the kernel, unless there is no place for them.  `advance` is called with the
    number tried since its last call.
    """
    asked = [(kernel, shapes, [*_groups_of(result)]) for (kernel, shapes), result in zip(work, results, strict=True)]
    proofs = prove_mutants(workers, asked, advance)
    return [replace(result, proofs=one) for result, one in zip(results, proofs, strict=True)]


def prove_mutants(
    workers: Workers,
    work: Sequence[tuple[Kernel, Sequence[Shape], Sequence[Sequence[Mutant]]]],
    advance: Callable[[int], None] = lambda _: None,
) -> list[Mapping[Mutant, MutantProof]]:
    """Return for each kernel what was shown of its mutants, as `prove_undetected` does.

    A process is given the mutants of a kernel group by group, as `in_groups` makes them.
    """
    tasks = [(KernelHandle.of(kernel), tuple(shapes), list(few)) for kernel, shapes, groups in work for few in groups]
    answers = workers.run(_prove, tasks, lambda index: advance(len(tasks[index][2])))
    found: list[MutantProof] = []
    for (name, shapes, chunk), answer in zip(tasks, answers, strict=True):
        if isinstance(answer, Died):
            alone = workers.run(_prove, [(name, shapes, [mutant]) for mutant in chunk])
            answer = [MutantProof(Fate.OPEN, reason=a.reason) if isinstance(a, Died) else a[0] for a in alone]
        found += answer
    left = iter(found)
    return [{mutant: _saved(kernel, next(left)) for few in groups for mutant in few} for kernel, _, groups in work]


def _groups_of(result: MutantsOfKernel) -> Iterator[list[Mutant]]:
    """Yield the mutants that no check detects, a few at a time: each group from mutants that were judged together.

    A shard, which judges some groups, then proves the same units as one machine would.
    """
    for start in range(0, len(result.judged), _CHUNK):
        judged = result.judged[start : start + _CHUNK]
        undetected = [mutant for mutant, judgement in judged if judgement.killed is None]
        yield from in_groups(undetected)


def in_groups(mutants: Sequence[Mutant]) -> Iterator[list[Mutant]]:
    """Yield the mutants a few at a time."""
    yield from (list(mutants[first : first + _FEW]) for first in range(0, len(mutants), _FEW))


def _saved(kernel: Kernel, proof: MutantProof) -> MutantProof:
    if proof.failure is None:
        return proof
    with contextlib.suppress(InputError):
        return replace(proof, failure=save_failure(kernel, proof.failure))
    return proof
