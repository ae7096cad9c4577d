"""Programs for the rows of a table of measured timings, and the comparison with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.errors import InputError
from neonlab.measure.measured_table import read_table, recipe_of
from neonlab.measure.pipeline_truth import against
from neonlab.measure.timing_programs import programs_of

# Measured on silicon: latency chain, throughput stream.
MEASURED = """\
form,Cortex-A53 latency,Cortex-A53 per_cycle,Cortex-A72 latency,Cortex-A72 per_cycle,Unknown latency,Unknown per_cycle
ldr (imm; ofs = 0),3.02,0.99,4.00,1.00,1,1
add (reg),1.00,1.99,1.00,2.00,1,1
add (reg<<2),2.01,1.99,2.00,1.00,1,1
mul,4.02,0.50,5.00,0.33,1,1
add.b,2.01,0.99,3.00,1.50,1,1
xtn.h,2.01,1.99,3.00,2.00,1,1
sadalp.h,4.02,0.50,4.00,1.00,1,1
smlal.h (vec),4.02,0.99,4.00,1.00,1,1
smlal.h (vec; acc. fwd.),1.03,,1.00,,1,
"sdot.b (elem; v.b[3])",,,,,3.00,2.00
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
        assert len(truth.comparisons) == 22
        assert set(truth.left_out) == {"cbz (pc+4; taken)"}


@pytest.mark.parametrize(
    ("form", "first", "link"),
    [
        ("ldr (imm; ofs = 16)", "ldr x0, [x19, #0x10]", "ldr x0, [x0, #0x10]"),
        ("ldr (ptr fwd.; imm; post, ofs = 16)", "ldr x0, [x19], #0x10", "ldr x0, [x19], #0x10"),
        ("smlal2.h (elem; v.h[7])", "smlal2 v0.4s, v20.8h, v14.h[7]", "smlal2 v20.4s, v20.8h, v14.h[7]"),
        ("mla.h (vec; acc. fwd.)", "mla v0.8h, v20.8h, v14.8h", "mla v0.8h, v20.8h, v14.8h"),
        ("saddw.h", "saddw v0.8h, v20.8h, v14.8b", "saddw v20.8h, v20.8h, v14.8b"),
        ("addv.b", "addv b0, v20.16b", "addv b20, v20.16b"),
        ("shrn2.h (>>2)", "shrn2 v0.16b, v20.8h, #2", "shrn2 v20.16b, v20.8h, #2"),
        ("fmadd.s (acc. fwd.)", "fmadd s0, s20, s14, s0", "fmadd s0, s20, s14, s0"),
    ],
)
def test_a_row_becomes_a_stream_and_a_chain(form: str, first: str, link: str) -> None:
    programs = programs_of(recipe_of(form))
    assert programs is not None
    assert programs.stream[0].text == first
    assert programs.chain is not None
    assert programs.chain[0].text == link


@pytest.mark.parametrize("form", ["b (pc+4)", "casal", "str -> ldr (ofs = 0 -> ofs = 0)", "ldr (reg; unaligned)", "("])
def test_a_row_that_is_no_test_of_the_model_says_why(form: str) -> None:
    assert recipe_of(form).skip


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "form,X latency,X per_cycle\nadd (reg),quick,1\n"])
def test_a_file_that_is_no_such_table_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"table\.csv"):
        read_table(path)
