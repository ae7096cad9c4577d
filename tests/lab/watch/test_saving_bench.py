"""The wait after a save is that of the loop itself: every step of it is there.  No time is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository

from neonlab import InputError
from neonlab.lab.repository.library import open_kernel, open_library
from neonlab.lab.watch.saving_bench import bench_saves
from neonlab.report.terminal.watch import session_text


@pytest.mark.slow
def test_each_step_between_a_save_and_the_text_is_timed(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "repository")
    [kernel] = open_library(root).find(ADD)
    before = kernel.path.read_text()
    result = bench_saves(kernel, session_text, cores=("cortex-a53",), repetitions=1)
    assert (str(result.layer), str(result.tile), [core.name for core in result.cores]) == (
        "50176",
        "128",
        ["cortex-a53"],
    )
    assert list(result.processor) == ["assembling", "10 cases", "cortex-a53", "text"]
    assert 0 < result.heard < result.shown and all(seconds > 0 for seconds in result.processor.values())
    assert set(result.to_json()) == {"layer", "tile", "cores", "heard", "shown", "processor"}
    assert "128 on 1 core" in result.lines()[0]
    assert kernel.path.read_text() == before


def test_a_kernel_outside_of_a_repository_is_refused(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "repository")
    alone = tmp_path / "alone.S"
    alone.write_text((root / "asm" / f"{ADD}.S").read_text().replace(ADD.rpartition("/")[2], "alone"))
    with pytest.raises(InputError, match=r"alone\.S"):
        bench_saves(open_kernel(alone), session_text)
