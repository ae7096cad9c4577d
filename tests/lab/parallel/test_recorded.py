"""Proofs of the mutants that a report calls harmless by review: nothing is checked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.command_line import ADD, neonlab, new_repository

from neonlab.lab.parallel.mutants import mutants
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.recorded import prove_recorded
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.mutant_proofs import Fate
from neonlab.report.tables.mutants import markdown_document
from neonlab.verify.mutation.equivalence import SAME_EFFECT
from neonlab.verify.mutation.mutants import Mutant
from neonlab.verify.mutation.text import SLIPS

_REVIEW = "whoever wrote this looked at it"


def _record(kernel: Kernel, *items: tuple[Mutant, str | None]) -> dict[str, Any]:
    """What `neonlab mutate --into` writes of a kernel whose mutants no case noticed."""
    told = [
        {"line": one.line + 5, "slip": one.slip, "original": one.original, "mutant": one.mutant, "reason": reason}
        for one, reason in items
    ]
    figures = {"mutants": len(items), "killed": 0, "equivalent": len(items), "survived": 0}
    reasons = {reason: 1 for _, reason in items if reason is not None}
    slips = {slip: dict.fromkeys(figures, 0) for slip in SLIPS}
    document = {"kernel": kernel.title, "isa": kernel.isa.value, "made": 400, "score": 1.0, "slips": slips}
    return {**document, **figures, "reasons": reasons, "not_killed": told}


@pytest.mark.thorough("compiling what replays a trace takes a minute; the texts of the report are tested without it")
def test_reviewed_mutants_are_proved_by_their_texts_and_others_are_left_alone(tmp_path: Path) -> None:
    kernel = open_kernel(new_repository(tmp_path / "repository") / "asm" / f"{ADD}.S")
    _, tried = mutants(kernel)
    wrong = next(one for one in tried if one.slip == "dropped" and one.original.startswith("sqadd v0"))
    later = next(one for one in tried if one.slip == "mnemonic" and one.original.startswith("b.lo"))
    record = _record(kernel, (later, _REVIEW), (wrong, _REVIEW), (wrong, _REVIEW), (wrong, SAME_EFFECT))
    with Workers(1) as workers:
        (found,) = prove_recorded(workers, [(kernel, record)])
    assert (dict(found.counts), found.gone) == ({Fate.EQUAL: 1, Fate.DIFFERENT: 1}, 1)
    equal, different, gone, by_rule = found.record["not_killed"]
    assert (equal["line"], equal["proof"]["fate"], bool(equal["proof"]["shapes"])) == (later.line, "equal", True)
    assert (different["line"], different["proof"]["fate"]) == (wrong.line, "different")
    assert "proof" not in gone  # the kernel has one mutant of this text, not two
    assert "proof" not in by_rule
    text = markdown_document([found.record])
    assert text.count(f"{kernel.title}: {_REVIEW}") == 1
    assert f"`{later.original}` → `{later.mutant}`" not in text
    assert "- 1: proved equal to the kernel" in text
    assert "## Different\n\n- " in text


def test_a_report_lists_reviewed_mutants_that_stay_open_with_the_reason(tmp_path: Path) -> None:
    kernel = open_kernel(new_repository(tmp_path / "repository") / "asm" / f"{ADD}.S")
    _, (one, other, *_) = mutants(kernel)
    record = _record(kernel, (one, _REVIEW), (other, _REVIEW))
    record["not_killed"][0]["proof"] = {"fate": "open", "reason": "at 7: too many values", "failure": None}
    text = markdown_document([record])
    assert (
        f"- {kernel.title}: {_REVIEW}\n    - line {one.line + 5}: `{one.original}` → `{one.mutant}`: open: at 7" in text
    )
    assert f"    - line {other.line + 5}: `{other.original}` → `{other.mutant}`\n" in text
    assert "proved equal" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [((), "--recorded takes --prove, --into FOLDER"), (("--prove", "--into", "reports"), "has none of these kernels")],
)
def test_options_that_do_not_go_together_and_a_report_without_the_kernel_are_refused(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    repository = new_repository(tmp_path / "repository")
    done = neonlab("mutate", ADD, "--recorded", *options, cwd=repository)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (repository / "reports").exists()
    assert done.stdout == ""
