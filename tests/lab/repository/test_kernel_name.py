"""Names of kernels: every file of asm/ has one of the grammar, and says by it what its contract says."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from neonlab.lab.repository.kernel_name import (
    LAYOUTS,
    LEVELS,
    PLAIN_OPERATORS,
    TYPES,
    VARIANTS,
    WINDOW_OPERATORS,
    KernelName,
    KernelNameError,
)
from neonlab.lab.repository.library import Kernel, open_library

ROOT = Path(__file__).resolve().parents[3]
KERNELS = open_library(ROOT).kernels
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)


@every_kernel
def test_a_kernel_has_a_name_of_the_grammar(kernel: Kernel) -> None:
    assert str(KernelName.parse(kernel.path.stem)) == kernel.name


@every_kernel
def test_the_types_of_a_name_are_those_of_the_contract(kernel: Kernel) -> None:
    name = KernelName.parse(kernel.name)
    pointers = [argument for argument in kernel.contract.arguments if argument.is_pointer]
    read = [argument for argument in pointers if argument.name in ("a", "b", "input", "weights", "source")]
    written = [argument for argument in pointers if argument.write is not None]
    read = [argument if argument.rows is None else argument.rows.to for argument in read]
    assert list(dict.fromkeys(str(argument.dtype) for argument in read)) == [TYPES[kind] for kind in name.inputs]
    assert str(written[0].dtype) == TYPES[name.output]


@every_kernel
def test_the_level_of_a_name_is_what_the_contract_needs_beyond_neon(kernel: Kernel) -> None:
    needed = kernel.contract.features & LEVELS.keys()
    assert needed == ({KernelName.parse(kernel.name).level} - {""})


@every_kernel
def test_the_layout_of_a_name_is_that_of_the_first_input(kernel: Kernel) -> None:
    layout = KernelName.parse(kernel.name).layout
    first = kernel.contract.arguments[0].layout
    assert layout == ("packed" if first.startswith("rows") and "_" in first else first)


def random_name(rng: np.random.Generator) -> KernelName:
    def one_of(words: object) -> str:
        return str(rng.choice(sorted(words)))  # type: ignore[call-overload]

    window = rng.random() < 0.5
    inputs = rng.permutation(sorted(TYPES))[: rng.integers(1, 3)]
    return KernelName(
        operator=one_of(WINDOW_OPERATORS if window else PLAIN_OPERATORS),
        inputs=tuple(map(str, inputs)),
        output=one_of(TYPES),
        layout=one_of(LAYOUTS),
        tile=tuple(map(int, rng.integers(1, 100, rng.integers(1, 4)))),
        window=(int(rng.integers(1, 12)), int(rng.integers(1, 12))) if window else None,
        stride=int(rng.integers(1, 5)) if window else 1,
        level=one_of(LEVELS) if rng.random() < 0.5 else "",
        variants=tuple(map(str, rng.permutation(sorted(VARIANTS))[: rng.integers(0, 4)])),
    )


@pytest.mark.parametrize("seed", range(5))
def test_what_is_printed_is_read_back(seed: int) -> None:
    print("seed", seed)
    rng = np.random.default_rng(seed)
    for _ in range(200):
        name = random_name(rng)
        assert KernelName.parse(str(name)) == name


def test_no_word_can_be_taken_for_one_of_another_part() -> None:
    parts = [set(LAYOUTS), set(LEVELS), set(VARIANTS)]
    for one, other in itertools.combinations(parts, 2):
        assert not one & other
    assert not set(PLAIN_OPERATORS) & set(WINDOW_OPERATORS)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("matmul", "has 1 of the parts"),
        ("matmul_s8s32_packed", "has 3 of the parts"),
        ("matmull_s8s32_packed_8x12", "did you mean `matmul`"),
        ("conv_s8s32_hwc_4x4", "conv has a window"),
        ("matmul3x3_s8s32_packed_8x12", "matmul has no window"),
        ("conv3x3s1_s8s32_hwc_4x4", "is 2 or more"),
        ("matmuls2_s8s32_packed_4x4", "a stride follows a window"),
        ("conv03x3_s8s32_hwc_4x4", "starts with 0"),
        ("conv0x3_s8s32_hwc_4x4", "starts with 0"),
        ("conv1x1_s8_hwc_4x4", "does not name the types of inputs and output"),
        ("conv1x1_s8s7_hwc_4x4", "does not name the types of inputs and output"),
        ("conv1x1_s8f8_hwc_4x4", "does not name the types of inputs and output"),
        ("conv1x1_s8s8s32_hwc_4x4", "name inputs of the same type once"),
        ("conv1x1_s8s32_hwcc_4x4", "did you mean `hwc`"),
        ("conv1x1_s8s32_hwc_4by4", "tile `4by4`"),
        ("conv1x1_s8s32_hwc_04x4", "tile `04x4`"),
        ("conv1x1_s8s32_hwc_4x4_dotprd", "did you mean `dotprod`"),
        ("conv1x1_s8s32_hwc_4x4_gemmlowp_dotprod", "the level must follow the tile"),
        ("conv1x1_s8s32_hwc_4x4_zp_zp", "repeats a variant"),
        ("conv1x1_s8s32_hwc_4x4_", "is not a known level or variant"),
        ("Conv1x1_s8s32_hwc_4x4", "not an operator"),
        ("conv1x1_s8s32_hwc_4x4 ", "tile `4x4 `"),
        ("conv1x1_s8s32_hwc_٤x4", "tile"),
    ],
)
def test_a_name_outside_the_grammar_is_refused_with_what_is_wrong(name: str, complaint: str) -> None:
    with pytest.raises(KernelNameError, match=complaint):
        KernelName.parse(name)


def test_a_name_can_be_told_in_words() -> None:
    assert (
        KernelName.parse("dwconv3x3s2_s8s16s32_hwc_4x16_dotprod_inorder").in_words()
        == "depthwise convolution 3x3 of stride 2, int8 x int16 -> int32, pixel by pixel, 4 x 16 at a time, "
        "dot products (sdot, udot), software-pipelined for in-order cores"
    )
