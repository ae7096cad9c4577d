"""What is printed is what was found, in 80 columns."""

from __future__ import annotations

import io
from dataclasses import replace
from html import escape

import jsonschema
import numpy as np
import pytest
from rich.console import Console

from neonlab.emulate.run import Fault, FaultKind
from neonlab.measure.shape import Shape
from neonlab.report.json.verdict import VERDICT
from neonlab.report.notebook import verdict_html
from neonlab.report.terminal.verdict import print_verdicts
from neonlab.verify.cases.case import CaseName
from neonlab.verify.check_case import draw_map
from neonlab.verify.verdict import WITNESS, WORST, Failure, JudgedBy, LastWriter, Mismatch, Verdict, fold


def printed(*verdicts: Verdict) -> str:
    stream = io.StringIO()
    print_verdicts(Console(file=stream, width=80, highlight=False, soft_wrap=True), verdicts)
    return stream.getvalue()


def mismatch(name: str = "output") -> Mismatch:
    writer = LastWriter(64, "asm/k.S:9", "str q0, [x1]", "str q0, [x1]", ("asm/k.S:20: in macro `tile`",))
    return Mismatch(
        name,
        (("channel", 1), ("y", 0), ("x", 2)),
        "3",
        "4",
        1,
        8,
        "y 0: channel down, x across",
        ("....", "..X."),
        writer,
    )


def case(sizes: str, seed: int = 1) -> CaseName:
    """Return the name of a case of random data, whose sizes are called a, b, c and so on."""
    return CaseName(Shape.parse(sizes, tuple("abcd"[: sizes.count("x") + 1])), "random", seed)


def test_a_search_that_ended_its_process_names_its_seed_and_no_shape() -> None:
    failure = Failure(None, fault=Fault(FaultKind.EMULATOR_DIED, "it died", 0), search_seed=9)
    assert failure.to_json()["shape"] == failure.to_json()["pattern"] == "" and failure.to_json()["seed"] == 9
    text = printed(fold("k", "a64", "k.S", JudgedBy.REFERENCE, [failure], 9))
    assert "seed 9" in text and "shape" not in text and "again" not in text
    known = replace(failure, search_cases=200)
    text = printed(fold("k", "a64", "k.S", JudgedBy.REFERENCE, [known], 9))
    assert "again: neonlab check k --search 200 --seed 9\n" in text


@pytest.mark.parametrize(
    ("pattern", "saved", "again"),
    [
        (WORST, "", "neonlab check k --shape 3 --seed 1"),
        (WORST, "a b.npz", "neonlab check k --again 'a b.npz'"),
        (WITNESS, "w.npz", "neonlab check k --again w.npz"),
        (WITNESS, "", ""),
        ("extremes", "", "neonlab check k --shape 3 --pattern extremes --seed 1"),
    ],
)
def test_the_command_to_see_a_failure_again_runs_its_own_inputs(pattern: str, saved: str, again: str) -> None:
    failure = Failure(replace(case("3"), pattern=pattern), mismatch=mismatch(), saved=saved)
    assert failure.again("k") == again
    text = printed(fold("k", "a64", "k.S", JudgedBy.REFERENCE, [failure], 1))
    assert f"again: {again}\n" in text if again else "again" not in text
    verdict = fold("k", "a64", "k.S", JudgedBy.REFERENCE, [failure], 1).to_json()
    jsonschema.validate(verdict, VERDICT)
    assert verdict["failures"][0].get("again", "") == again
    assert verdict["failures"][0].get("saved", "") == saved


def test_a_mismatch_is_told_with_place_writer_map_and_the_command_to_see_it_again() -> None:
    failure = Failure(case("1x4x1x2", 7), mismatch=mismatch())
    text = printed(fold("armv8/k", "a64", "asm/k.S", JudgedBy.REFERENCE, [None, failure], 7))
    for words in (
        "WRONG armv8/k",
        "2 cases, 1 failed",
        "output[channel 1, y 0, x 2] = 3, expected 4 (1 of 8 elements wrong)",
        "last written at asm/k.S:9: str q0, [x1]",
        "in macro `tile`",
        "      ..X.",
        "neonlab check armv8/k --shape 1x4x1x2 --pattern random --seed 7",
        "1 kernel, 2 cases: 1 failed (seed 7)",
    ):
        assert words in text, text


def test_names_with_brackets_are_printed_as_they_are() -> None:
    failure = Failure(case("1"), mismatch=mismatch("out[bold]"))
    assert "out[bold][channel 1" in printed(fold("k", "a64", "k.S", JudgedBy.REFERENCE, [failure], 1))


def test_each_kind_of_failure_is_shown_once_on_its_smallest_shape() -> None:
    failures = [Failure(case(shape), mismatch=mismatch()) for shape in ("9x9", "2x3", "4x4")]
    verdict = fold("k", "a64", "k.S", JudgedBy.REFERENCE, failures, 1)
    assert (verdict.failed, [str(failure.shape) for failure in verdict.failures]) == (3, ["2x3"])


@pytest.mark.parametrize(
    ("judged_by", "word", "said", "total"),
    [
        (JudgedBy.REFERENCE, "exact", "", "all passed"),
        (JudgedBy.NOTHING_SAID, "ran", 'results not compared (reference = "none")', "all passed, 1 not compared"),
        (JudgedBy.NOTHING, "unchecked", "results compared with nothing", "1 unchecked"),
    ],
)
def test_what_was_compared_decides_the_word(judged_by: JudgedBy, word: str, said: str, total: str) -> None:
    verdict = fold("k", "a64", "k.S", judged_by, [None], 1, advice="do so" if word == "unchecked" else "")
    text = printed(verdict)
    words = {one for one in ("exact", "ran ", "unchecked", "WRONG") if text.startswith(one)}
    assert {one.strip() for one in words} == {word}
    assert said in text and f": {total} (seed 1)" in text and ("do so" in text) == (word == "unchecked")
    html = verdict_html(verdict)
    assert f">{word}</b>" in html and escape(said) in html
    assert (verdict.passed, verdict.status.value) == (word != "unchecked", word)


@pytest.mark.parametrize(
    ("shape", "wrong", "title", "rows"),
    [
        ((5,), (2,), "x across", ["..X.."]),
        ((2, 1, 4), (1, 0, 2), "y 0: channel down, x across", ["....", "..X."]),
        ((1, 3, 2), (0, 2, 1), "channel 0: y down, x across", ["..", "..", ".X"]),
    ],
)
def test_the_map_shows_the_plane_of_the_first_wrong_element(
    shape: tuple[int, ...], wrong: tuple[int, ...], title: str, rows: list[str]
) -> None:
    array = np.zeros(shape, bool)
    array[wrong] = True
    axes = ("x",) if len(shape) == 1 else ("channel", "y", "x")
    assert draw_map(array, wrong, axes) == (title, tuple(rows))


def test_a_large_plane_is_drawn_in_blocks_that_hide_no_wrong_element() -> None:
    array = np.zeros((100, 1000), bool)
    array[99, 999] = True
    title, rows = draw_map(array, (99, 999), ("y", "x"))
    assert "9x16 elements per character" in title
    assert len(rows) == 12 and {len(row) for row in rows} == {63}
    assert rows[-1][-1] == "X" and sum(row.count("X") for row in rows) == 1
