"""What a header says that the hot loop and the rest of a tile cost is what a run costs, to the instruction."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.profile import profile
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape

ROOT = Path(__file__).resolve().parents[2]
KERNELS = open_library(ROOT).kernels
#: Those whose innermost loop goes along the pixels.
CHW = [k for k in KERNELS if k.contract.macs is not None and re.search("_chw_8x4|_ic32|_ic64", k.name)]
DEPTHWISE = [kernel for kernel in KERNELS if kernel.name.startswith("dwconv")]
FIRST_LAYER = [kernel for kernel in KERNELS if "_ic3_" in f"{kernel.name}_"]
ELSEWHERE = CHW + DEPTHWISE + FIRST_LAYER
MULTIPLIES = [kernel for kernel in KERNELS if kernel.contract.macs is not None and kernel not in ELSEWHERE]
PACKS = [kernel for kernel in KERNELS if kernel.name.startswith("pack_")]
ELEMENTS = [kernel for kernel in KERNELS if kernel.contract.macs is None and kernel not in PACKS]

#: Cycles of the hot loop that depthwise kernels reach on Cortex-A53 and A72, data in the first level: a ratchet.  These
#: load by 64 bits, which takes more instructions and fewer cycles, so instructions are not what counts.
CYCLES = {
    "armv7/dwconv3x3_s8s32_hwc_3x8": (60, 39.7),
    "armv7/dwconv3x3s2_s8s32_hwc_3x8": (63, 46.7),
    "armv7/dwconv5x5_s8s32_hwc_5x8": (165, 105),
    "armv7/dwconv5x5s2_s8s32_hwc_5x8": (170, 112),
    "armv8/dwconv3x3_s8s32_hwc_3x16": (126, 81),
    "armv8/dwconv3x3s2_s8s32_hwc_3x16": (147, 94.7),
    "armv8/dwconv5x5_s8s32_hwc_5x8": (277, 165),
    "armv8/dwconv5x5s2_s8s32_hwc_5x8": (297, 185),
}


def named(kernel: Kernel) -> str:
    return kernel.title


def header_of(kernel: Kernel) -> str:
    """The comment under the contract as one line, and then those of the files that the contract extends."""
    contract, code = kernel.path.read_text().split("*/", 1)
    comment = [line for line in code.splitlines() if line.startswith("//")]
    while family := re.search(r'^extends\s*= "(.*)"', contract, re.MULTILINE):
        contract, code = (kernel.path.parent / family[1]).read_text().split("*/", 1)
        comment += [line for line in code.splitlines() if line.startswith("//")]
    return re.sub(r"\s+", " ", " ".join(line.removeprefix("//") for line in comment))


def claim(kernel: Kernel) -> tuple[Fraction, str]:
    """Instructions a MAC of the hot loop, as a fraction and as the header rounds it."""
    text = header_of(kernel)
    found = re.search(
        r"Cost of the hot loop, per [^=]*= (\d+) MACs: (?:[^.]* = )?(\d+) instructions, (0\.\d+) per MAC", text
    )
    assert found is not None, text
    return Fraction(int(found[2]), int(found[1])), found[3]


def counted(kernel: Kernel, *sizes: int) -> Profile:
    assert kernel.operator is not None
    result = profile(kernel, Shape(kernel.operator.dimensions, sizes))
    assert isinstance(result, Profile), result
    return result


def run(kernel: Kernel, rows: int, cols: int, depth: int) -> Profile:
    assert kernel.operator is not None
    order = {
        "conv1x1": (1, rows, depth, cols),
        "conv1x1_powers": (1, rows, depth, cols),
        "conv3x3": (1, rows, depth // 4, cols),
        "gemv": (cols, depth),
        "matmul": (rows, cols, depth),
    }
    return counted(kernel, *order[kernel.operator.name.removesuffix("s2")])


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kernel", MULTIPLIES, ids=named)
def test_the_hot_loop_costs_what_the_header_says(kernel: Kernel) -> None:
    # Whole tiles of any kernel, and depths with nothing left over: what differs is the hot loop alone.
    shallow, deep = run(kernel, 24, 48, 128), run(kernel, 24, 48, 256)
    instructions = deep.counts.instructions - shallow.counts.instructions
    cost, rounded = claim(kernel)
    assert Fraction(instructions, deep.macs - shallow.macs) == cost
    assert rounded in (f"{float(cost):.3f}", f"{float(cost):.4f}")


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kernel", MULTIPLIES, ids=named)
def test_the_rest_of_a_tile_costs_what_the_header_says(kernel: Kernel) -> None:
    # The tile of gemv is rows of weights, as columns are to matmul, and it has one row of the other operand.
    *rows_of_tile, tile_cols = (int(size) for size in kernel.name.split("_")[3].split("x"))
    # In CHW output channels come outermost, and what is done once for them is no tile's.
    chw = kernel.contract.arguments[0].layout == "chw"
    narrow, wide = run(kernel, 24, 48, 128), run(kernel, 48, 48, 128) if chw else run(kernel, 24, 96, 128)
    tiles = (24 // rows_of_tile[0] if rows_of_tile else 1) * (48 // tile_cols)
    per_tile = Fraction(wide.counts.instructions - narrow.counts.instructions, tiles)
    rest = per_tile - claim(kernel)[0] * (wide.macs - narrow.macs) / tiles
    found = re.search(r"Around (?:the hot loop|it) a tile costs (-?\d+) instructions", header_of(kernel))
    assert found is not None
    assert rest == int(found[1])


@pytest.mark.parametrize("kernel", CHW, ids=named)
def test_the_hot_loop_over_pixels_costs_what_the_header_says(kernel: Kernel) -> None:
    left = 4 if kernel.name.endswith("left4") else 0
    depth = 64 if kernel.name.endswith("ic64") else 32
    few, many = counted(kernel, 1, 64 + left, depth, 8), counted(kernel, 1, 128 + left, depth, 8)
    cost, rounded = claim(kernel)
    assert Fraction(many.counts.instructions - few.counts.instructions, many.macs - few.macs) == cost
    assert rounded in (f"{float(cost):.3f}", f"{float(cost):.4f}")


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kernel", DEPTHWISE, ids=named)
def test_the_hot_loop_along_a_row_costs_what_the_header_says(kernel: Kernel) -> None:
    width, channels = (int(size) for size in kernel.name.split("_")[3].split("x"))
    short, long = counted(kernel, 2, 4 * width, channels), counted(kernel, 2, 8 * width, channels)
    cost, rounded = claim(kernel)
    assert Fraction(long.counts.instructions - short.counts.instructions, long.macs - short.macs) == cost
    assert rounded == f"{float(cost):.3f}"
    more = counted(kernel, 2, 4 * width, 2 * channels)
    row = Fraction(more.counts.instructions - short.counts.instructions, 2) - cost * (more.macs - short.macs) / 2
    found = re.search(r"Around the hot loop a row costs (\d+) instructions for each (\d+) channels", header_of(kernel))
    assert found is not None
    assert row == int(found[1]) and channels == int(found[2])


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kernel", FIRST_LAYER, ids=named)
def test_the_hot_loop_over_output_channels_costs_what_the_header_says(kernel: Kernel) -> None:
    few, many = counted(kernel, 1, 24, 3, 48), counted(kernel, 1, 24, 3, 96)
    cost, rounded = claim(kernel)
    assert Fraction(many.counts.instructions - few.counts.instructions, many.macs - few.macs) == cost
    assert rounded == f"{float(cost):.3f}"


@pytest.mark.parametrize("kernel", PACKS, ids=named)
def test_packing_costs_what_the_header_says(kernel: Kernel) -> None:
    rows = (48, 1) if "_pointers_" in kernel.name else (48,)
    short, long = counted(kernel, *rows, 128), counted(kernel, *rows, 256)
    found = re.search(r"= (\d+) bytes: .* = (\d+) instructions, (0\.\d+) per byte", header_of(kernel))
    assert found is not None
    cost = Fraction(int(found[2]), int(found[1]))
    assert Fraction(long.counts.instructions - short.counts.instructions, 48 * 128) == cost
    assert found[3] == f"{float(cost):.3f}"


def two_sizes(kernel: Kernel) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Two shapes between which only the hot loop's runs differ, and the elements that it makes more."""
    assert kernel.operator is not None
    *_, width = (int(size) for size in kernel.name.split("_")[3].split("x"))
    match kernel.operator.name:
        case "dequantize" if kernel.contract.arguments[0].layout == "chw":
            return (4, 1024), (4, 2048), 4 * 1024
        case "requantize" | "dequantize":
            return (64, width), (128, width), 64 * width
        case "concat" | "softmax" | "terms":
            return (4, 1024), (4, 2048), 4 * 1024
        case "pool":
            return (1, 64, width), (1, 128, width), 64 * width
        case "pool3x3":
            return (1, 64, width, 0, 0, 0, 0), (1, 128, width, 0, 0, 0, 0), 64 * width
        case "globalpool":
            return (64, width), (128, width), 64 * width
        case "pad":
            return (1, 1024, 0, 0, 64, 64), (1, 2048, 0, 0, 64, 64), 1024
        case "resize":
            return (1, 4, 1024, 4), (1, 4, 2048, 4), 4 * 1024
        case "quantize" | "add" | "mul" | "clip" | "lut" | "range" | "minifloat" | "powers":
            return (1024,), (2048,), 1024
    raise AssertionError(kernel.operator.name)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kernel", ELEMENTS, ids=named)
