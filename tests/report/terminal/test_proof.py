"""The lines that `neonlab prove` prints: what was shown, for which inputs, and what is missing."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from neonlab.measure.shape import Shape
from neonlab.prove.proof import EverySize, Noticed, Proof, ProofStatus, ShapeProof
from neonlab.report.terminal.proof import print_proofs

_SHAPE = Shape(("rows", "cols"), (2, 17))
_PROVED = ShapeProof(_SHAPE, ProofStatus.PROVED, 3)
_OPEN = ShapeProof(_SHAPE, ProofStatus.NOT_PROVED, 3, reason="no rule for pmull", where="f.S:12")


def printed(*shapes: ShapeProof) -> str:
    out = io.StringIO()
    print_proofs(Console(file=out, width=120), [Proof("armv8/f", "a64", "f.S", shapes)])
    return out.getvalue()


def test_a_proof_says_for_which_inputs_it_holds() -> None:
    text = printed(_PROVED)
    assert text.startswith("proved")
    assert "armv8/f  at 2x17" in text
    assert "equal to the reference for every input that the contract allows; no NEON lane wraps" in text
    assert "1 kernel, 1 shape: 1 proved" in text


def test_inputs_that_were_held_and_sums_that_may_leave_their_lane_are_named() -> None:
    held = replace(
        _PROVED, held=("range", "shifts"), filling=("weights",), wraps=Noticed("f.S:7", "add v0.4s, v0.4s, v1.4s")
    )
    text = printed(held)
    assert "with range, shifts as drawn with seed 3, not as any value" in text
    assert "with the filling of weights as it is packed, not as any value" in text
    assert "filling" not in printed(_PROVED)
    assert "f.S:7: add v0.4s, v0.4s, v1.4s" in text
    assert "no NEON lane wraps" not in text


def test_a_proof_with_an_error_has_a_word_of_its_own_and_tells_the_error() -> None:
    large = replace(_PROVED, status=ProofStatus.PROVED_WITH_ERROR, error=-79.7)
    for shapes in ((large,), (_PROVED, large)):
        text = printed(*shapes)
        assert text.startswith("proved with error below 2^-50  armv8/f")
        assert "different sums pass for equal is below 2^-79 at a shape" in text
        assert f"1 kernel, {len(shapes)} shape{'s' * (len(shapes) > 1)}: 1 proved with error below 2^-50" in text
    assert "pass for equal" not in printed(_PROVED)


def test_what_is_not_proved_is_never_called_proved_and_reasons_are_told_once() -> None:
    text = printed(_PROVED, _OPEN, _OPEN)
    assert text.startswith("not proved")
    assert "at 1 of 3 shapes" in text
    assert text.count("f.S:12: no rule for pmull") == 1
    assert "2x17 and 1 more" in text
    assert "equal to the reference" not in text


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ((ProofStatus.PROVED, ProofStatus.PROVED), ProofStatus.PROVED),
        ((ProofStatus.PROVED, ProofStatus.NOT_PROVED), ProofStatus.NOT_PROVED),
        ((ProofStatus.NOT_PROVED, ProofStatus.REFUTED), ProofStatus.REFUTED),
        ((ProofStatus.PROVED, ProofStatus.PROVED_WITH_ERROR), ProofStatus.PROVED_WITH_ERROR),
        ((ProofStatus.PROVED_WITH_ERROR, ProofStatus.NOT_PROVED), ProofStatus.NOT_PROVED),
        ((ProofStatus.PROVED_WITH_ERROR, ProofStatus.REFUTED), ProofStatus.REFUTED),
    ],
)
def test_a_kernel_is_proved_only_where_every_shape_is(found: tuple[ProofStatus, ...], status: ProofStatus) -> None:
    proof = Proof("armv8/f", "a64", "f.S", tuple(replace(_PROVED, status=one) for one in found))
    assert proof.status is status
    assert proof.to_json()["status"] == status.value


_EVERY = EverySize("cols", _SHAPE, 17, 16, 1009, (113, 1009), replace(_PROVED, held=("range",)), -79.5)


def _printed_of_every(every: EverySize) -> str:
    out = io.StringIO()
    print_proofs(Console(file=out, width=120), [Proof("armv8/f", "a64", "f.S", (_PROVED,), every=(every,))])
    return out.getvalue()


def test_a_proof_for_every_size_names_the_sizes_and_what_it_assumes() -> None:
    text = _printed_of_every(_EVERY)
    assert "proved with error below 2^-50 at 2xN for every cols N from 17 to 1009 in steps of 16" in text
    assert "if its reference is a sum over cols, to which zeros add nothing" in text
    assert "(this was seen at N = 113, 1009, and is assumed of all others)" in text
    assert "with range as drawn with seed 3 at 2x17" in text
    assert "the chance that this is wrong is below 2^-79" in text
    assert "2^-50" not in _printed_of_every(replace(_EVERY, error=None))


def test_a_proof_that_does_not_reach_every_size_says_why_and_is_not_complete() -> None:
    wrong = replace(_EVERY, reason="a pass of the loop stores", where="f.S:9")
    text = _printed_of_every(wrong)
    assert "not proved for every cols from 2x17 on: f.S:9: a pass of the loop stores" in text
    assert "for every cols N" not in text
    assert Proof("f", "a64", "f.S", (_PROVED,), every=(_EVERY,)).is_complete
    assert not Proof("f", "a64", "f.S", (_PROVED,), every=(wrong,)).is_complete
    assert not Proof("f", "a64", "f.S", (_OPEN,), every=(_EVERY,)).is_complete
    assert (wrong.to_json()["first"], wrong.to_json()["assumed"]) == (None, None)
