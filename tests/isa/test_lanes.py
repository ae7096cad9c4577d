"""The lane arithmetic against values worked by hand, and against integers of Python, one lane at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from tests.isa.lane_forms import forms

from neonlab.isa.a32.lanes import lane_operation_a32
from neonlab.isa.a64.lanes import lane_operation_a64
from neonlab.isa.lanes import execute, true_lanes, wraps
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import LaneOperation, file_bytes, vector_start


def operation_of(isa: Isa, text: str) -> LaneOperation | None:
    mnemonic, _, operands = text.partition(" ")
    return (lane_operation_a64 if isa is Isa.A64 else lane_operation_a32)(mnemonic, operands)


def state(isa: Isa, **registers: tuple[str, list[int]]) -> np.ndarray:
    """A register file of zeros but for registers given as v1=("i2", values), or d2, q1."""
    row = np.zeros((1, file_bytes(isa)), np.uint8)
    for name, (dtype, values) in registers.items():
        index = int(name[1:]) * (2 if name[0] == "q" and isa is Isa.A32 else 1)
        start = vector_start(isa, index)
        data = np.array(values, np.dtype("<" + dtype)).view(np.uint8)
        row[0, start : start + data.size] = data
    return row


def register(isa: Isa, row: np.ndarray, name: str, dtype: str) -> list[int]:
    index = int(name[1:]) * (2 if name[0] == "q" and isa is Isa.A32 else 1)
    start = vector_start(isa, index)
    size = 8 if name[0] == "d" else 16
    lanes: list[int] = np.ascontiguousarray(row[0, start : start + size]).view("<" + dtype).tolist()
    return lanes


@pytest.mark.parametrize(
    ("isa", "text", "before", "result", "after"),
    [
        (Isa.A64, "smlal v0.8h, v1.8b, v2.8b", {"v0": ("i2", [1] * 8), "v1": ("i1", range(8)), "v2": ("i1", [-3] * 8)},
         ("v0", "i2"), [1 - 3 * i for i in range(8)]),
        (Isa.A64, "smull2 v0.8h, v1.16b, v2.16b", {"v1": ("i1", range(16)), "v2": ("i1", [-128] * 16)},
         ("v0", "i2"), [-128 * i for i in range(8, 16)]),
        (Isa.A64, "sqdmulh v0.4s, v1.4s, v2.s[1]",
         {"v1": ("i4", [-(1 << 31), 1 << 30, 3, 0]), "v2": ("i4", [0, -(1 << 31)])},
         ("v0", "i4"), [(1 << 31) - 1, -(1 << 30), -3, 0]),
        (Isa.A64, "xtn2 v0.8h, v1.4s", {"v0": ("i2", [9] * 8), "v1": ("i4", [65536, 65535, -1, 7])},
         ("v0", "i2"), [9, 9, 9, 9, 0, -1, -1, 7]),
        (Isa.A64, "add v0.8b, v1.8b, v2.8b", {"v0": ("i1", [5] * 16), "v1": ("i1", [127] * 8), "v2": ("i1", [1] * 8)},
         ("v0", "i1"), [-128] * 8 + [0] * 8),
        (Isa.A32, "vmlal.s8 q0, d2, d4", {"q0": ("i2", [10] * 8), "d2": ("i1", range(8)), "d4": ("i1", [2] * 8)},
         ("q0", "i2"), [10 + 2 * i for i in range(8)]),
        (Isa.A32, "vmlal.s16 q0, d2, d4[3]",
         {"q0": ("i4", [1] * 4), "d2": ("i2", [1, 2, 3, 4]), "d4": ("i2", [0, 0, 0, -5])},
         ("q0", "i4"), [-4, -9, -14, -19]),
        (Isa.A32, "vqmovun.s16 d0, q1", {"q1": ("i2", [-1, 0, 1, 255, 256, 32767, -32768, 128])},
         ("d0", "u1"), [0, 0, 1, 255, 255, 255, 0, 128]),
        (Isa.A32, "vpadal.s8 d0, d1", {"d0": ("i2", [1, 2, 3, 4]), "d1": ("i1", [-128, -128, 1, 2, 3, 4, 5, 6])},
         ("d0", "i2"), [-255, 5, 10, 15]),
        (Isa.A32, "vzip.8 d0, d1", {"d0": ("u1", range(8)), "d1": ("u1", range(10, 18))},
         ("d1", "u1"), [4, 14, 5, 15, 6, 16, 7, 17]),
    ],
)  # fmt: skip
def test_instructions_leave_what_was_worked_by_hand(
    isa: Isa, text: str, before: dict[str, tuple[str, Iterable[int]]], result: tuple[str, str], after: list[int]
) -> None:
    operation = operation_of(isa, text)
    assert operation is not None
    given = state(isa, **{name: (dtype, list(values)) for name, (dtype, values) in before.items()})
    assert register(isa, execute(operation, given), *result) == after


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_every_form_has_an_arithmetic_as_assembled_text_spells_it(isa: Isa) -> None:
    def spelled(text: str) -> str:
        return text.replace("vmov q0, q1", "vorr q0, q1, q1").replace("vmov d0, d1", "vorr d0, d1, d1")

    without = [form for form in forms(isa) if operation_of(isa, spelled(form)) is None]
    assert not without


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("add", lambda d, n, m: n + m),
        ("sub", lambda d, n, m: n - m),
        ("mul", lambda d, n, m: n * m),
        ("mla", lambda d, n, m: d + n * m),
        ("mls", lambda d, n, m: d - n * m),
    ],
)
def test_a_lane_wraps_exactly_when_integers_of_any_size_say_so(
    name: str, exact: Callable[[int, int, int], int], bits: int, signed: bool
) -> None:
    seed = 3
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    letter = {8: "16b", 16: "8h", 32: "4s"}[bits]
    operation = operation_of(Isa.A64, f"{name} v0.{letter}, v1.{letter}, v2.{letter}")
    assert operation is not None
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    files = rng.integers(0, 256, (64, file_bytes(Isa.A64)), np.uint8)
    files[::2, :48] = np.array([0, 1, 127, 128, 255], np.uint8)[rng.integers(0, 5, (32, 48))]
    lanes = files[:, :48].reshape(64, 3, 16).view(f"<{'i' if signed else 'u'}{bits // 8}")
    expected = [
        [not low <= exact(*(int(lanes[row, r, lane]) for r in range(3))) <= high for lane in range(128 // bits)]
        for row in range(64)
    ]
    assert wraps(operation.read_as(signed), files).tolist() == expected


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_saturating_forms_never_wrap(isa: Isa) -> None:
    rng = np.random.default_rng(4)
    files = rng.integers(0, 256, (50, file_bytes(isa)), np.uint8)
    saturating = [
        operation for form in forms(isa) if (operation := operation_of(isa, form)) is not None and operation.saturates
    ]
    assert len(saturating) > 100
    assert not any(wraps(operation, files).any() for operation in saturating)


@pytest.mark.parametrize(
    "form",
    ["saddl v0.8h, v1.8b, v2.8b", "usubl v0.8h, v1.8b, v2.8b", "sabdl v0.8h, v1.8b, v2.8b", "sabd v0.8b, v1.8b, v2.8b",
     "smull v0.8h, v1.8b, v2.8b", "saddlp v0.4h, v1.8b", "uaddlv h0, v1.16b", "srshr v0.8h, v1.8h, #3",
     "srhadd v0.8b, v1.8b, v2.8b", "sshll v0.8h, v1.8b, #7"],
)  # fmt: skip
def test_forms_whose_result_always_fits_never_wrap(form: str) -> None:
    rng = np.random.default_rng(5)
    files = rng.choice(np.array([0, 1, 127, 128, 255], np.uint8), (400, file_bytes(Isa.A64)))
    operation = operation_of(Isa.A64, form)
    assert operation is not None
    assert not wraps(operation, files).any()


def test_the_true_result_of_64_bit_lanes_is_exact() -> None:
    operation = operation_of(Isa.A64, "add v0.2d, v1.2d, v2.2d")
    assert operation is not None
    top = (1 << 63) - 1
    given = state(Isa.A64, v1=("i8", [top, 1]), v2=("i8", [top, 2]))
    assert true_lanes(operation, given)[0].tolist() == [[2 * top, 3]]
    assert wraps(operation, given).tolist() == [[True, False]]


def test_what_is_no_integer_vector_work_has_no_arithmetic() -> None:
    for isa, text in [
        (Isa.A64, "add x0, x1, x2"), (Isa.A64, "fadd v0.4s, v1.4s, v2.4s"), (Isa.A64, "ld1 {v0.8b}, [x0]"),
        (Isa.A64, "mov x0, x1"), (Isa.A64, "ret"), (Isa.A32, "vadd.f32 q0, q1, q2"), (Isa.A32, "vld1.8 {d0}, [r0]"),
        (Isa.A32, "add r0, r1, r2"), (Isa.A32, "vmov.f32 s0, s1"), (Isa.A32, "bx lr"),
    ]:  # fmt: skip
        assert operation_of(isa, text) is None, text
