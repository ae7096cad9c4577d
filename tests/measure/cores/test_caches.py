"""Cores refuse what they cannot run: an estimate for them would be one of nothing."""

from __future__ import annotations

import pytest

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import find_root, open_library
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.caches import core_names, load_core
from neonlab.measure.options import MemoryOptions

# Arm's Cortex-A comparison table: ARMv7-A cores have no A64; Neoverse N2, Cortex-A510 and X2, and Apple's have no A32.
A32_ONLY = {"cortex-a7", "cortex-a8", "cortex-a9", "cortex-a15"}
A64_ONLY = {"apple-m1", "neoverse-n2", "cortex-a510", "cortex-x2"}
# The same table: FEAT_DotProd from ARMv8.2-A designs on, FEAT_I8MM of ARMv8.6-A in Neoverse V1, N2 and ARMv9.
DOTPROD = {
    "cortex-a55",
    "cortex-a75",
    "cortex-a76",
    "neoverse-n1",
    "cortex-a78",
    "cortex-x1",
    "neoverse-v1",
    "neoverse-n2",
    "cortex-a510",
    "cortex-a710",
    "cortex-x2",
    "apple-m1",
}
I8MM = {"neoverse-v1", "neoverse-n2", "cortex-a510", "cortex-a710", "cortex-x2"}


@pytest.mark.parametrize("name", core_names())
def test_a_core_runs_its_instruction_sets_and_features_and_no_others(name: str) -> None:
    core = load_core(name)
    assert (core.refusal(Isa.A64, frozenset()) is None) == (name not in A32_ONLY)
    assert (core.refusal(Isa.A32, frozenset()) is None) == (name not in A64_ONLY)
    isa = Isa.A32 if name in A32_ONLY else Isa.A64
    assert (core.refusal(isa, frozenset({"neon", "dotprod"})) is None) == (name in DOTPROD)
    assert (core.refusal(isa, frozenset({"neon", "dotprod", "i8mm"})) is None) == (name in I8MM)


@pytest.mark.parametrize(
    ("title", "core", "reason"),
    [
        ("armv8/conv1x1_s8s32_hwc_4x4", "cortex-a9", "cortex-a9 does not execute A64"),
        ("armv7/conv1x1_s8s32_hwc_2x4", "apple-m1", "apple-m1 does not execute A32"),
        ("armv8/conv1x1_s8s32_hwc_4x16_dotprod", "cortex-a53", "cortex-a53 has no dotprod"),
    ],
)
def test_no_cycles_are_estimated_on_a_core_that_cannot_run_the_kernel(title: str, core: str, reason: str) -> None:
    (kernel,) = open_library(find_root()).find(title)
    with pytest.raises(InputError, match=f"{title}: {reason}"):
        profile(kernel, parse_shape(kernel, "4x4x16x16"), memory=MemoryOptions(core))
