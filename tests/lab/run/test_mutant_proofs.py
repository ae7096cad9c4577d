"""The fate of a mutant: equal only where every shape tried proves it, different only where inputs make it fail."""

from __future__ import annotations

import io
import json

import jsonschema
import pytest
from rich.console import Console

from neonlab.cli.commands.mutate import print_results
from neonlab.lab.parallel.mutants import MutantsOfKernel
from neonlab.lab.run.mutant_proofs import Fate, MutantProof, folded
from neonlab.measure.shape import Shape
from neonlab.prove.proof import ProofStatus, ShapeProof
from neonlab.report.json.documents import schemas
from neonlab.report.tables.mutants import markdown_document
from neonlab.verify.cases.case import CaseName
from neonlab.verify.mutation.mutants import Mutant
from neonlab.verify.mutation.trial import Judgement
from neonlab.verify.verdict import WITNESS, Failure

_SHAPES = [Shape(("n",), (size,)) for size in (3, 7, 9)]
_FAILURE = Failure(CaseName(_SHAPES[1], WITNESS, 1))
_PROVED = ShapeProof(_SHAPES[0], ProofStatus.PROVED, 1, held=("range",), filling=("weights",))
_REFUTED = ShapeProof(_SHAPES[1], ProofStatus.REFUTED, 1, failure=_FAILURE)
_UNPROVED = ShapeProof(_SHAPES[2], ProofStatus.NOT_PROVED, 1, reason="no rule")


@pytest.mark.parametrize(
    ("found", "fate", "reason"),
    [
        ([], Fate.OPEN, "no shape at which the kernel can be followed runs the changed code"),
        ([_PROVED], Fate.EQUAL, ""),
        ([_PROVED, _UNPROVED], Fate.OPEN, "at 9: no rule"),
        ([_UNPROVED, _PROVED], Fate.OPEN, "at 9: no rule"),
        ([_UNPROVED, _REFUTED], Fate.DIFFERENT, ""),
        ([_PROVED, _REFUTED], Fate.DIFFERENT, ""),
    ],
)
def test_the_fate_is_the_strongest_word_that_the_shapes_allow(found: list[ShapeProof], fate: Fate, reason: str) -> None:
    proof = folded(found)
    assert (proof.fate, proof.reason) == (fate, reason)
    assert proof.shapes == tuple(one.shape for one in found)
    assert (proof.failure is not None) == (fate is Fate.DIFFERENT)
    if _PROVED in found:
        assert (proof.held, proof.filling) == (("range",), ("weights",))


def _result(*, proved: bool) -> MutantsOfKernel:
    mutants = [Mutant("dropped", address, (1,), "mul v0", "nop", address // 4) for address in (0, 4, 8, 12)]
    judgements = [Judgement("mismatch"), Judgement(reason="a rule"), Judgement(), Judgement()]
    proofs = dict(zip(mutants[1:], map(folded, ([_PROVED], [_REFUTED], [_UNPROVED])), strict=True))
    return MutantsOfKernel(
        "armv8/f", "a64", 9, tuple(zip(mutants, judgements, strict=True)), proofs if proved else None
    )


def test_proofs_are_told_in_the_terminal_the_document_and_the_table_and_only_if_they_were_made() -> None:
    out = io.StringIO()
    print_results(Console(file=out, width=200), [_result(proved=True)])
    text = out.getvalue()
    assert "the 3 that no check notices, proved at 3 shapes: 1 different, 1 equal, 1 open" in text
    assert "with range as drawn, not as any value" in text
    assert "different: mismatch at 7: a case is missing: line 2, dropped: mul v0  ->  nop" in text
    assert "open: line 3, dropped: mul v0  ->  nop: at 9: no rule" in text
    plain, proved = _result(proved=False).to_json(), _result(proved=True).to_json()
    for one in (plain, proved):
        document = {"command": "mutate", "neonlab": "0", "seed": 1, "kernels": [one]}
        jsonschema.validate(json.loads(json.dumps(document)), schemas()["mutate"])
    assert "proofs" not in plain and proved["proofs"] == {"different": 1, "equal": 1, "open": 1}
    table = markdown_document([proved, {**plain, "kernel": "armv8/g"}])
    assert "| kernel | mutants | killed | equivalent | survived | score | different | equal | open |" in table
    assert "| armv8/f, of 9 | 4 | 1 | 1 | 2 | 33.33 % | 1 | 1 | 1 |" in table
    assert "| armv8/g, of 9 | 4 | 1 | 1 | 2 | 33.33 % | – | – | – |" in table
    assert "## Different\n\n- armv8/f, line 2: `mul v0` → `nop`: mismatch at 7\n" in table
    without = markdown_document([plain])
    assert "different" not in without.lower() and "--prove" not in without


def test_a_proof_that_was_not_made_says_nothing() -> None:
    result = _result(proved=False)
    assert [result.of(fate) for fate in Fate] == [(), (), ()]
    assert len(result.undetected) == 3
    assert MutantProof(Fate.OPEN).to_json()["failure"] is None