def test_an_element_costs_what_the_header_says(kernel: Kernel) -> None:
    small, large, elements = two_sizes(kernel)
    instructions = counted(kernel, *large).counts.instructions - counted(kernel, *small).counts.instructions
    found = re.search(
        r"Cost of the hot loop, per (?:[^:]* = )?(\d+) elements: (?:.* = )?(\d+) instructions, "
        r"(\d+\.\d+) per element\. The floor is (\d+)",
        header_of(kernel),
    )
    assert found is not None
    cost = Fraction(int(found[2]), int(found[1]))
    assert Fraction(instructions, elements) == cost
    assert found[3] == f"{float(cost):.3f}"
    assert int(found[4]) <= int(found[2])


@pytest.mark.parametrize("kernel", [k for k in ELEMENTS if k.name.startswith("resize")], ids=named)
def test_a_pixel_and_a_row_of_a_resize_cost_what_the_header_says(kernel: Kernel) -> None:
    # Channels of 64 and 128 differ by the hot loop alone, and a pixel of 64 runs it once.
    deep, one, three, rows = (
        counted(kernel, height, width, channels, 9).counts.instructions
        for height, width, channels in ((1, 1, 128), (1, 1, 64), (1, 3, 64), (3, 3, 64))
    )
    pixel = Fraction(three - one, 2)
    found = re.search(r"Around the hot loop a pixel costs (\d+) instructions, and a row (\d+)", header_of(kernel))
    assert found is not None
    assert pixel - (deep - one) == int(found[1])
    assert Fraction(rows - three, 2) - 3 * pixel == int(found[2])


