"""Kernels called one after another give what libraries and networks compute, on both instruction sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.systems import Calls, Outcome, System, open_systems

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = open_systems(ROOT)
EXAMPLES = [
    "float",
    "float with bias addition and clamp",
    "uint8 quantized with asymmetric zero points",
    "int8 quantized with per-channel multipliers",
    "returning raw int32 accumulators",
    "int8 times int16 quantized with per-channel multipliers",
]
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])


@pytest.mark.slow(keep=3)
@both
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: f"{system.system}, {system.title}")
def test_a_system_gives_what_its_reference_says(system: System, isa: Isa) -> None:
    calls = Calls(open_library(ROOT), isa, watched=False)
    outcome = system.run(calls)
    assert outcome.got.shape == outcome.expected.shape
    assert outcome.exact, f"{(outcome.got != outcome.expected).sum()} of {outcome.got.size} values differ"
    assert calls.called and outcome.expected.std() > 0


def test_the_six_examples_of_ruy_are_there_by_name() -> None:
    assert [system.title for system in SYSTEMS if system.system == "ruy"] == [f"Mul, {name}" for name in EXAMPLES]


def test_every_source_has_a_system() -> None:
    names = {system.system for system in SYSTEMS}
    assert names == {
        "ruy", "TensorFlow", "nnlib", "ncnn", "QNNPACK", "TVM", "IAO", "Ristretto", "INQ", "KL calibration",
    }  # fmt: skip


def test_a_network_notices_one_wrong_weight() -> None:
    """The reference and the kernels are fed apart: a slip in what one of them gets is seen."""
    block = next(system for system in SYSTEMS if "inverted residual" in system.title)
    calls = Calls(open_library(ROOT), Isa.A64, watched=False)
    plain = calls.__call__

    class Slipping(Calls):
        def __call__(self, kernel: str | Kernel, /, **arguments: np.ndarray | int) -> dict[str, np.ndarray]:
            if str(kernel).startswith("conv1x1"):
                weights = np.array(arguments["weights"])
                weights.flat[7] ^= 1
                arguments["weights"] = weights
            return plain(kernel, **arguments)

    assert not block.run(Slipping(open_library(ROOT), Isa.A64, watched=False)).exact


@both
@pytest.mark.parametrize(
    ("right", "other"),
    [("quantize_f32s8_flat_@_ncnn", "quantize_f32s8_flat_@_fp32"), ("rows_@_precise", "rows_@_ruy")],
)
def test_the_layer_of_ristretto_notices_ties_that_go_to_even_or_up(isa: Isa, right: str, other: str) -> None:
    layer = next(system for system in SYSTEMS if system.system == "Ristretto" and "ties away" in system.title)
    replaced = []

    class Other(Calls):
        def __call__(self, kernel: str | Kernel, /, **arguments: np.ndarray | int) -> dict[str, np.ndarray]:
            replaced.append(right in str(kernel))
            return super().__call__(str(kernel).replace(right, other), **arguments)

    assert not layer.run(Other(open_library(ROOT), isa, watched=False)).exact
    assert any(replaced)


def test_operands_outside_the_declared_range_and_unknown_kernels_are_refused() -> None:
    calls = Calls(open_library(ROOT), Isa.A64)
    image, weights = np.zeros((4, 8), np.int8), np.full((4, 8), -128, np.int8)
    with pytest.raises(InputError, match="`weights` has elements outside of -127 to 127"):
        calls("conv1x1_s8s32_hwc_@", input=image, weights=weights, pixels=4, in_channels=8, out_channels=4)
    with pytest.raises(InputError, match="`input` holds int8, not int16"):
        wide = image.astype(np.int16)
        calls("conv1x1_s8s32_hwc_@", input=wide, weights=weights, pixels=4, in_channels=8, out_channels=4)
    with pytest.raises(InputError, match="give a value for the number `pixels`"):
        calls("conv1x1_s8s32_hwc_@", input=image, weights=weights)
    with pytest.raises(InputError, match="0 kernels of this instruction set"):
        calls("conv1x1_s8s32_hwc_@_of_nobody")


def test_values_of_another_type_are_not_exact() -> None:
    ones = np.ones(3, np.int8)
    assert Outcome(ones, ones.copy()).exact
    assert not Outcome(ones, ones.astype(np.int32)).exact and not Outcome(ones, ones + np.int8(1)).exact
