"""Test that what CP-SAT says of orders belongs to its loops, and that its orders cost what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.optimize.loops import code_of_text

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.cores.table_hash import tables_hash
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.optimize.schedule.fewest import Fewest
from neonlab.report.tables.loops.orders import (
    OrderRecord,
    code_digest,
    known_orders,
    order_words,
    read_orders,
    write_orders,
)

REPORTS = Path(__file__).resolve().parents[3] / "reports"
RECORDS = read_orders(REPORTS)
FOUND = Fewest(2, 25, True, 26.0, ("add v0.4s, v0.4s, v1.4s",))
RECORD = OrderRecord("armv8/x", "cortex-a55", "0" * 16, tables_hash("cortex-a55"), FOUND)
BRANCH = {Isa.A64: "b.hi loop", Isa.A32: "bgt loop"}


@pytest.mark.parametrize("record", RECORDS, ids=[f"{one.kernel} {one.core} {one.found.stages}" for one in RECORDS])
def test_a_recorded_order_costs_on_the_model_what_is_said(record: OrderRecord) -> None:
    assert record.tables == tables_hash(record.core)
    if record.found.body:
        isa = Isa.A32 if record.kernel.startswith("armv7") else Isa.A64
        code = code_of_text("\n".join((*record.found.body, BRANCH[isa])), isa)
        assert steady_cycles(code.instructions, load_pipeline(record.core)) == pytest.approx(record.found.cycles)
        assert record.found.cycles >= record.found.least


def test_there_are_records_and_the_report_says_what_they_do() -> None:
    report = (REPORTS / "ladder.md").read_text()
    assert RECORDS
    assert all(f"CP-SAT finds one of {one.found.cycles:.4g}." in report for one in RECORDS if one.found.cycles)


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    other = replace(RECORD, kernel="armv7/a", found=replace(FOUND, stages=3, cycles=0.0, body=()))
    assert read_orders(tmp_path) == ()
    write_orders(tmp_path, [RECORD, other])
    assert read_orders(tmp_path) == (other, RECORD)


def test_a_record_counts_for_the_tables_it_was_found_for(tmp_path: Path) -> None:
    write_orders(tmp_path, [RECORD, replace(RECORD, code="1" * 16, tables="0" * 16)])
    assert known_orders(tmp_path) == {("0" * 16, "cortex-a55"): (FOUND,)}


def test_the_digest_is_of_the_instructions_wherever_they_lie() -> None:
    one = code_of_text("add v0.4s, v0.4s, v1.4s\nsubs x2, x2, #1\nb.ne loop", Isa.A64).instructions
    moved = [replace(step, address=step.address + 64) for step in one]
    other = code_of_text("add v0.4s, v0.4s, v2.4s\nsubs x2, x2, #1\nb.ne loop", Isa.A64).instructions
    assert code_digest(one) == code_digest(moved) != code_digest(other)
    named = code_of_text("add v0.4s, v0.4s, v1.4s\nsubs x9, x9, #1\nb.ne loop", Isa.A64).instructions
    assert code_digest(one) == code_digest(named)
    ends = "vldr d0, [r9, #8]\nadd {}, r9, #8\nsubs r2, r2, #1\nbne loop"
    assert len({code_digest(code_of_text(ends.format(to), Isa.A32).instructions) for to in ("r3", "r9", "r4")}) == 2


def test_words_say_what_is_known() -> None:
    assert order_words([], 23) == ""
    assert order_words([FOUND], 23) == (
        " In two stages none takes fewer than 25, for want of registers, and CP-SAT finds one of 26."
    )
    late = replace(FOUND, stages=3, by_registers=False, cycles=0.0, body=())
    assert order_words([late], 23) == " In three stages none takes fewer than 25, by latencies and places of results."
    assert order_words([late], 25) == " In three stages CP-SAT finds none in its time."


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "orders.json").write_text('{"orders": [{"kernel": 3}]}')
    with pytest.raises(InputError, match="has no orders"):
        read_orders(tmp_path)