#: Instructions a MAC that the best kernel of each level reaches in its hot loop: a ratchet.
REACHED = {
    "armv7/matmul_s8s32_packed_2x4": 0.211,
    "armv7/dwconv3x3_s8s32_hwc_3x8": 0.2871,
    "armv7/dwconv3x3s2_s8s32_hwc_3x8": 0.343,
    "armv7/conv1x1_s8s32_hwc_2x4": 0.2305,
    "armv7/matmul_s8s32_packed_6x8_dotprod": 0.0756,
    "armv7/conv1x1_s8s32_hwc_4x8_dotprod": 0.0782,
    "armv8/matmul_s8s32_packed_4x4": 0.2071,
    "armv8/conv1x1_s8s32_hwc_4x4": 0.2071,
    "armv8/matmul_s8s32_packed_8x12_dotprod": 0.0671,
    "armv8/conv1x1_s8s32_hwc_4x16_dotprod": 0.0694,
    "armv8/matmul_s8s32_packed_8x12_i8mm": 0.0385,
    "armv8/conv1x1_s8s32_hwc_4x16_i8mm": 0.042,
}


@pytest.mark.parametrize("title", REACHED)
def test_the_best_of_each_level_stays_as_good(title: str) -> None:
    kernel = next(kernel for kernel in KERNELS if kernel.title == title)
    assert claim(kernel)[0] <= Fraction(str(REACHED[title]))


@pytest.mark.slow
@pytest.mark.parametrize(("core", "column"), [("cortex-a53", 0), ("cortex-a72", 1)])
@pytest.mark.parametrize("title", CYCLES)
def test_a_depthwise_loop_takes_no_more_cycles_than_it_did(title: str, core: str, column: int) -> None:
    kernel = next(kernel for kernel in KERNELS if kernel.title == title)
    options = MemoryOptions(core, loop=True, warm=True)
    found = profile(kernel, Shape(("height", "width", "channels"), (2, 61, 16)), memory=options)
    assert isinstance(found, Profile)
    loop = found.loop
    assert loop is not None
    assert loop.cycles <= CYCLES[title][column]
