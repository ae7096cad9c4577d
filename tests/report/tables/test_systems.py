"""The report on systems says what ran and whether it was exact, and names the kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.lab.systems import Calls, Outcome, System
from neonlab.report.tables.systems import Ran, run_systems, systems_document, work_of_systems

ROOT = Path(__file__).resolve().parents[3]


class Nothing(System):
    system, title = "nobody", "nothing"

    def run(self, calls: Calls) -> Outcome:
        return Outcome(np.zeros(1), np.zeros(1))


def test_a_system_that_differs_on_one_instruction_set_is_told() -> None:
    ran = [Ran(Nothing(), Isa.A32, 1234, True, ("pack", "multiply")), Ran(Nothing(), Isa.A64, 1234, False, ("other",))]
    document = systems_document(ran)
    assert "## nobody" in document
    assert "| nothing | 1,234 | exact: `pack`, `multiply` | **differs**: `other` |" in document


def test_a_repository_without_systems_has_none(tmp_path: Path) -> None:
    for folder in ("asm/armv8", "kernels"):
        (tmp_path / folder).mkdir(parents=True)
    library = open_library(tmp_path)
    assert work_of_systems(library) == 0 and run_systems(library) == ()


def test_the_report_has_a_row_that_says_exact_for_every_system() -> None:
    lines = (ROOT / "reports" / "systems.md").read_text().splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| ") and not line.startswith("| what")]
    assert len(rows) == work_of_systems(open_library(ROOT)) // 2
    assert all(row[2].startswith("exact: `") and row[3].startswith("exact: `") for row in rows)
