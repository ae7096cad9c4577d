"""Kernels of asm/, built by GNU as and run by qemu-user from C.

Those of conv1x1 with plain weights are driven by `driver.c`: none of neonlab's own code takes part.  It checks the sums
against int64 arithmetic, with the buffers against inaccessible pages, the stack painted and the callee-saved registers
watched.  One of each kind is driven by `replay.c`, which does the same with data and results of the operator's
reference; tests/lab/board runs all kernels under qemu on theirs.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kernel_sources import FILES, ROOT, file_of, inlined, title_of
from tests.sample import ONE_OF_EACH
from tests.tools import require

from neonlab.contract.extends import find_block, toml_table
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.plan import draw_case
from neonlab.lab.run.shapes import planned_shapes
from neonlab.verify.cases.case import PATTERNS, Case, CaseName
from neonlab.verify.memory.placement import promised_alignment

HERE = Path(__file__).parent
SEED = 20240607


@dataclass(frozen=True)
class Target:
    """How one ISA is built and run; the numbers are those of the registers that call_watched gives back."""

    prefix: str
    emulator: str
    call_watched: str
    defines: tuple[str, ...]


TARGETS = {
    "armv7": Target(
        "arm-linux-gnueabihf-",
        "qemu-arm",
        "call_watched_arm.S",
        ("SAVED_REGISTERS=16", "SAVED_GENERAL=8", "STACK_ARGUMENTS=48"),
    ),
    "armv8": Target(
        "aarch64-linux-gnu-",
        "qemu-aarch64",
        "call_watched_aarch64.S",
        ("SAVED_REGISTERS=20", "SAVED_GENERAL=12", "STACK_ARGUMENTS=64"),
    ),
}

LIBRARY = open_library(ROOT)
one_of_each = pytest.mark.parametrize("any_kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)


def contract_of(kernel: str) -> dict[str, Any]:
    path = file_of(kernel)
    block = find_block(path.read_text(), str(path))
    assert block is not None
    return toml_table(block)


KERNELS = sorted(
    kernel
    for kernel in map(title_of, FILES)
    if "/conv1x1_s8s32_" in kernel and contract_of(kernel)["args"]["weights"]["layout"] == "oc_ic"
)


def first_pixels_and_step(kernel: str) -> tuple[int, int]:
    pixels = contract_of(kernel)["args"]["pixels"]
    return pixels["range"][0], pixels.get("step", 1)


class Builder:
    """Links the driver with one kernel, or with a changed text of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def build(self, kernel: str, source: str | None = None, driver: str = "driver.c") -> list[str]:
        isa, name = kernel.split("/")
        target = TARGETS[isa]
        compiler = require(target.prefix + "gcc")
        emulator = require(target.emulator)
        program = self.folder / f"{isa}_{name}_{driver.removesuffix('.c')}"
        assembly = file_of(kernel)
        if source is not None:
            program = self.folder / f"{isa}_{name}_changed"
            assembly = program.with_suffix(".S")
            assembly.write_text(source)
        defines = [f"-D{define}" for define in (*target.defines, f"KERNEL={name}")]
        options = ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-static", *defines]
        inputs = [HERE / driver, HERE / target.call_watched, assembly]
        subprocess.run([compiler, *options, *inputs, "-o", program], check=True, timeout=60)
        return [emulator, "-cpu", "max", str(program)]


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    return Builder(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="module", params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def program(kernel: str, builder: Builder) -> list[str]:
    return builder.build(kernel)


def drive(program: list[str], kernel: str, *sizes: object, weights: tuple[int, int] | None = None) -> tuple[int, str]:
    """Exit status and text of the driver: 0 exact, 1 wrong, negative when a signal ended it."""
    contract = contract_of(kernel)
    low, high = weights or contract["args"]["weights"]["range"]
    layout = contract["args"]["input"]["layout"]
    arguments = [layout, low, high, contract["stack"], SEED, *sizes]
    print("seed", SEED, *arguments)
    run = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return run.returncode, run.stdout + run.stderr


@pytest.mark.slow
def test_every_size_is_exact_and_stays_inside_its_buffers(program: list[str], kernel: str) -> None:
    first, step = first_pixels_and_step(kernel)
    status, text = drive(program, kernel, first, max(17, first + 2 * step), step, 17, 9)
    assert status == 0, text


@pytest.mark.slow
def test_input_channels_around_the_steps_of_the_hot_loop_are_exact(program: list[str], kernel: str) -> None:
    first, step = first_pixels_and_step(kernel)
    for in_channels in (31, 32, 33, 47, 48, 63, 64, 65, 79, 95, 96):
        for pixels in (first, first + step, first + 4 * step):
            status, text = drive(program, kernel, pixels, pixels, 1, in_channels, 5, "exactly")
            assert status == 0, text


# Pointwise layers of MobileNet v1 at 224: pixels, input channels, output channels.
MOBILENET = [(112 * 112, 32, 64), (28 * 28, 128, 256), (14 * 14, 256, 512), (7 * 7, 512, 1024)]


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("shape", MOBILENET, ids=str)
def test_pointwise_layers_of_mobilenet_are_exact(program: list[str], kernel: str, shape: tuple[int, int, int]) -> None:
    pixels, in_channels, out_channels = shape
    first, step = first_pixels_and_step(kernel)
    if (pixels - first) % step == 0:  # else the contract does not allow it
        status, text = drive(program, kernel, pixels, pixels, 1, in_channels, out_channels, "exactly")
        assert status == 0, text


@pytest.mark.parametrize("end", ["low", "high"])
def test_weights_one_step_outside_the_declared_range_go_wrong(program: list[str], kernel: str, end: str) -> None:
    low, high = contract_of(kernel)["args"]["weights"]["range"]
    low, high = (low - 1, high) if end == "low" else (low, high + 1)
    if high > 127:  # not an int8
        return
    first, step = first_pixels_and_step(kernel)
    pixels = first + (8 if step == 8 else 7)
    status, text = drive(program, kernel, pixels, pixels, 1, 32, 4, weights=(low, high))
    assert status == 1, text
    assert "wrong sum" in text
    # -128 everywhere is the worst input; where four products are added, some of it is enough.
    assert f"low x {end}" in text or ("_w7" in kernel and "either end" in text)


# kernel, what is changed in it, and what the driver must say (None: an inaccessible page ends the process)
SABOTAGE = [
    ("armv8/conv1x1_s8s32_chw_8x4", "smlal2  v4.8h", "smlsl2  v4.8h", "wrong sum"),
    ("armv8/conv1x1_s8s32_chw_8x4", "restore_vectors_at 32", "", "callee-saved register not kept"),
    ("armv8/conv1x1_s8s32_chw_8x4", "ldr     b0, [in], #1", "ldr     s0, [in], #1", None),
    (
        "armv8/conv1x1_s8s32_chw_8x4",
        "stp     xzr, xzr, [sp]",
        "stp     xzr, xzr, [sp, #-16]\n stp xzr, xzr, [sp]",
        "stack",
    ),
    ("armv8/conv1x1_s8s32_hwc_4x4", "lsl     pitch, out_channels, #2", "lsl pitch, out_channels, #12", None),
    (
        "armv7/conv1x1_s8s32_hwc_2x4",
        "vpop    {d8-d15}\n    pop     {r4-r11, pc}",
        "add sp, sp, #64\n pop {r4-r11, pc}",
        "callee-saved register not kept",
    ),
    (
        "armv7/conv1x1_s8s32_hwc_2x4",
        "ldr     out_channels, [sp, #(FRAME + 4)]",
        "ldr out_channels, [sp, #104]\n str r0, [sp, #100]",
        "caller",
    ),
    ("armv7/conv1x1_s8s32_chw_8x4", "vld1.8      {d0[0]}, [in]!", "vld1.32 {d0[0]}, [in]\n add in, in, #1", None),
]


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize(("kernel_name", "right", "wrong", "complaint"), SABOTAGE)
def test_driver_notices_a_kernel_that_breaks_its_contract(
    builder: Builder, kernel_name: str, right: str, wrong: str, complaint: str | None
) -> None:
    source = inlined(file_of(kernel_name))
    assert source.count(right) == 1
    program = builder.build(kernel_name, source.replace(right, wrong))
    status, text = drive(program, kernel_name, 1, 17, 4, 9, 5)
    if complaint is None:
        assert status < 0, text
    else:
        assert status == 1, text
        assert complaint in text


def words(*numbers: int) -> bytes:
    return np.array(numbers, np.int64).tobytes()


def filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def call_of(kernel: Kernel, case: Case, shared: str = "") -> bytes:
    """One call as `replay.c` reads it; the first output in the buffer of the input `shared`, if that is given."""
    arguments = kernel.contract.arguments
    output = next(argument.name for argument in arguments if argument.write is not None)
    parts = [words(len(arguments))]
    for argument in arguments:
        if not argument.is_pointer:
            parts.append(words(0, case.integers[argument.name]))
            continue
        if shared and argument.name == output:
            parts.append(words(2, [argument.name for argument in arguments].index(shared)))
            continue
        kind: tuple[int, ...] = (1,)
        if argument.rows is not None:  # the buffer is that of the rows
            rows, argument = case.rows[argument.name], argument.rows.to
            assert argument.read is not None
            kind = (3, rows.size, *argument.read.starts(case.integers)[rows].tolist())
        block = argument.block(case.integers)
        # What lies between rows, and what may be read behind them, holds something, and is to stay.
        before = np.full(block.size + argument.over_read, 0x5A, np.uint8)
        if argument.read is not None:
            before[: block.size][block.read] = np.frombuffer(case.inputs[argument.name].tobytes(), np.uint8)
        written = argument.write is not None or argument.name == shared
        parts.append(words(*kind, promised_alignment(argument), len(before), block.origin, written))
        parts.append(filled(before.tobytes()))
        if written:
            after = before.copy()
            where, name = (block.read, output) if argument.name == shared else (block.written, argument.name)
            after[: block.size][where] = np.frombuffer(case.expected[name].array.tobytes(), np.uint8)
            parts.append(filled(after.tobytes()))
    return b"".join(parts)


@pytest.mark.slow
@one_of_each
@pytest.mark.sweep
def test_what_the_operators_reference_expects_comes_out(any_kernel: Kernel, builder: Builder, tmp_path: Path) -> None:
    program = builder.build(any_kernel.title, driver="replay.c")
    operator, contract = any_kernel.operator, any_kernel.contract
    assert operator is not None
    shapes = planned_shapes(any_kernel, SEED).small[::3]
    patterns = list(PATTERNS)
    names = [CaseName(shape, patterns[number % len(patterns)], SEED) for number, shape in enumerate(shapes)]
    names += [CaseName(shapes[-1], pattern, SEED) for pattern in patterns]
    calls = [call_of(any_kernel, draw_case(any_kernel, name)) for name in names]
    file = tmp_path / "calls"
    file.write_bytes(words(len(calls)) + b"".join(calls))
    run = subprocess.run([*program, str(contract.stack), str(file)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == f"{len(calls)} calls right\n"


IN_PLACE = [
    kernel
    for kernel in LIBRARY.kernels
    if "In place is allowed" in " ".join(kernel.path.read_text().replace("//", " ").split())
]


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("in_place", IN_PLACE, ids=lambda kernel: kernel.title)
def test_output_may_be_an_input_where_a_header_says_so(in_place: Kernel, builder: Builder, tmp_path: Path) -> None:
    operator, contract = in_place.operator, in_place.contract
    assert operator is not None
    shapes = planned_shapes(in_place, SEED).small[::2]
    inputs = [argument.name for argument in contract.arguments if argument.name in ("a", "b", "input")]
    cases = [draw_case(in_place, CaseName(shape, "random", SEED)) for shape in shapes]
    calls = [call_of(in_place, case, shared) for case in cases for shared in inputs]
    file = tmp_path / "calls"
    file.write_bytes(words(len(calls)) + b"".join(calls))
    program = builder.build(in_place.title, driver="replay.c")
    run = subprocess.run([*program, str(contract.stack), str(file)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
