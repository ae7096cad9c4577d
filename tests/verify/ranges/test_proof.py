"""Whether any input in range wraps a lane: proofs that are tight, witnesses that do it, and honest doubt."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.kernel_sources import FILES, file_of
from tests.verify.lane_kernels import kernel

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.contract.header import Contract, read_contract
from neonlab.emulate.machine import Machine
from neonlab.emulate.trace import TraceProbe
from neonlab.isa.lanes import lane_operation, true_lanes
from neonlab.isa.model.isa import Isa
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.check_case import run_case
from neonlab.verify.lanes.liveness import live_after
from neonlab.verify.lanes.reach import register_files
from neonlab.verify.lanes.wording import read_by
from neonlab.verify.lanes.wrap import LaneWrapProbe
from neonlab.verify.ranges.proof import RangeStatus, range_verdict
from neonlab.verify.ranges.walk import RangeWalk

SAFE, WRAPS, UNDECIDED = RangeStatus.SAFE, RangeStatus.WRAPS, RangeStatus.UNDECIDED
CONVOLUTIONS = [path for path in FILES if path.stem.startswith("conv1x1_s8s32_")]


@cache
def from_file(path: Path) -> tuple[Program, Contract]:
    contract = read_contract(path)
    assert contract is not None
    return link(assemble_file(path)), contract


def with_range(contract: Contract, **ranges: tuple[int, int]) -> Contract:
    arguments = (replace(a, value_range=ranges.get(a.name, a.value_range)) for a in contract.arguments)
    return replace(contract, arguments=tuple(arguments))


def case_of(contract: Contract, *sizes: int, pattern: str = "random", seed: int = 1) -> Case:
    return generated_case(contract, Shape(tuple(a.name for a in contract.integers), sizes), pattern, seed)


@pytest.mark.slow(keep=12)
@pytest.mark.parametrize("folder", ["armv7", "armv8"])
@pytest.mark.parametrize(
    ("weights", "status"), [((-31, 32), SAFE), ((-32, 32), WRAPS), ((-31, 33), WRAPS), ((-30, 32), SAFE)]
)
@pytest.mark.parametrize("name", ["conv1x1_s8s32_chw_8x4", "conv1x1_s8s32_chw_8x4_left4"])
def test_the_sum_of_eight_products_in_int16_is_exact_for_weights_of_minus_31_to_32_and_no_more(
    folder: str, name: str, weights: tuple[int, int], status: RangeStatus
) -> None:
    program, declared = from_file(file_of(f"{folder}/{name}"))
    contract = with_range(declared, weights=weights)
    case = case_of(contract, 12, 17, 5)
    verdict = range_verdict(program, contract, case)
    assert verdict.status is status, verdict.note
    assert (verdict.fault is None) == (verdict.witness is None) == (status is SAFE)
    if verdict.fault is not None and verdict.witness is not None:
        assert "does not fit int16" in verdict.fault.message
        assert verdict.fault.source is not None
        for array, argument in ((verdict.witness[a.name], a) for a in contract.arguments if a.name in verdict.witness):
            assert argument.value_range is not None
            assert argument.value_range[0] <= array.min() <= array.max() <= argument.value_range[1]
        # eight products at the end of the range, and nothing else
        assert [np.count_nonzero(verdict.witness[a]) for a in ("input", "weights")] == [8, 8]


@pytest.mark.parametrize("path", CONVOLUTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.sweep(parts=3)
def test_the_declared_range_of_every_convolution_is_proved_at_a_shape_with_all_tails(path: Path) -> None:
    program, contract = from_file(path)
    pixels = 12 if "left4" in path.stem else 11
    assert range_verdict(program, contract, case_of(contract, pixels, 17, 7)).status is SAFE


TWO_TERMS = """/*toml
summary = "c[i] = a[i] * b[i] + a[8 + i] * b[8 + i] in int16"
prototype = "void (const int8_t *a, const int8_t *b, int16_t *c)"
isa = ["{isa}", "neon"]
[args]
a = {{ reg = "{r}0", read = "16", range = [{low}, 127] }}
b = {{ reg = "{r}1", read = "16", range = [{low}, 127] }}
c = {{ reg = "{r}2", write = "16" }}
*/
    .global kernel
