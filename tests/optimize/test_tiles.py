"""Other kernels of the same results are costed at the same call, and what they want besides is told."""

from __future__ import annotations

import pytest
from tests.optimize.loops import SAFE_A64

from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.lookup import one_kernel, one_shape
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.profile import Profile
from neonlab.optimize.tiles import OtherTile, other_tiles

EVERY = 10**12  # cycles


def found_for(kernel: Kernel, core: str, shape: str, below: int = EVERY) -> tuple[OtherTile, ...]:
    modelled = ModelledCore.named(core, cycles=True)
    return other_tiles(kernel, modelled, one_shape(kernel, shape), 1, below, lambda _: lambda _: None)


@pytest.mark.slow
@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
def test_their_cycles_are_those_of_a_profile_the_cheapest_first(core: str) -> None:
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")
    found = found_for(kernel, core, "1x8x64x16")
    assert len(found) == 3 and [one.call_cycles for one in found] == sorted(one.call_cycles for one in found)
    for one in found:
        measured = profile(one.kernel, "1x8x64x16", core=core, warm=True)
        assert isinstance(measured, Profile) and measured.cycles is not None
        assert measured.cycles.cycles == one.call_cycles
    assert any("dotprod" in one.kernel for one in found) == (core == "cortex-a55"), "where the core has it"
    assert found_for(kernel, core, "1x8x64x16", below=found[1].call_cycles) == found[:1]


def test_a_kernel_of_other_results_is_none() -> None:
    titles = {one.kernel for one in found_for(one_kernel("armv8/conv1x1_s8s8_hwc_4x4_ruy"), "cortex-a53", "1x8x64x16")}
    assert titles and all(title.endswith("_ruy") and "s8s8" in title for title in titles)


@pytest.mark.slow
def test_what_it_wants_besides_is_told() -> None:
    alone = open_kernel(SAFE_A64)  # takes weights of -128
    by_name = {one.kernel: one.differences for one in found_for(alone, "cortex-a53", "1x8x64x8")}
    assert by_name["armv8/conv1x1_s8s32_hwc_4x4_inorder"] == ("weights from -127 to 127 alone",)
    dotprod = found_for(alone, "cortex-a55", "1x8x64x8")[0]
    assert dotprod.kernel == "armv8/conv1x1_s8s32_hwc_4x16_dotprod_inorder"
    assert "weights in the layout oc16_ic4" in dotprod.differences


def test_where_the_library_has_no_other_there_is_none() -> None:
    assert found_for(one_kernel("armv8/range_f32f32_flat_16"), "cortex-a53", "64") == ()
