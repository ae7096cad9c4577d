"""A kernel checked and counted in one call is what `check` and `profile` find of it in two."""

from __future__ import annotations

import pytest
from tests.command_line import ADD, LAYER, SUM, edit, new_repository

from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.library import Kernel, Library, open_library
from neonlab.lab.run.plan import layers_of
from neonlab.lab.run.profile import profile
from neonlab.measure.profile import Profile
from neonlab.report.tables.layers import Seen, see_layers, work_of_layers
from neonlab.report.tables.variants import rows_of

WRONG, UNMAPPED = "armv8/add_s8_wrong", "armv8/add_s8_unmapped"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Two right kernels, one that subtracts, one that reads where nothing is."""
    root = new_repository(tmp_path_factory.mktemp("seen"), "add_s8_wrong", "add_s8_unmapped")
    edit(root, SUM, SUM.replace("sqadd", "sqsub"), WRONG)
    edit(root, "    subs    count, count, #16\n", "    ldr     x9, [count]\n", UNMAPPED)
    return open_library(root)


@pytest.fixture(scope="module")
def seen(library: Library) -> dict[str, tuple[Kernel, Seen]]:
    work = work_of_layers(library)
    heard: list[int] = []
    with Workers(2) as workers:
        found = see_layers(workers, work, heard.append)
    assert heard == [1] * len(work)
    return {kernel.title: (kernel, one) for (kernel, _), one in zip(work, found, strict=True)}


def test_every_kernel_is_seen_on_every_layer_that_it_takes(library: Library) -> None:
    assert work_of_layers(library) == [(kernel, shape) for kernel in library.kernels for shape in layers_of(kernel)]
    assert {str(shape) for _, shape in work_of_layers(library)} == {LAYER}


@pytest.mark.parametrize("title", [ADD, ADD.replace("armv8", "armv7"), WRONG])
def test_the_counts_are_those_of_a_profile_whether_the_result_is_right_or_not(
    title: str, seen: dict[str, tuple[Kernel, Seen]]
) -> None:
    kernel, one = seen[title]
    alone = profile(kernel, layers_of(kernel)[0])
    assert isinstance(one.counted, Profile) and isinstance(alone, Profile)
    assert one.counted.to_json() == alone.to_json()
    assert [failure.pattern for failure in one.failures] == (["random", "extremes"] if title == WRONG else [])


def test_a_kernel_that_does_not_run_has_no_figures_and_is_not_exact(
    library: Library, seen: dict[str, tuple[Kernel, Seen]]
) -> None:
    _, one = seen[UNMAPPED]
    assert not isinstance(one.counted, Profile) and one.failures and one.hot_loop is None
    rows = {row.kernel: row for row in rows_of(work_of_layers(library), [seen[k.title][1] for k in library.kernels])}
    assert rows[UNMAPPED].profile is None
    assert {title for title, row in rows.items() if row.exact} == {ADD, ADD.replace("armv8", "armv7")}
