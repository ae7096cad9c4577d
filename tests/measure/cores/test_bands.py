"""The range of an estimate: whose errors it comes from, and which ratios are a difference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neonlab.measure.cores import bands as of_bands
from neonlab.measure.cores import errors as core_errors
from neonlab.measure.cores.bands import Band, RatioBand, band_of, kind_of, ratio_band_of
from neonlab.measure.cores.errors import (
    CALIBRATION,
    IN_ORDER,
    LEFT_OUT,
    OUT_OF_ORDER,
    SILICON,
    UNSEEN,
    ModelError,
    errors_of,
)
from neonlab.measure.cores.pipeline import pipeline_names
from neonlab.measure.cores.table_hash import tables_hash

POOLED = ModelError(LEFT_OUT, 100, 50, 0.1, bias=0.0, low=0.8, high=1.25, families=5)


def records(monkeypatch: pytest.MonkeyPatch, *of_a53: ModelError) -> None:
    found = {"cortex-a53": of_a53, IN_ORDER: (POOLED,)}
    monkeypatch.setattr(core_errors, "_recorded", lambda: found)


def own(**keys: object) -> ModelError:
    tables = tables_hash("cortex-a53")
    error = ModelError(LEFT_OUT, 20, 5, 0.1, bias=-0.1, tables=tables, low=0.85, high=0.95, families=2)
    return replace(error, **keys)  # type: ignore[arg-type]


def test_measured_cycles_are_the_estimate_divided_by_the_ends_of_modelled_over_measured() -> None:
    band = Band(0.8, 1.25, 10, "cortex-a53")
    assert band.around(100) == (80, 125)
    assert Band(0.5, 0.8, 10, "cortex-a53").around(100) == (125, 200)  # too fast a model: all lies above
    assert band.to_json(1000) == {
        "share": 0.8, "low": 800, "high": 1250, "functions": 10, "of": "cortex-a53", "pooled": False,
        "measured_before_last_change": False,
    }  # fmt: skip


def test_functions_left_out_come_before_unseen_ones_and_both_before_other_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unseen = replace(own(), against=UNSEEN, low=0.7, families=None)
    records(monkeypatch, own(), unseen)
    assert band_of("cortex-a53") == Band(0.85, 0.95, 20, "cortex-a53")
    records(monkeypatch, unseen)
    assert band_of("cortex-a53") == Band(0.7, 0.95, 20, "cortex-a53")
    records(monkeypatch)
    assert band_of("cortex-a53") == Band(0.8, 1.25, 100, IN_ORDER)


@pytest.mark.parametrize(
    "error",
    [
        own(families=1),
        own(low=None, high=None),
        replace(own(), against=UNSEEN, low=None),
        replace(own(), against=SILICON),
    ],
    ids=["one family", "too few", "percentiles not recorded", "what the table was filled from"],
)
def test_a_core_whose_errors_do_not_suffice_has_the_band_of_cores_like_it(
    monkeypatch: pytest.MonkeyPatch, error: ModelError
) -> None:
    records(monkeypatch, error)
    band = band_of("cortex-a53")
    assert band is not None and band.of == IN_ORDER and band.pooled and "on all cores in order" in band.basis()


def test_a_band_of_tables_that_have_changed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    records(monkeypatch, own(tables="0123456789abcdef"))
    own_band, pooled = band_of("cortex-a53"), band_of("cortex-a7")
    assert own_band is not None and own_band.stale and own_band.basis().endswith("before the last change")
    assert pooled is not None and pooled.stale  # it comes from these rows too
    records(monkeypatch, own())
    assert not any(band.stale for name in ("cortex-a53", "cortex-a7") if (band := band_of(name)) is not None)


def test_without_any_record_there_is_no_band(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_errors, "_recorded", dict)
    assert band_of("cortex-a53") is None and band_of("no-such-core") is None


@pytest.mark.parametrize("name", pipeline_names())
def test_every_core_has_a_band_and_those_without_enough_rows_say_that_it_is_pooled(name: str) -> None:
    band = band_of(name)
    assert band is not None and 0.5 < band.low < band.high < 2
    rows = next((error for error in errors_of(name) if error.against == LEFT_OUT), None)
    enough = rows is not None and rows.figures >= 9 and (rows.families or 0) >= 2
    assert (band.of == name) is enough
    if not enough:
        assert band.of == kind_of(name) and f"on all cores {kind_of(name)}" in band.basis()


def test_a_ratio_inside_the_band_of_ratios_is_no_difference() -> None:
    band = RatioBand(0.95, 1.04, 50, IN_ORDER)
    assert not any(band.tells(1000, after) for after in (950, 1000, 1040, 1052))
    assert band.tells(1000, 949) and band.tells(1000, 1053) and band.tells(0, 1)
    for one in (940, 949, 950, 1040, 1052, 1053, 1060):  # whichever of two is called the first
        assert band.tells(1000, one) == band.tells(one, 1000)


@pytest.mark.parametrize("name", ["cortex-a7", "cortex-a8", "cortex-a9", "cortex-a15", "cortex-a57"])
def test_a_pooled_band_holds_that_of_the_functions_that_adjusted_the_model(name: str) -> None:
    band = band_of(name)
    (own,) = (error for error in errors_of(name) if error.against == CALIBRATION)
    assert band is not None and band.pooled
    pool = band_of(band.of)
    assert pool is not None and band.figures == pool.figures + own.figures
    assert own.p90 is not None
    low, high = (1 - own.p90, 1 + own.p90) if own.low is None or own.high is None else (own.low, own.high)
    assert (band.low, band.high) == (min(low, pool.low), max(high, pool.high))


def test_ratios_have_a_band_for_each_kind_of_core() -> None:
    for name, kind in (("cortex-a7", IN_ORDER), ("cortex-a72", OUT_OF_ORDER)):
        band = ratio_band_of(name)
        cycles = band_of(name)
        assert band is not None and cycles is not None and band.of == kind and 0.9 < band.low < 1 < band.high < 1.1
        assert band.high / band.low < cycles.high / cycles.low  # ratios hold better
    assert ratio_band_of("no-such-core") is None
    assert of_bands.SHARE == 0.8
