"""The sentence that names the instruction that a loop waits for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import neonlab
from tests.measure.loop.test_report import report_on

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.linking import link
from neonlab.isa.model.isa import Isa
from neonlab.lab.run import profile as profiling
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.loop.wait import LoopWait
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.notebook import loops_html
from neonlab.report.wait_words import brief_place, label_words, place_text, wait_words

KERNEL, SHAPE, CORE = "armv8/conv1x1_s8s32_hwc_4x4", "14x14x64x64", "cortex-a53"


@pytest.fixture(scope="module")
def loop() -> LoopReport:
    found = profiling.profile(KERNEL, SHAPE, memory=MemoryOptions(CORE, loop=True))
    assert isinstance(found, Profile) and found.loop is not None
    return found.loop


def test_the_sentence_names_instruction_line_cause_and_cycles(loop: LoopReport) -> None:
    by_line: dict[tuple[str, int], float] = {}
    for line in loop.lines:
        place = line.path, line.line
        by_line[place] = by_line.get(place, 0.0) + line.stalled.get("port", 0.0)
    (path, number), cycles = max(by_line.items(), key=lambda one: one[1])
    words = wait_words(loop)
    assert f"(line {number} of {'/'.join(Path(path).parts[-2:])}, 8 times): {cycles:.3g} of {loop.cycles:.4g}" in words
    assert "for ports N0 and N1, held longest by `s" in words
    assert words.endswith(f"All waits of this kind: {sum(by_line.values()):.4g} cycles.")
    named = words.split("`")[1]
    written = Path(path).read_text().splitlines()[number - 1].split()
    assert any(line.instruction == named and line.line == number for line in loop.lines)
    assert named.split()[0] in " ".join(written), (named, written)


def test_terminal_notebook_and_document_name_it(loop: LoopReport) -> None:
    done = neonlab("profile", KERNEL, "--shape", SHAPE, "--core", CORE)
    assert " ".join(wait_words(loop, lambda line: f"line {loop.label(line)}").split()) in " ".join(done.stdout.split())
    html = loops_html(KERNEL, [loop])
    assert wait_words(loop).partition("`")[0] in html and label_words(loop) in html
    assert loop.wait is not None
    told = loop.to_json()["waits_for"]
    assert told["instruction"] == loop.wait.at and told["ports"] == ["N0", "N1"]


def test_letters_behind_line_numbers_are_explained_where_there_are_several_files(loop: LoopReport) -> None:
    words = label_words(loop)
    first = loop.lines[0]
    assert words.startswith(f"{loop.label(first)} is line {first.line} of a file: a is ")
    for line in loop.lines:
        letter = loop.label(line).lstrip("0123456789")
        assert f"{letter} is {'/'.join(Path(line.path).parts[-2:])}" in words


def test_a_loop_of_one_file_needs_no_letters_and_one_that_only_issues_is_told_behind_what(tmp_path: Path) -> None:
    path = tmp_path / "copy.S"
    loads = "".join(f"    ldp q{n}, q{n + 1}, [x1], #32\n" for n in (0, 2))
    path.write_text(f"kernel:\n1: subs x0, x0, #1\n{loads}    b.ne 1b\n    ret\n")
    found, _ = report_on(link(assemble_file(path, isa=Isa.A64)), 500)
    assert label_words(found) == ""
    one = replace(found, wait=LoopWait("issue width", 2, 8.0, 1, 8.5))
    slots = found.lines[1].slots
    assert f"at `ldp q2, q3, [x1], #0x20` (line 4 of {tmp_path.name}/copy.S)" in wait_words(one)
    assert f"behind `ldp q0, q1, [x1], #0x20` (line 3 of {tmp_path.name}/copy.S), which takes {slots} issue slots" in (
        wait_words(one)
    )
    assert wait_words(replace(found, wait=None)) == ""


def test_a_line_is_named_with_its_file(loop: LoopReport) -> None:
    line = loop.lines[0]
    assert place_text(line) == f"line {line.line} of {'/'.join(Path(line.path).parts[-2:])}"
    assert brief_place(line) == f"{Path(line.path).name}:{line.line}"
