"""The table of proofs: each word stands for its own shapes, and a record goes when the code has changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from neonlab.errors import InputError
from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import find_root, open_library
from neonlab.measure.shape import Shape
from neonlab.prove.proof import Noticed, Proof, ProofStatus, ShapeProof
from neonlab.report.tables.proofs import json_document, markdown_document, merged, record_of

PROVED = ShapeProof(Shape(("n",), (3,)), ProofStatus.PROVED, 1, held=("limits",))
WITH_ERROR = replace(PROVED, shape=Shape(("n",), (4096,)), status=ProofStatus.PROVED_WITH_ERROR, error=-90.0)
OPEN = replace(PROVED, status=ProofStatus.NOT_PROVED, held=(), reason="no rule: clz", where="asm/armv8/k.S:12")
WRAPS = replace(PROVED, wraps=Noticed("asm/armv8/k.S:7", "add v0.4s, v0.4s, v1.4s"))


def record(kernel: str, *shapes: ShapeProof, part: str = "tails", code: str = "c0de") -> dict[str, object]:
    return record_of(Proof(kernel, "armv8", f"asm/{kernel}.S", shapes), code, part)


def row(text: str, kernel: str) -> list[str]:
    found = [line for line in text.splitlines() if line.startswith(f"| {kernel} |")]
    assert len(found) == 1
    return [cell.strip() for cell in found[0].strip("|").split("|")]


def test_a_row_counts_each_word_apart() -> None:
    tails = record("armv8/k", PROVED, PROVED, OPEN)
    layers = record("armv8/k", WITH_ERROR, WRAPS, part="layers")
    text = markdown_document([{**tails, **layers}], ["armv8/k", "armv8/new"])
    assert row(text, "armv8/k") == ["armv8/k", "3", "2", "2", "1", "1", "limits", "may wrap", "1"]
    assert "- armv8/k, 3: k.S:12: no rule: clz" in text
    assert "No proof is recorded of the code that these have now: `armv8/new`." in text and "1 of 2 kernels" in text


def test_a_layer_that_was_tried_alone_is_named() -> None:
    text = markdown_document([record("armv8/k", WITH_ERROR, part="layers")], ["armv8/k"])
    assert row(text, "armv8/k")[3:6] == [f"{WITH_ERROR.shape}: 1", "0", "1"]


@pytest.mark.parametrize(
    ("shapes", "word"),
    [((PROVED,), "never wrap"), ((PROVED, OPEN), "not shown"), ((OPEN,), "not shown"), ((WRAPS, OPEN), "may wrap")],
)
def test_lanes_are_said_never_to_wrap_only_where_all_shapes_are_proved(
    shapes: tuple[ShapeProof, ...], word: str
) -> None:
    assert row(markdown_document([record("armv8/k", *shapes)], ["armv8/k"]), "armv8/k")[7] == word


def test_what_was_not_tried_is_not_counted_as_nothing_open() -> None:
    text = markdown_document([record("armv8/k", PROVED)], ["armv8/k"])
    assert row(text, "armv8/k")[3:6] == ["not tried"] * 3
    assert text.endswith("## Open\n\nNothing.\n")


@pytest.mark.parametrize(("code", "kept"), [("c0de", True), ("0ther", False)])
def test_a_part_is_kept_only_for_the_same_code(tmp_path: Path, code: str, kept: bool) -> None:
    old = tmp_path / "proofs.json"
    old.write_text(json_document([record("armv8/k", PROVED), record("armv8/gone", PROVED)], 1))
    found = merged(old, [record("armv8/k", WITH_ERROR, part="layers", code=code)], ["armv8/k", "armv8/new"])
    assert [one["kernel"] for one in found] == ["armv8/k"]
    assert ("tails" in found[0]) == kept and "layers" in found[0] and found[0]["code"] == code


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "proofs.json").write_text("[1, 2]")
    with pytest.raises(InputError, match="not written by `neonlab prove --into`"):
        merged(tmp_path / "proofs.json", [], [])


@pytest.mark.slow
def test_the_report_is_of_kernels_as_they_are() -> None:
    known = {kernel.title: kernel for kernel in open_library(find_root()).kernels}
    file = find_root() / "reports" / "proofs.json"
    records = json.loads(file.read_text(encoding="utf-8"))["kernels"]
    stale = [one["kernel"] for one in records if code_digest(known[one["kernel"]]) != one["code"]]
    assert not stale, "prove these again with `neonlab prove KERNEL... --into reports`"
    assert markdown_document(records, list(known)) == (file.parent / "proofs.md").read_text(encoding="utf-8")
