"""Proofs of mutants that no check noticed: one that is wrong is different, and its inputs become a case."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from tests.command_line import ADD, new_repository

from neonlab.lab.parallel.mutants import MutantsOfKernel, mutants, prove_undetected
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check_case
from neonlab.lab.run.mutant_proofs import Fate
from neonlab.lab.run.saved import saved_case
from neonlab.report.json.documents import schemas
from neonlab.verify.checker import Checker
from neonlab.verify.mutation.mutants import mutated
from neonlab.verify.mutation.trial import Judgement

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/lab/run/test_mutant_proofs.py has the words without it"
)


def test_a_wrong_mutant_that_no_case_kills_is_different_and_its_inputs_are_saved(tmp_path: Path) -> None:
    kernel = open_kernel(new_repository(tmp_path / "repository") / "asm" / f"{ADD}.S")
    made, tried = mutants(kernel)
    wrong = next(m for m in tried if m.slip == "dropped" and m.original.startswith("sqadd v0"))
    result = MutantsOfKernel(kernel.title, kernel.isa.value, made, ((wrong, Judgement()),))
    with Workers(1) as workers:
        (found,) = prove_undetected(workers, [(kernel, ())], [result])
    assert found.of(Fate.DIFFERENT) == (wrong,)
    document = {"command": "mutate", "neonlab": "0", "seed": 1, "kernels": [found.to_json()]}
    jsonschema.validate(document, schemas()["mutate"])
    assert found.proofs is not None
    failure = found.proofs[wrong].failure
    assert failure is not None
    (told,) = found.to_json()["not_killed"]
    assert told["proof"]["failure"] == {
        "identifier": failure.identifier,
        "shape": str(failure.shape),
        "saved": Path(failure.saved).name,
    }
    case = saved_case(kernel, Path(failure.saved))
    assert check_case(kernel, case).outcomes == [None]
    with Checker(mutated(kernel_program(kernel), wrong), kernel.contract) as checker:
        assert checker.check(case) is not None
