"""Kernels that each do one thing wrong, and right ones that look suspicious.

`tests/saboteurs` says how both are written: a right kernel, and beside it its faults as changes.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from tests.saboteurs import Saboteur, right_kernels, saboteurs
from tests.tools import require

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import FaultKind, Run
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.verify.cases.case import Array, Case
from neonlab.verify.check_case import run_case
from neonlab.verify.verdict import Status

#: What only the lab itself can get wrong, or another fault says more exactly.
_INTERNAL = {FaultKind.EMULATOR_DIED, FaultKind.UNMAPPED_ACCESS}
_ONLY_ON = {
    FaultKind.ALIGNMENT_HINT: "armv7",
    FaultKind.NARROW_RESULT: "armv7",
    FaultKind.UPPER_HALF_ARGUMENT: "armv8",
}


def _title(kernel: Saboteur | Path) -> str:
    return kernel.title if isinstance(kernel, Saboteur) else f"{kernel.parent.name}/{kernel.stem}"


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("saboteur", saboteurs(), ids=_title)
@pytest.mark.sweep
def test_the_fault_is_reported_where_it_is_and_no_other(saboteur: Saboteur, tmp_path: Path) -> None:
    path = saboteur.write(tmp_path)
    verdict = check(open_kernel(path))
    assert [(failure.identifier, failure.where) for failure in verdict.failures] == [
        (saboteur.fault, saboteur.where(path))
    ]


@pytest.mark.parametrize("path", right_kernels(), ids=_title)
@pytest.mark.sweep
def test_a_right_kernel_raises_nothing(path: Path) -> None:
    kernel = open_kernel(path)
    verdict = check(kernel)
    assert verdict.failures == ()
    assert verdict.faultless
    assert verdict.cases > 0
    # Of most of these no operator knows what is right: their results are compared below.
    assert kernel.has_reference == (verdict.status is Status.EXACT)


@pytest.mark.parametrize("kernel", [*saboteurs(), *right_kernels()], ids=_title)
@pytest.mark.sweep
def test_gnu_as_takes_the_file_too(kernel: Saboteur | Path, tmp_path: Path) -> None:
    path = kernel.write(tmp_path) if isinstance(kernel, Saboteur) else kernel
    prefix = "aarch64-linux-gnu" if _title(kernel).startswith("armv8/") else "arm-linux-gnueabihf"
    compiler = require(f"{prefix}-gcc")
    done = subprocess.run(
        [compiler, "-c", str(path), "-o", str(tmp_path / "object.o")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_fault_has_three_saboteurs_on_each_isa_where_it_exists() -> None:
    have = Counter((saboteur.isa, saboteur.fault) for saboteur in saboteurs())
    few = {
        (folder, kind.value): have[folder, kind.value]
        for kind in FaultKind
        for folder in ("armv7", "armv8")
        if kind not in _INTERNAL and _ONLY_ON.get(kind, folder) == folder and have[folder, kind.value] < 3
    }
    assert few == {}


Integers = Mapping[str, int]
Inputs = Mapping[str, Array]


def _saturate(values: Array, dtype: type) -> Array:
    limits = np.iinfo(dtype)
    clipped: Array = np.clip(values, limits.min, limits.max).astype(dtype)
    return clipped


def _add(inputs: Inputs, _integers: Integers) -> Array:
    return _saturate(inputs["a"].astype(int) + inputs["b"], np.int8)


def _dot(inputs: Inputs, _integers: Integers) -> Array:
    return np.array([inputs["a"].astype(int) @ inputs["b"].astype(int)], np.int32)


def _requantize(inputs: Inputs, integers: Integers) -> Array:
    scaled: Array = (inputs["in"].astype(object) * integers["multiplier"] * 2 + (1 << 31)) // (1 << 32)
    shifted = (scaled + (1 << integers["shift"] - 1)) // (1 << integers["shift"])
    narrowed = np.clip(shifted, -32768, 32767)
    return _saturate(np.clip(narrowed + integers["zero"], -32768, 32767), np.int8)


def _gemv(inputs: Inputs, integers: Integers) -> Array:
    rows = inputs["rows"].astype(int).reshape(4, integers["k"])
    return np.asarray(rows @ inputs["x"].astype(int), np.int32)


def _sum_rows(inputs: Inputs, integers: Integers) -> Array:
    rows = np.lib.stride_tricks.sliding_window_view(inputs["src"].astype(int), 16)[:: integers["stride"]]
    return np.asarray(rows.sum(axis=1), np.int32)


def _alternating(inputs: Inputs, _integers: Integers) -> Array:
    rows = inputs["a"].astype(int).reshape(-1, 2, 8)
    return np.asarray((rows[:, 0] - rows[:, 1]).sum(axis=0), np.int16)


def _average(inputs: Inputs, _integers: Integers) -> Array:
    return np.asarray((inputs["a"].astype(int) + inputs["b"] + 1) // 2, np.uint8)


def _sum_and_count(inputs: Inputs, _integers: Integers) -> Array:
    return np.array([inputs["a"].astype(int).sum(), inputs["a"].size], np.int32)


def _subtract_zero(inputs: Inputs, integers: Integers) -> Array:
    return _saturate(inputs["a"][integers["first"] :].astype(int) - integers["zero"], np.int8)


def _copy_rows(inputs: Inputs, _integers: Integers) -> Array:
    return inputs["src"]


def _difference(inputs: Inputs, _integers: Integers) -> Array:
    sign = np.where(np.arange(inputs["a"].size) % 16 < 8, 1, -1)
    return np.array([(inputs["a"].astype(int) * inputs["b"] * sign).sum()], np.int32)


def _low_nibbles(inputs: Inputs, _integers: Integers) -> Array:
    return np.asarray((inputs["a"].astype(int) + 8) % 16 - 8, np.int8)


def _saturating_chain(inputs: Inputs, _integers: Integers) -> Array:
    a, b = inputs["a"].astype(int), inputs["b"].astype(int)
    high = np.abs(np.clip((2 * a * b + (1 << 15)) >> 16, -32768, 32767))
    start = _saturate(-_saturate(a + b, np.int16).astype(int), np.int16)
    start = _saturate(start - _saturate(high, np.int16).astype(int), np.int16).astype(int)
    doubled = _saturate(2 * a * b, np.int32).astype(int)
    # Of 8 elements the first 4 have a product more added.
    first = np.arange(a.size) % 8 < 4
    doubled = np.where(first, _saturate(doubled + _saturate(2 * start * b, np.int32), np.int32), doubled)
    total = _saturate(start + _saturate(_saturate(doubled, np.int16).astype(int) << 3, np.int16), np.int16).astype(int)
    unsigned = _saturate((total + 8) >> 4, np.uint8).astype(int)
    narrow = _saturate(total >> 2, np.int8).view(np.uint8).astype(int)
    return _saturate(narrow + unsigned, np.uint8).view(np.int8)


def _chroma(inputs: Inputs, _integers: Integers) -> Array:
    red, green, blue = (inputs[name].astype(int) for name in "rgb")
    return np.asarray((112 * blue - 74 * green - 38 * red + 128 >> 8) + 128, np.uint8)


#: What right kernels compute, by the summary in their contract.
_REFERENCES: Mapping[str, Callable[[Inputs, Integers], Array]] = {
    "out[i] = saturate(a[i] + b[i]), int8": _add,
    "out[i] = a[i] + b[i], which fits, int8": _add,
    "out = sum_i a[i] * b[i], int8 x int8 -> int32": _dot,
    "out[i] = saturate(round(in[i] * multiplier / 2^31 / 2^shift) + zero), int32 -> int8": _requantize,
    "out[r] = sum_i rows[r][i] * x[i] for 4 rows, int8 x int8 -> int32": _gemv,
    "sums[r] = sum of the first 16 int8 of row r": _sum_rows,
    "sums[r] = sum of 16 int8 of row r, rows at a pitch": lambda inputs, _: np.asarray(
        inputs["src"].astype(int).reshape(-1, 16).sum(axis=1), np.int32
    ),
    "out[0] = bias[0] + sum of a, int8 and int32 -> int32": lambda inputs, _: np.array(
        [int(inputs["bias"][0]) + inputs["a"].astype(int).sum()], np.int32
    ),
    "out[lane] = sum of the rows with an even number less those with an odd one, rows of 8 int8": _alternating,
    "sum_i a[i] * b[i], int16 x int16 -> int32": lambda inputs, _: np.array(
        [inputs["a"].astype(int) @ inputs["b"].astype(int)], np.int32
    ),
    "returned: whether any of a is negative": lambda inputs, _: np.array([(inputs["a"] < 0).any()]),
    "returned: the largest of a, uint8": lambda inputs, _: np.array([inputs["a"].max()]),
    "returned: the largest of a, int8": lambda inputs, _: np.array([inputs["a"].max()]),
    "returned: sum of a modulo 65536, uint16": lambda inputs, _: np.array([inputs["a"].astype(int).sum() % 65536]),
    "out[i] = (a[i] + b[i] + 1) / 2, uint8": _average,
    "out = sum_i a[i], int8 -> int32": lambda inputs, _: np.array([inputs["a"].astype(int).sum()], np.int32),
    "out[0] = sum of a, out[1] = number of bytes, int8": _sum_and_count,
    "out[i] = saturate(a[i] - zero) for count elements from first on, every number narrower than its register": (
        _subtract_zero
    ),
    "out[i] = a chain of saturating steps of a[i] and b[i], int16 -> int8": _saturating_chain,
    "dst[row] = src[row], rows of width bytes at strides of their own": _copy_rows,
    "dst[row] = src[row], rows of 16*blocks bytes, from below or from above": _copy_rows,
    "dst[row] = src[row], rows of 8*halves bytes": _copy_rows,
    "sums[row] = sum of 8*halves int8 of the row": lambda inputs, integers: np.asarray(
        inputs["src"].astype(int).reshape(integers["rows"], -1).sum(axis=1), np.int32
    ),
    "dst[i] = src[i], both on 16-byte boundaries": lambda inputs, _: inputs["src"],
    "out[i] = bits set in a[i], by a table of 16": lambda inputs, _: np.bitwise_count(inputs["a"]),
    "out = sum of a modulo 256, uint8": lambda inputs, _: np.array([inputs["a"].sum() % 256], np.uint8),
    "out = sum_i a[i] * b[i], the products of the second 8 of each 16 negative, int8 x int8 -> int32": _difference,
    "out[i] = the low 4 bits of a[i] as a signed number": _low_nibbles,
    "out[i] = max(a[i], 0), int32": lambda inputs, _: np.maximum(inputs["a"], 0),
    "out = number of i with a[i] = b[i], uint8 -> uint32": lambda inputs, _: np.array(
        [(inputs["a"] == inputs["b"]).sum()], np.uint32
    ),
    "out[i] = largest less smallest of a[row][i], rows of 16 uint8": lambda inputs, _: np.asarray(
        np.ptp(inputs["a"].reshape(-1, 16), axis=0), np.uint8
    ),
    "out[i] = (112*b[i] - 74*g[i] - 38*r[i] + 128 >> 8) + 128, uint8": _chroma,
    "out[i] = how many a[j] are below a[i], uint8 -> uint16": lambda inputs, _: np.asarray(
        (inputs["a"][:, None] > inputs["a"]).sum(axis=1), np.uint16
    ),
    "dst[i] = 0, whole blocks of 64 bytes": lambda _, integers: np.zeros(integers["n"], np.uint8),
    "out[i] = a[i] + 128, int8 -> uint8": lambda inputs, _: np.asarray(inputs["a"].astype(int) + 128, np.uint8),
    "out[i] = a[i] - 128, uint8 -> int8": lambda inputs, _: np.asarray(inputs["a"].astype(int) - 128, np.int8),
}


def _rows_of(kernel: Kernel, case: Case, name: str, run: Run) -> Array:
    """An output without what lies between its rows."""
    argument = kernel.contract.argument(name)
    held = run.outputs[name].reshape(-1).view(np.uint8)[argument.block(case.integers).written]
    return np.ascontiguousarray(held).view(argument.dtype)


#: Without those that `check` compares with a reference: that of an operator, or a C function.
_COMPARED_HERE = [
    path
    for path in right_kernels()
    if not path.stem.startswith(("conv1x1_", "dequantize_")) and not path.with_suffix(".contract.toml").is_file()
]


@pytest.mark.parametrize("path", _COMPARED_HERE, ids=_title)
@pytest.mark.sweep
def test_a_right_kernel_computes_what_its_contract_says(path: Path) -> None:
    kernel = open_kernel(path)
    reference = _REFERENCES[kernel.contract.summary]
    written = [argument.name for argument in kernel.contract.arguments if argument.write is not None]
    with Machine(kernel_program(kernel)) as machine:
        for name in plan_cases(kernel):
            case = draw_case(kernel, name)
            outcome = run_case(machine, kernel.contract, case)
            assert isinstance(outcome, Run), f"{case.title}: {outcome}"
            expected = reference(case.inputs, case.integers)
            got = _rows_of(kernel, case, written[0], outcome) if written else np.asarray(outcome.returned)
            assert np.ma.allequal(got, expected.reshape(-1)), case.title
