"""Proofs for every value of a size: right kernels are proved, and each step of the argument notices what breaks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.command_line import ROOT

from neonlab import Array, Expected
from neonlab.contract.header import Contract
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.lookup import one_kernel, one_shape
from neonlab.lab.run.prove import prove_every_size, prove_one
from neonlab.measure.shape import Shape
from neonlab.prove.proof import EverySize, ProofStatus, ShapeProof
from neonlab.prove.trips import argument
from neonlab.prove.trips.argument import prove_every
from neonlab.prove.trips.passes import Loop, growing
from neonlab.verify.cases.operator import Operator

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/prove/trips/test_rules.py has the rules without it"
)

_RIGHT = [
    ("armv8/conv1x1_s8s32_hwc_4x4", "2x3x65x5", "in_channels", (97, 32, 65505), ""),
    ("armv7/conv1x1_s8s32_hwc_2x4", "1x3x64x5", "in_channels", (96, 32, 65536), ""),
    ("armv8/gemv_s8s8_rows_8_ruy", "9x67", "depth", (67, 32, 65507), "multipliers range shifts"),
    ("armv7/conv1x1_s8s32_hwc_4x8_dotprod", "1x3x65x5", "in_channels", (33, 16, 131057), ""),
]


@pytest.mark.parametrize(("name", "shape", "size", "values", "held"), _RIGHT, ids=[name for name, *_ in _RIGHT])
def test_right_kernels_are_proved_for_every_size_of_a_class_up_to_the_greatest(
    name: str, shape: str, size: str, values: tuple[int, int, int], held: str
) -> None:
    kernel = one_kernel(name)
    found = prove_every_size(kernel, one_shape(kernel, shape), size, 1)
    assert (found.status, found.reason) == (ProofStatus.PROVED_WITH_ERROR, "")
    assert (found.first, found.block, found.last) == values
    assert found.greatest is not None
    assert found.greatest.held == tuple(held.split())
    assert found.error is not None
    assert found.error < -50
    assert {found.last, found.last - found.block} < set(found.shown)


_OPEN = [
    ("armv8/conv1x1_s8s32_chw_8x4", "3x5x65x5", "in_channels", "the path changes otherwise"),
    ("armv8/conv1x1_s8s32_hwc_4x4", "2x3x65x5", "out_channels", "the result `output` grows with the size"),
    ("armv8/clip_s8s8_flat_64", "83", "count", "the result `output` grows with the size"),
    ("armv8/matmul_f32f32_packed_8x12", "2x4x8", "depth", "depends on the order"),
]


@pytest.mark.parametrize(("name", "shape", "size", "reason"), _OPEN, ids=[f"{one[0]}-{one[2]}" for one in _OPEN])
def test_what_the_argument_does_not_cover_is_not_proved_and_says_why(
    name: str, shape: str, size: str, reason: str
) -> None:
    kernel = one_kernel(name)
    found = prove_every_size(kernel, one_shape(kernel, shape), size, 1)
    assert found.status is ProofStatus.NOT_PROVED
    assert reason in found.reason


# Saboteurs: a right kernel with one change.  All of them are right at small sizes.

_HEAD, _PASS, _END = (
    "    subs    x9, x4, #8\n    b.lo    4f\n3:\n",
    "    ldr     d0, [x8], #8\n    ldr     d1, [x6], #8\n    subs    x9, x9, #8\n",
    "    b.hs    3b\n",
)
_TAIL = "    adds    x9, x9, #8\n    b.eq    6f\n"
_COUNTED_TAIL = "    ands    x9, x4, #7\n    b.eq    6f\n"
_VARIES = "a condition is not the same for every size, or for every pass"
_NUMBER = "a number that depends on the size, a pass or an address becomes data"

_SABOTEURS: Mapping[str, tuple[dict[str, str], str]] = {
    "wrong from pass 40 on": (
        {_HEAD: "    mov     x10, #0\n" + _HEAD, _PASS: _PASS.replace("subs", "cmp     x10, #40\n"
        "    b.hi    4f\n    add     x10, x10, #1\n    subs")},
        _VARIES,
    ),
    "wrong where the size is 4097 alone": (
        {_HEAD: "    mov     x10, #4097\n    cmp     x4, x10\n    b.eq    4f\n" + _HEAD},
        _VARIES,
    ),
    "a pass that compares data": (
        {_PASS: _PASS.replace("subs", "umov    w10, v0.b[0]\n    cmp     w10, #0\n    subs")},
        "a pass of the loop compares data",
    ),
    "a counter of 8 bits": (
        {
            _HEAD: "    lsr     x9, x4, #3\n    and     x9, x9, #255\n    cbz     x9, 4f\n3:\n",
            _PASS: _PASS.replace("subs    x9, x9, #8", "subs    x9, x9, #1"),
            _END: "    b.ne    3b\n",
            _TAIL: _COUNTED_TAIL,
        },
        "a number of 8 bits wraps around",
    ),
    "a size of 16 bits": (
        {_HEAD: _HEAD.replace("subs    x9, x4, #8", "and     x9, x4, #0xffff\n"
        "    subs    x9, x9, #8"), _TAIL: _COUNTED_TAIL},
        "a number of 16 bits wraps around",
    ),
    "a pointer whose step changes": (
        {_PASS: _PASS.replace("[x6], #8", "[x6]").replace("subs", "lsr     x10, x9, #15\n"
        "    add     x10, x10, #8\n    add     x6, x6, x10\n    subs")},
        "low bits of a register vary",
    ),
    "a step that grows with the passes": (
        {
            _HEAD: "    mov     x10, #8\n    mov     x11, #0\n" + _HEAD,
            _PASS: _PASS.replace("[x6], #8", "[x6]").replace(
                "subs", "add     x6, x6, x10\n    add     x11, x11, #1\n    add     x10, x10, x11, lsr #9\n    subs"
            ),
        },
        "no rule says",
    ),
    "passes counted in a vector register": (
        {
            "    movi    v2.4s, #0\n": "    movi    v2.4s, #0\n    movi    v6.4s, #1\n    movi    v7.4s, #0\n",
            _PASS: _PASS + "    add     v7.4s, v7.4s, v6.4s\n",
            "    addv    s2": "    ushr    v7.4s, v7.4s, #12\n    add     v2.4s, v2.4s, v7.4s\n    addv    s2",
        },
        "a register that data are in counts passes of the loop",
    ),
    "passes added to the sum": (
        {
            "    movi    v2.4s, #0\n": "    movi    v2.4s, #0\n    movi    v6.4s, #1\n    movi    v7.4s, #7\n",
            "    sadalp  v2.4s, v3.8h\n": "    sadalp  v2.4s, v3.8h\n    add     v2.4s, v2.4s, v6.4s\n",
            "    addv    s2": "    sub     v2.4s, v2.4s, v7.4s\n    addv    s2",
        },
        "a block of zeros may change what a pass of the loop computes",
    ),
    "the size added to the sum": (
        {
            "    addv    s2": "    lsr     x10, x4, #13\n    dup     v7.4s, w10\n"
            "    add     v2.4s, v2.4s, v7.4s\n    addv    s2",
        },
        "low bits of a register vary",
    ),
    "the size as data": (
        {"    addv    s2": "    dup     v7.4s, w4\n    ushr    v7.4s, v7.4s, #13\n"
        "    add     v2.4s, v2.4s, v7.4s\n    addv    s2"},
        _NUMBER,
    ),
    "the size as data by way of the stack": (
        {
            "    addv    s2": "    str     x4, [sp, #-16]!\n    ldr     d7, [sp], #16\n    ushr    v7.4s, v7.4s, #13\n"
            "    add     v2.4s, v2.4s, v7.4s\n    addv    s2"
        },
        "a number that depends on the size, or that nobody set, becomes data",
    ),
    "a pass that stores": (
        {_PASS: "    str     x9, [sp, #-16]!\n    ldr     x9, [sp], #16\n" + _PASS},
        "a pass of the loop stores on the stack",
    ),
}  # fmt: skip


_RANGE = 'in_channels  = { reg = "x4", range = [1, 65536] }'
#: A change of the contract, for greatest sizes that take no time.
_FEWER = {_RANGE: _RANGE.replace("65536", "2200")}


def _kernel(folder: Path, changes: Mapping[str, str]) -> Kernel:
    """The saboteurs' right kernel with changes of its text, in a repository of its own."""
    source = (ROOT / "tests/saboteurs/armv8/conv1x1_s8s32_hwc.S").read_text(encoding="utf-8")
    for text, by in changes.items():
        assert text in source, text
        source = source.replace(text, by, 1)
    if "sp" in "".join(changes.values()):
        source = source.replace("[args]", "stack = 16\n[args]", 1)
    path = folder / "asm" / "armv8" / "conv1x1" / "conv1x1_s8s32_hwc.S"
    path.parent.mkdir(parents=True)
    (folder / "kernels").symlink_to(ROOT / "kernels")
    path.write_text(source, encoding="utf-8")
    return open_kernel(path)


