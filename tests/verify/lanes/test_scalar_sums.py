"""Sums in general registers: those of signed data are held to int32, addresses, counters and hashes are not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify.lane_kernels import ARCHITECTURE, kernel

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.model.isa import Isa
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.check_case import run_case
from neonlab.verify.lanes.reach import harmful_wrap
from neonlab.verify.lanes.scalar_sums import scalar_operation
from neonlab.verify.lanes.wrap import LaneWrapProbe
from neonlab.verify.ranges.proof import RangeStatus, range_verdict
from neonlab.verify.verdict import LANES_AND_SUMS, LANES_NOT_SUMS, NEON_LANES

A64, A32 = Isa.A64, Isa.A32
SAFE, WRAPS, UNDECIDED = RangeStatus.SAFE, RangeStatus.WRAPS, RangeStatus.UNDECIDED
HIGH = 2**31 - 1

_HEAD = """/*toml
summary = "one number of each operand"
prototype = "{returns} (const {a}_t *a, const {b}_t *b, {c}_t *c, size_t n)"
isa = ["{isa}", "neon"]
{extra}
[args]
a = {{ reg = "{r}0", read = "4*n"{range_a} }}
b = {{ reg = "{r}1", read = "4*n"{range_b} }}
c = {{ reg = "{r}2", write = "4" }}
n = {{ reg = "{r}3", range = [1, 8] }}
*/
    .global kernel
