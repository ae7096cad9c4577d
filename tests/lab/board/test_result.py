"""A result.json is read as it was printed; a bad one gets one message with the place of its mistake."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.board_results import DOCUMENT

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.board.result import parse_result, read_result


def read(document: Any) -> Any:
    return parse_result(json.dumps(document), "result.json")


def test_a_result_is_read_as_it_was_printed(tmp_path: Path) -> None:
    path = tmp_path / "a53.json"
    path.write_text(json.dumps(DOCUMENT))
    result = read_result(path)
    assert (result.name, result.isa, result.seed, result.counter, result.hz) == (
        "a53.json",
        Isa.A64,
        1,
        "perf_event",
        None,
    )
    assert (result.machine.midr, result.machine.core, result.machine.governor) == (
        0x410FD034,
        "cortex-a53",
        "performance",
    )
    (kernel,) = result.kernels
    assert (kernel.verdict, kernel.cases, kernel.left_out) == ("exact", 40, (("1x1x1x9 random seed 1", "too large"),))
    first, second = kernel.timings
    assert (first.measured, first.time, first.calls) == (1000.5, 700.0, 64)
    assert (second.measured, second.reason) == (None, "does not return within 600 seconds")
    assert result.exact


@pytest.mark.parametrize(
    ("midr", "core"),
    [("0x410fd034", "cortex-a53"), ("0x414fd0b1", "cortex-a76"), ("0x411fd40f", "neoverse-v1"), ("0x51000000", "")],
)
def test_a_core_is_known_by_its_main_id_register(midr: str, core: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["machine"]["midr"] = midr
    assert read(document).machine.core == core


BAD: list[tuple[Callable[[Any], Any], str]] = [
    (lambda d: d.pop("board"), "`board` must be a whole number"),
    (lambda d: d.update(board=2), "`board` must be 1: this neonlab reads no other layout of results"),
    (lambda d: d.update(board=True), "`board` must be a whole number"),
    (lambda d: d.update(isa="riscv"), "`isa` must be armv7 or armv8"),
    (lambda d: d["machine"].update(midr="x"), "`machine.midr` must be a hexadecimal number or null"),
    (lambda d: d["machine"].pop("release"), "`machine.release` must be text"),
    (lambda d: d["counter"].update(kind="guess"), "`counter.kind` must be one of perf_event, pmccntr, clock"),
    (lambda d: d["counter"].update(hz=-1), "`counter.hz` must be from 0 to"),
    (lambda d: d.update(kernels={}), "`kernels` must be a list"),
    (lambda d: d.update(kernels=[]), "`kernels` must be one kernel or more, each once"),
    (lambda d: d["kernels"].append(d["kernels"][0]), "`kernels` must be one kernel or more, each once"),
    (lambda d: d["kernels"][0].update(kernel="add\x1b[31m"), "`kernels[0].kernel` must be text of printable"),
    (lambda d: d["counter"].update(kind="clock"), "`counter.hz` must be the clock's frequency"),
    (lambda d: d["kernels"][0]["timings"][0].update(cycles=1e300), "`kernels[0].timings[0].cycles` must be from 0"),
    (lambda d: d["kernels"][0]["timings"][0].update(lowest=1e9), "`kernels[0].timings[0].lowest` must be no more"),
    (lambda d: d["kernels"].append(3), "`kernels[1]` must be a JSON object"),
    (lambda d: d["kernels"][0].update(verdict="fine"), "`kernels[0].verdict` must be one of exact, ran"),
    (lambda d: d["kernels"][0].update(wrong=1), "`kernels[0].verdict` must be WRONG exactly where"),
    (lambda d: d["kernels"][0].update(tried=3), "`kernels[0].tried` must be equal to `cases`"),
    (
        lambda d: d["kernels"][0]["opened"].update(settings=[["a"]]),
        "`kernels[0].opened.settings` must be a list of pairs",
    ),
    (lambda d: d["kernels"][0]["opened"].update(flags=[1]), "`kernels[0].opened.flags` must be a list of texts"),
    (
        lambda d: d["kernels"][0]["timings"][0].update(cycles="9"),
        "`kernels[0].timings[0].cycles` must be a number or null",
    ),
    (
        lambda d: d["kernels"][0]["timings"][0].update(cycles=float("nan")),
        "`kernels[0].timings[0].cycles` must be from",
    ),
    (lambda d: d["kernels"][0]["timings"][0].update(ns=None), "`kernels[0].timings[0].ns` must be a number"),
    (lambda d: d["kernels"][0]["timings"][0].update(calls=0), "`kernels[0].timings[0].calls` must be 1 or more"),
]


@pytest.mark.parametrize(("change", "told"), BAD, ids=[told for _, told in BAD])
def test_a_bad_result_gets_one_message_with_its_place(change: Callable[[Any], Any], told: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with pytest.raises(InputError) as error:
        read(document)
    assert str(error.value).startswith("result.json: ") and told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"board": 1', "[" * 100_000])
def test_what_is_no_result_gets_one_message(text: str) -> None:
    with pytest.raises(InputError, match=r"^result\.json: "):
        parse_result(text, "result.json")
