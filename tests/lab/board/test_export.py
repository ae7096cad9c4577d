"""An exported bench is exact under qemu-user wherever the lab is, reports what is wrong, and holds the same bytes."""

from __future__ import annotations

import shlex
import shutil
import struct
import subprocess
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from tests.boards import build, on_board, require_board_compiler, run
from tests.saboteurs import Saboteur, right_kernels, saboteurs
from tests.tools import require, require_clang, require_compiler

from neonlab.contract.options import Given
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.board.code_text import ordered_segments, program_for_board
from neonlab.lab.board.export import BUDGET, export_kernels
from neonlab.lab.board.result import read_result
from neonlab.lab.repository.kernel_code import code_digest, kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel, open_library
from neonlab.lab.run.lookup import one_kernel
from neonlab.lab.run.plan import parse_shape, plan_cases

ROOT = Path(__file__).resolve().parents[3]
CONV = {isa: f"{folder}/conv1x1_s8s32_chw_8x4" for isa, folder in ((Isa.A64, "armv8"), (Isa.A32, "armv7"))}
C = ("add_quantized", "dot_s8", "igemm_1x8", "matvec", "quantize", "softmax")
#: Faults that show on silicon: what is wrong in memory and in registers when a call is over.
SEEN = ("aborted", "clobbered-callee-saved", "fp-control", "mismatch", "oob-write", "readonly-write")
#: Mistakes of these kinds that a board does not show, and why.
UNSEEN = {
    "mismatch_bit_12_of_sp": "the bench has one stack",
    "mismatch_bit_16_of_sp": "the bench has one stack",
    "mismatch_count_of_20_bits": "cases of 2 MiB are beyond the budget",
    "clobbered_callee_saved_x18": "Linux has no use for x18",
    "clobbered_callee_saved_x18_half_restored": "Linux has no use for x18",
}
#: `dc zva` clears 512 bytes on the CPU that qemu-user plays, and 64 on those that the kernel is for.
ONLY_ON_SILICON = ("cleared_16_at_a_time",)
FAMILIES = {
    family: list(kernels)
    for family, kernels in groupby(open_library(ROOT).kernels, key=lambda kernel: kernel.title.partition("_")[0])
}
WRONG = [one for one in saboteurs() if one.fault in SEEN and one.name not in UNSEEN]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kernels", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.sweep(keep=8)
def test_every_kernel_is_exact_on_a_board(kernels: list[Kernel], tmp_path: Path) -> None:
    found = on_board(kernels, tmp_path, "--no-timing")["kernels"]
    assert [(one["verdict"], one["wrong"], one["failures"]) for one in found] == [("exact", 0, [])] * len(kernels)
    assert all(one["tried"] == one["cases"] >= 20 for one in found)
    assert [one["digest"] for one in found] == [code_digest(kernel) for kernel in kernels]


@pytest.mark.slow
@pytest.mark.parametrize("isa", list(Isa))
def test_kernels_with_structs_floats_and_arguments_on_the_stack_are_exact_on_a_board(isa: Isa, tmp_path: Path) -> None:
    require_compiler(isa)
    kernels = [open_kernel(ROOT / "tests" / "c" / f"{name}.c", Given(isa=isa)) for name in C]
    found = on_board(kernels, tmp_path, "--no-timing")["kernels"]
    assert [(one["verdict"], one["failures"]) for one in found] == [("exact", [])] * len(C)
    assert all(one["compiler"] for one in found)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("isa", list(Isa))
