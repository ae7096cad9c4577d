"""What a dispatch picks on a core takes fewer cycles there than the member that it picks elsewhere, by the models."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.caches import load_core
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.verify.cases.operator import Dispatch

LIBRARY = open_library(Path(__file__).resolve().parents[2])
PICKS = [(one, core) for one in LIBRARY.dispatches.values() for core in one.cores]


def cycles(kernel: Kernel, core: str) -> int:
    assert kernel.operator is not None
    operator = kernel.operator.name.removesuffix("s2")
    sizes: dict[str, tuple[int, ...]] = {
        "conv1x1": (1, 4, 256, 16),
        "conv3x3": (1, 4, 64, 16),
        "gemv": (64, 1024),
        "matmul": (8, 24, 256),
    }
    shape = (2, 8, 3, 32) if "_ic3_" in kernel.name else sizes[operator]
    found = profile(kernel, Shape(kernel.operator.dimensions, shape), core=core, warm=True)
    assert isinstance(found, Profile) and found.cycles is not None
    return found.cycles.cycles


def runs_on(kernel: Kernel, core: str) -> bool:
    return load_core(core).refusal(kernel.isa, kernel.contract.features) is None


def able(names: Iterable[str], core: str) -> list[Kernel]:
    """The kernels of these names that the core executes: one for each instruction set."""
    return [kernel for name in names for kernel in LIBRARY.find(name) if runs_on(kernel, core)]


@pytest.mark.slow
@pytest.mark.parametrize(("dispatch", "core"), PICKS, ids=lambda one: one if isinstance(one, str) else one.name)
@pytest.mark.sweep(keep=3)
def test_the_member_for_a_core_is_the_faster_one_there(dispatch: Dispatch, core: str) -> None:
    picked, others = able([dispatch.cores[core]], core), able(sorted(dispatch.passed_over(core)), core)
    pairs = [(one, other) for one in picked for other in others if other.isa is one.isa]
    assert pairs and {one.isa for one in picked} == {one.isa for one, _ in pairs}
    assert all(cycles(one, core) < cycles(other, core) for one, other in pairs)


def test_members_of_a_dispatch_by_core_read_the_same_operands() -> None:
    for dispatch in LIBRARY.dispatches.values():
        if dispatch.cores:
            contracts = [LIBRARY.find(name)[0].contract for name in dispatch.members]
            assert len({(str(one.prototype), *(arg.layout for arg in one.arguments)) for one in contracts}) == 1


def test_elsewhere_the_members_for_cores_are_passed_over() -> None:
    dispatch = LIBRARY.dispatches["conv1x1_s8s32_hwc_4x4_by_core"]
    assert dispatch.passed_over("cortex-a53") == {"conv1x1_s8s32_hwc_4x4"}
    assert dispatch.passed_over("cortex-a76") == {"conv1x1_s8s32_hwc_4x4_inorder"}