def _with_a_greatest_that_is_proved(kernel: Kernel, shape: str, operator: Operator | None = None) -> EverySize:
    """Return what is shown if the proof at the greatest size is that at a small one: all rests on the other steps."""
    assert kernel.operator is not None

    def small(_: Shape) -> ShapeProof:
        return prove_one(kernel, one_shape(kernel, "1x2x57x2"), 1)

    assert small(one_shape(kernel, shape)).status is ProofStatus.PROVED
    return prove_every(
        kernel_program(kernel), kernel.contract, operator or kernel.operator, one_shape(kernel, shape), "in_channels",
        1, small,
    )  # fmt: skip


_SHAPE = "1x2x57x2"


def test_the_right_kernel_of_the_saboteurs_is_proved(tmp_path: Path) -> None:
    kernel = _kernel(tmp_path, {})
    for found in (
        prove_every_size(kernel, one_shape(kernel, _SHAPE), "in_channels", 1),
        _with_a_greatest_that_is_proved(kernel, _SHAPE),
    ):
        assert (found.reason, found.first, found.block, found.last) == ("", 17, 8, 65529)


@pytest.mark.parametrize("name", _SABOTEURS)
def test_a_step_notices_a_saboteur_by_itself(tmp_path: Path, name: str) -> None:
    changes, reason = _SABOTEURS[name]
    found = _with_a_greatest_that_is_proved(_kernel(tmp_path, changes), _SHAPE.replace("57", "64"))
    assert found.status is ProofStatus.NOT_PROVED
    assert reason in found.reason
    assert "conv1x1_s8s32_hwc.S:" in found.where


