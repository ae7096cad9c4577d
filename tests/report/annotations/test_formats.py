"""Verdicts for other people's tools: one line each, GitHub's annotations, SARIF."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from neonlab.assemble.source import SourceLine
from neonlab.emulate.run import Fault, FaultKind
from neonlab.measure.shape import Shape
from neonlab.report.annotations.formats import github_lines, sarif_log, short_lines
from neonlab.report.annotations.remark import ERROR, NOTE, WARNING, remarks_on
from neonlab.verify.cases.case import CaseName
from neonlab.verify.coverage import NotRun
from neonlab.verify.known_faults import AcceptedFault
from neonlab.verify.verdict import Failure, JudgedBy, LastWriter, Mismatch, Verdict

ROOT = Path(__file__).resolve().parents[3]
MATCHERS = json.loads((ROOT / ".github" / "action" / "problem-matcher.json").read_text())["problemMatcher"]
CASE = CaseName(Shape(("n",), (7,)), "random", 1)


def fault(message: str, path: str, line: int, trail: tuple[str, ...] = ()) -> Failure:
    source = SourceLine(path, line, 5, "    ldr q0, [x0]", trail=trail)
    return Failure(CASE, Fault(FaultKind.OUT_OF_BOUNDS_READ, message, 64, source, "ldr q0, [x0]"))


def mismatch(where: str) -> Failure:
    writer = LastWriter(8, where, "str q0, [x1]", "str q0, [x1]", (f"{Path.cwd()}/a.S:30: in macro `store`",))
    wrong = Mismatch("out", (("row", 1), ("column", 2)), "3", "4", 2, 16, "row 1", ("..X",), writer)
    return Failure(CASE, mismatch=wrong)


def verdict(kernel: str, *failures: Failure, judged: JudgedBy = JudgedBy.REFERENCE, **more: Any) -> Verdict:
    path = f"{Path.cwd()}/asm/{kernel}.S"
    return Verdict(kernel, "a64", path, 40, len(failures), failures, judged, 1, **more)


def verdicts() -> list[Verdict]:
    here = Path.cwd()
    return [
        verdict("armv8/right"),
        verdict(
            "armv8/bad",
            fault("reads 4 bytes,\n100% beyond: the end", f"{here}/asm/a,b.S", 12, (f"{here}/a.S:9: in macro `m`",)),
            mismatch("/elsewhere/tile.inc:5"),
        ),
        verdict("armv8/alone", judged=JudgedBy.NOTHING, advice="name a reference"),
        verdict("armv8/partly", not_run=NotRun(3, 9, (f"{here}/asm/armv8/partly.S:4-6",))),
        verdict("armv8/known", accepted=(AcceptedFault("oob-read", "known.S:8", "as upstream", 2),)),
    ]


def test_one_line_each_names_file_line_word_and_message() -> None:
    lines = list(short_lines(remarks_on(verdicts())))
    assert lines[0] == "asm/armv8/right.S:1: exact: 40 cases [armv8/right]"
    assert lines[1] == (
        "asm/a,b.S:12: WRONG: oob-read: reads 4 bytes, 100% beyond: the end, at shape 7, pattern random, seed 1 "
        "[armv8/bad]"
    )
    assert lines[2].startswith("/elsewhere/tile.inc:5: WRONG: mismatch: out[row 1, column 2] = 3, expected 4 (2 of 16")
    assert lines[3].startswith("asm/armv8/alone.S:1: unchecked: 40 cases; ran without a fault") and "name a" in lines[3]
    assert lines[5] == "asm/armv8/partly.S:4: warning: no case ran this [armv8/partly]"
    assert lines[7].startswith("known.S:8: warning: accepted: oob-read at known.S:8, on 2 cases: as upstream")
    assert len(lines) == 8


def test_where_one_shape_is_tried_code_that_did_not_run_is_no_warning() -> None:
    chosen = [replace(one, chosen=True) for one in verdicts()]
    lines = list(short_lines(remarks_on(chosen)))
    assert not any("no case ran" in line or "exact in part" in line for line in lines)
    assert any("exact in part" in line for line in short_lines(remarks_on(verdicts())))


def test_annotations_of_github_are_escaped_and_passes_are_plain_lines() -> None:
    lines = list(github_lines(remarks_on(verdicts())))
    assert lines[0] == "exact: armv8/right: 40 cases"
    assert lines[1] == (
        "::error file=asm/a%2Cb.S,line=12,endLine=12,title=armv8/bad%3A oob-read::oob-read: reads 4 bytes,%0A100%25 "
        "beyond: the end, at shape 7, pattern random, seed 1"
    )
    assert any(line.startswith("::error file=asm/armv8/alone.S,line=1,") for line in lines)
    assert any(line.startswith("::warning file=asm/armv8/partly.S,line=4,endLine=6,") for line in lines)
    assert all("\n" not in line for line in lines)


#: What the specification of SARIF 2.1.0 requires or allows, by section: 3.13, 3.14, 3.18, 3.19, 3.27, 3.28, 3.29, 3.30.
LEVELS, KINDS = (
    {"none", "note", "warning", "error"},
    {"pass", "fail", "notApplicable", "review", "open", "informational"},
)


def check_location(location: dict[str, Any]) -> None:
    place = location["physicalLocation"]
    assert set(place) <= {"artifactLocation", "region"} and place["artifactLocation"]["uri"]
    assert not re.search(r"[ \\]", place["artifactLocation"]["uri"])
    region = place["region"]
    assert 1 <= region["startLine"] <= region["endLine"]


def test_the_log_is_sarif() -> None:
    remarks = list(remarks_on(verdicts()))
    log = json.loads(json.dumps(sarif_log(remarks)))
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "neonlab"
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules)) and all(rule["shortDescription"]["text"] for rule in driver["rules"])
    assert len(run["results"]) == len(remarks)
    for result, remark in zip(run["results"], remarks, strict=True):
        assert result["kind"] in KINDS and result["level"] in LEVELS
        assert (result["kind"] == "fail") or result["level"] == "none", "3.27.9: only failures have a level"
        assert rules[result["ruleIndex"]] == result["ruleId"] and result["message"]["text"]
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            check_location(location)
        assert result["kind"] == ("pass" if remark.level == NOTE else "fail")
    related = [location for result in run["results"] for location in result.get("relatedLocations", [])]
    assert [one["message"]["text"] for one in related] == ["in macro `m`", "in macro `store`"]


@pytest.mark.parametrize(
    ("path", "uri"),
    [("my kernels/a#1.S", "my%20kernels/a%231.S"), ("/else where/tile.inc", "file:///else%20where/tile.inc")],
)
def test_a_place_is_a_uri_whatever_the_file_is_called(path: str, uri: str) -> None:
    remark = replace(next(iter(remarks_on(verdicts()))), path=path)
    (result,) = sarif_log([remark])["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == uri and ("uriBaseId" in place) == (not uri.startswith("file:"))


def test_a_result_keeps_its_fingerprint_when_lines_move() -> None:
    def prints(line: int) -> list[str]:
        log = sarif_log(list(remarks_on([verdict("armv8/bad", fault("reads beyond", "a.S", line))])))
        return [one["partialFingerprints"]["neonlab/v1"] for one in log["runs"][0]["results"]]

    assert prints(4) == prints(40)


@pytest.mark.parametrize(("owner", "levels"), [("neonlab-verdict", {ERROR}), ("neonlab-warning", {WARNING})])
def test_the_problem_matcher_finds_each_line_of_its_severity_and_no_other(owner: str, levels: set[str]) -> None:
    (matcher,) = [one for one in MATCHERS if one["owner"] == owner]
    (pattern,) = matcher["pattern"]
    for remark in remarks_on(verdicts()):
        (line,) = short_lines([remark])
        found = re.match(pattern["regexp"], line)
        assert (found is not None) == (remark.level in levels), line
        if found is not None:
            assert found[pattern["file"]] == remark.path and int(found[pattern["line"]]) == remark.line


@pytest.mark.parametrize("column", ["", "7:"])
def test_the_problem_matcher_finds_bad_input(column: str) -> None:
    (pattern,) = next(one["pattern"] for one in MATCHERS if one["owner"] == "neonlab-input")
    found = re.match(pattern["regexp"], f"neonlab: asm/x.S:3:{column} unknown instruction `adx`")
    assert found is not None and (found[1], found[2], found[4]) == ("asm/x.S", "3", "unknown instruction `adx`")


@pytest.mark.parametrize("line", ["neonlab: asm/x.S: no contract says how to call it", "neonlab: check: 2 s"])
def test_the_problem_matcher_finds_bad_input_of_a_file_as_a_whole(line: str) -> None:
    (pattern,) = next(one["pattern"] for one in MATCHERS if one["owner"] == "neonlab-input")
    found = re.match(pattern["regexp"], line)
    shown = (found[1], found[2], found[4]) if found is not None else None
    assert shown == (("asm/x.S", None, "no contract says how to call it") if "asm" in line else None)
