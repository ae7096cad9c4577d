"""The recorded errors of the models."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest

from neonlab.lab.silicon.table import Figure, FunctionTable
from neonlab.lab.silicon.truth import FunctionFigure, errors_by_core
from neonlab.lab.silicon.truth import summaries as summaries_of
from neonlab.measure.cores import table_hash
from neonlab.measure.cores.caches import core_names
from neonlab.measure.cores.errors import (
    CALIBRATION,
    IN_ORDER,
    LEFT_OUT,
    LLVM_MCA,
    NONE_MEASURED,
    OUT_OF_ORDER,
    PATH,
    SILICON,
    STALE,
    UNSEEN,
    ModelError,
    error_sentence,
    errors_of,
    errors_text,
    is_stale,
    pair_error,
    recorded,
    recorded_ratios,
)
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.cores.table_hash import tables_hash
from neonlab.measure.silicon.core_summary import summaries

#: Core: functions that adjusted no model, median error and bias in %, as they were measured at revision 38934e7.
MEASURED = {
    "cortex-a53": (243, 9.1, -8.8),
    "cortex-a55": (72, 12.2, -10.8),
    "cortex-a7": (46, 21.6, -21.6),
    "cortex-a9": (46, 21.7, -21.4),
    "cortex-a57": (8, 13.3, -13.3),
    "neoverse-n1": (19, 8.0, 2.7),
    "cortex-a72": (174, 24.3, -24.3),
    "cortex-a73": (127, 15.1, 0.9),
    "cortex-a76": (41, 13.8, -13.8),
    "cortex-a78": (26, 9.5, -9.5),
    "cortex-x1": (26, 16.5, -16.5),
    "neoverse-v1": (14, 41.7, -41.7),
}


def test_what_is_recorded_is_read_back_and_written_alike() -> None:
    assert errors_text(recorded(), pair_error(), recorded_ratios()) == PATH.read_text(encoding="utf-8")
    assert set(recorded()) <= {*core_names(), IN_ORDER, OUT_OF_ORDER}


def test_errors_survive_being_written() -> None:
    error = ModelError(SILICON, 200, 190, 0.0125, 150)
    blind = ModelError(UNSEEN, 3, None, 0.25, bias=-0.125, tables="abc", origin='a "board"')
    assert tomllib.loads(errors_text({"x": {SILICON: error}, IN_ORDER: {UNSEEN: blind}})) == {
        "x": {SILICON: {"figures": 200, "within": 190, "median": 0.0125, "held_out": 150}},
        IN_ORDER: {
            UNSEEN: {"figures": 3, "median": 0.25, "bias": -0.125, "tables": "abc", "origin": 'a "board"'}
        },
    }  # fmt: skip
    assert error.sentence() == "its table was filled from 200 latencies and rates measured on silicon"
    assert blind.sentence() == "median error 25.0%, bias -12.5% on 3 functions not used to adjust the model"


@pytest.mark.parametrize("name", ["cortex-a72", "cortex-a76", "neoverse-v1"])
def test_a_model_that_changed_says_its_error_on_families_left_out_beside_the_older_one(name: str) -> None:
    (error,) = (error for error in errors_of(name) if error.against == LEFT_OUT)
    assert not is_stale(name, error) and error.bias is not None
    more = f"90th percentile {error.p90:.1%}, bias {error.bias:+.1%}"
    assert f"{STALE}; since then median error {error.median:.1%}, {more} on" in error_sentence(name)


def test_an_error_on_families_left_out_is_not_printed_once_the_tables_change(monkeypatch: pytest.MonkeyPatch) -> None:
    from neonlab.measure.cores import errors as core_errors

    old = tuple(replace(error, tables="0123456789abcdef") for error in errors_of("cortex-a72"))
    monkeypatch.setattr(core_errors, "_recorded", lambda: {"cortex-a72": old})
    assert "since then" not in error_sentence("cortex-a72") and STALE in error_sentence("cortex-a72")


def test_one_core_by_two_names_shares_what_filled_its_table_and_not_its_functions() -> None:
    of = {name: {error.against: error for error in errors_of(name)} for name in ("cortex-a76", "neoverse-n1")}
    assert of["cortex-a76"][SILICON] == of["neoverse-n1"][SILICON]
    assert of["cortex-a76"][UNSEEN] != of["neoverse-n1"][UNSEEN]


@pytest.mark.parametrize("name", core_names())
def test_every_estimate_says_the_error_on_unseen_functions_or_that_none_was_measured(name: str) -> None:
    sentence = error_sentence(name)
    assert (NONE_MEASURED in sentence) == (name not in MEASURED)
    if name in MEASURED:
        count, median, bias = MEASURED[name]
        wanted = f"median error {median:.1f}%, bias {bias:+.1f}% on {count} functions not used to adjust the model"
        assert sentence.startswith(wanted)
        error = errors_of(name)[0]
        assert error.against == UNSEEN and "revision 38934e7" in error.origin and len(error.tables) == 16


@pytest.mark.parametrize("name", core_names())
def test_nothing_that_a_model_was_filled_from_or_adjusted_with_is_printed_as_its_error(name: str) -> None:
    sentence = error_sentence(name)
    for error in errors_of(name):
        if error.against == LEFT_OUT:  # may come to the same figure
            sentence = sentence.replace(error.sentence(), "")
    for error in errors_of(name):
        if error.against in (SILICON, CALIBRATION):
            assert f"{error.share:.1%}" not in sentence and f"median error {error.median:.1%}" not in sentence
            assert "within" not in error.sentence() and "error" not in error.sentence()


def test_errors_of_cores_together_are_of_all_that_issue_alike() -> None:
    for kind, in_order in ((IN_ORDER, True), (OUT_OF_ORDER, False)):
        (error,) = (error for error in errors_of(kind) if error.against == UNSEEN)
        cores = [name for name in MEASURED if load_pipeline(name).in_order is in_order]
        assert error.figures == sum(MEASURED[name][0] for name in cores)
        pooled = next(error for error in errors_of(kind) if error.against == LEFT_OUT)
        parts = [error for name in cores for error in errors_of(name) if error.against == LEFT_OUT]
        assert pooled.figures == sum(part.figures for part in parts) and pooled.within == sum(
            p.within or 0 for p in parts
        )
    unseen = [error for kind in (IN_ORDER, OUT_OF_ORDER) for error in errors_of(kind) if error.against == UNSEEN]
    assert sum(error.figures for error in unseen) == 842


def test_an_error_of_tables_that_have_changed_since_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from neonlab.measure.cores import errors as core_errors

    error = replace(errors_of("cortex-a53")[0], tables=tables_hash("cortex-a53"))
    assert not is_stale("cortex-a53", error)
    monkeypatch.setattr(core_errors, "_recorded", lambda: {"cortex-a53": (error,)})
    assert STALE not in error_sentence("cortex-a53")
    old = replace(error, tables="0123456789abcdef")
    monkeypatch.setattr(core_errors, "_recorded", lambda: {"cortex-a53": (old,)})
    assert is_stale("cortex-a53", old) and STALE in error_sentence("cortex-a53")


def test_the_hash_follows_what_tables_say_and_tables_that_they_start_from(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("cores")
    files = {name: (PATH.parent / name).read_text() for name in ("cortex-a55.toml", "cortex-a55.pipeline.toml")}
    files["cortex-a53.pipeline.toml"] = (PATH.parent / "cortex-a53.pipeline.toml").read_text()

    def hashed(**changed: str) -> str:
        for name, text in {**files, **changed}.items():
            (folder / name).write_text(text, encoding="utf-8")
        table_hash.tables_hash.cache_clear()
        return tables_hash("cortex-a55")

    try:
        table_hash._naming()  # kept, as it lies beside the folder
        monkeypatch.setattr(table_hash, "_FOLDER", folder)
        first = hashed()
        own, base = files["cortex-a55.pipeline.toml"], files["cortex-a53.pipeline.toml"]
        assert (
            hashed(**{"cortex-a55.pipeline.toml": "# a comment\n" + own.replace("estimates throughout", "x")}) == first
        )
        assert hashed(**{"cortex-a55.pipeline.toml": own.replace("mispredict = 8", "mispredict = 9")}) != first
        assert hashed(**{"cortex-a53.pipeline.toml": base.replace("\nqueue = ", "\nqueue = 9")}) != first
    finally:
        table_hash.tables_hash.cache_clear()


def test_functions_that_adjusted_the_models_are_recorded_as_calibration() -> None:
    for used, against in ((True, CALIBRATION), (False, UNSEEN)):
        figure = FunctionFigure("f", "f.S", "armv8", "cortex-a53", "call", "a board", Figure(10, 10), 8.0, used=used)
        found = dict(errors_by_core([figure], FunctionTable("", (), used, "a board")))
        error = found["cortex-a53"]
        assert (error.against, error.median, error.bias, error.origin) == (against, 0.2, -0.2, "a board")
        assert error.tables == tables_hash("cortex-a53")
        assert (IN_ORDER in found) is not used


def test_a_row_that_adjusted_the_models_moves_no_error_of_the_others() -> None:
    def figure(modelled: float, *, used: bool) -> FunctionFigure:
        return FunctionFigure("f", "f.S", "", "cortex-a53", "call", "a board", Figure(10, 10), modelled, used=used)

    table = FunctionTable("", (), calibration=False, origin="a board")
    blind = [figure(10 + number / 10, used=False) for number in range(10)]
    marked = [figure(30, used=True), *blind, figure(1, used=True)]
    alone, beside = errors_by_core(blind, table), errors_by_core(marked, table)
    assert alone == [(name, error) for name, error in beside if error.against == UNSEEN]
    assert [(name, error.figures) for name, error in beside if error.against == CALIBRATION] == [("cortex-a53", 2)]
    for one, other in zip(summaries_of(blind), summaries_of(marked), strict=True):
        assert replace(other, used=0) == one and other.used == 2
    # the same two rows, unmarked, do move it
    assert summaries_of([replace(one, used=False) for one in marked])[0].spread != summaries_of(blind)[0].spread


def test_another_model_is_no_measure_of_truth() -> None:
    error = next(error for error in errors_of("neoverse-n2") if error.against == LLVM_MCA)
    assert error.sentence() in error_sentence("neoverse-n2") and NONE_MEASURED in error_sentence("neoverse-n2")


def test_the_most_that_a_core_can_do_is_that_of_its_best_multiply() -> None:
    peaks = {summary.core.name: (summary.peak, summary.peak_instruction) for summary in summaries()}
    assert set(peaks) == set(core_names())
    assert peaks["cortex-a53"] == (8, "smlal")
    assert peaks["cortex-a7"] == (4, "smlal")  # half of it, for want of the second 64-bit pipe
    assert peaks["cortex-a55"] == (16, "sdot")
    assert peaks["cortex-a76"] == peaks["neoverse-n1"] == (32, "sdot")
    assert peaks["apple-m1"] == (64, "sdot")
    assert peaks["neoverse-n2"] == (64, "smmla")
