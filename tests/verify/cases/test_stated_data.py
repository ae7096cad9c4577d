"""Data that a contract states: ramps against plain arithmetic, files against what numpy wrote, and files that lie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonlab.contract.conditions import Conditions, DataFile, Ramp
from neonlab.contract.header import Argument, parse_contract
from neonlab.errors import InputError
from neonlab.measure.shape import Shape
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.cases.stated_data import stated_array, with_stated_data

BOUNDS: list[tuple[str, tuple[float, float] | None]] = [
    ("int8", (-127, 127)),
    ("int8", None),
    ("uint8", (3, 3)),
    ("int16", (-5, 900)),
    ("uint32", None),
    ("int64", None),
    ("uint64", None),
    ("uint64", (2**64 - 7, 2**64 - 1)),
]


def argument(dtype: str, bounds: tuple[float, float] | None, data: Any) -> Argument:
    text = """/*toml
summary = "x"
prototype = "void (const int8_t *a, size_t n)"
isa = ["armv8.0-a"]
[args]
a = { reg = "x0", read = "n" }
n = { reg = "x1", range = [0, 4096] }
*/
"""
    contract = parse_contract(text, "f.S")
    assert contract is not None
    one = contract.argument("a")
    return replace(one, dtype=np.dtype(dtype), value_range=bounds, conditions=Conditions(data=data))


def rising(low: int, high: int, start: int, step: int, count: int) -> list[int]:
    """A ramp counted up one by one, without a remainder."""
    found, value, span = [], start, high - low + 1
    for _ in range(count):
        found.append(value)
        value += step
        while value > high:
            value -= span
        while value < low:
            value += span
    return found


@pytest.mark.parametrize(("dtype", "bounds"), BOUNDS)
@pytest.mark.parametrize("step", [None, 1, 0, -1, 3])
def test_a_ramp_goes_on_at_the_other_end_of_its_range(
    dtype: str, bounds: tuple[float, float] | None, step: int | None
) -> None:
    limits = np.iinfo(dtype)
    low, high = (int(limits.min), int(limits.max)) if bounds is None else (int(bounds[0]), int(bounds[1]))
    for start in (None, low, high):
        found = stated_array(argument(dtype, bounds, Ramp(start, step)), 700)
        first = min(max(0, low), high) if start is None else start
        assert found.dtype == np.dtype(dtype)
        assert found.tolist() == rising(low, high, first, 1 if step is None else step, 700)


def test_a_ramp_of_floats_stays_in_its_range() -> None:
    found = stated_array(argument("float32", (0.5, 2.5), Ramp(0.5, 0.25)), 20)
    assert found.dtype == np.float32 and found.tolist() == [0.5 + 0.25 * (n % 8) for n in range(20)]
    found = stated_array(argument("float32", None, Ramp()), 1000)
    assert found[0] == 0 and found.min() >= -1 and found.max() < 1 and len(set(found.tolist())) == 256
    assert stated_array(argument("float64", (2.0, 2.0), Ramp()), 3).tolist() == [2, 2, 2]


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_is_read_in_order_whatever_its_dimensions(tmp_path: Path, order: Any) -> None:
    array = np.arange(24, dtype=np.int16).reshape(4, 6)
    np.save(tmp_path / "a.npy", np.array(array, order=order))
    array.tofile(tmp_path / "a.bin")
    for name in ("a.npy", "a.bin"):
        found = stated_array(argument("int16", (0, 23), DataFile(str(tmp_path / name))), 20)
        assert found.dtype == np.int16 and found.tolist() == list(range(20))


def saved(path: Path, value: Any) -> bytes:
    np.save(path, value, allow_pickle=True)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        ("none.npy", None, "no such file"),
        ("a.npy", lambda path: b"no array at all", "is no array that `numpy.save` wrote"),
        ("a.npy", lambda path: saved(path, np.array([{}], object)), "its elements are object"),
        ("a.npy", lambda path: saved(path, np.zeros(9, np.int8)), "has 9 elements, and the call reads 10 of `a`"),
        (
            "a.npy",
            lambda path: saved(path, np.zeros(10, np.uint8)),
            "its elements are uint8, and those of `a` are int8",
        ),
        ("a.npy", lambda path: saved(path, np.zeros(10, np.int8))[:-1], "is damaged: 10 elements are announced"),
        (
            "a.npy",
            lambda path: saved(path, np.zeros(10, np.int8)).replace(b"(10,)", b"(1<0)"),
            "is no array that `numpy.save` wrote",
        ),
        ("a.npy", lambda path: saved(path, np.array([0] * 9 + [100], np.int8)), "element 9 is 100, outside the range"),
        ("a.bin", lambda path: b"\0" * 9, "has 9 elements"),
        ("a.bin", lambda path: b"\x80" * 10, "element 0 is -128, outside the range of `a`, [-9, 9]"),
    ],
)
def test_a_file_that_does_not_fit_is_one_clear_error(tmp_path: Path, name: str, make: Any, words: str) -> None:
    path = tmp_path / name
    if make is not None:
        path.write_bytes(make(path))
    with pytest.raises(InputError) as caught:
        stated_array(argument("int8", (-9, 9), DataFile(str(path))), 10)
    assert words in str(caught.value) and str(path) in str(caught.value)


def test_a_case_has_the_stated_data_and_else_what_was_drawn() -> None:
    text = """/*toml
summary = "x"
prototype = "void (const int8_t *a, const int8_t *b, size_t n)"
isa = ["armv8.0-a"]
[args]
a = { reg = "x0", read = "n", data = { start = 5, step = 0 } }
b = { reg = "x1", read = "n" }
n = { reg = "x2", range = [0, 4096] }
*/
"""
    contract = parse_contract(text, "f.S")
    assert contract is not None
    case = generated_case(contract, Shape(("n",), (40,)), "random", 1)
    stated = with_stated_data(contract, case)
    assert stated.inputs["a"].tolist() == [5] * 40 != case.inputs["a"].tolist()
    assert stated.inputs["b"] is case.inputs["b"]