def test_shapes_are_timed_and_what_is_left_out_is_named(isa: Isa, tmp_path: Path) -> None:
    kernel = one_kernel(CONV[isa])
    shape = parse_shape(kernel, "4x8x16x16")
    on_board([kernel], tmp_path, shapes=[shape])
    _, text = run(tmp_path / "bench", isa, "--counter", "clock")
    (tmp_path / "result.json").write_text(text)
    result = read_result(tmp_path / "result.json")
    (one,) = result.kernels
    (timing,) = one.timings
    assert (result.isa, result.counter, timing.shape) == (isa, "clock", "4x8x16x16")
    assert timing.ns is not None and timing.empty_ns is not None and timing.ns > timing.empty_ns > 0
    assert 5 <= timing.repetitions <= 31 and timing.calls >= 1
    planned = {str(name) for name in plan_cases(kernel)}
    left = {case for case, _ in one.left_out}
    assert left and left < planned and one.cases == len(planned) - len(left) + 1


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("saboteur", WRONG, ids=lambda one: one.title)
@pytest.mark.sweep()
def test_a_wrong_kernel_is_wrong_on_a_board(saboteur: Saboteur, tmp_path: Path) -> None:
    kernel = open_kernel(saboteur.write(tmp_path / "kernel"))
    (one,) = on_board([kernel], tmp_path / "bench", "--no-timing", budget=BUDGET)["kernels"]
    assert one["verdict"] == "WRONG" and one["failures"] and one["timings"] == []
    if saboteur.fault == "clobbered-callee-saved":
        assert "does not preserve" in one["failures"][0]["what"]