kernel:
"""
_TWO_TERM_CODE = {
    Isa.A64: "ld1 {v0.16b}, [x0]; ld1 {v1.16b}, [x1]; smull v2.8h, v0.8b, v1.8b; smlal2 v2.8h, v0.16b, v1.16b; "
    "st1 {v2.8h}, [x2]; ret",
    Isa.A32: "vld1.8 {d0, d1}, [r0]; vld1.8 {d2, d3}, [r1]; vmull.s8 q2, d0, d2; vmlal.s8 q2, d1, d3; "
    "vst1.16 {d4, d5}, [r2]; bx lr",
}


def plain_kernel(isa: Isa, header: str, code: str, **fields: object) -> tuple[Program, Contract]:
    architecture, r = ("armv8.0-a", "x") if isa is Isa.A64 else ("armv7-a", "r")
    body = "\n".join("    " + line for line in code.split("; ")) + "\n"
    return kernel(isa, header.format(isa=architecture, r=r, **fields) + body)


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_two_products_in_int16_are_exact_but_for_minus_128_times_itself_twice(isa: Isa) -> None:
    program, contract = plain_kernel(isa, TWO_TERMS, _TWO_TERM_CODE[isa], low=-127)
    assert range_verdict(program, contract, case_of(contract)).status is SAFE
    program, contract = plain_kernel(isa, TWO_TERMS, _TWO_TERM_CODE[isa], low=-128)
    verdict = range_verdict(program, contract, case_of(contract))
    assert verdict.status is WRAPS
    assert verdict.fault is not None
    assert verdict.fault.message.endswith("lane 0: 16384 + (-128) * (-128) = 32768 does not fit int16")
    assert verdict.witness is not None
    expected = [-128 if i in (0, 8) else 0 for i in range(16)]
    assert verdict.witness["a"].tolist() == verdict.witness["b"].tolist() == expected


ONE_INPUT = """/*toml
summary = "arithmetic on one vector"
prototype = "{returns} (const {dtype}_t *a, {out}_t *c)"
isa = ["{isa}", "neon"]
[args]
a = {{ reg = "{r}0", read = "16", range = [{low}, {high}] }}
c = {{ reg = "{r}1", write = "16" }}
*/
    .global kernel