kernel:
"""


def kernel_of(
    isa: Isa, code: str, types: str = "int32 int32 int32", extra: str = "", **ranges: tuple[int, int]
) -> tuple[Program, Contract]:
    """A kernel that reads a and b through r0 and r1, and writes r4 through r2."""
    a, b, c, *returns = types.split()
    end = "str w4, [x2]; ret" if isa is A64 else "str r4, [r2]; pop {r4, pc}"
    begin = "" if isa is A64 else "push {r4, lr}; "
    given = {
        f"range_{name}": f", range = [{ranges[name][0]}, {ranges[name][1]}]" if name in ranges else "" for name in "ab"
    }
    head = _HEAD.format(
        isa=ARCHITECTURE[isa], r="x" if isa is A64 else "r", a=a, b=b, c=c, extra=extra, **given,
        returns=returns[0] if returns else "void",
    )  # fmt: skip
    return kernel(isa, head + "".join(f"    {line.strip()}\n" for line in f"{begin}{code}; {end}".split(";")))


def case_of(contract: Contract, pattern: str, n: int = 1) -> Case:
    return generated_case(contract, Shape(("n",), (n,)), pattern, 1)


def fault_of(program: Program, contract: Contract, case: Case) -> Fault | None:
    probe = LaneWrapProbe(program, contract)
    with Machine(program, probes=(probe,)) as machine:
        outcome = run_case(machine, contract, case)
        assert isinstance(outcome, Run), outcome
        return harmful_wrap(program, contract, probe, lambda other: run_case(other, contract, case), case.seed)


_ADD = {A64: "ldr w4, [x0]; ldr w5, [x1]; add w4, w4, w5", A32: "ldr r4, [r0]; ldr r12, [r1]; add r4, r4, r12"}


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_the_edge_of_a_scalar_sum_is_found_to_the_unit(isa: Isa) -> None:
    program, contract = kernel_of(isa, _ADD[isa], a=(0, HIGH - 100), b=(-100, 100))
    found = range_verdict(program, contract, case_of(contract, "random"))
    assert (found.status, found.scope) == (SAFE, LANES_AND_SUMS), found.note
    assert fault_of(program, contract, case_of(contract, "highest")) is None
    program, contract = kernel_of(isa, _ADD[isa], a=(0, HIGH - 100), b=(-100, 101))
    found = range_verdict(program, contract, case_of(contract, "random"))
    assert found.status is WRAPS and found.fault is not None
    assert found.fault.message.endswith("2147483547 + 101 = 2147483648 does not fit int32")
    fault = fault_of(program, contract, case_of(contract, "highest"))
    assert fault is not None and fault.kind is FaultKind.LANE_WRAP and fault.message == found.fault.message
    assert fault.register == ("w4" if isa is A64 else "r4")


JUDGED = [
    (A64, "ldr w4, [x0]; ldr w5, [x1]; sub w4, w4, w5", "int32 int32 int32"),
    (A64, "ldrsh w4, [x0]; ldrsh w5, [x1]; mul w4, w4, w5; add w4, w4, w4", "int16 int16 int32"),
    (A64, "ldr w4, [x0]; ldrsb w5, [x1]; ldrsb w6, [x1, #1]; msub w4, w5, w6, w4", "int32 int8 int32"),
    (A64, "ldrb w5, [x1]; ldr w4, [x0]; add w4, w4, w5", "int32 uint8 int32"),
    (A64, "ldr s1, [x0]; movi v2.4s, #0; add v1.4s, v1.4s, v2.4s; fmov w5, s1; ldr w4, [x1]; add w4, w4, w5",
     "int32 int32 int32"),
    (A32, "ldr r4, [r0]; ldr r12, [r1]; rsb r4, r4, r12", "int32 int32 int32"),
    (A32, "ldr r4, [r0]; ldrsb r12, [r1]; mla r4, r12, r12, r4", "int32 int8 int32"),
    (A32, "ldr r4, [r0]; ldr r12, [r1]; smlatb r4, r12, r12, r4", "int32 int32 int32"),
    (A32, "ldr r4, [r0]; ldrb r12, [r1]; sxtb r12, r12; sub r4, r4, r12", "int32 int8 int32"),
]  # fmt: skip


@pytest.mark.parametrize(("isa", "code", "types"), JUDGED)
def test_a_scalar_sum_that_overflows_is_a_fault_in_some_case_and_in_the_analysis_of_ranges(
    isa: Isa, code: str, types: str
) -> None:
    program, contract = kernel_of(isa, code, types)
    faults = [fault_of(program, contract, case_of(contract, p)) for p in ("lowest", "highest", "opposed", "extremes")]
    assert any(fault is not None and "does not fit int32" in fault.message for fault in faults)
    found = range_verdict(program, contract, case_of(contract, "random"))
    # What the halves of a word are, intervals do not know.
    assert found.status is (UNDECIDED if "smlatb" in code else WRAPS), found.note


NOT_SUMS = [
    # a hash of signed characters into an unsigned number, and one of bytes
    (A64, "ldrsb w5, [x0]; mov w6, #0x9e37; movk w6, #0x79b9, lsl #16; mul w5, w5, w6; add w4, w5, w6",
     "int8 int8 uint32"),
    (A64, "ldrb w5, [x0]; mov w6, #0x9e37; movk w6, #0x79b9, lsl #16; mul w5, w5, w6; add w4, w5, w6",
     "uint8 uint8 int32"),
    (A64, "ldr w5, [x0]; eor w5, w5, w5, lsr #16; ldrsb w6, [x1]; add w4, w5, w6", "int32 int8 int32"),
    # counters, and the difference of addresses
    (A64, "mov w5, #0x7fffffff; add w4, w5, w3", "int8 int8 int32"),
    (A64, "sub w4, w1, w0; add w4, w4, w4", "int8 int8 int32"),
    # unsigned words
    (A64, "ldr w5, [x0]; ldr w6, [x1]; add w4, w5, w6", "uint32 uint32 int32"),
    (A32, "ldr r4, [r0]; ldr r12, [r1]; add r4, r4, r12", "uint32 uint32 int32"),
    (A32, "ldrb r12, [r0]; ldr r4, [r0]; eor r4, r4, r12, ror #3; ldrsb r12, [r1]; add r4, r4, r12",
     "int32 int8 int32"),
    (A32, "ldrsb r12, [r0]; mvn r4, #0; add r4, r4, r3; sub r4, r0, r1", "int8 int8 int32"),
]  # fmt: skip


@pytest.mark.parametrize(("isa", "code", "types"), NOT_SUMS)
def test_addresses_counters_and_hashes_are_no_sums(isa: Isa, code: str, types: str) -> None:
    program, contract = kernel_of(isa, code, types)
    for pattern in ("random", "lowest", "highest", "opposed"):
        assert fault_of(program, contract, case_of(contract, pattern)) is None
    assert range_verdict(program, contract, case_of(contract, "random")).status is SAFE


@pytest.mark.parametrize(
    ("code", "scope"),
    [
        ("ldr w4, [x0]; ldr w5, [x1]; add w4, w4, w5", LANES_AND_SUMS),
        ("ldr w4, [x0]; ldr w5, [x1]; add w4, w4, w5, lsl #1", LANES_NOT_SUMS),
        ("ldr w4, [x0]; add w4, w4, #1", LANES_NOT_SUMS),
        ("ldr w4, [x0]; str w4, [x2]; add x3, x3, #1", NEON_LANES),
    ],
)
def test_scalar_sums_are_claimed_only_where_all_were_judged(code: str, scope: str) -> None:
    program, contract = kernel_of(A64, code, a=(-5, 5), b=(-5, 5))
    found = range_verdict(program, contract, case_of(contract, "random"))
    assert (found.status, found.scope) == (SAFE, scope), found.note


def test_a_scalar_sum_that_the_contract_declares_modular_may_wrap() -> None:
    program, contract = kernel_of(A64, _ADD[A64], extra='modular = ["add"]')
    assert fault_of(program, contract, case_of(contract, "highest")) is None


def test_the_operands_of_an_operation_are_those_of_the_text() -> None:
    program, _ = kernel_of(A64, "madd w4, w5, w6, w7; add x4, x5, x6; add w4, w5, w6, lsl #2; sub w4, w5, #1")
    operations = [scalar_operation(instruction) for instruction in program.instructions[:4]]
    assert operations[1:] == [None, None, None] and operations[0] is not None
    starts = [(lanes.start - 512) // 8 for lanes in operations[0].sources]
    assert starts == [7, 5, 6] and np.all([lanes.bits == 32 for lanes in operations[0].sources])