def test_a_size_of_16_bits_is_enough_for_sizes_that_fit_it(tmp_path: Path) -> None:
    changes, _ = _SABOTEURS["a size of 16 bits"]
    found = _with_a_greatest_that_is_proved(_kernel(tmp_path, changes), _SHAPE)
    assert (found.reason, found.last) == ("", 65529)


@pytest.mark.parametrize("name", ["wrong from pass 40 on", "a counter of 8 bits", "passes added to the sum"])
def test_a_kernel_that_is_wrong_at_the_greatest_size_is_not_proved(tmp_path: Path, name: str) -> None:
    kernel = _kernel(tmp_path, {**_FEWER, **_SABOTEURS[name][0]})
    found = prove_every_size(kernel, one_shape(kernel, _SHAPE), "in_channels", 1)
    assert found.status is ProofStatus.NOT_PROVED
    assert "it is refuted at" in found.reason


class _Other(Operator):
    """The operator of a kernel, whose results have the number of channels beyond a limit added."""

    name = "other"
    dimensions = ("height", "width", "in_channels", "out_channels")

    def __init__(self, own: Operator, beyond: int) -> None:
        self._own, self._beyond = own, beyond

    def claims(self, contract: Contract) -> bool:
        return self._own.claims(contract)

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return self._own.integers(shape)

    def inputs(self, contract: Contract, shape: Shape, data: object) -> Mapping[str, Array]:
        return self._own.inputs(contract, shape, data)  # type: ignore[arg-type]

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        found = self._own.expected(contract, shape, inputs)["output"]
        more = max(0, shape["in_channels"] - self._beyond)
        return {"output": replace(found, array=(found.array + more).astype(found.array.dtype))}


@pytest.mark.parametrize(("beyond", "at"), [(57, "1x2x65x2 is not that at 1x2x57x2"), (2192, "1x2x2193x2 is not")])
def test_a_reference_that_is_no_sum_is_noticed_at_the_sizes_that_are_looked_at(
    tmp_path: Path, beyond: int, at: str
) -> None:
    kernel = _kernel(tmp_path, _FEWER)
    assert kernel.operator is not None
    found = _with_a_greatest_that_is_proved(kernel, _SHAPE, _Other(kernel.operator, beyond))
    assert found.status is ProofStatus.NOT_PROVED
    assert f"the reference at {at}" in found.reason


def test_a_path_that_was_found_wrong_is_noticed_at_the_greatest_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(paths: Sequence[np.ndarray]) -> list[Loop]:
        return [replace(loop, growth=loop.growth + 1) for loop in growing(paths)]

    monkeypatch.setattr(argument, "growing", wrong)
    found = _with_a_greatest_that_is_proved(_kernel(tmp_path, _FEWER), _SHAPE)
    assert found.status is ProofStatus.NOT_PROVED
