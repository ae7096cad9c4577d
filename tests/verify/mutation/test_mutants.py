"""Mutants of the kernels: what is changed in them is noticed, and what is excused does no harm."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from tests.sample import KERNELS, ONE_OF_EACH

from neonlab.errors import InputError
from neonlab.lab.parallel.mutants import MutantsOfKernel, judge_all, mutants
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.report.json.documents import schemas
from neonlab.report.tables.mutants import markdown_document
from neonlab.verify.mutation.equivalence import read_reviewed
from neonlab.verify.mutation.mutants import mutants_of, mutated, sample

ROOT = Path(__file__).resolve().parents[3]
REVIEWED = ROOT / "tests" / "verify" / "mutants_equivalent.toml"
REPORT = json.loads((ROOT / "reports" / "mutants.json").read_text())
ROWS = {row["kernel"]: row for row in REPORT["kernels"]}
REPORTED = [kernel for kernel in KERNELS if kernel.title in ROWS]
#: Kernels of which every mutant was tried.
WHOLE = [kernel for kernel in REPORTED if ROWS[kernel.title]["made"] == ROWS[kernel.title]["mutants"]]
SAMPLE = 40


def judged(*kernels: Kernel, count: int = SAMPLE) -> list[MutantsOfKernel]:
    with Workers(2) as workers:
        return judge_all(workers, [(kernel, *mutants(kernel, count, 2)) for kernel in kernels], read_reviewed(REVIEWED))


@pytest.mark.slow
def test_every_slip_of_the_pen_that_does_harm_is_noticed() -> None:
    # A sample; the report is of all.
    for result in judged(*WHOLE):
        assert len(result.judged) == SAMPLE < result.made
        assert not result.survivors, (result.kernel, [mutant.title for mutant in result.survivors])
        assert result.killed >= SAMPLE // 2


@pytest.mark.slow
def test_the_report_is_of_the_kernels_as_they_are() -> None:
    document = REPORT
    jsonschema.validate(document, schemas()["mutate"])
    assert {kernel.title: ROWS[kernel.title]["made"] for kernel in WHOLE} == {
        kernel.title: len(mutants_of(kernel_program(kernel))) for kernel in WHOLE
    }
    assert len(WHOLE) >= 4 and all(ROWS[kernel.title]["survived"] == 0 for kernel in WHOLE)
    # Of the others a sample, in which few survive.
    assert sum(row["survived"] for row in ROWS.values()) <= 0.05 * sum(row["mutants"] for row in ROWS.values())
    written = markdown_document(document["kernels"])
    assert (ROOT / "reports" / "mutants.md").read_text() == written


def test_every_reviewed_mutant_is_one_of_its_kernel() -> None:
    entries = read_reviewed(REVIEWED).entries
    for kernel in WHOLE:
        made = Counter((mutant.original, mutant.mutant) for mutant in mutants_of(kernel_program(kernel)))
        for entry in entries:
            if entry.kernel == kernel.title:
                assert 0 < entry.places <= made[entry.original, entry.mutant], entry
    assert {entry.kernel for entry in entries} <= {kernel.title for kernel in KERNELS}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
@pytest.mark.sweep(parts=2)
def test_a_mutant_differs_from_the_kernel_in_the_words_it_names_and_no_other(kernel: Kernel) -> None:
    program = kernel_program(kernel)
    chosen = sample(mutants_of(program), 50, 7)
    assert len(set(chosen)) == 50 and chosen == sample(mutants_of(program), 50, 7)
    assert set(chosen) < set(sample(mutants_of(program), 60, 7))
    for mutant in chosen:
        changed = mutated(program, mutant)
        assert changed.linked_at is None  # or the unchanged kernel would run in its place
        for old, new in zip(program.segments, changed.segments, strict=True):
            for offset in range(0, len(old.data), 4):
                inside = 0 <= old.address + offset - mutant.address < 4 * len(mutant.words)
                same = old.data[offset : offset + 4] == new.data[offset : offset + 4]
                assert same or inside, mutant.title
        assert changed.by_address[mutant.address].text in mutant.mutant


@pytest.mark.slow
def test_a_check_that_looks_at_little_lets_mutants_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    # The judge judged: with one case of one pixel and one channel each way, most of a kernel never runs.
    from neonlab.lab.parallel import mutants as module
    from neonlab.lab.run.plan import parse_shape
    from neonlab.verify.cases.case import CaseName

    def one_case(kernel: Kernel, **_: object) -> list[CaseName]:
        return [CaseName(parse_shape(kernel, "1x1x1x1"), "random", 1)]

    monkeypatch.setattr(module, "plan_cases", one_case)
    kernel = next(kernel for kernel in KERNELS if kernel.title == "armv8/conv1x1_s8s32_hwc_4x4")
    trial = module.trial_of(kernel)
    _, tried = mutants(kernel, 60, 1)
    survivors = [mutant for mutant in tried if dataclasses.replace(trial.judge(mutant), reason=None).survives]
    assert len(survivors) > 20


def test_a_kernel_that_nobody_can_judge_is_refused() -> None:
    with pytest.raises(InputError):
        mutants(open_kernel(ROOT / "tests" / "saboteurs" / "armv8" / "saturating_add_s8.S"))
