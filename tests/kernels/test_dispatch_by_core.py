"""What a dispatch picks on a core takes fewer cycles there than the member that it picks elsewhere, by the models."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.profile import profile
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.verify.cases.operator import Dispatch

LIBRARY = open_library(Path(__file__).resolve().parents[2])
PICKS = [(one, core) for one in LIBRARY.dispatches.values() for core in one.cores]


def cycles(kernel: Kernel, core: str) -> int:
    assert kernel.operator is not None
    operator = kernel.operator.name.removesuffix("s2")
    sizes = {"conv1x1": (1, 4, 256, 16), "conv3x3": (1, 4, 64, 16), "matmul": (8, 24, 256)}[operator]
    found = profile(kernel, Shape(kernel.operator.dimensions, sizes), core=core, warm=True)
    assert isinstance(found, Profile) and found.cycles is not None
    return found.cycles.cycles


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("dispatch", "core"), PICKS, ids=lambda one: one if isinstance(one, str) else one.name)
@pytest.mark.sweep(keep=3)
def test_the_member_for_a_core_is_the_faster_one_there(dispatch: Dispatch, core: str) -> None:
    (picked,) = LIBRARY.find(dispatch.cores[core])
    others = [LIBRARY.find(name)[0] for name in dispatch.passed_over(core)]
    assert others and all(cycles(picked, core) < cycles(other, core) for other in others)


def test_members_of_a_dispatch_by_core_read_the_same_operands() -> None:
    for dispatch in LIBRARY.dispatches.values():
        if dispatch.cores:
            contracts = [LIBRARY.find(name)[0].contract for name in dispatch.members]
            assert len({(str(one.prototype), *(arg.layout for arg in one.arguments)) for one in contracts}) == 1


def test_elsewhere_the_members_for_cores_are_passed_over() -> None:
    dispatch = LIBRARY.dispatches["conv1x1_s8s32_hwc_4x4_by_core"]
    assert dispatch.passed_over("cortex-a53") == {"conv1x1_s8s32_hwc_4x4"}
    assert dispatch.passed_over("cortex-a76") == {"conv1x1_s8s32_hwc_4x4_inorder"}
