"""Saved cases of kernels: the same case comes back, and no other kernel, size or value is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.kernel_sources import standing_alone
from tests.sample import ONE_OF_EACH

from neonlab.emulate.run import Fault, FaultKind
from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check_case
from neonlab.lab.run.lookup import one_kernel, one_shape
from neonlab.lab.run.plan import draw_case
from neonlab.lab.run.saved import make_ignored_folder, save_failure, saved_case
from neonlab.lab.run.shapes import planned_shapes
from neonlab.verify.cases.case import Array, Case, CaseName
from neonlab.verify.cases.saved import SavedCase, saved_bytes
from neonlab.verify.verdict import WITNESS, Failure

ROOT = Path(__file__).resolve().parents[3]
#: A function of pointers to rows, some of which lead to other bytes.
_ROWS = """/*toml
summary   = "out[i] = rows[i][0]"
prototype = "void (const int8_t *const *rows, const int8_t *other, int8_t *out, size_t n)"
isa       = ["armv8.0-a"]
stack     = 0
reference = "none"

[args]
rows  = { reg = "x0", pointers = "n", to = { read = "4" }, or_to = "other" }
other = { reg = "x1", read = "4" }
out   = { reg = "x2", write = "n" }
n     = { reg = "x3", range = [1, 64] }
*/
    .text
    .global first_of_rows
first_of_rows:
    ldr     x4, [x0], #8
    ldrb    w5, [x4]
    strb    w5, [x2], #1
    subs    x3, x3, #1
    b.ne    first_of_rows
    ret
