"""What the largest works on a library take is counted from its kernels, and calculated for many cores from a sample."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ADD, neonlab, new_repository

from neonlab.lab.cluster.library_bench import WorkCost, bench_library, scale_table
from neonlab.lab.parallel.mutants import mutants
from neonlab.lab.repository.library import open_library
from neonlab.measure.cores.pipeline import pipeline_names


def cells(table: str) -> list[str]:
    return [cell.strip() for cell in table.splitlines()[2].strip("|").split("|")]


def test_times_on_many_cores_add_up_what_is_spread_and_what_is_not() -> None:
    cost = WorkCost("mutate", 40_000, 10, 1000, 20, 3.0, 6.0, 1.0, 40.0)
    work, units, unit, longest, hours, hundred, thousand, limit = cells(scale_table([cost], 0.005))
    assert (work, units, unit, longest, hours) == ("`neonlab mutate`", "1,000", "3.00", "6.0", "0.8")
    # (3,000 s + 110 s to prepare) / 100, 40 s before and 6 s for the last; then (3,000 s + 1,010 s) / 1,000, and a
    # second in which 1,000 messages of 5 ms wait.
    assert (hundred, thousand) == ("77 s", "51 s")
    assert limit == "what comes before the first unit, from 8 cores on"  # 3,000 s / 8 < 400 s


def test_messages_of_short_units_are_fewer_than_these() -> None:
    alone = WorkCost("costs", 10**6, 1, 10**6, 20, 0.75, 0.75, 0.0, 0.0)
    together = WorkCost("costs", 10**6, 1, 10**6, 20, 0.1, 0.1, 0.0, 0.0)
    # 10^6 messages of 2 ms, which wait a tenth of the work from 1.1 * 750,000 s / 2,000 s cores on; a tenth of them
    # where ten units of 0.1 s go together.
    assert cells(scale_table([alone], 0.002))[6:] == ["33 min", "the scheduler, from 413 cores on"]
    assert cells(scale_table([together], 0.002))[6] == "3 min"


@pytest.mark.thorough("it proves and mutates a kernel; the table is tested without")
def test_units_are_those_that_the_commands_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = new_repository(tmp_path / "repository")
    monkeypatch.chdir(root)
    kernels = open_library(root).kernels
    mutate, prove, costs = bench_library(kernels, 2)
    [kernel] = kernels
    made, _ = mutants(kernel)
    assert (mutate.items, mutate.units, mutate.sampled) == (made, -(-made // 40), 2)
    assert (prove.units, prove.kernels) == (1, 1) and costs.units <= len(pipeline_names())
    assert all(one.unit > 0 and one.longest >= one.unit for one in (mutate, prove, costs)) and mutate.prepared > 0


@pytest.mark.slow
def test_the_table_needs_a_sample_and_markers(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "repository")
    alone = neonlab("bench", ADD, "--embed", "x.md", cwd=root)
    assert alone.returncode == 2 and "--embed: the table is that of --library" in alone.stderr
    (root / "x.md").write_text("nothing")
    unmarked = neonlab("bench", "--library", "1", "--embed", "x.md", cwd=root)
    assert unmarked.returncode == 2 and "has no markers `<!-- begin scale -->`" in unmarked.stderr
