"""The comparison of the pipeline models with what was measured on silicon."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.silicon.measured_table import read_table
from neonlab.measure.silicon.reasons import REASONS, reason_of
from neonlab.measure.silicon.truth import KINDS, TableComparison, against, compare

# Measured on silicon by github.com/ocxtal/insn_bench_aarch64: latency chain, throughput stream.
MEASURED = """\
form,Cortex-A53 latency,Cortex-A53 per_cycle,Cortex-A72 latency,Cortex-A72 per_cycle,Unknown latency,Unknown per_cycle
ldr (imm; ofs = 0),3.02,0.99,4.00,1.00,1,1
ldrb (imm; ofs = 0),4.02,0.50,4.01,1.00,1,1
"ldr (ptr fwd.; imm; pre, ofs = 16)",3.01,,1.00,,1,
add (reg),1.00,1.99,1.00,2.00,1,1
add (reg<<2),2.01,1.99,2.00,1.00,1,1
mul,4.02,0.50,5.00,0.33,1,1
add.b,2.01,0.99,3.00,1.50,1,1
xtn.h,2.01,1.99,3.00,2.00,1,1
sadalp.h,4.02,0.50,4.00,1.00,1,1
smlal.h (vec),4.02,0.99,4.00,1.00,1,1
smlal.h (vec; acc. fwd.),1.03,,1.00,,1,
"sdot.b (elem; v.b[3])",,,,,3.00,2.00
ldp.q (ofs = 0; 1st elem),8.05,0.25,4.00,0.50,1,1
ld4.b (multi),14.08,0.11,12.00,0.17,1,1
str.q (imm; ofs = 0),,1.00,,0.49,,1
tbl (len == 2),3.01,0.50,9.91,0.33,1,1
cbz (pc+4; taken),1.01,0.99,9.82,0.10,1,1
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "measured.csv"
    path.write_text(MEASURED, encoding="utf-8")
    return path


def test_measured_forms_come_back_from_the_model(table: Path) -> None:
    truths = {truth.core: truth for truth in against(table)}
    assert set(truths) == {"cortex-a53", "cortex-a72"}
    for truth in truths.values():
        assert truth.outside() == ()
        assert truth.within() == (len(truth.comparisons), len(truth.comparisons))
        assert len(truth.comparisons) == 27
        assert set(truth.left_out) == {"cbz (pc+4; taken)"}
        assert sum(truth.within(kind, what)[1] for kind in KINDS for what in ("latency", "rate")) == 27


def test_a_wrong_figure_is_outside_and_worst_comes_first(table: Path) -> None:
    text = table.read_text().replace("mul,4.02,0.50", "mul,8.04,0.50").replace("add.b,2.01", "add.b,2.2")
    table.write_text(text)
    truth = next(truth for truth in against(table) if truth.core == "cortex-a53")
    assert [(found.form, found.what) for found in truth.outside()] == [("mul", "latency"), ("add.b", "latency")]
    assert truth.outside()[0].error == pytest.approx(4 / 8.04 - 1)


def test_held_out_figures_come_from_a_core_that_does_not_know_the_form(table: Path) -> None:
    rows = [row for row in read_table(table)["Cortex-A53"] if row.form in ("mul", "add.b")]
    truth = compare(load_pipeline("cortex-a53"), rows, hold_out=True)
    by_form = {(found.form, found.what): found for found in truth.held_out}
    assert by_form["add.b", "latency"].modelled == 2  # as add.h, which is left
    assert by_form["mul", "latency"].modelled == 1  # as any other integer instruction
    assert len(truth.held_out) == len(truth.comparisons)


@pytest.mark.parametrize(
    ("form", "what", "measured", "modelled", "words"),
    [
        ("ldr.q (imm; ofs = 0)", "latency", 6.48, 6.0, "whole cycles"),
        ("str.q (imm; pre, ofs = 16)", "rate", 1.6, 2.0, "another instruction"),
        ("ccmp (reg; eq)", "rate", 1.9, 2.67, "flags"),
        ("dup.b (elem)", "latency", 7.6, 6.5, "half a move"),
        ("ldnp", "rate", 0.3, 0.5, "non-temporal"),
        ("ldp (w; ofs = 0; 1st elem)", "rate", 1.73, 1.5, "another instruction"),
        ("sdot.b (vec)", "rate", 3.67, 4.0, "ports"),
        ("add (reg)", "latency", 9.0, 1.0, "not explained"),
    ],
)
def test_figures_outside_have_a_general_reason(
    form: str, what: str, measured: float, modelled: float, words: str
) -> None:
    reason = reason_of(TableComparison(form, "NEON", what, measured, modelled))
    assert reason in REASONS
    assert words in reason
