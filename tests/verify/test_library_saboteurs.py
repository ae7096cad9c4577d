"""Mistakes in kernels of the library, at sizes and values that a choice of cases may leave out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.saboteurs.library import LibrarySaboteur, library_saboteurs

from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("saboteur", library_saboteurs(), ids=lambda saboteur: saboteur.title)
@pytest.mark.sweep(keep=8)
def test_a_plain_check_finds_it(saboteur: LibrarySaboteur, tmp_path: Path) -> None:
    verdict = check(open_kernel(saboteur.write(tmp_path)))
    assert {failure.identifier for failure in verdict.failures} == {saboteur.fault}, saboteur.why
