"""Faults that a contract accepts: they are reported as accepted, and hide nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.saboteurs import Saboteur, find_saboteur, saboteurs

import neonlab
from neonlab.contract.allowances import _ACCEPTABLE
from neonlab.contract.options import Given
from neonlab.errors import InputError
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check
from neonlab.verify.verdict import Status, Verdict


def _first_of_each_kind() -> list[Saboteur]:
    found: dict[str, Saboteur] = {}
    for one in saboteurs():
        if one.line is not None and one.fault in {kind.value for kind in _ACCEPTABLE}:
            found.setdefault(one.fault, one)
    return list(found.values())


_SABOTEURS = _first_of_each_kind()
#: Kinds whose saboteur does not come back: there is no result to judge it by, so that accepting them is not enough.
NO_RESULT = ("readonly-write", "stack-pointer", "undefined-instruction", "upper-half-argument")


def judged(path: Path, *entries: str) -> Verdict:
    settings = [("accept", f"[{', '.join(entries)}]")]
    return check(open_kernel(path, Given(settings=tuple(settings))))


def entry(kind: str, place: str) -> str:
    return f'{{ fault = "{kind}", {place}, why = "known since 2019" }}'


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("saboteur", _SABOTEURS, ids=lambda saboteur: saboteur.title)
@pytest.mark.sweep(keep=5)
def test_an_accepted_fault_is_told_and_no_failure_where_there_is_a_result(saboteur: Saboteur, tmp_path: Path) -> None:
    path, kind, line = saboteur.write(tmp_path), saboteur.fault, saboteur.line
    assert line is not None
    verdict = judged(path, entry(kind, f"line = {line}"))
    again = [one.fault for one in verdict.failures if (one.identifier, one.where) == (kind, f"{path}:{line}")]
    if kind in NO_RESULT:
        assert all(fault and "it is accepted, but the call does not complete: " in fault.message for fault in again)
    assert bool(again) == (kind in NO_RESULT)
    (known,) = verdict.accepted
    assert (known.fault, known.where, known.why) == (kind, f"line {line}", "known since 2019")
    assert known.cases > 0
    assert verdict.to_json()["accepted"] == [
        {"fault": kind, "where": f"line {line}", "why": "known since 2019", "cases": known.cases}
    ]


@pytest.mark.slow(keep=7)
@pytest.mark.parametrize("saboteur", _SABOTEURS, ids=lambda saboteur: saboteur.title)
def test_a_fault_accepted_elsewhere_or_of_another_kind_fails_as_before(saboteur: Saboteur, tmp_path: Path) -> None:
    path, kind, line = saboteur.write(tmp_path), saboteur.fault, saboteur.line
    assert line is not None
    other = "oob-read" if kind != "oob-read" else "lane-wrap"
    verdict = judged(path, entry(kind, f"line = {line + 1}"), entry(other, f"line = {line}"))
    assert [(failure.identifier, failure.where) for failure in verdict.failures] == [(kind, f"{path}:{line}")]
    assert verdict.status is Status.WRONG and [known.cases for known in verdict.accepted] == [0, 0]


READS_TOO_FAR = find_saboteur("armv8/oob_read_tail_loads_eight")


def edited(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """The saboteur that loads 8 bytes to use one, with more changed."""
    text = READS_TOO_FAR.text
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = tmp_path / READS_TOO_FAR.kernel.name
    path.write_text(text)
    return path


ACCEPTED = entry("oob-read", 'text = "ldr d0, [x0], #1"')


def test_a_statement_is_found_by_its_text_wherever_it_moves(tmp_path: Path) -> None:
    path = edited(tmp_path, ("\n3:\n", "\n    // moved by two lines\n\n3:\n"))
    verdict = judged(path, ACCEPTED)
    assert verdict.faultless and verdict.accepted[0].cases > 0 and verdict.accepted[0].where == "`ldr d0, [x0], #1`"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("    ldr     b1, [x1], #1", "    ldr     h1, [x1], #1", "oob-read"),
        ("    str     b0, [x2], #1", "    str     h0, [x2], #1", "oob-write"),
        ("    sqadd   b0, b0, b1", "    add     v0.8b, v0.8b, v1.8b", "lane-wrap"),
        ("4:\n    ret", "4:\n    mov     x20, #0\n    ret", "clobbered-callee-saved"),
        ("    sqadd   b0, b0, b1", "    sqadd   v0.8b, v0.8b, v9.8b", "uninit-register"),
    ],
)
def test_what_else_is_wrong_behind_an_accepted_fault_is_found(tmp_path: Path, old: str, new: str, kind: str) -> None:
    path = edited(tmp_path, (old, new))
    verdict = judged(path, ACCEPTED)
    assert [failure.identifier for failure in verdict.failures] == [kind]
    assert verdict.accepted[0].cases > 0


def test_a_wrong_result_behind_an_accepted_fault_is_found(tmp_path: Path) -> None:
    template = Path(neonlab.__file__).parent / "lab" / "start" / "template" / "kernels" / "add.py"
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "add.py").write_text(template.read_text())
    path = tmp_path / "asm" / "armv8" / "add_s8_tail.S"
    path.parent.mkdir(parents=True)
    text = READS_TOO_FAR.text.replace(READS_TOO_FAR.kernel.stem, path.stem)
    text = re.sub(r"\bout( += \{|\[i\])", r"c\1", re.sub(r"\bn( += \{|\")", r"count\1", text))
    text = text.replace("int8_t *out, size_t n)", "int8_t *c, size_t count)")
    path.write_text(text)
    assert judged(path, ACCEPTED).status is Status.EXACT
    assert text.count("sqadd   b0, b0, b1") == 1
    path.write_text(text.replace("sqadd   b0, b0, b1", "sqsub   b0, b0, b1"))
    verdict = judged(path, ACCEPTED)
    assert [failure.identifier for failure in verdict.failures] == ["mismatch"] and verdict.accepted[0].cases > 0


def test_a_text_on_several_lines_is_refused(tmp_path: Path) -> None:
    path = edited(tmp_path, ("    b.hs    1b\n", "    ldr     d0, [x0], #1\n    b.hs    1b\n"))
    with pytest.raises(
        InputError, match=r"accept: `ldr d0, \[x0\], #1` is on lines 27, 33 of .*: choose one with `line`"
    ):
        judged(path, ACCEPTED)
