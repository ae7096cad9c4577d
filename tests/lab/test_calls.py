"""Calls by name pack, profile and choose: results against numpy, costs against `neonlab.profile` of the same sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.lab.run.profile import profile
from neonlab.lab.systems import Calls
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile

ROOT = Path(__file__).resolve().parents[2]
POINTWISE = "conv1x1_s8s32_hwc_@"
SIZES = {"pixels": 21, "in_channels": 40, "out_channels": 24}


def drawn() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    return random.integers(-128, 128, (21, 40), dtype=np.int8), random.integers(-127, 128, (24, 40), dtype=np.int8)


@pytest.mark.parametrize("name", [None, 3, b"relu_s8s8_flat_64", ("relu_s8s8_flat_64",), np.str_, "other"])
def test_what_names_no_kernel_is_refused_in_words(name: Any) -> None:
    library = open_library(ROOT)
    calls = Calls(library, Isa.A64)
    asked = next(kernel for kernel in library.kernels if kernel.isa is Isa.A32) if name == "other" else name
    for ask in (calls.kernel, calls.profile, calls.cheapest, calls):
        with pytest.raises(InputError, match="a kernel is meant by its name or by a Kernel of"):
            ask(asked)


@pytest.mark.parametrize(
    ("isa", "core", "part"),
    [
        (Isa.A64, "cortex-a53", "_4x4"),
        (Isa.A64, "cortex-a55", "_4x16_dotprod"),
        (Isa.A64, "cortex-a76", "_4x16_dotprod"),
        (Isa.A32, "cortex-a7", ""),
        (Isa.A64, None, ""),
    ],
)
def test_the_cheapest_kernel_of_a_core_computes_the_product(isa: Isa, core: str | None, part: str) -> None:
    calls = Calls(open_library(ROOT), isa, core=core)
    image, weights = drawn()
    kernel = calls.cheapest(POINTWISE, input=image, weights=weights, **SIZES)
    assert part in kernel.name
    packed = calls.packed(kernel, "weights", weights)
    assert packed.ndim == 1 and ("dotprod" not in kernel.name or not np.array_equal(packed, weights.reshape(-1)))
    got = calls(kernel, input=image, weights=packed, **SIZES)["output"]
    assert np.array_equal(got.reshape(21, 24), image.astype(np.int32) @ weights.T.astype(np.int32))
    assert list(calls.called) == [kernel.title]


def test_a_profile_is_that_of_the_command_for_the_same_sizes() -> None:
    image, weights = drawn()
    for core in ("cortex-a53", "cortex-a76"):
        calls = Calls(open_library(ROOT), Isa.A64, core=core)
        found = calls.profile("conv1x1_s8s32_hwc_4x4", input=image, weights=weights, **SIZES)
        wanted = profile("armv8/conv1x1_s8s32_hwc_4x4", "3x7x40x24", memory=MemoryOptions(core, cold_weights=True))
        assert isinstance(wanted, Profile) and found.cycles is not None and wanted.cycles is not None
        assert found.counts.instructions == wanted.counts.instructions > 5000
        assert found.cycles.cycles == wanted.cycles.cycles
        assert found.macs == 21 * 40 * 24
    counted = Calls(open_library(ROOT), Isa.A64).profile("conv1x1_s8s32_hwc_4x4", input=image, weights=weights, **SIZES)
    assert counted.cycles is None and counted.counts.instructions == found.counts.instructions


def test_profiles_of_calls_do_not_depend_on_the_calls_before() -> None:
    library, name = open_library(ROOT), "conv1x1_s8s32_hwc_4x4_inorder"
    image, weights = drawn()
    kept, sizes = Calls(library, Isa.A64, core="cortex-a53"), [SIZES, {**SIZES, "pixels": 6}, SIZES]
    found = [kept.profile(name, input=image[: one["pixels"]], weights=weights, **one).cycles for one in sizes]
    fresh = Calls(library, Isa.A64, core="cortex-a53").profile(name, input=image[:6], weights=weights, **sizes[1])
    assert found[0] == found[2] != found[1] == fresh.cycles


def test_the_choice_is_among_kernels_that_round_alike_and_take_the_arguments() -> None:
    calls = Calls(open_library(ROOT), Isa.A64, core="cortex-a55")
    image, weights = drawn()
    given: dict[str, np.ndarray | int] = {**SIZES, "input": image, "weights": weights}
    given |= {"bias": np.zeros(24, np.int32), "range": np.array([3, -128, 127], np.int16)}
    scales: dict[str, np.ndarray | int]
    scales = {"multipliers": np.full(24, 1 << 30, np.int32), "shifts": np.full(24, -6, np.int32)}
    forms: dict[str, dict[str, np.ndarray | int]]
    forms = {"ruy": scales, "gemmlowp": scales, "fp32": {"scales": np.full(24, 0.01, np.float32)}}
    names = {
        scheme: calls.cheapest(f"conv1x1_s8s8_hwc_@_{scheme}", **{**given, **more}).name
        for scheme, more in forms.items()
    }
    assert all(name.endswith(f"_{scheme}") and "dotprod" in name for scheme, name in names.items())
    with pytest.raises(InputError, match="no argument is called `wieghts`"):
        calls.cheapest(POINTWISE, input=image, wieghts=weights, **SIZES)
    with pytest.raises(InputError, match="0 kernels of this instruction set are called `conv7x7_s8s32_hwc_@`"):
        calls.cheapest("conv7x7_s8s32_hwc_@", input=image)
    with pytest.raises(InputError, match="no array that it reads is called `output`"):
        calls.packed(POINTWISE + "_inorder", "output", weights)
    with pytest.raises(InputError, match=r"`weights` of shape \[\] cannot be packed"):
        calls.packed("conv1x1_s8s32_hwc_4x16_dotprod", "weights", np.array(5, np.int8))
    with pytest.raises(InputError, match="cortex-a53"):
        Calls(open_library(ROOT), Isa.A64, core="cortex-a53").profile(
            "conv1x1_s8s32_hwc_4x16_dotprod", input=image, weights=weights, **SIZES
        )


def test_a_kernel_writes_into_part_of_an_output() -> None:
    calls = Calls(open_library(ROOT), Isa.A64)
    whole = np.full((7, 50), 9, np.int8)
    part, table = np.arange(7 * 12).astype(np.int8), np.arange(256).astype(np.uint8).view(np.int8)
    flat, first = whole.reshape(-1), 30
    got = calls(
        "concat_s8s8_rows_@", input=part, rows=7, cols=12, input_pitch=12, output_pitch=50, table=table,
        output=flat[first:],
    )["output"]  # fmt: skip
    flat[first : first + got.size] = got
    wanted = np.full((7, 50), 9, np.int8)
    wanted[:, 30:42] = part.reshape(7, 12)
    assert np.array_equal(whole, wanted)
