"""Figures of forms say whether they were measured, where they come from, and what stands for what."""

from __future__ import annotations

import csv

import pytest

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.caches import core_names
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names
from neonlab.measure.form_table import origin
from neonlab.measure.form_table.asked import forms_asked, known_forms
from neonlab.measure.form_table.figures import ALIKE, ESTIMATE, MEASURED, STATED, FormFigures, figures_of
from neonlab.measure.silicon.truth import TableComparison, Truth


def of(form: str, core: str) -> FormFigures:
    return figures_of(form, ModelledCore.named(core))


def test_latency_says_how_soon_each_kind_of_reader_goes_on() -> None:
    add, smlal = of("add", "cortex-a53"), of("smlal.4h", "cortex-a53")
    assert (add.latency, add.to_address, add.accumulator, add.rate, add.ports) == (1, 3, None, 2, "A0/A1")
    assert (smlal.latency, smlal.to_address, smlal.accumulator, smlal.rate, smlal.ports) == (4, None, 1, 1, "N0 N1")
    assert of("str.q", "cortex-a53").latency is None
    assert of("b.cond", "cortex-a72").latency is None


@pytest.mark.parametrize(
    ("form", "core", "evidence", "known"),
    [
        ("smlal.4h", "cortex-a53", MEASURED, "measured"),
        ("smlal.8b", "cortex-a53", ALIKE, "as measured of smlal.4h"),
        ("smlal.4h", "cortex-a55", ESTIMATE, "estimate; from cortex-a53, measured there"),
        ("smlal.8b", "cortex-a55", ESTIMATE, "estimate; from cortex-a53, as measured of smlal.4h there"),
        ("smlal.8b", "cortex-a57", ESTIMATE, "estimate"),
        ("ldr.q ,", "cortex-a53", ESTIMATE, "estimate; as ldr.q, measured"),
        ("smlal.8b", "apple-m1", STATED, "by its sources"),
        ("smlal.8b", "cortex-a510", ESTIMATE, "estimate; default for multiply"),
        ("sdot.16b", "cortex-a53", ESTIMATE, "cortex-a53 has no dotprod"),
        ("ldnp.x", "cortex-a53", MEASURED, "measured; rate measured: 0.29"),
    ],
)
def test_each_figure_says_how_it_is_known(form: str, core: str, evidence: str, known: str) -> None:
    found = of(form, core)
    assert (found.evidence, found.known) == (evidence, known)


def test_an_instruction_of_a_set_that_a_core_lacks_is_refused() -> None:
    (asked,) = forms_asked("vmlal.s8 q, d, d")
    assert figures_of(asked.form, ModelledCore.named("apple-m1"), asked.instruction).refusal
    assert not figures_of(asked.form, ModelledCore.named("cortex-a7"), asked.instruction).refusal


@pytest.mark.parametrize("core", sorted({"cortex-a53", "cortex-a8", "neoverse-n1", "cortex-a710", "apple-m1"}))
def test_what_is_shown_is_what_the_model_uses(core: str) -> None:
    modelled = ModelledCore.named(core)
    pipeline = modelled.pipeline
    assert pipeline is not None
    for asked in [*forms_asked("vmla*"), forms_asked("smull v.8h, v.8b, v.8b")[0], forms_asked("ldr q, [x], #")[0]]:
        assert asked.instruction is not None
        found = figures_of(asked.form, modelled, asked.instruction)
        assert pipeline.timings[found.by] is pipeline.timing(asked.instruction), asked.text


def test_every_form_has_figures_with_a_source_on_every_core() -> None:
    for core in core_names():
        modelled = ModelledCore.named(core)
        for form in known_forms()[::7]:
            found = figures_of(form, modelled)
            assert found.source and found.of and found.rate > 0, (core, form)


def test_a_form_is_stated_by_the_file_that_has_it() -> None:
    for name in pipeline_names():
        for form in list(load_pipeline(name).timings)[::11]:
            stated = origin.stated_by(name, form)
            assert form in origin.core_file(stated).forms


def test_only_measured_cores_have_a_record_and_it_comes_back() -> None:
    found = origin.measured()
    assert {core for core, _, _ in found} == {"cortex-a53", "cortex-a72", "cortex-x1", "neoverse-n1", "neoverse-v1"}
    assert origin.record_text([], found) == origin.PATH.read_text()


def test_a_record_takes_the_row_that_agrees_and_keeps_other_cores() -> None:
    def row(form: str, what: str, measured: float, modelled: float) -> TableComparison:
        return TableComparison(form, "NEON", what, measured, modelled)

    comparisons = (
        row("ldr (imm; ofs = 0)", "rate", 1.0, 1.0),
        row("ldr (imm; ofs = 16)", "rate", 0.5, 1.0),
        row("smlal.h (vec)", "latency", 8.0, 4.0),
        row("smlal.h (vec; acc. fwd.)", "latency", 1.01, 1.0),
    )
    before = {
        ("cortex-a72", "add", "rate"): origin.Measurement(None),
        ("cortex-a53", "x", "rate"): origin.Measurement(None),
    }
    rows = list(csv.reader(origin.record_text([Truth("cortex-a53", comparisons, {})], before).splitlines()))
    assert rows == [
        ["core", "latency", "accumulator", "rate", "forms"],
        ["cortex-a53", "", "", "agrees", "ldr.x"],
        ["cortex-a53", "8", "agrees", "", "smlal.4h"],
        ["cortex-a72", "", "", "agrees", "add"],
    ]


def test_a_form_that_only_a32_has_is_no_name_of_a64() -> None:
    assert "smlal" not in known_forms()
    assert [one.form for one in forms_asked("smlal", Isa.A32)] == ["mlal32"]
