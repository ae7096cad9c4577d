"""Prove the mutants that a report has as harmless by review, without checking any again.

The report names a mutant by its text.  The kernel may have other mutants of the same text, at other places, which cases
notice: so all of them are compared with the kernel, and those that are not different are the ones that the report has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.lab.parallel.mutants import in_groups, prove_mutants
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.mutant_proofs import Fate, MutantProof
from neonlab.verify.mutation.equivalence import RULES
from neonlab.verify.mutation.mutants import Mutant, mutants_of

Record = Mapping[str, Any]
_Text = tuple[str, str, str]
#: A mutant of several with one text is taken for the reviewed one in this order.
_ORDER = (Fate.EQUAL, Fate.OPEN, Fate.DIFFERENT)


@dataclass(frozen=True)
class RecordedProofs:
    """Hold what was shown of the reviewed mutants of one kernel.

    `record` is that of the report, with a `proof` in each reviewed mutant that the kernel still has.  `counts` has the
    number of these by fate; `gone` counts those that it has no more.
    """

    kernel: str
    record: Record
    counts: Mapping[Fate, int]
    gone: int


def is_reviewed(item: Record) -> bool:
    """Tell whether a mutant of a record is harmless for a reason that no rule gave."""
    return item["reason"] is not None and item["reason"] not in RULES


def prove_recorded(
    workers: Workers,
    work: Sequence[tuple[Kernel, Record]],
    begin: Callable[[int], Callable[[int], None]] = lambda _: lambda _: None,
) -> list[RecordedProofs]:
    """Prove the reviewed mutants in the record of each kernel.

    `begin` is called with the number of all, and returns what is called with the number tried since its last call.
    """
    texts = [{_text(item) for item in record["not_killed"] if is_reviewed(item)} for _, record in work]
    tried = [_of_text(kernel, wanted) for (kernel, _), wanted in zip(work, texts, strict=True)]
    every = [[one for group in groups.values() for one in group] for groups in tried]
    asked = [(kernel, (), [*in_groups(mutants)]) for (kernel, _), mutants in zip(work, every, strict=True)]
    found = prove_mutants(workers, asked, begin(sum(map(len, every))))
    return [
        _with_proofs(kernel, record, groups, proofs)
        for (kernel, record), groups, proofs in zip(work, tried, found, strict=True)
    ]


def _text(item: Record) -> _Text:
    return item["slip"], item["original"], item["mutant"]


def _of_text(kernel: Kernel, texts: set[_Text]) -> dict[_Text, list[Mutant]]:
    """Return the kernel's mutants of these texts, in program order."""
    groups: dict[_Text, list[Mutant]] = {}
    for one in mutants_of(kernel_program(kernel)) if texts else ():
        if (text := (one.slip, one.original, one.mutant)) in texts:
            groups.setdefault(text, []).append(one)
    return groups


def _with_proofs(
    kernel: Kernel, record: Record, groups: Mapping[_Text, Sequence[Mutant]], proofs: Mapping[Mutant, MutantProof]
) -> RecordedProofs:
    """Return the record with a proof in each reviewed mutant; of each text those nearest to equal are taken."""
    left = {}
    for text, group in groups.items():
        nearest = sorted(group, key=lambda one: _ORDER.index(proofs[one].fate))[: _wanted(record, text)]
        left[text] = sorted(nearest, key=lambda one: one.address)
    items, counts, gone = [], Counter[Fate](), 0
    for item in record["not_killed"]:
        if is_reviewed(item):
            item = {key: value for key, value in item.items() if key != "proof"}
            if left.get(_text(item)):
                mutant = left[_text(item)].pop(0)
                item |= {"line": mutant.line, "proof": proofs[mutant].to_json()}
                counts[proofs[mutant].fate] += 1
            else:
                gone += 1
        items.append(item)
    return RecordedProofs(kernel.title, {**record, "not_killed": items}, counts, gone)


def _wanted(record: Record, text: _Text) -> int:
    return sum(is_reviewed(item) and _text(item) == text for item in record["not_killed"])
