"""`neonlab list`: filters, counts, and a line for each kernel."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from tests.cli.test_commands import neonlab

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.report.json.documents import schemas

KERNELS = open_library(Path(__file__).resolve().parents[2]).kernels


def operator(kernel: Kernel) -> str:
    assert kernel.operator is not None
    return kernel.operator.name


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.startswith("armv")]


def test_a_pipe_gets_one_line_a_kernel_of_at_most_80_columns_with_its_counts() -> None:
    done = neonlab("list")
    assert done.returncode == 0 and done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert [row[:2] for row in rows(done.stdout)] == [[kernel.title, operator(kernel)] for kernel in KERNELS]
    assert f"\n{len(KERNELS)} kernels\n" in done.stdout
    by_isa = Counter(kernel.title.partition("/")[0] for kernel in KERNELS)
    assert "by isa: " + ", ".join(f"{isa} {count}" for isa, count in by_isa.most_common()) in done.stdout
    counted = re.search(r"by operator: (.*?)\nby level", done.stdout, re.DOTALL)
    assert counted is not None
    said = {name: int(count) for name, count in re.findall(r"(\w+)\s+(\d+)(?:,|$)", counted[1])}
    assert said == Counter(map(operator, KERNELS))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "fits"),
    [
        (("--operator", "matmul"), lambda k: operator(k) == "matmul"),
        (("--operator", "matmul", "--operator", "gemv"), lambda k: operator(k) in ("matmul", "gemv")),
        (("--feature", "dotprod"), lambda k: "dotprod" in k.contract.features),
        (("--level", "i8mm", "--isa", "armv8"), lambda k: "i8mm" in k.contract.features),
        (("--feature", "neon"), lambda k: not {"dotprod", "i8mm", "fp16"} & k.contract.features),
        (("--isa", "armv7"), lambda k: k.isa is Isa.A32),
        (("hwc_4x4",), lambda k: "hwc_4x4" in k.name),
        (("armv8/conv1x1*ruy",), lambda k: k.isa is Isa.A64 and re.fullmatch("conv1x1.*ruy", k.name)),
        (("conv3x3_*", "lut", "--isa", "armv7"), lambda k: k.isa is Isa.A32 and re.match("conv3x3_|.*lut", k.name)),
        (("*no_such_name*",), lambda _: False),
        (
            ("conv1x1_s8s32_hwc_4x4*", "--isa", "armv8", "--core", "cortex-a55"),
            lambda k: re.fullmatch("armv8/conv1x1_s8s32_hwc_4x4(_inorder|_w7)", k.title),
        ),
        (
            ("conv1x1_s8s32_hwc_4x4*", "--isa", "armv8", "--core", "cortex-a76"),
            lambda k: re.fullmatch("armv8/conv1x1_s8s32_hwc_4x4(|_w7)", k.title),
        ),
    ],
)
@pytest.mark.sweep(keep=3)
def test_filters_leave_the_kernels_that_fit(options: tuple[str, ...], fits: object) -> None:
    assert callable(fits)
    wanted = [kernel.title for kernel in KERNELS if fits(kernel)]
    done = neonlab("list", *options)
    assert [row[0] for row in rows(done.stdout)] == wanted
    assert f"{len(wanted)} of {len(KERNELS)} kernels\n" in done.stdout
    document = json.loads(neonlab("list", *options, "--json").stdout)
    jsonschema.validate(document, schemas()["list"])
    assert [kernel["kernel"] for kernel in document["kernels"]] == wanted
    assert sum(document["counts"]["operator"].values()) == len(wanted)
    assert document["counts"]["level"] == Counter(kernel["level"] for kernel in document["kernels"])


def test_summaries_say_what_each_computes() -> None:
    shown = neonlab("list", "lut", "--summary").stdout
    for kernel in KERNELS:
        if operator(kernel) == "lut":
            assert " ".join(kernel.contract.summary.split()) in " ".join(shown.split())


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--operator", "matmull"), "no operator is called `matmull`; there are add, "),
        (("--feature", "sve"), "no feature is called `sve`"),
        (("--isa", "armv6"), "armv6"),
        (("--core", "cortex-a54"), "there is no pipeline model of cortex-a54"),
    ],
)
def test_a_filter_that_nothing_could_fit_is_refused(options: tuple[str, ...], words: str) -> None:
    done = neonlab("list", *options)
    assert (done.returncode, done.stdout) == (2, "") and words in done.stderr


@pytest.mark.slow
def test_a_dispatch_by_core_says_what_it_picks_there() -> None:
    shown = " ".join(neonlab("list", "*s8s32_hwc_4x16_dotprod*", "--core", "cortex-a55").stdout.split())
    assert "conv1x1_s8s32_hwc_4x16_dotprod_by_core picks conv1x1_s8s32_hwc_4x16_dotprod_inorder on cortex-a55" in shown
    shown = " ".join(neonlab("list", "*s8s32_hwc_4x16_dotprod*", "--core", "cortex-a76").stdout.split())
    assert "conv1x1_s8s32_hwc_4x16_dotprod_by_core picks conv1x1_s8s32_hwc_4x16_dotprod on cortex-a76" in shown
    shown = " ".join(neonlab("list", "*s8s32_hwc_4x16_dotprod*").stdout.split())
    assert "conv1x1_s8s32_hwc_4x16_dotprod_by_core chooses by core: inorder on cortex-a55" in shown
