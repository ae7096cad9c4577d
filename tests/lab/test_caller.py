"""Calls by argument name refuse what is forgotten, misspelt, too small or too large, and keep their machines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.function import FaultError
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.systems import Calls

ROOT = Path(__file__).resolve().parents[2]
NAME = "armv8/conv1x1_s8s8_hwc_4x4_ruy"


def kernel(name: str = NAME) -> Kernel:
    (found,) = open_library(ROOT).find(name)
    return found


def arguments() -> dict[str, np.ndarray | int]:
    return {
        "input": np.ones((5, 8), np.int8), "weights": np.full((6, 8), 2, np.int8), "pixels": 5, "in_channels": 8,
        "out_channels": 6, "bias": np.arange(6, dtype=np.int32), "multipliers": np.full(6, 1 << 30, np.int32),
        "shifts": np.full(6, 1, np.int32), "range": np.array([0, -128, 127], np.int16),
    }  # fmt: skip


def test_parameters_of_channels_are_filled_up_and_results_are_right() -> None:
    with Caller() as caller:
        got = caller(kernel(), arguments())["output"]
    assert got.reshape(5, 6).tolist() == [[16 + channel for channel in range(6)]] * 5


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"input": np.ones((4, 8), np.int8)}, "`input` has 32 elements; with these numbers it has 40"),
        ({"input": np.ones((6, 8), np.int8)}, "`input` has 48 elements; with these numbers it has 40"),
        ({"weights": None}, "give an array for `weights`"),
        ({"bias": np.zeros(4, np.int32)}, "`bias` has 4 elements; with these numbers it has 8"),
        ({"inptu": np.ones((5, 8), np.int8)}, "no argument is called `inptu`; there are input, weights"),
        ({"pixels": 5.0}, "`pixels` is a whole number, not float"),
        ({"pixels": None}, "`pixels` is a whole number, not NoneType"),
        ({"pixels": 0}, "pixels = 0 is outside the contract's range"),
        ({"weights": np.full((6, 8), -128, np.int8)}, "`weights` has elements outside of -127 to 127"),
        ({"bias": np.zeros(6, np.int64)}, "`bias` holds int32, not int64"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, object], words: str) -> None:
    with Caller() as caller, pytest.raises(InputError, match=words):
        caller(kernel(), {**arguments(), **changed})  # type: ignore[dict-item]
    left_out = {name: value for name, value in arguments().items() if name != "weights"}
    with Caller() as caller, pytest.raises(InputError, match="give an array for `weights`"):
        caller(kernel(), left_out)


@pytest.mark.parametrize("name", ["armv7/conv1x1_s8u16s32_hwc_2x4_powers", "armv8/conv1x1_s8u16s32_hwc_4x4_powers"])
def test_a_word_that_is_no_weight_is_refused(name: str) -> None:
    words = np.full(64, 16, np.uint16)  # weights of 0
    words[:3] = 7, (1 << 15) + 7, 0
    given: dict[str, np.ndarray | int] = {"input": np.ones((5, 8), np.int8), "starts": np.zeros(4, np.int32)}
    given |= {"pixels": 5, "in_channels": 8, "out_channels": 4}
    with Caller() as caller:
        assert caller(kernel(name), {**given, "weights": words})["output"].size == 20
        words[[9, 30]] = 8, 300
        with pytest.raises(
            InputError,
            match="`weights` has 8 at element 9, which means nothing; its values are 0 to 7, 16, 32768 to 32775",
        ):
            caller(kernel(name), {**given, "weights": words})


@pytest.mark.parametrize("number", [np.int8(5), np.int64(5), np.uint32(5), np.array(5)])
def test_integers_of_numpy_are_integers(number: np.generic) -> None:
    with Caller() as caller:
        got = caller(kernel(), {**arguments(), "pixels": number})["output"]  # type: ignore[dict-item]
    assert got.size == 30


def test_one_machine_serves_calls_of_all_sizes_and_none_sees_another() -> None:
    with Caller() as caller:
        first = caller(kernel(), arguments())["output"]
        small = {**arguments(), "input": np.full((1, 8), 3, np.int8), "pixels": 1}
        assert caller(kernel(), small)["output"].tolist() == [48 + channel for channel in range(6)]
        assert np.array_equal(caller(kernel(), arguments())["output"], first)
        assert len(caller._machines) == 1


def test_a_call_that_breaks_a_rule_is_a_fault_if_watched(tmp_path: Path) -> None:
    text = kernel("armv8/lut_s8s8_flat_64").path.read_text(encoding="utf-8")
    name = "lut_s8s8_flat_64"
    broken = text.replace("ldr     d8, [sp], #16", "add     sp, sp, #16")
    assert broken != text
    folder = tmp_path / "asm" / "armv8" / "lut"
    folder.mkdir(parents=True)
    (tmp_path / "kernels").symlink_to(ROOT / "kernels")
    (folder.parent / "include").symlink_to(ROOT / "asm" / "armv8" / "include")
    (folder / f"{name}.S").write_text(broken, encoding="utf-8")
    (found,) = open_library(tmp_path).find(f"armv8/{name}")
    given: dict[str, np.ndarray | int] = {"input": np.zeros(9, np.int8), "count": 9, "table": np.zeros(256, np.int8)}
    with Caller(watched=False) as caller:
        assert caller(found, given)["output"].size == 9
    with Caller() as caller, pytest.raises(FaultError, match="d8"):
        caller(found, given)


def test_calls_by_name_do_the_same() -> None:
    calls = Calls(open_library(ROOT), Isa.A64)
    given = arguments()
    assert calls("conv1x1_s8s8_hwc_@_ruy", **given)["output"].size == 30
    with pytest.raises(InputError, match="no argument is called `wieghts`"):
        calls("conv1x1_s8s8_hwc_@_ruy", **given, wieghts=np.zeros(1, np.int8))