@pytest.mark.parametrize(
    "path",
    [one for one in right_kernels() if one.stem not in ONLY_ON_SILICON],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
@pytest.mark.sweep(keep=6)
def test_the_right_kernel_beside_a_saboteur_is_not_wrong_on_a_board(path: Path, tmp_path: Path) -> None:
    (one,) = on_board([open_kernel(path)], tmp_path, "--no-timing")["kernels"]
    assert one["verdict"] in ("exact", "ran", "unchecked"), one["failures"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("ld1     {v0.16b}, [x1]", "str     x1, [x0, #-1]!"), "bytes before `out`"),
        (("st1     {v0.16b}, [x0]", "stp     q0, q0, [x0]"), "byte 16 of `out`, which has 16"),
        (("ld1     {v0.16b}, [x1]", "ldr     q0, [x1, #16]"), "byte 16 of `a`, which has 16"),
        (("ld1     {v0.16b}, [x1]", "st1     {v0.16b}, [x1]"), "writes to `a`, which it may only read"),
        (("ret", "mov     x19, x0\n    ret"), "does not preserve x19"),
        (("ret", "fmov    d8, x0\n    ret"), "does not preserve d8"),
        (("ret", "sub     sp, sp, #16\n    ret"), "returns with another sp"),
        (("ret", "udf     #0"), "an instruction that this CPU does not have"),
        (("ret", "b       ."), "does not return within"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.sweep(keep=9)
def test_a_board_says_what_a_fault_is(change: tuple[str, str], told: str, tmp_path: Path) -> None:
    text = COPY.replace(*change)
    assert text != COPY
    path = tmp_path / "armv8" / "copy16.S"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    (one,) = on_board([open_kernel(path)], tmp_path / "bench", "--no-timing")["kernels"]
    assert one["verdict"] == "WRONG" and told in one["failures"][0]["what"]


COPY = """/*toml
summary   = "copy 16 bytes"
prototype = "void (int8_t *out, const int8_t *a)"
isa       = ["armv8.0-a", "neon"]
reference = "none"

[args]
out = { reg = "x0", write = "16" }
a   = { reg = "x1", read = "16" }
*/
    .text
    .globl copy16
copy16:
    ld1     {v0.16b}, [x1]
    st1     {v0.16b}, [x0]
    ret
"""


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("isa", list(Isa))
@pytest.mark.parametrize("assembler", ["gcc", "clang"])
def test_gnu_as_and_clang_make_the_bytes_that_the_lab_linked(isa: Isa, assembler: str, tmp_path: Path) -> None:
    kernels = [one_kernel(CONV[isa]), open_kernel(ROOT / "tests" / "c" / "lut.c", Given(isa=isa))]
    export_kernels([(kernel, ()) for kernel in kernels], tmp_path, budget=64 << 10)
    words = require_compiler(isa) if assembler == "gcc" else require_clang(isa)
    made = subprocess.run(
        [*words, "-c", "kernels.S", "-o", "kernels.o"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    whole = (tmp_path / "kernels.o").read_bytes()
    for kernel in kernels:
        for segment in ordered_segments(program_for_board(kernel_program(kernel))):
            assert segment.data in whole
    assert (tmp_path / "cases.bin").read_bytes() in whole


@pytest.mark.parametrize("isa", list(Isa))
def test_an_export_is_the_same_each_time(isa: Isa, tmp_path: Path) -> None:
    kernel = one_kernel(CONV[isa])
    for name in ("one", "two"):
        exported = export_kernels([(kernel, ())], tmp_path / name, budget=64 << 10)
    assert exported.case_bytes <= 64 << 10
    for name in exported.files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_floats_are_compared_as_numpy_compares_them(tmp_path: Path) -> None:
    export_kernels([(one_kernel(CONV[Isa.A64]), ())], tmp_path, budget=64 << 10)
    build(tmp_path, Isa.A64)
    numbers, lines = [], []
    for size, letter in ((2, "e"), (4, "f"), (8, "d")):
        values = (0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"), 6e-8)
        bits = [int.from_bytes(struct.pack(f"<{letter}", value), "little") for value in values]
        for left, right in ((a, b) for a in bits for b in bits):
            lines.append(f'printf("%d ", equal({left:#x}ull, {right:#x}ull, FLOAT_NUMBER, {size}));')
            dtype = np.dtype(f"<f{size}")
            a, b = (np.frombuffer(one.to_bytes(size, "little"), dtype) for one in (left, right))
            numbers.append(int(np.array_equal(a, b)))
    main = '#include "cases.c"\nint main(void) {\n' + "\n".join(lines) + "\nreturn 0; }\n"
    (tmp_path / "equal.c").write_text(main)
    rest = ["faults.c", "memory.c", "machine.c", "kernels.c", "call.S", "kernels.S"]
    words = [*shlex.split(require_board_compiler(Isa.A64)), "-static", "-o", "equal", "equal.c", *rest]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    told = subprocess.run(
        [require("qemu-aarch64"), str(tmp_path / "equal")], capture_output=True, text=True, check=True
    )
    assert list(map(int, told.stdout.split())) == numbers


def test_a_bench_whose_code_was_changed_does_not_run(tmp_path: Path) -> None:
    export_kernels([(one_kernel(CONV[Isa.A64]), ())], tmp_path, budget=64 << 10)
    text = (tmp_path / "kernels.S").read_text()
    word = text.index("0x", text.index(".word"))
    (tmp_path / "kernels.S").write_text(f"{text[:word]}0xd503201f{text[word + 10 :]}")
    bench = build(tmp_path, Isa.A64)
    done = subprocess.run([require("qemu-aarch64"), str(bench)], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "its code is not what was exported" in done.stderr


def test_what_cannot_be_exported_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    both = [(one_kernel(CONV[isa]), ()) for isa in Isa]
    with pytest.raises(InputError, match="one instruction set"):
        export_kernels(both, tmp_path / "bench")
    kernel = both[0][0]
    with pytest.raises(InputError, match="do not fit: give more with --budget"):
        export_kernels([(kernel, [parse_shape(kernel, "14x14x256x256")])], tmp_path / "bench", budget=64 << 10)
    assert not (tmp_path / "bench").exists()
    shutil.copy(ROOT / "LICENSE", tmp_path / "file")
    with pytest.raises(InputError, match="cannot create the folder"):
        export_kernels([(kernel, ())], tmp_path / "file" / "bench", budget=64 << 10)


def test_a_folder_with_other_files_is_refused_and_an_earlier_export_replaced(tmp_path: Path) -> None:
    kernel = one_kernel(CONV[Isa.A64])
    export_kernels([(kernel, ())], tmp_path / "new", budget=64 << 10)
    first = (tmp_path / "new" / "kernels.c").read_bytes()
    (tmp_path / "new" / "kernels.c").write_text("older")
    (tmp_path / "new" / "result.json").write_text("{}")  # of its bench
    export_kernels([(kernel, ())], tmp_path / "new", budget=64 << 10)
    assert (tmp_path / "new" / "kernels.c").read_bytes() == first
    others = tmp_path / "others"
    others.mkdir()
    (others / "Makefile").write_text("precious")
    with pytest.raises(InputError, match="holds other files, such as Makefile: give a folder that is new or empty"):
        export_kernels([(kernel, ())], others, budget=64 << 10)
    assert [path.name for path in others.iterdir()] == ["Makefile"] and (others / "Makefile").read_text() == "precious"
