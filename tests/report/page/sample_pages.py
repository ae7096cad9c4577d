"""Pages of two kernels, as fixtures; the folder's conftest imports them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.check import check
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.page.gather import CurvePoint, KernelPage
from neonlab.report.page.render import kernel_page

if TYPE_CHECKING:
    pass

ROOT = Path(__file__).parents[3]
TITLES = ("armv8/conv1x1_s8s32_hwc_4x4", "armv7/conv1x1_s8s32_chw_8x4")
RUN_ON = ("cortex-a53", "cortex-a72")
MOST_BYTES = 1_500_000
LIBRARY = open_library(ROOT)
KERNELS = {kernel.title: kernel for kernel in LIBRARY.kernels}


def page_of(kernel: Kernel) -> KernelPage:
    shapes = [parse_shape(kernel, text) for text in ("8x8x32x16", "7x7x64x24")]
    profiles: dict[str, Profile] = {}
    curves = {}
    for core in RUN_ON:
        found = [profiling.profile(kernel, shape, memory=MemoryOptions(core, loop=True)) for shape in shapes]
        points = []
        for one in found:
            assert isinstance(one, Profile)
            assert one.cycles is not None
            points.append(CurvePoint(one.shape, one.macs, one.cycles.cycles))
            profiles.setdefault(core, one)
        curves[core] = {kernel.title: tuple(points)}
    variants = {core: {kernel.title: profile} for core, profile in profiles.items()}
    return KernelPage(kernel, check(kernel, shapes=shapes[:1]), shapes[0], profiles, variants, curves)


@pytest.fixture(scope="module", params=TITLES)
def page(request: pytest.FixtureRequest) -> KernelPage:
    return page_of(KERNELS[request.param])


@pytest.fixture(scope="module")
def text(page: KernelPage) -> str:
    return kernel_page(page)
