"""Rows with something between them: which pitches cases take, and what becomes of a kernel that gets them wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

from neonlab.contract.header import Contract, parse_contract
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.check import check, explain
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.lab.run.search import search
from neonlab.measure.shape import Shape
from neonlab.sources.open import Code
from neonlab.verify.cases.case import Array, DataSource, Expected
from neonlab.verify.cases.operator import Operator
from neonlab.verify.cases.pitch import TURNS, plain_numbers, with_pitches

_DIMENSIONS = ("rows", "columns")


class Negate(Operator):
    """c[row][column] = -a[row][column], int8 -> int32; the contract's pitches are left to the cases."""

    name = "negate"
    dimensions = _DIMENSIONS

    def claims(self, contract: Contract) -> bool:
        return True

    def tails(self) -> Iterable[Shape]:
        return [Shape(_DIMENSIONS, (rows, columns)) for rows in range(1, 6) for columns in range(1, 6)]

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"m": shape["rows"], "n": shape["columns"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        return {"a": data.array(contract.argument("a"), shape.sizes)}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        return {"c": Expected(-inputs["a"].astype(np.int32), ("row", "column"))}


HEAD = """/*toml
summary   = "c[row][column] = -a[row][column]"
prototype = "void (const int8_t *a, int32_t *c, {long} m, {long} n, {signed} lda, {signed} ldc)"
isa       = ["{isa}", "neon"]
stack     = 32
[args]
a   = {{ reg = "{r}0", read = {{ rows = "m", bytes = "n", pitch = "lda" }} }}
c   = {{ reg = "{r}1", write = {{ rows = "m", bytes = "4*n", pitch = "4*ldc" }} }}
m   = {{ reg = "{r}2", range = [1, 64] }}
n   = {{ reg = "{r}3", range = [1, 64] }}
lda = {{ reg = "{fifth}", range = [-128, 128] }}
ldc = {{ reg = "{sixth}", range = [-128, 128] }}
*/
"""
CODE = {
    Isa.A64: """
    .text
    .global negate
negate:
1:  mov     x6, x0
    mov     x7, x1
    mov     x8, x3
2:  ldrsb   w9, [x6], #1
    neg     w9, w9
    str     w9, [x7], #4
    subs    x8, x8, #1
    b.ne    2b
    add     x0, x0, x4
    add     x1, x1, x5, lsl #2
    subs    x2, x2, #1
    b.ne    1b
    ret
""",
    Isa.A32: """
    .syntax unified
    .arm
    .text
    .global negate
negate:
    push    {r4-r9, lr}
    sub     sp, sp, #4
    ldrd    r4, r5, [sp, #32]
1:  mov     r6, r0
    mov     r7, r1
    mov     r8, r3
2:  ldrsb   r9, [r6], #1
    rsb     r9, r9, #0
    str     r9, [r7], #4
    subs    r8, r8, #1
    bne     2b
    add     r0, r0, r4
    add     r1, r1, r5, lsl #2
    subs    r2, r2, #1
    bne     1b
    add     sp, sp, #4
    pop     {r4-r9, pc}
""",
}


def negate(folder: Path, isa: Isa, operator: Operator | None, *changes: tuple[str, str]) -> Kernel:
    """The kernel with text replaced, in a file of its own."""
    a64 = isa is Isa.A64
    text = HEAD.format(
        long="size_t",
        signed="ptrdiff_t",
        isa="armv8.0-a" if a64 else "armv7-a",
        r="x" if a64 else "r",
        fifth="x4" if a64 else "stack+0",
        sixth="x5" if a64 else "stack+4",
    )
    text += CODE[isa]
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "negate.S"
    path.write_text(text)
    contract = parse_contract(text, str(path))
    assert contract is not None
    return Kernel(Code(contract, path), None, operator)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize("operator", [Negate(), None], ids=["compared", "watched"])
def test_a_kernel_that_follows_its_pitches_is_right(isa: Isa, operator: Operator | None, tmp_path: Path) -> None:
    verdict = check(negate(tmp_path, isa, operator))
    assert verdict.failures == ()
    assert verdict.cases >= 40


# what is changed, and what must be said: identifier, and the instruction on the line that is blamed
A64_CHANGES = [
    (("add     x0, x0, x4", "add     x0, x0, x5"), "oob-read", "ldrsb   w9"),
    (("add     x1, x1, x5, lsl #2", "mov     x1, x7"), "oob-write", "str     w9"),
    (("add     x1, x1, x5, lsl #2", "add     x1, x1, w5, uxtw #2"), "oob-write", "str     w9"),
    (("neg     w9, w9", "tbnz x2, #0, 3f\n neg w9, w9\n3:"), "mismatch", "str     w9"),
    (("str     w9, [x7], #4", "str     x9, [x7], #4"), "oob-write", "str     x9"),
]
A32_CHANGES = [
    (("add     r0, r0, r4", "add     r0, r0, r5"), "oob-read", "ldrsb   r9"),
    (("add     r1, r1, r5, lsl #2", "mov     r1, r7"), "oob-write", "str     r9"),
    (("ldrd    r4, r5, [sp, #32]", "ldrd    r4, r5, [sp, #32]\n mov r5, r4"), "oob-write", "str     r9"),
    (("rsb     r9, r9, #0", "tst r2, #1\n rsbne r9, r9, #0"), "mismatch", "str     r9"),
]
CHANGES = [(Isa.A64, *change) for change in A64_CHANGES] + [(Isa.A32, *change) for change in A32_CHANGES]


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize(("isa", "change", "identifier", "blamed"), CHANGES)
def test_a_kernel_that_gets_a_pitch_wrong_is_found(
    isa: Isa, change: tuple[str, str], identifier: str, blamed: str, tmp_path: Path
) -> None:
    kernel = negate(tmp_path, isa, Negate(), change)
    verdict = check(kernel)
    # Where the pitch is a wide one, the same mistake leads elsewhere: to another mapping, or to other elements.
    failure = next(failure for failure in verdict.failures if failure.identifier == identifier)
    assert {other.identifier for other in verdict.failures} <= {identifier, "mismatch", "unmapped-access"}
    number = int(failure.where.rpartition(":")[2])
    line = kernel.path.read_text().splitlines()[number - 1]
    assert blamed in line
    if identifier == "mismatch":
        explanation = explain(kernel, failure).explanation
        assert explanation is not None
        assert any("← a[" in row for row in explanation.text), explanation.text


def test_cases_take_tight_and_wider_pitches_forwards_and_backwards(tmp_path: Path) -> None:
    kernel = negate(tmp_path, Isa.A64, Negate())
    near = {0, 1, 3, 17, -1, -2, -4, -18}
    seen: dict[str, set[int]] = {"lda": set(), "ldc": set()}
    wide: dict[str, set[int]] = {"lda": set(), "ldc": set()}
    combinations = set()
    for name in plan_cases(kernel):
        case = draw_case(kernel, name)
        slack = {pitch: abs(case.integers[pitch]) - case.integers["n"] for pitch in seen}
        for pitch, value in ((pitch, case.integers[pitch]) for pitch in seen):
            beyond = slack[pitch] if value > 0 else -1 - slack[pitch]
            (seen[pitch].add(beyond) if beyond in near else wide[pitch].add(value))
        combinations.add((case.integers["lda"] == case.integers["n"], case.integers["ldc"] == case.integers["n"]))
    assert all(found == near for found in seen.values()), seen
    # one in four is as wide as the contract allows, where that is below 16 bits
    ends = {pitch: {int(end) for end in kernel.contract.argument(pitch).value_range or ()} for pitch in wide}
    assert wide == ends and all(end < 1 << 16 for some in ends.values() for end in some)
    assert len(combinations) == 4


def test_a_pitch_is_what_no_size_depends_on(tmp_path: Path) -> None:
    contract = negate(tmp_path, Isa.A64, None).contract
    assert [argument.name for argument in contract.pitches] == ["lda", "ldc"]
    assert plain_numbers(contract) == ()
    for turn in range(TURNS):
        values = with_pitches(contract, {"m": 3, "n": 64}, turn)
        assert values is not None
        contract.check_values(values)
    assert with_pitches(contract, {"m": 3, "n": 129}, 0) is None


@pytest.mark.slow
def test_hypothesis_draws_pitches_too(tmp_path: Path) -> None:
    kernel = negate(tmp_path, Isa.A64, None, ("add     x1, x1, x5, lsl #2", "add     x1, x1, x3, lsl #2"))
    found = search(kernel, 60, 1)
    assert found.failure is not None
    assert found.failure.identifier == "oob-write"
    assert found.failure.shape is not None
    rows, columns, _, ldc = found.failure.shape.sizes
    assert (rows, columns) == (2, 1) and ldc != 1
    assert search(negate(tmp_path, Isa.A64, None), 60, 1).failure is None