kernel:
"""


def verdict_of(code: str, dtype: str, out: str, low: int, high: int) -> tuple[RangeStatus, str]:
    code = f"ld1 {{v0.16b}}, [x0]; {code}; st1 {{v2.16b}}, [x1]; ret"
    program, contract = plain_kernel(Isa.A64, ONE_INPUT, code, dtype=dtype, out=out, low=low, high=high, returns="void")
    found = range_verdict(program, contract, case_of(contract))
    return found.status, found.note


@pytest.mark.parametrize(
    ("code", "dtype", "out", "edge", "signs"),
    [
        # the largest magnitude at which it is safe, by hand
        ("add v2.8h, v0.8h, v0.8h", "int16", "int16", 16383, (-1, 1)),
        ("sqshl v1.8h, v0.8h, #3; add v2.8h, v1.8h, v0.8h", "int16", "int16", 0, (0, 0)),
        ("shl v2.8h, v0.8h, #3", "int16", "int16", 4095, (-1, 1)),
        ("mul v2.8h, v0.8h, v0.8h", "int16", "int16", 181, (-1, 1)),
        ("sxtl v1.8h, v0.8b; mul v2.8h, v1.8h, v1.8h; addp v2.8h, v2.8h, v2.8h", "int8", "int16", 127, (-1, 1)),
        ("movi v2.4s, #0; mla v2.4s, v0.4s, v0.4s", "int32", "int32", 46340, (-1, 1)),
        ("addv h2, v0.8h", "int16", "int16", 4095, (-1, 1)),
        ("movi v2.8h, #0; sadalp v2.8h, v0.16b; neg v2.8h, v2.8h; xtn v2.8b, v2.8h", "int8", "int8", 63, (-1, 1)),
        ("neg v2.16b, v0.16b", "int8", "int8", 127, (-1, 1)),
        ("xtn v2.8b, v0.8h", "int16", "int8", 127, (-1, 1)),
        ("uxtl v1.8h, v0.8b; mul v2.8h, v1.8h, v1.8h", "uint8", "uint16", 255, (0, 1)),
        ("umull v1.8h, v0.8b, v0.8b; add v2.8h, v1.8h, v1.8h", "uint8", "uint16", 181, (0, 1)),
        ("smax v1.8h, v0.8h, v0.8h; abs v1.8h, v1.8h; shl v2.8h, v1.8h, #1", "int16", "int16", 16383, (-1, 1)),
        ("zip1 v1.16b, v0.16b, v0.16b; smull v2.8h, v1.8b, v0.8b; smlal2 v2.8h, v1.16b, v0.16b", "int8", "int16", 127,
         (-1, 1)),
    ],
)  # fmt: skip
def test_the_edge_of_the_safe_range_is_found_to_the_unit(
    code: str, dtype: str, out: str, edge: int, signs: tuple[int, int]
) -> None:
    if edge:
        status, note = verdict_of(code, dtype, out, signs[0] * edge, signs[1] * edge)
        assert status is SAFE, note
    limits = np.iinfo(dtype)
    low, high = max(signs[0] * (edge + 1), limits.min), min(signs[1] * (edge + 1), limits.max)
    if not edge:
        low, high = limits.min, limits.max
    if (low, high) != (signs[0] * edge, signs[1] * edge):
        status, note = verdict_of(code, dtype, out, low, high)
        assert status is WRAPS, note


def test_a_lane_that_nobody_sees_may_wrap() -> None:
    code = "ld1 {v0.8h}, [x0]; add v0.8h, v0.8h, v0.8h; str q0, [sp, #-16]!; add sp, sp, #16; str wzr, [x1]; ret"
    program, contract = plain_kernel(
        Isa.A64, ONE_INPUT, code, dtype="int16", out="int32", low=-20000, high=20000, returns="void"
    )
    assert range_verdict(program, contract, case_of(contract)).status is SAFE


def test_correlated_uses_that_intervals_cannot_see_are_left_undecided() -> None:
    status, note = verdict_of("shl v1.8h, v0.8h, #1; sub v1.8h, v1.8h, v0.8h; sub v2.8h, v1.8h, v0.8h; "
                              "add v2.8h, v2.8h, v0.8h", "int16", "int16", -8000, 8000)  # fmt: skip
    assert status is UNDECIDED  # 2x - x - x + x is x
    assert "but no input was found that does" in note


def test_control_flow_or_an_address_that_depends_on_data_is_left_undecided() -> None:
    for code in ("umov w2, v0.b[0]; cbz w2, 1f; nop; 1: add v2.16b, v0.16b, v0.16b",
                 "umov w2, v0.b[0]; and w2, w2, #7; ldr b1, [x0, w2, uxtw]; sxtl v2.8h, v1.8b"):  # fmt: skip
        status, note = verdict_of(code, "int8", "int8", 0, 1)
        assert status is UNDECIDED
        assert "depends on data" in note


def walk_of(program: Program, contract: Contract, case: Case) -> tuple[RangeWalk, TraceProbe, Machine]:
    recorder = TraceProbe(program)
    machine = Machine(program, probes=(recorder,))
    run_case(machine, contract, case)
    trace = recorder.collect(machine)
    checked = LaneWrapProbe(program, contract).checked
    steps = {s for c in checked for s in trace.executions.get(c.instruction.address, np.zeros(0, int)).tolist()}
    return RangeWalk(trace, contract, case, checked, live_after(trace, contract, steps)), recorder, machine


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("path", CONVOLUTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_expression_has_the_value_that_the_emulated_cpu_computes(path: Path) -> None:
    seed = 11
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    program, contract = from_file(path)
    case = case_of(contract, 12 if "left4" in path.stem else 9, 11, 5, pattern="extremes", seed=seed)
    walk, recorder, machine = walk_of(program, contract, case)
    trace = recorder.collect(machine)
    machine.close()
    given = {
        node: int(case.inputs[element.name].reshape(-1)[element.index]) for node, element in walk.nodes.inputs.items()
    }
    assert not walk.obstacles
    values = walk.nodes.evaluate(range(len(walk.nodes)), given)
    by_address = {c.instruction.address: c for c in LaneWrapProbe(program, contract).checked}
    tried = 0
    for step in rng.permutation(sorted(walk.results))[:400].tolist():
        instruction = trace.instruction(step)
        assert instruction is not None
        operation = lane_operation(instruction)
        assert operation is not None
        checked = by_address.get(instruction.address)
        read = read_by(operation, checked.views[0]) if checked is not None else operation.read_as(True)
        (true,) = true_lanes(read, register_files(trace, np.array([step]), operation.sources))
        for lane, node in enumerate(walk.results[step].tolist()):
            assert values[node] == int(true[0, lane]), f"{instruction.text} lane {lane}"
            tried += 1
    assert tried > 100


@pytest.mark.parametrize("folder", ["armv7", "armv8"])
@pytest.mark.parametrize("name", ["spread_u8", "count_matches", "chroma_of_rgb"])
def test_differences_counts_and_mixed_sums_of_unsigned_lanes_are_proved_to_fit(folder: str, name: str) -> None:
    program, contract = from_file(Path(__file__).parents[2] / "saboteurs" / folder / f"{name}.S")
    sizes = {"spread_u8": (16,), "count_matches": (4080,)}.get(name, ())
    found = range_verdict(program, contract, case_of(contract, *sizes))
    assert found.status is SAFE, found.note


def test_the_largest_of_some_less_the_smallest_of_others_may_be_negative() -> None:
    code = "ext v1.16b, v0.16b, v0.16b, #8; ext v3.16b, v0.16b, v0.16b, #4; umax v4.8b, v0.8b, v3.8b; " \
           "umin v5.8b, v1.8b, v1.8b; sub v2.8b, v4.8b, v5.8b"  # fmt: skip
    assert verdict_of(code, "uint8", "uint8", 0, 255)[0] is WRAPS
