"""What `make test` leaves out: cases of sweeps, tests marked thorough, and slow ones; and it says how many."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from tests.saboteurs import find_saboteur, right_kernels
from tests.tiers import evenly, kind_of
from tests.tools import kind_of_absent

from neonlab.isa.model.isa import Isa

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
import pytest
@pytest.mark.sweep
@pytest.mark.parametrize("title", ["armv8/matmul_s8s32_packed_4x4", "armv8/matmul_s8s32_packed_8x12_dotprod",
                                   "armv8/matmul_s8s8_packed_4x4_ruy", "armv7/matmul_s8s32_packed_2x4"])
def test_kernels(title): pass
@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("n", range(9))
def test_numbers(n): pass
@pytest.mark.thorough("test_plain proves it on less")
def test_long(): pass
@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("n", range(7))
def test_each(n): pass
@pytest.mark.slow
def test_whole(): pass
def test_plain(): pass
def test_absent():
    pytest.skip("qemu-arm is not installed")
"""


def run(folder: Path, *options: str) -> str:
    """Return what pytest prints for the tests in the folder, by the rules of this suite."""
    (folder / "conftest.py").write_text('pytest_plugins = ["tests.tiers"]\n')
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize(("count", "keep", "kept"), [(9, 3, [0, 4, 8]), (3, 8, [0, 1, 2]), (5, 1, [0]), (2, 2, [0, 1])])
def test_some_of_many_are_evenly_spaced_with_both_ends(count: int, keep: int, kept: list[int]) -> None:
    assert evenly(count, keep) == kept


def test_kernels_have_kinds_and_numbers_have_none() -> None:
    assert kind_of("armv8/conv1x1_s8s32_hwc_4x4") == kind_of("armv8/conv1x1_s8s8_hwc_4x4_ruy")
    assert kind_of("armv8/conv1x1_s8s32_hwc_4x4") != kind_of("armv8/conv1x1_s8s32_hwc_4x16_dotprod")
    assert kind_of(Isa.A64) is Isa.A64
    assert kind_of(3) is None and kind_of("cortex-a53") is None
    assert kind_of(find_saboteur("armv8/mismatch_wrong_pixel")) == ("armv8", "mismatch")
    assert {kind_of(path) for path in right_kernels()} == {("armv7", "right"), ("armv8", "right")}


@pytest.mark.slow
def test_a_sweep_keeps_every_third_kind_and_those_of_other_names_keep_the_others(tmp_path: Path) -> None:
    titles = ["armv7/clip_s8s8_flat_64", "armv8/clip_s8s8_flat_64", "armv8/matmul_s8s32_packed_4x4"]
    one = "@pytest.mark.sweep\n@pytest.mark.parametrize('title', {})\ndef test_{}(title): pass\n"
    (tmp_path / "test_suite.py").write_text(
        "import pytest\n" + "".join(one.format(titles, name) for name in "abcdefgh")
    )
    kept = re.findall(r"test_(\w)\[(.*)\]", run(tmp_path, "--collect-only"))
    assert [name for name, _ in kept] == [*"abcdefgh"] and {title for _, title in kept} == {*titles}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "passed", "said"),
    [
        ((), 7, "left to `make test-all`: 9 cases of sweeps, 1 thorough and 6 slow"),
        (("-n", "2"), 7, "left to `make test-all`: 9 cases of sweeps, 1 thorough and 6 slow"),
        (("--thorough",), 23, "skipped 1: needs qemu-user"),
        (("--share", "1/2"), 16, "left to other shares: 4 cases of sweeps, 1 thorough and 2 slow"),
        (("--thorough", "--share", "2/2", "-n", "2"), 14, "left to other shares: 5 cases of sweeps and 4 slow"),
    ],
    ids=["alone", "two workers", "thorough", "a share", "the other share"],
)
def test_a_run_counts_what_it_leaves_out(options: tuple[str, ...], passed: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE)
    printed = run(tmp_path, *options)
    assert f"{passed} passed, 1 skipped" in printed and said in printed, printed


@pytest.mark.slow
def test_shares_have_all_cases_together_and_share_only_what_runs_anyway(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE)
    always, whole, *shares = (
        set(re.findall(r"::(\S+)", run(tmp_path, "--collect-only", *options)))
        for options in ((), ("--thorough",), ("--share", "1/3"), ("--share", "2/3"), ("--thorough", "--share", "3/3"))
    )
    assert set.union(*shares) == whole
    assert all(one & other == always for one, other in combinations(shares, 2))
    assert "such as 1/8, not 3/2" in run(tmp_path, "--share", "3/2")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("aarch64-linux-gnu-gcc", "GCC for Arm"),
        ("arm-linux-gnueabihf-g++", "GCC for Arm"),
        ("arm-linux-gnueabihf-as", "GNU as and binutils for Arm"),
        ("aarch64-linux-gnu-objdump", "GNU as and binutils for Arm"),
        ("qemu-aarch64", "qemu-user"),
    ],
)
def test_an_absent_program_is_counted_by_what_it_belongs_to(name: str, kind: str) -> None:
    assert kind_of_absent(name) == kind
