"""A lane that wrapped is a fault only if something that the caller sees depends on it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify.lane_kernels import kernel

from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.lanes import reach as lane_wrap_reach
from neonlab.verify.lanes.reach import harmful_wrap
from neonlab.verify.lanes.wrap import LaneWrapProbe

_HEAD = """/*toml
summary = "adds vectors"
prototype = "{returns} (const int16_t *a, int16_t *c, size_t n)"
isa = ["{isa}", "neon"]
[args]
a = {{ reg = "{r}0", read = "16*n" }}
c = {{ reg = "{r}1", write = "16*n" }}
n = {{ reg = "{r}2", range = [1, 100000] }}
*/
    .global kernel
kernel:
"""


def found_in(isa: Isa, body: str, rows: list[list[int]], returns: str = "void") -> tuple[Fault | None, Fault | None]:
    """(first wrap, first harmful wrap) of a kernel given rows of 8 int16."""
    architecture, r = ("armv8.0-a", "x") if isa is Isa.A64 else ("armv7-a", "r")
    text = _HEAD.format(isa=architecture, r=r, returns=returns) + "\n".join("    " + x for x in body.split("; ")) + "\n"
    program, contract = kernel(isa, text)
    probe = LaneWrapProbe(program, contract)
    data = np.array(rows, np.int16)

    def call(machine: Machine) -> Run | Fault:
        arguments: list[Argument] = [Buffer("a", data), Buffer("c", np.zeros_like(data), writable=True), len(rows)]
        outcome = machine.call("kernel", arguments, contract.signature)
        assert isinstance(outcome, Run), outcome
        return outcome

    with Machine(program, probes=(probe,)) as machine:
        call(machine)
        return probe.collect(), harmful_wrap(program, contract, probe, call, 5)


BIG_LAST = [1, 1, 1, 1, 1, 1, 1, 20000]


@pytest.mark.parametrize(
    ("isa", "body", "lane"),
    [
        # lane 7 wraps, and is stored, or not
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; st1 {v0.8h}, [x1]; ret", 7),
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; st1 {v0.4h}, [x1]; ret", None),
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; st1 {v0.h}[6], [x1]; ret", None),
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; st1 {v0.h}[7], [x1]; ret", 7),
        # it goes to a lane that is stored, or is replaced on the way
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; rev64 v0.8h, v0.8h; st1 {v0.h}[4], [x1]; ret", 7),
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; mov v0.h[7], wzr; st1 {v0.8h}, [x1]; ret", None),
        # through the stack and back
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; str q0, [sp, #-16]!; ldr d1, [sp, #8]; add sp, sp, #16; "
         "str d1, [x1]; ret", 7),
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; str q0, [sp, #-16]!; ldr d1, [sp]; add sp, sp, #16; "
         "str d1, [x1]; ret", None),
        # into a branch
        (Isa.A64, "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; umov w3, v0.h[7]; cbz w3, 1f; nop; 1: ret", 7),
        (Isa.A32, "vld1.16 {d0, d1}, [r0]; vadd.i16 q0, q0, q0; vst1.16 {d0, d1}, [r1]; bx lr", 7),
        (Isa.A32, "vld1.16 {d0, d1}, [r0]; vadd.i16 q0, q0, q0; vst1.16 {d0}, [r1]; bx lr", None),
        (Isa.A32, "vld1.16 {d0, d1}, [r0]; vadd.i16 q0, q0, q0; vmov.s16 r3, d1[3]; cmp r3, #0; bmi 1f; nop; "
         "1: bx lr", 7),
        (Isa.A32, "vld1.16 {d0, d1}, [r0]; vadd.i16 q0, q0, q0; vmov.s16 r3, d1[3]; cmp r3, r3; strmi r3, [r1]; "
         "bx lr", 7),
    ],
)  # fmt: skip
def test_a_wrap_is_harmful_when_the_lane_reaches_what_the_caller_sees(isa: Isa, body: str, lane: int | None) -> None:
    first, harmful = found_in(isa, body, [BIG_LAST])
    assert first is not None
    assert "lane 7: 20000 + 20000 = 40000 does not fit int16" in first.message
    assert (harmful is not None) == (lane is not None)
    if harmful is not None:
        assert harmful.message == first.message
        assert harmful.seed == 5


@pytest.mark.parametrize(("returns", "is_harmful"), [("int32_t", True), ("void", False)])
def test_a_returned_value_is_seen_by_the_caller(returns: str, is_harmful: bool) -> None:
    body = "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; smov w0, v0.h[7]; mov v0.16b, v1.16b; ret"
    _, harmful = found_in(Isa.A64, body, [BIG_LAST], returns)
    assert (harmful is not None) == is_harmful


_LOOP = "1: ld1 {v0.8h}, [x0], #16; add v0.8h, v0.8h, v0.8h; st1 {v0.4h}, [x1], #8; subs x2, x2, #1; b.ne 1b; ret"


def test_a_call_too_long_to_record_is_judged_by_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_wrap_reach, "_STEPS", 50)
    monkeypatch.setattr(lane_wrap_reach, "_MORE_STEPS", 60)
    assert found_in(Isa.A64, _LOOP, [BIG_LAST] * 100)[1] is None
    late = [BIG_LAST] * 50 + [[20000, *BIG_LAST[1:]]] + [BIG_LAST] * 50
    harmful = found_in(Isa.A64, _LOOP, late)[1]
    assert harmful is not None  # lane 0 wraps only where nothing was recorded
    assert found_in(Isa.A64, _LOOP, [[20000] * 8] * 100)[1] is not None


def test_more_of_a_long_call_is_recorded_where_a_lane_wraps_late(monkeypatch: pytest.MonkeyPatch) -> None:
    late = [[1] * 8] * 50 + [BIG_LAST] * 50
    monkeypatch.setattr(lane_wrap_reach, "_STEPS", 50)
    first, harmful = found_in(Isa.A64, _LOOP, late)
    assert first is not None and harmful is None  # lane 7 is never stored
    assert found_in(Isa.A64, _LOOP.replace("{v0.4h}, [x1], #8", "{v0.8h}, [x1], #16"), late)[1] is not None
    monkeypatch.setattr(lane_wrap_reach, "_MORE_STEPS", 60)
    assert found_in(Isa.A64, _LOOP, late)[1] is not None  # nothing is known of it
