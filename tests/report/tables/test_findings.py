"""The sentences at the end of a report say what its rows say; each figure follows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.kernel_sources import file_of

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile
from neonlab.lab.systems import Calls, Outcome, System
from neonlab.measure.cores.errors import UNSEEN, errors_of
from neonlab.measure.profile import Profile
from neonlab.report.tables.findings import best_of_levels, findings, level_of, takes_all_numbers
from neonlab.report.tables.goals import Peer, Reached
from neonlab.report.tables.systems import Ran
from neonlab.report.tables.variants import VariantRow

ROOT = Path(__file__).resolve().parents[3]
NEON, DOTPROD, I8MM = (f"armv8/conv1x1_s8s32_hwc_{tile}" for tile in ("4x4", "4x16_dotprod", "4x16_i8mm"))
SHAPES = ("1x8x32x16", "1x8x64x16")


class Nothing(System):
    system, title = "nobody", "nothing"

    def run(self, calls: Calls) -> Outcome:
        raise AssertionError("is not run here")


@pytest.fixture(scope="module")
def kernels() -> list[Kernel]:
    return [open_kernel(file_of(title)) for title in (NEON, DOTPROD, I8MM)]


@pytest.fixture(scope="module")
def rows(kernels: list[Kernel]) -> list[VariantRow]:
    found = []
    for kernel in kernels:
        for shape in SHAPES:
            ran = profile(kernel, parse_shape(kernel, shape))
            assert isinstance(ran, Profile)
            found.append(VariantRow(kernel.title, f"layer {shape}", shape, True, True, ran))
    return found


def per_mac(row: VariantRow) -> float:
    assert row.profile is not None
    return row.profile.counts.instructions / row.profile.macs


def test_levels_are_told_apart_by_what_multiplies(kernels: list[Kernel]) -> None:
    assert [level_of(kernel) for kernel in kernels] == ["armv8", "armv8 dotprod", "armv8 i8mm"]


@pytest.mark.parametrize(
    ("title", "all_numbers"),
    [
        ("armv8/conv1x1_s8s32_hwc_4x4", True),  # weights from -127
        ("armv8/conv1x1_s8s32_chw_8x8_bylane", True),
        ("armv8/matmul_f32f32_packed_8x12", True),
        ("armv8/conv1x1_s8s32_chw_8x4", False),  # weights from -31 to 32
        ("armv8/conv1x1_s8s16_chw_8x4", False),  # weights from -1 to 1
    ],
)
def test_kernels_for_narrow_weights_are_told_apart_by_their_contracts(title: str, all_numbers: bool) -> None:
    assert takes_all_numbers(open_kernel(file_of(title))) == all_numbers


def test_the_cheapest_of_a_level_is_exact_and_takes_fewest_instructions(
    kernels: list[Kernel], rows: list[VariantRow]
) -> None:
    best = best_of_levels(kernels, rows)
    for level, title in (("armv8", NEON), ("armv8 dotprod", DOTPROD), ("armv8 i8mm", I8MM)):
        assert best[level] == min((row for row in rows if row.kernel == title), key=per_mac)
    cheapest = best["armv8"]
    wrong = [replace(row, exact=False) if row is cheapest else row for row in rows]
    assert best_of_levels(kernels, wrong)["armv8"].shape != cheapest.shape
    said = findings(kernels, rows, (), (), ())[1]
    assert f"armv8 {per_mac(cheapest):.4f} ({NEON.partition('/')[2]})" in said


def test_exact_is_said_of_all_only_where_all_are(kernels: list[Kernel], rows: list[VariantRow]) -> None:
    assert findings(kernels, rows, (), (), ())[0].startswith("all 3 kernels are exact on 12 cases: 2 layers")
    one_wrong = [replace(rows[0], exact=False), *rows[1:]]
    assert findings(kernels, one_wrong, (), (), ())[0].startswith("1 of 3 kernels are not exact on 12 cases")
    assert findings(kernels, one_wrong, (), (), ())[0].endswith(f": {NEON}")


def test_the_largest_gap_is_that_of_the_kernel_farthest_above_its_goal() -> None:
    far = Reached("dotprod", "int8", "cortex-a55", Peer(0.0625, "theirs", "0"), DOTPROD, 0.09375, 0.0625, 512)
    near = Reached("neon", "int8", "cortex-a53", Peer(0.3, "others'", "0"), NEON, 0.24, 0.1875, 512)
    said = findings((), (), (near, far), (), ())[2]
    assert said.startswith(
        f"1 of 2 goals are met; largest gap to one: {DOTPROD} takes 0.0938 cycles per MAC on cortex-a55"
    )
    assert said.endswith(", 50% above the 0.0625 of theirs")
    assert findings((), (), (near,), (), ())[2].endswith("20% below the 0.3000 of others'")
    assert "no goal" in findings((), (), (), (), ())[2]


@pytest.mark.parametrize("exact", [True, False])
def test_systems_that_differ_are_named(exact: bool) -> None:
    ran = [Ran(Nothing(), Isa.A32, 1000, True, ()), Ran(Nothing(), Isa.A64, 234, exact, ())]
    said = findings((), (), (), ran, ())[3]
    if exact:
        assert said == "1 of 1 systems are exact on each instruction set: 2 runs, 1,234 values compared"
    else:
        assert said.startswith("1 of 2 runs of systems differ") and "nobody nothing on" in said


def test_an_estimate_has_the_error_that_is_recorded_and_cores_without_one_are_named() -> None:
    error = next(one for one in errors_of("cortex-a53") if one.against == UNSEEN)
    said = findings((), (), (), (), ("cortex-a53", "no-such-core"))[4]
    assert said.startswith("cycles are estimates of models")
    assert f"{error.median:.1%}, bias {error.bias:+.1%} on cortex-a53 ({error.figures})" in said
    assert said.endswith("no such function was measured on no-such-core")
