"""A core's description is checked, and names the source of every number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neonlab.measure.cores.caches import CoreError, core_names, load_core, read_core


def test_bad_descriptions_of_cores_are_refused_with_a_reason() -> None:
    with pytest.raises(CoreError, match=r"no core `cortex-a99`; there are apple-m1, cortex-a15"):
        load_core("cortex-a99")
    good = load_core("cortex-a53").memory
    for wrong, reason in (
        ({"size": 1000}, "is not possible"),
        ({"ways": 3}, "is not possible"),
        ({"policy": "clock"}, "is not known: use one of"),
        ({"policy": "plru", "ways": 6, "size": 6 * 64 * 64}, "tree replacement of 6 ways"),
    ):
        with pytest.raises(CoreError, match=reason):
            replace(good.l1d, **wrong)
    with pytest.raises(CoreError, match="must be refills or evictions"):
        replace(good, l2_takes="everything")
    with pytest.raises(CoreError, match="core `x`: 'memory'"):
        read_core("x", 'title = "X"')
    with pytest.raises(CoreError, match="core `x`"):
        read_core("x", "title =")


@pytest.mark.parametrize("name", core_names())
def test_every_number_of_a_core_has_its_source(name: str) -> None:
    memory = load_core(name).memory
    for part in (memory, memory.l1d, memory.l1i, memory.l2, memory.prefetcher):
        assert len(part.source) > 20