"""


def _failure(case: Case) -> Failure:
    return Failure(replace(case, pattern=WITNESS).name, Fault(FaultKind.EMULATOR_DIED, "", 0), witness=case)


def _equal(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    return one.keys() == other.keys() and all(
        (one[n].dtype, one[n].shape, one[n].tobytes()) == (other[n].dtype, other[n].shape, other[n].tobytes())
        for n in one
    )


@pytest.mark.slow(keep=3)
@pytest.mark.sweep
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
def test_a_drawn_case_of_each_kind_is_within_its_contract_and_comes_back_whole(kernel: Kernel, tmp_path: Path) -> None:
    shape = planned_shapes(kernel, 1).small[1]
    for pattern in ("random", "extremes"):
        case = draw_case(kernel, CaseName(shape, pattern, 4))
        saved = save_failure(kernel, _failure(case), tmp_path)
        again = saved_case(kernel, Path(saved.saved))
        assert again.title == f"{shape} witness seed 4"
        assert again.integers == case.integers
        assert _equal(again.inputs, case.inputs)
        assert _equal({n: e.array for n, e in again.expected.items()}, {n: e.array for n, e in case.expected.items()})


def test_row_pointers_come_back_and_are_checked(tmp_path: Path) -> None:
    source = tmp_path / "first_of_rows.S"
    source.write_text(_ROWS)
    kernel = open_kernel(source)
    case = draw_case(kernel, CaseName(one_shape(kernel, "33"), "random", 1))
    assert (case.rows["rows"] == -1).any() and (case.rows["rows"] >= 0).any()
    again = saved_case(kernel, Path(save_failure(kernel, _failure(case), tmp_path).saved))
    assert _equal(again.rows, case.rows) and _equal(again.inputs, case.inputs)
    far = {name: np.where(rows >= 0, rows + 1000, rows) for name, rows in case.rows.items()}
    path = Path(save_failure(kernel, _failure(replace(case, rows=far)), tmp_path).saved)
    with pytest.raises(InputError, match="lead outside"):
        saved_case(kernel, path)
    assert check_case(kernel, again).outcomes == [None]


_NAME = "armv8/conv1x1_s8s8_hwc_4x4_fp32"


def _drawn() -> tuple[Kernel, Case]:
    kernel = one_kernel(_NAME)
    return kernel, draw_case(kernel, CaseName(one_shape(kernel, "1x2x9x5"), "random", 1))


def _with(name: str, change: Callable[[Array], Array]) -> Callable[[Case], Case]:
    return lambda case: replace(case, inputs={**case.inputs, name: change(case.inputs[name])})


def _first(value: float) -> Callable[[Array], Array]:
    def change(array: Array) -> Array:
        found = array.copy()
        found.reshape(-1)[0] = value
        return found

    return change


_WRONG: dict[str, tuple[Callable[[Case], Case], str]] = {
    "a value beyond its range": (_with("scales", _first(1e9)), r"scales\[0\] = .* is outside the contract's range"),
    "not a number": (_with("scales", _first(np.nan)), "outside the contract's range"),
    "another type": (_with("bias", lambda a: a.astype(np.int16)), "`bias` is int16"),
    "another size": (_with("bias", lambda a: a[:-1]), "where int32"),
    "no such array": (lambda c: replace(c, inputs={**c.inputs, "more": np.zeros(1)}), "`more` is"),
    "an array missing": (lambda c: replace(c, inputs={n: a for n, a in c.inputs.items() if n != "bias"}), "is none"),
    "another integer": (
        lambda c: replace(c, integers={n: v + (n == min(c.integers)) for n, v in c.integers.items()}),
        "are not those of the shape",
    ),
    "a size that is not allowed": (lambda c: replace(c, shape=replace(c.shape, sizes=(0, 2, 9, 5))), "range"),
    "other sizes": (lambda c: replace(c, shape=replace(c.shape, names=("a", "b", "c", "d"))), "sizes are"),
    "a seed below 0": (lambda c: replace(c, seed=-1), "sizes are|seed"),
}


@pytest.mark.parametrize("wrong", _WRONG)
def test_a_case_that_the_contract_does_not_allow_is_refused(wrong: str, tmp_path: Path) -> None:
    kernel, case = _drawn()
    change, words = _WRONG[wrong]
    path = Path(save_failure(kernel, _failure(change(case)), tmp_path).saved)
    with pytest.raises(InputError, match=words) as told:
        saved_case(kernel, path)
    assert str(told.value).startswith(f"{path}: ") and "\n" not in str(told.value)


def test_a_case_of_another_kernel_is_refused(tmp_path: Path) -> None:
    kernel, case = _drawn()
    path = Path(save_failure(kernel, _failure(case), tmp_path).saved)
    with pytest.raises(InputError, match="a case of conv1x1_s8s8_hwc_4x4_fp32"):
        saved_case(one_kernel("armv8/conv1x1_s8s8_hwc_4x4_ruy"), path)


def test_a_right_kernel_passes_on_a_saved_case_under_every_check(tmp_path: Path) -> None:
    kernel, case = _drawn()
    again = saved_case(kernel, Path(save_failure(kernel, _failure(case), tmp_path).saved))
    assert check_case(kernel, again).outcomes == [None]


def test_the_file_does_not_decide_what_is_right(tmp_path: Path) -> None:
    """A result that stands in no file cannot be forged there: what is expected is computed anew."""
    kernel, case = _drawn()
    forged = replace(case, expected={})
    again = saved_case(kernel, Path(save_failure(kernel, _failure(forged), tmp_path).saved))
    assert _equal({n: e.array for n, e in again.expected.items()}, {n: e.array for n, e in case.expected.items()})
    assert b"expected" not in saved_bytes(SavedCase("f", "a64", case.shape, 1, case.integers, case.inputs, {}))


def test_a_folder_of_saved_cases_is_ignored_by_git_and_one_that_was_there_is_left_alone(tmp_path: Path) -> None:
    make_ignored_folder(tmp_path / "new" / "folder")
    assert "*" in (tmp_path / "new" / "folder" / ".gitignore").read_text().splitlines()
    make_ignored_folder(tmp_path)
    assert not (tmp_path / ".gitignore").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot create the folder"):
        make_ignored_folder(tmp_path / "file" / "folder")


def test_a_failure_of_a_drawn_case_needs_no_file(tmp_path: Path) -> None:
    kernel, case = _drawn()
    failure = Failure(case.name, Fault(FaultKind.EMULATOR_DIED, "", 0))
    assert save_failure(kernel, failure, tmp_path) is failure
    assert not list(tmp_path.iterdir())


def test_inputs_for_a_file_from_elsewhere_are_saved_below_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    title = "armv8/clip_s8s8_flat_64"
    mine = one_kernel(title)
    assert mine.root is not None
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "armv8" / mine.path.name
    path.parent.mkdir()
    path.write_text(standing_alone(mine.path))
    elsewhere = open_kernel(path)
    assert elsewhere.root == mine.root  # whose operator is the reference
    case = draw_case(elsewhere, CaseName(one_shape(elsewhere, "70"), "random", 1))
    saved = Path(save_failure(elsewhere, _failure(case)).saved).resolve()
    assert saved.is_file() and saved.parent == tmp_path.resolve() / ".neonlab" / "witnesses"
