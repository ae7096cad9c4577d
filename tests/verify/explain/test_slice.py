"""A slice names exactly what went into an element, and the lines that took it there."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from tests.kernel_sources import FILES, file_of, inlined
from tests.verify.small_kernels import drawn_arguments, kernel

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.plan import draw_case, parse_shape
from neonlab.verify.cases.case import CaseName
from neonlab.verify.check_case import call_arguments, step_budget
from neonlab.verify.explain.slice import MOST_LINES, Slice, explain, ranges

# Those that take the weights row by row, so that an element's are a range.
KERNELS = [
    path
    for path in FILES
    if path.stem.startswith("conv1x1_s8s32_") and open_kernel(path).contract.argument("weights").layout == "oc_ic"
]
# The left-4 kernels take 4 pixels after blocks of 8.
CASES = [
    (path, shape)
    for path in KERNELS
    for shape, pixels in (("1x8x8x4", 8), ("1x9x19x5", 9), ("2x2x33x6", 4), ("1x12x7x3", 12))
    if "left4" not in path.stem or pixels % 8 == 4
]


def _slices(path: Path, shape_text: str, text: str | None = None) -> tuple[list[tuple[int, Slice]], dict[str, int]]:
    """Slices of the first, the last and some elements between, and the sizes of the shape."""
    opened = open_kernel(path)
    shape = parse_shape(opened, shape_text)
    program = kernel_program(opened)
    if text is not None:
        program = link(assemble_text(text, isa=opened.isa, path=str(path)))
    case = draw_case(opened, CaseName(shape, "random", 3))
    integers = dict(case.integers)
    total = integers["pixels"] * integers["out_channels"]
    found = []
    for element in sorted({0, 1, total // 2, total - 1}):
        made = explain(
            program,
            opened.contract,
            call_arguments(opened.contract, case),
            "output",
            4 * element,
            4,
            seed=7,
            step_budget=step_budget(opened.contract, integers),
        )
        assert made is not None
        found.append((element, made))
    return found, integers


@pytest.mark.parametrize(("path", "shape"), CASES, ids=[f"{p.parent.name} {p.stem} {shape}" for p, shape in CASES])
def test_a_convolution_comes_of_one_pixel_and_one_row_of_weights(path: Path, shape: str) -> None:
    found, sizes = _slices(path, shape)
    pixels, ins, outs = sizes["pixels"], sizes["in_channels"], sizes["out_channels"]
    for element, made in found:
        if "_chw" in path.stem:
            out, pixel = divmod(element, pixels)
            inputs = range(pixel, ins * pixels, pixels)
        else:
            pixel, out = divmod(element, outs)
            inputs = range(pixel * ins, (pixel + 1) * ins)
        assert made.elements["input"] == tuple(inputs), element
        assert made.elements["weights"] == tuple(range(out * ins, (out + 1) * ins)), element
        assert set(made.elements) <= {"input", "weights", "output"}
        assert made.unset == ()
        assert made.multiply_accumulates >= 1


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_slice_fits_a_screen_and_goes_into_json(path: Path) -> None:
    found, _ = _slices(path, "1x12x40x5")
    for element, made in found:
        rows = made.render(80).splitlines()
        assert len(made.lines) <= MOST_LINES
        assert max(map(len, rows)) <= 80
        assert rows[0].startswith(f"output[{element}] = ")
        document = json.loads(json.dumps(made.to_json()))
        assert document["lines"][0]["instruction"].startswith(("st1 ", "str ", "vst1."))
        addresses = [line.address for line in made.lines]
        assert len({line.where for line in made.lines}) == len(addresses)
        files = [file for file, _ in groupby(Path(line.where.rpartition(":")[0]).name for line in made.lines)]
        named = [Path(row.strip(" :")).name for row in rows if row.endswith((".S:", ".inc:"))]
        assert named == (files if len(files) > 1 else [])


def test_the_value_shown_is_the_one_that_was_written() -> None:
    path = file_of("armv8/conv1x1_s8s32_chw_8x4")
    found, sizes = _slices(path, "1x9x19x5")
    opened = open_kernel(path)
    case = draw_case(opened, CaseName(parse_shape(opened, "1x9x19x5"), "random", 3))
    expected = case.expected["output"].array.reshape(-1)
    assert sizes["pixels"] == 9
    assert [made.target for _, made in found] == [f"output[{element}] = {expected[element]}" for element, _ in found]


def test_a_wrong_lane_shows_in_the_slice() -> None:
    path = file_of("armv8/conv1x1_s8s32_chw_8x4")
    text = inlined(path)
    old = "ld1     {v0.b}[7], [in], in_next"
    assert text.count(old) == 1
    line = text[: text.index(old)].count("\n") + 1
    found, _ = _slices(path, "1x4x8x4", text.replace(old, old.replace("[7]", "[6]")))
    for _, made in found:
        # Input channel 6 is overwritten by 7, and lane 7 still holds the copy of channel 0 that filled all lanes.
        assert len(made.elements["input"]) == 7
        assert line in [shown.line for shown in made.lines]


SMALL = {
    Isa.A64: (
        """
        ldr q0, [x0]
        ldr q1, [x0, #16]
        zip1 v2.16b, v0.16b, v1.16b
        smull v3.8h, v2.8b, v2.8b
        smlal2 v3.8h, v2.16b, v2.16b
        saddlp v4.4s, v3.8h
        str q4, [sp, #-16]!
        ldr q5, [sp], #16
        addv s6, v5.4s
        dup v7.4s, v6.s[0]
        ins v7.s[1], v4.s[1]
        str q7, [x1]
        str d9, [x1, #16]
        str x5, [x1, #24]
        ret""",
        ["str q7,[x1]", "ins v7.s[1],v4.s[1]", "saddlp v4.4s,v3.8h"],
    ),
    Isa.A32: (
        """
        vld1.8 {q0, q1}, [r0]
        vzip.8 q0, q1
        vmull.s8 q3, d0, d0
        vmlal.s8 q3, d1, d1
        vpaddl.s16 q2, q3
        vpush {q2}
        vpop {q8}
        vadd.i32 d18, d16, d17
        vpadd.i32 d18, d18, d18
        vdup.32 q9, d18[0]
        vmov r2, s9
        vmov.32 d18[1], r2
        vst1.8 {q9}, [r1]!
        vst1.8 {d9}, [r1]!
        str r3, [r1]
        bx lr""",
        ["vst1.8 {q9},[r1]!", "vmov.32 d18[1],r2", "vmov r2,s9", "vpaddl.s16 q2,q3"],
    ),
}
INTERFACE = ("void k(const int8_t *x, int32_t *out)", {"x": 'read = "32"', "out": 'write = "32"'})


def _small(isa: Isa, element: int) -> Slice:
    program, contract, _ = kernel(isa, *INTERFACE, SMALL[isa][0])
    made = explain(program, contract, drawn_arguments(contract, {}, 1), "out", 4 * element, 4)
    assert made is not None
    return made


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_lanes_are_told_apart_through_permutations_and_the_stack(isa: Isa) -> None:
    one_lane = _small(isa, 1)  # lane 1 of the pairwise sums: products 2 and 3 of each half of the interleaved bytes
    interleaved = [i // 2 + 16 * (i % 2) for i in range(32)]
    wanted = sorted(interleaved[i] for i in (2, 3, 10, 11))
    assert one_lane.elements["x"] == tuple(wanted)
    assert [line.source for line in one_lane.lines][: len(SMALL[isa][1])] == SMALL[isa][1]
    all_lanes = _small(isa, 0)
    assert all_lanes.elements["x"] == tuple(sorted(interleaved[:16]))
    assert one_lane.steps < all_lanes.steps


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_values_that_nobody_set_are_named(isa: Isa) -> None:
    assert _small(isa, 4).unset == (("v9",) if isa is Isa.A64 else ("d9",))
    assert _small(isa, 6).unset == (("x5",) if isa is Isa.A64 else ("r3",))


def test_an_element_that_nothing_wrote_has_no_slice() -> None:
    program, contract, _ = kernel(Isa.A64, *INTERFACE, "str wzr, [x1]\nret")
    assert explain(program, contract, drawn_arguments(contract, {}, 1), "out", 4, 4) is None


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_no_input_outside_the_slice_matters_and_each_inside_does(isa: Isa) -> None:
    """Against what happens when one input byte is changed."""
    from dataclasses import replace

    from neonlab.emulate.guest.buffer import Buffer
    from neonlab.emulate.machine import Machine
    from neonlab.emulate.run import Run

    program, contract, _ = kernel(isa, *INTERFACE, SMALL[isa][0])
    arguments = drawn_arguments(contract, {}, 1)
    buffer = arguments[0]
    assert isinstance(buffer, Buffer)
    with Machine(program) as machine:

        def outputs(data: np.ndarray) -> np.ndarray:
            changed = [replace(buffer, data=data), arguments[1]]
            run = machine.call("k", changed, contract.signature)
            assert isinstance(run, Run)
            return run.outputs["out"].reshape(-1).view(np.int32).copy()

        before = outputs(buffer.data)
        reached: dict[int, set[int]] = {element: set() for element in range(4)}
        for byte in range(32):
            data = buffer.data.copy()
            data.view(np.uint8)[byte] ^= 0x15
            for at in np.flatnonzero(outputs(data)[:4] != before[:4]):
                reached[int(at)].add(byte)
    for element in range(4):
        assert set(_small(isa, element).elements["x"]) == reached[element]


def test_ranges_are_written_short() -> None:
    assert ranges([0, 1, 2, 5, 7, 8]) == "0-2, 5, 7-8"
    assert ranges(range(0, 20, 2)) == "0, 2, 4, 6, 8, 10 … 4 more"
