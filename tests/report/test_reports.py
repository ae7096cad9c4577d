"""reports/ is what the lab finds today, byte for byte, and the catalogue's table comes from it."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

import jsonschema
import pytest
from tests.kernel_sources import FILES

from neonlab.lab.silicon.table import read_functions
from neonlab.measure.cores.bands import band_of
from neonlab.measure.cores.errors import CALIBRATION, LEFT_OUT, UNSEEN, error_sentence, errors_of, is_stale
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.silicon.core_summary import summaries
from neonlab.measure.silicon.measured_table import Measured
from neonlab.measure.silicon.timing_recipes import NOT_ASSEMBLED, recipe_of
from neonlab.measure.silicon.truth import compare
from neonlab.report.json.documents import schemas
from neonlab.report.tables.cores import row_json, summary_json

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_report_on_the_cores_says_what_the_models_give_today() -> None:
    document = json.loads((ROOT / "reports" / "cores.json").read_text())
    jsonschema.validate(document, schemas()["cores"])
    assert document["cores"] == [summary_json(summary) for summary in summaries()]
    for comparison in document["comparisons"]:
        figures: dict[str, dict[str, float]] = {}
        for row in comparison["outside"]:
            figures.setdefault(row["form"], {})[row["what"]] = row["measured"]
        rows = [Measured(form, found.get("latency"), found.get("rate")) for form, found in figures.items()]
        truth = compare(load_pipeline(comparison["core"]), rows)
        assert truth.left_out == {}
        assert [row_json(found) for found in truth.outside()] == comparison["outside"]
        assert all(recipe_of(row["form"]).skip or row["reason"] == NOT_ASSEMBLED for row in comparison["left_out"])
    markdown = (ROOT / "reports" / "cores.md").read_text()
    truths = document["comparisons"]
    assert all(f"### {comparison['core']}: figures outside 5 %" in markdown for comparison in truths)


def test_the_report_on_whole_functions_has_all_of_its_table_and_the_calibration_that_is_recorded() -> None:
    document = json.loads((ROOT / "reports" / "functions.json").read_text(encoding="utf-8"))
    jsonschema.validate({**document, "cores": [], "comparisons": []}, schemas()["cores"])
    table = read_functions(ROOT / "docs" / "functions" / "published.toml")
    wanted = [
        (one.name, one.file, core, [figure.lowest, figure.highest])
        for one in table.functions
        for core, figure in one.measured.items()
    ]
    figures = document["functions"]["figures"]
    assert [(row["function"], row["file"], row["core"], row["measured"]) for row in figures] == wanted
    assert all((row["modelled"] is None) == bool(row["reason"]) for row in figures)
    for summary in document["functions"]["summaries"]:
        recorded = [error for error in errors_of(summary["title"]) if error.against == CALIBRATION]
        found = [(error.figures, error.within, error.median, error.bias) for error in recorded]
        of_cores = summary["title"] not in ("in order", "out of order")
        rows = [row for row in figures if row["core"] == summary["title"] and row["modelled"] is not None]
        errors = [row["modelled"] / (sum(row["measured"]) / 2) - 1 for row in rows]
        assert [one[0] for one in found] == [summary["used"]] * of_cores and summary["figures"] == 0
        assert all(summary[name] is None for name in ("median_error", "p90_error", "bias"))  # none is left
        for _, within, median, bias in found:
            assert within == sum(abs(error) <= 0.05 for error in errors)
            assert median == pytest.approx(statistics.median(map(abs, errors)), abs=1e-3)
            assert bias == pytest.approx(statistics.median(errors), abs=1e-3)
    assert document["functions"]["calibration"] is table.calibration is True
    markdown = (ROOT / "reports" / "functions.md").read_text(encoding="utf-8")
    assert "Calibration: these functions were used to adjust the models." in markdown
    assert "median error" not in markdown
    assert all(row["used"] == "calibration" for row in figures)


def test_the_report_on_the_cores_has_the_errors_that_estimates_print() -> None:
    markdown = (ROOT / "reports" / "cores.md").read_text(encoding="utf-8")
    for summary in summaries():
        assert f"| {error_sentence(summary.core.name)} |" in markdown
        (row,) = re.findall(rf"^\| {summary.core.name} \| (?:\d+|none).*$", markdown, re.MULTILINE)
        cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
        found = {error.against: error for error in errors_of(summary.core.name)}
        for against, shown in ((UNSEEN, cells[:4]), (LEFT_OUT, cells[4:8])):
            error = found.get(against)
            if error is None:
                assert shown == ["none", "", "", ""]
                continue
            p90 = "" if error.p90 is None else f"{error.p90:.1%}"
            number = f"{error.figures} †" if is_stale(summary.core.name, error) else str(error.figures)
            assert shown == [number, f"{error.median:.1%}", p90, f"{error.bias:+.1%}"]
        band = band_of(summary.core.name)
        assert band is not None and cells[8].startswith(f"{1 / band.high:.2f}–")
        assert cells[9] == ("" if band.of == summary.core.name else f"all {band.of}")


def test_the_report_has_every_kernel_and_all_are_exact() -> None:
    # `.ci/run` writes all reports again with `make report`, and compares every byte.
    document = json.loads((ROOT / "reports" / "variants.json").read_text())
    jsonschema.validate(document, schemas()["report"])
    assert all(row["exact"] for row in document["rows"])
    assert {row["kernel"].split("/")[1] for row in document["rows"]} == {path.stem for path in FILES}
