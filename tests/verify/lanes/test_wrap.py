"""Lanes that wrap in kernels: which are faults, what the fault says, and what is no fault."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify.lane_kernels import contract_of, kernel

from neonlab.contract.header import ContractError
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.lanes.wrap import LaneWrapProbe

_HEADER = """/*toml
summary = "one vector of each operand"
prototype = "void (const {A}_t *a, const {B}_t *b, {C}_t *c)"
isa = ["{isa}", "neon", "dotprod"]
{extra}
[args]
a = {{ reg = "{r}0", read = "16" }}
b = {{ reg = "{r}1", read = "16", dtype = "{B}" }}
c = {{ reg = "{r}2", write = "16" }}
*/
    .global kernel
"""
_FRAME = {
    Isa.A64: "kernel:\n    ld1 {{v1.16b}}, [x0]\n    ld1 {{v2.16b}}, [x1]\n{body}\n    st1 {{v0.16b}}, [x2]\n    ret\n",
    Isa.A32: "    .fpu neon\n    .arm\nkernel:\n    vld1.8 {{d2, d3}}, [r0]\n    vld1.8 {{d4, d5}}, [r1]\n{body}\n"
    "    vst1.8 {{d0, d1}}, [r2]\n    bx lr\n",
}  # fmt: skip


def run(
    isa: Isa, types: str, body: str, a: list[int], b: list[int], extra: str = ""
) -> tuple[Fault | None, dict[str, np.ndarray]]:
    """(the fault of the probe, outputs) of a kernel that loads a to v1 or q1, b to v2 or q2, and stores v0 or q0."""
    type_a, type_b, type_c = types.split()
    architecture = "armv8.2-a" if isa is Isa.A64 else 'armv8.2-a", "a32'
    head = _HEADER.format(A=type_a, B=type_b, C=type_c, isa=architecture, r="x" if isa is Isa.A64 else "r", extra=extra)
    lines = "\n".join("    " + line for line in body.split("; "))
    program, contract = kernel(isa, head + _FRAME[isa].format(body=lines))
    probe = LaneWrapProbe(program, contract)

    def full(values: list[int], dtype: str) -> np.ndarray:
        whole = np.zeros(16 // np.dtype(dtype).itemsize, dtype)
        whole[: len(values)] = values
        return whole

    given = [Buffer("a", full(a, type_a)), Buffer("b", full(b, type_b))]
    output = Buffer("c", np.zeros(16 // np.dtype(type_c).itemsize, type_c), writable=True)
    with Machine(program, probes=(probe,)) as machine:
        outcome = machine.call("kernel", [*given, output], contract.signature)
        assert isinstance(outcome, Run), outcome
        return probe.collect(7), dict(outcome.outputs)


A64, A32 = Isa.A64, Isa.A32
LOW = [-128] * 16
# (isa, types of a, b and c, body, a, b, the message)
WRAPS = [
    (A64, "int8 int8 int16", "smull v0.8h, v1.8b, v2.8b; smlal v0.8h, v1.8b, v2.8b", [0, *LOW[:1]], [0, *LOW[:1]],
     "smlal v0.8h, v1.8b, v2.8b: lane 1: 16384 + (-128) * (-128) = 32768 does not fit int16"),
    (A64, "int8 int8 int16", "smull v0.8h, v1.8b, v2.8b; smlsl v0.8h, v2.8b, v1.8b; smlsl v0.8h, v2.8b, v1.8b; "
     "smlsl v0.8h, v2.8b, v1.8b; smlsl v0.8h, v2.8b, v1.8b", LOW, LOW,
     "smlsl v0.8h, v2.8b, v1.8b: lane 0: -32768 - (-128) * (-128) = -49152 does not fit int16"),
    (A64, "uint8 uint8 uint16", "umull v0.8h, v1.8b, v2.8b; umlal v0.8h, v1.8b, v2.8b", [255], [255],
     "umlal v0.8h, v1.8b, v2.8b: lane 0: 65025 + 255 * 255 = 130050 does not fit uint16"),
    (A64, "int16 int16 int16", "mul v0.8h, v1.8h, v2.8h", [3, 200], [5, 200],
     "mul v0.8h, v1.8h, v2.8h: lane 1: 200 * 200 = 40000 does not fit int16"),
    (A64, "int16 int16 int16", "movi v0.8h, #1; mla v0.8h, v1.8h, v2.h[1]", [0, 0, 200], [0, 200],
     "mla v0.8h, v1.8h, v2.h[1]: lane 2: 1 + 200 * 200 = 40001 does not fit int16"),
    (A64, "int16 int16 int16", "movi v0.8h, #1; mls v0.8h, v1.8h, v2.8h", [200], [200],
     "mls v0.8h, v1.8h, v2.8h: lane 0: 1 - 200 * 200 = -39999 does not fit int16"),
    (A64, "int32 int32 int32", "add v0.4s, v1.4s, v2.4s", [1, 2, 3, 2**31 - 1], [1, 2, 3, 1],
     "add v0.4s, v1.4s, v2.4s: lane 3: 2147483647 + 1 = 2147483648 does not fit int32"),
    (A64, "uint8 uint8 uint8", "add v0.16b, v1.16b, v2.16b", [200], [100],
     "add v0.16b, v1.16b, v2.16b: lane 0: 200 + 100 = 300 does not fit uint8"),
    (A64, "int8 int8 int8", "sub v0.16b, v1.16b, v2.16b", [-128], [1],
     "sub v0.16b, v1.16b, v2.16b: lane 0: -128 - 1 = -129 does not fit int8"),
    (A64, "int8 int8 int16", "smull v0.8h, v1.8b, v2.8b; smull2 v3.8h, v1.16b, v2.16b; addp v0.8h, v0.8h, v3.8h",
     LOW, LOW, "addp v0.8h, v0.8h, v3.8h: lane 0: 16384 + 16384 = 32768 does not fit int16"),
    (A64, "int8 int8 int16", "mvni v0.8h, #0x80, lsl #8; sadalp v0.8h, v1.16b", [127, 127, 127, 127], [],
     "sadalp v0.8h, v1.16b: lane 0: 32767 + 127 + 127 = 33021 does not fit int16"),
    (A64, "int16 int16 int16", "addv h0, v1.8h", [30000, 3000], [],
     "addv h0, v1.8h: lane 0: 30000 + 3000 + 0 + 0 + 0 + 0 + 0 + 0 = 33000 does not fit int16"),
    (A64, "int32 int16 int32", "saddw v0.4s, v1.4s, v2.4h", [-(2**31)], [-1],
     "saddw v0.4s, v1.4s, v2.4h: lane 0: -2147483648 + (-1) = -2147483649 does not fit int32"),
    (A64, "int8 int8 int16", "smull v0.8h, v1.8b, v2.8b; shl v0.8h, v0.8h, #2", [127], [127],
     "shl v0.8h, v0.8h, #2: lane 0: 16129 << 2 = 64516 does not fit int16"),
    (A64, "int32 int32 int16", "xtn v0.4h, v1.4s", [32767, 32768], [],
     "xtn v0.4h, v1.4s: lane 1: 32768 does not fit int16"),
    (A64, "int32 int32 int8", "xtn v0.4h, v1.4s; xtn v0.8b, v0.8h", [200], [],
     "xtn v0.8b, v0.8h: lane 0: 200 does not fit int8"),
    (A64, "int32 int32 int16", "rshrn v0.4h, v1.4s, #4", [2**19 - 1], [],
     "rshrn v0.4h, v1.4s, #4: lane 0: (524287 + 8) >> 4 = 32768 does not fit int16"),
    (A64, "int16 int16 int8", "addhn v0.8b, v1.8h, v2.8h", [20000], [20000],
     "addhn v0.8b, v1.8h, v2.8h: lane 0: (20000 + 20000) >> 8 = 156 does not fit int8"),
    (A64, "int8 int8 int8", "neg v0.16b, v1.16b", [5, -128], [],
     "neg v0.16b, v1.16b: lane 1: -(-128) = 128 does not fit int8"),
    (A64, "int8 int8 int8", "abs v0.16b, v1.16b", [5, -128], [],
     "abs v0.16b, v1.16b: lane 1: |-128| = 128 does not fit int8"),
    (A64, "int8 int8 int32", "mvni v0.4s, #0x80, lsl #24; sdot v0.4s, v1.16b, v2.16b", [1, 2], [3, 4],
     "sdot v0.4s, v1.16b, v2.16b: lane 0: 2147483647 + 1 * 3 + 2 * 4 + 0 * 0 + 0 * 0 = 2147483658 does not fit int32"),
    (A64, "int8 int8 int16", "ssra v0.8h, v1.8h, #1; sshll v0.8h, v1.8b, #7; shl v0.8h, v0.8h, #2", [-128], [],
     "shl v0.8h, v0.8h, #2: lane 0: -16384 << 2 = -65536 does not fit int16"),
    (A32, "int8 int8 int16", "vmull.s8 q0, d2, d4; vmlal.s8 q0, d2, d4", LOW, LOW,
     "vmlal.s8 q0, d2, d4: lane 0: 16384 + (-128) * (-128) = 32768 does not fit int16"),
    (A32, "int16 int16 int16", "vmul.i16 q0, q1, q2", [200], [200],
     "vmul.i16 q0, q1, q2: lane 0: 200 * 200 = 40000 does not fit int16"),
    (A32, "int32 int32 int32", "vadd.i32 q0, q1, q2", [-(2**31)], [-1],
     "vadd.i32 q0, q1, q2: lane 0: -2147483648 + (-1) = -2147483649 does not fit int32"),
    (A32, "int8 int8 int16", "vmull.s8 q0, d2, d4; vpadd.i16 d0, d0, d1", LOW, LOW,
     "vpadd.i16 d0, d0, d1: lane 0: 16384 + 16384 = 32768 does not fit int16"),
    (A32, "int8 int8 int16", "vmvn.i16 q0, #0x8000; vpadal.s8 q0, q1", [127] * 4, [],
     "vpadal.s8 q0, q1: lane 0: 32767 + 127 + 127 = 33021 does not fit int16"),
    (A32, "int32 int32 int16", "vmovn.i32 d0, q1", [0, 0, -32769], [],
     "vmovn.i32 d0, q1: lane 2: -32769 does not fit int16"),
    (A32, "int16 int16 int16", "vshl.i16 q0, q1, #1", [0, 16384], [],
     "vshl.i16 q0, q1, #1: lane 1: 16384 << 1 = 32768 does not fit int16"),
    (A32, "int32 int32 int32", "vsub.i32 q0, q1, q2", [2**31 - 1], [-1],
     "vsub.i32 q0, q1, q2: lane 0: 2147483647 - (-1) = 2147483648 does not fit int32"),
    # it is what it is used as: unsigned products read as signed, and a count beyond what its byte holds
    (A64, "uint8 uint8 int32", "umull v0.8h, v1.8b, v1.8b; umlal v0.8h, v1.8b, v2.8b; sxtl v0.4s, v0.4h", [200], [],
     "umlal v0.8h, v1.8b, v2.8b: lane 0: 40000 + 200 * 0 = 40000 does not fit int16"),
    (A64, "int8 int8 int16", "add v0.8b, v1.8b, v2.8b; uxtl v0.8h, v0.8b", [5], [-6],
     "add v0.8b, v1.8b, v2.8b: lane 0: 5 + (-6) = -1 does not fit uint8"),
    (A64, "uint8 uint8 uint16", "movi v0.16b, #255; cmeq v3.16b, v1.16b, v2.16b; sub v0.16b, v0.16b, v3.16b; "
     "uxtl v0.8h, v0.8b", [], [1],
     "sub v0.16b, v0.16b, v3.16b: lane 1: 255 - (-1) = 256 does not fit uint8"),
    (A32, "uint8 uint8 uint16", "vmov.i8 q0, #255; vceq.i8 q3, q1, q2; vsub.i8 q0, q0, q3; vmovl.u8 q0, d0", [], [1],
     "vsub.i8 q0, q0, q3: lane 1: 255 - (-1) = 256 does not fit uint8"),
    (A32, "uint8 uint8 int32", "vmull.u8 q0, d2, d2; vmlal.u8 q0, d2, d4; vmovl.s16 q0, d0", [200], [],
     "vmlal.u8 q0, d2, d4: lane 0: 40000 + 200 * 0 = 40000 does not fit int16"),
]  # fmt: skip


@pytest.mark.parametrize(("isa", "types", "body", "a", "b", "message"), WRAPS)
def test_a_lost_result_is_a_fault_that_names_instruction_lane_and_values(
    isa: Isa, types: str, body: str, a: list[int], b: list[int], message: str
) -> None:
    fault, _ = run(isa, types, body, a, b)
    assert fault is not None
    assert fault.message == message
    assert fault.kind is FaultKind.LANE_WRAP
    assert fault.seed == 7
    assert fault.source is not None
    assert fault.source.text.strip() == message.partition(":")[0]
    assert fault.clause.startswith("exact for a: any ")


RIGHT = [
    (A64, "int8 int8 int16", "smull v0.8h, v1.8b, v2.8b; smlal v0.8h, v1.8b, v2.8b", LOW, [127] * 16),
    (A64, "int8 int8 int16", "movi v0.8h, #0x7f, lsl #8; sadalp v0.8h, v1.16b", [127, 127, 127, 127], []),
    (A64, "uint8 uint8 uint16", "umull v0.8h, v1.8b, v2.8b; uaddw v0.8h, v0.8h, v1.8b", [255], [255]),
    # a difference of unsigned bytes is a signed number, and is used as one
    (A64, "uint8 uint8 int32", "usubl v3.8h, v1.8b, v2.8b; smull v0.4s, v3.4h, v3.4h", [0, 255], [255, 0]),
    (A64, "uint8 uint8 int16", "uxtl v3.8h, v1.8b; uxtl v4.8h, v2.8b; sub v0.8h, v3.8h, v4.8h", [0], [255]),
    # clamped first: the byte is unsigned, and so is the buffer
    (A64, "int16 int16 uint8", "movi v3.8h, #0; movi v4.8h, #255; smax v0.8h, v1.8h, v3.8h; smin v0.8h, v0.8h, v4.8h; "
     "xtn v0.8b, v0.8h", [-300, 200, 3000], []),
    (A64, "int8 int8 uint8", "abs v0.16b, v1.16b", [-128], []),
    (A64, "int8 int8 uint16", "abs v3.16b, v1.16b; umull v0.8h, v3.8b, v3.8b", [-128], []),
    # saturating by design
    (A64, "int8 int8 int8", "sqadd v0.16b, v1.16b, v2.16b; sqneg v0.16b, v0.16b; sqabs v0.16b, v0.16b", LOW, LOW),
    (A64, "int32 int32 int8", "sqxtn v0.4h, v1.4s; sqxtn v0.8b, v0.8h", [-(2**31), 2**31 - 1], []),
    (A64, "int16 int16 int16", "sqdmulh v0.8h, v1.8h, v2.8h; sqrdmulh v0.8h, v1.8h, v2.8h", [-32768], [-32768]),
    # bits taken apart: nibbles, and the bytes of wider lanes
    (A64, "int8 int8 int8", "shl v0.16b, v1.16b, #4; sshr v0.16b, v0.16b, #4", [-128, 127, 99], []),
    (A64, "int8 int8 int8", "xtn v0.8b, v1.8h; shrn v3.8b, v1.8h, #8", [-128, 127, 99], []),
    # halving and distances always fit
    (A64, "uint8 uint8 uint8", "urhadd v0.16b, v1.16b, v2.16b; uabd v0.16b, v0.16b, v2.16b", [255], [255, 255]),
    (A32, "int8 int8 int16", "vmull.s8 q0, d2, d4; vmlal.s8 q0, d2, d4", LOW, [127] * 16),
    (A32, "uint8 uint8 int16", "vsubl.u8 q0, d2, d4", [0], [255]),
    (A32, "int16 int16 int8", "vqmovn.s16 d0, q1", [-32768, 32767], []),
    (A32, "int32 int32 int32", "vqadd.s32 q0, q1, q2", [2**31 - 1], [2**31 - 1]),
    # unsigned products taken away from nothing or from a negative number, then others added
    (A64, "uint8 uint8 int16", "uxtl v3.8h, v1.8b; uxtl v4.8h, v2.8b; movi v5.8h, #38; movi v6.8h, #108; "
     "movi v0.8h, #0; mls v0.8h, v3.8h, v5.8h; mla v0.8h, v4.8h, v6.8h; sshr v0.8h, v0.8h, #8", [50], [135]),
    (A64, "uint8 uint8 int16", "uxtl v4.8h, v2.8b; movi v6.8h, #108; mvni v0.8h, #7, lsl #8; "
     "mla v0.8h, v4.8h, v6.8h; sshr v0.8h, v0.8h, #8", [], [135]),
    (A64, "uint8 uint8 int16", "umull v0.8h, v1.8b, v1.8b; umlsl v0.8h, v2.8b, v2.8b; umlal v0.8h, v1.8b, v2.8b; "
     "sshr v0.8h, v0.8h, #4", [3], [120]),
    (A32, "uint8 uint8 int16", "vmovl.u8 q3, d2; vmovl.u8 q8, d4; vmov.i16 q9, #38; vmov.i16 q10, #108; "
     "vmov.i16 q0, #0; vmls.i16 q0, q3, q9; vmla.i16 q0, q8, q10; vshr.s16 q0, q0, #8", [50], [135]),
    # counts up to 255 in a byte, and up to 65535 in 16 bits
    (A64, "int8 int8 uint16", "movi v0.16b, #254; cmeq v3.16b, v1.16b, v2.16b; sub v0.16b, v0.16b, v3.16b; "
     "uxtl v0.8h, v0.8b", [], []),
    (A64, "int8 int8 uint32", "mvni v0.8h, #1; cmgt v3.16b, v1.16b, v2.16b; ssubw v0.8h, v0.8h, v3.8b; "
     "uxtl v0.4s, v0.4h", [1], []),
    (A32, "int8 int8 uint16", "vmov.i8 q0, #254; vcgt.s8 q3, q1, q2; vsub.i8 q0, q0, q3; vmovl.u8 q0, d0", [1], []),
    # the largest less the smallest
    (A64, "uint8 uint8 uint8", "umax v3.16b, v1.16b, v2.16b; umin v4.16b, v1.16b, v2.16b; sub v0.16b, v3.16b, v4.16b",
     [255], []),
    (A64, "uint8 uint8 uint16", "umax v3.16b, v1.16b, v2.16b; umin v4.16b, v1.16b, v2.16b; "
     "sub v3.16b, v3.16b, v4.16b; umull v0.8h, v3.8b, v3.8b", [255], []),
    (A32, "uint8 uint8 uint8", "vmax.u8 q3, q1, q2; vmin.u8 q8, q1, q2; vsub.i8 q0, q3, q8", [255], []),
    # a comparison without a sign is also how two ends are compared at once
    (A64, "int8 int8 int8", "sub v3.16b, v1.16b, v2.16b; movi v4.16b, #9; cmhs v0.16b, v4.16b, v3.16b", [-5], [5]),
]  # fmt: skip


@pytest.mark.parametrize(("isa", "types", "body", "a", "b"), RIGHT)
def test_results_that_fit_saturate_or_take_bits_apart_are_no_fault(
    isa: Isa, types: str, body: str, a: list[int], b: list[int]
) -> None:
    fault, _ = run(isa, types, body, a, b)
    assert fault is None


@pytest.mark.parametrize(
    ("modular", "is_fault"),
    [
        ('"add"', False), ('"label:mix"', False), ('"lines:15-16"', False), ('"sub", "add"', False),
        ('"sub"', True), ('"label:kernel"', True), ('"lines:1-14"', True), ("", True),
    ],
)  # fmt: skip
def test_arithmetic_that_the_contract_declares_modular_may_wrap(modular: str, is_fault: bool) -> None:
    body = "mix: add v0.16b, v1.16b, v2.16b"
    fault, outputs = run(A64, "uint8 uint8 uint8", body, [200], [100], f"modular = [{modular}]")
    assert (fault is not None) == is_fault
    assert outputs["c"][0] == 44


def test_the_first_wrap_of_a_call_is_reported_and_forgotten_by_the_next() -> None:
    text = _HEADER.format(A="int16", B="int16", C="int16", isa="armv8.0-a", r="x", extra="").replace(', "dotprod"', "")
    text += _FRAME[A64].format(body="    mul v0.8h, v1.8h, v2.8h\n    add v0.8h, v0.8h, v0.8h")
    program, contract = kernel(A64, text)
    probe = LaneWrapProbe(program, contract)

    def call(machine: Machine, value: int) -> Fault | None:
        vector = np.full(8, value, np.int16)
        arguments = [Buffer("a", vector), Buffer("b", vector), Buffer("c", np.zeros(8, np.int16), writable=True)]
        assert isinstance(machine.call("kernel", arguments, contract.signature), Run)
        return probe.collect()

    with Machine(program, probes=(probe,)) as machine:
        first = call(machine, 1000)
        assert first is not None
        assert first.instruction.startswith("mul")
        assert [c.instruction.mnemonic for c in probe.wrapped] == ["mul", "add"]
        assert call(machine, 10) is None
        second = call(machine, 150)
        assert second is not None
        assert second.message == "add v0.8h, v0.8h, v0.8h: lane 0: 22500 + 22500 = 45000 does not fit int16"


def test_a_kernel_without_vector_arithmetic_costs_no_hook() -> None:
    text = _HEADER.format(A="int8", B="int8", C="int8", isa="armv8.0-a", r="x", extra="").replace(', "dotprod"', "")
    program, contract = kernel(A64, text + _FRAME[A64].format(body="    mov v0.16b, v1.16b"))
    assert LaneWrapProbe(program, contract).hooks(A64) == ()


@pytest.mark.parametrize("entry", ["ADD", "label:", "lines:3", "lines:a-b", "add sub", "", "label:two words"])
def test_an_entry_of_modular_that_names_nothing_is_refused_with_its_line(entry: str) -> None:
    text = _HEADER.format(A="int8", B="int8", C="int8", isa="armv8.2-a", r="x", extra=f'modular = ["{entry}"]')
    with pytest.raises(ContractError, match=r"kernel\.S:5: contract: modular: `.*` is no mnemonic"):
        contract_of(A64, text)


def test_modular_is_a_list_of_strings() -> None:
    text = _HEADER.format(A="int8", B="int8", C="int8", isa="armv8.2-a", r="x", extra="modular = 3")
    with pytest.raises(ContractError, match="modular is a list such as"):
        contract_of(A64, text)
