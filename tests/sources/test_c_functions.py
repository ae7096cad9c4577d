"""Functions in C and C++ with NEON intrinsics, compiled here, against scalar code: right ones pass."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.tools import require, require_compiler

import neonlab
from neonlab.contract.options import NOTHING, Given
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa, isa_named
from neonlab.lab.repository.library import open_kernels
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.judgement import verdict_of
from neonlab.lab.run.plan import plan_cases
from neonlab.verify.cases.case import Depth
from neonlab.verify.verdict import Verdict

FOLDER = Path(__file__).parents[1] / "c"
SOURCES = sorted([*FOLDER.glob("*.c"), *FOLDER.glob("*.cpp")])
BOTH = pytest.mark.parametrize("isa", ["armv7", "armv8"])


def compiler_of(path: Path, isa: str) -> str:
    """Return the title of the compiler that the lab takes when none is named."""
    command = require_compiler(isa_named(isa), cxx=path.suffix == ".cpp")
    return f"zig {command[3]}" if "ziglang" in command else Path(command[0]).name


def require_compilers(path: Path, isa: str, compiler: str) -> None:
    """Skip the test where the compiler named, or any for the file and `isa`, is absent."""
    if compiler:
        require(compiler)
    else:
        require_compiler(isa_named(isa), cxx=path.suffix == ".cpp")


def checked(
    path: Path, isa: str, *, cases: int, flags: tuple[str, ...] = (), compiler: str = "", depth: Depth = Depth.WATCHED
) -> Verdict:
    """The function of the file on a choice of what `check` would try."""
    require_compilers(path, isa, compiler)
    function = neonlab.load(path, isa=isa, flags=flags, compiler=compiler)
    assert function.kernel is not None
    planned = plan_cases(function.kernel)
    chosen = [replace(name, depth=depth) for name in planned[:: max(1, len(planned) // cases)]]
    return verdict_of(function.kernel, check_cases(function.kernel, chosen), 1)


@pytest.mark.slow(keep=2)
@BOTH
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
@pytest.mark.sweep(keep=19)
def test_intrinsics_are_exact_at_every_level_of_optimization(path: Path, level: str, compiler: str, isa: str) -> None:
    named = "" if compiler == "gcc" else compiler
    depth = Depth.FULL if level == "-O2" else Depth.WATCHED
    verdict = checked(path, isa, cases=6, flags=(level,), compiler=named, depth=depth)
    assert verdict.has_reference
    assert verdict.failures == ()
    title = compiler_of(path, isa) if compiler == "gcc" else compiler
    assert re.fullmatch(rf"{re.escape(title)} \d+\.\d+\.\d+( -(?!O)\S+)* {level}", verdict.compiler)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
@pytest.mark.sweep(keep=5)
def test_intrinsics_are_exact_in_thumb_state(path: Path) -> None:
    assert checked(path, "armv7", cases=6, flags=("-mthumb",)).failures == ()


@BOTH
def test_a_cxx_function_answers_to_the_name_that_people_write(isa: str) -> None:
    path = FOLDER / "rows_dot.cpp"
    require_compilers(path, isa, "")
    pointers = "const int8_t *a, int8_t factor, int16_t *c"
    one = "lab::scaled(signed char const*, signed char, short*)"
    scaled = neonlab.load(path, isa=isa, symbol=one, prototype=f"void f({pointers})")
    run = scaled.call(np.arange(8, dtype=np.int8), -3, np.zeros(8, np.int16))
    assert run.outputs["c"].tolist() == [-3 * n for n in range(8)]
    with pytest.raises(InputError, match=r"`lab::scaled` is the name of 2 functions: choose one of .*short const\*"):
        neonlab.load(path, isa=isa, symbol="lab::scaled", prototype=f"void f({pointers})").call(
            np.zeros(8, np.int8), 1, np.zeros(8, np.int16)
        )
    with pytest.raises(InputError, match=r"does not define `lab::rows`.* \(symbols: lab::rows_dot\("):
        neonlab.load(path, isa=isa, symbol="lab::rows", prototype="void f(void)").call()


@BOTH
def test_an_object_says_itself_which_of_a_contracts_instruction_sets_it_is_for(isa: str, tmp_path: Path) -> None:
    made = tmp_path / "dot_s8.o"
    command = require_compiler(isa_named(isa))
    fpu = ["-mfpu=neon"] if isa == "armv7" and "ziglang" not in command else []
    subprocess.run([*command, "-O2", *fpu, "-c", str(FOLDER / "dot_s8.c"), "-o", str(made)], check=True)
    shutil.copy(FOLDER / "dot_s8.contract.toml", tmp_path)
    (kernel,) = open_kernels(made, NOTHING)
    assert kernel.isa is isa_named(isa)
    verdict = neonlab.check(kernel, shapes=[plan_cases(kernel)[0].shape])
    assert verdict.has_reference and verdict.failures == ()


@BOTH
def test_of_c_the_prototype_need_not_be_said(isa: str, tmp_path: Path) -> None:
    require_compiler(isa_named(isa))
    path = Path(shutil.copy(FOLDER / "dot_s8.c", tmp_path))
    sizes = (("a.read", "n"), ("b.read", "n"), ("n.range", "[1, 40]"))
    (kernel,) = open_kernels(path, Given(isa=isa_named(isa), settings=sizes))
    assert kernel.contract.prototype == "int32_t dot_s8(const int8_t *a, const int8_t *b, size_t n)"
    (tmp_path / "dot_s8.contract.toml").write_text('[args]\na.read = "n"\nb.read = "n"\nn.range = [1, 40]\n')
    (beside,) = open_kernels(path, Given(isa=isa_named(isa)))
    assert beside.contract.prototype == kernel.contract.prototype
    assert neonlab.check(beside, shapes=[plan_cases(beside)[0].shape]).failures == ()


class Slip(NamedTuple):
    """A change to a right function, and what must be said of it: the fault, and the text of the line to blame."""

    file: str
    old: str
    new: str
    fault: str
    blamed: str
    by_clang: str = ""  # the text to blame where clang says that the instruction belongs to another line


SLIPS = [
    Slip("dot_s8", "sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(x), vget_high_s8(y)));", "", "mismatch", ""),
    Slip("dot_s8", "for (; i < n; i++)\n        total", "for (; i <= n; i++)\n        total", "oob-read", "total +="),
    Slip("requantize", "vqmovn_s16(narrow)", "vmovn_s16(narrow)", "lane-wrap", "vmovn_s16(narrow)"),
    Slip(
        "depthwise3",
        "k < 9; k++) {\n                int16x8_t x",
        "k < 8; k++) {\n                int16x8_t x",
        "mismatch",
        "vst1q_s32(out + c, low)",
    ),
    Slip(
        "depthwise3",
        "out[c] = sum;\n        }\n    }",
        "out[c + 1] = sum;\n        }\n    }",
        "oob-write",
        "out[c + 1]",
    ),
    Slip(
        "maxpool",
        "vmaxq_s8(most, vld1q_s8(rows[t] + i))",
        "vmaxq_s8(most, vld1q_s8(rows[t] + i + 1))",
        "oob-read",
        "rows[t] + i + 1",
    ),
    Slip(
        "add_quantized", "params->b_multiplier);\n    ", "params->a_multiplier);\n    ", "mismatch", "vst1_u8(out + i"
    ),
    Slip("lut", "vdup_n_u8((uint8_t)part)", "vdup_n_u8((uint8_t)(part + 1))", "mismatch", "vst1_u8(out + i, found)"),
    Slip("igemm_1x8", "if (row != zero)\n                ", "", "oob-read", "row[k]"),
    Slip(
        "igemm_1x8",
        "nc * sizeof *c);\n            nc = 0",
        "8 * sizeof *c);\n            nc = 0",
        "oob-write",
        "memcpy(c, last",
        by_clang="if (nc >= 8)",
    ),
    Slip("clamp_rows", "i + 16 <= width", "i < width", "oob-read", "vst1q_u8(out + i"),
    Slip("transpose8", "out + 8 * (i + 4)", "out + 8 * (i + 3)", "mismatch", ""),
    Slip(
        "matvec",
        "k < columns; k += 8) {\n            int8x8_t v",
        "k <= columns; k += 8) {\n            int8x8_t v",
        "oob-read",
        "vld1_s8(x + k)",
    ),
    Slip("quantize", "lrintf(in[i] * factor)", "(long)(in[i] * factor)", "mismatch", "out[i] ="),
    Slip("sad16", "sum = vabal_u8(sum, vget_high", "sum = vabal_u8(sum, vget_low", "mismatch", ""),
    Slip("softmax", "assert(n > 0)", "assert(n > 5)", "aborted", "assert(n > 5)"),
    Slip("argmax", "x[i] != largest", "x[i] == largest", "oob-read", "x[i] == largest"),
]


@pytest.mark.slow(keep=3)
@BOTH
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.file} {slip.fault}")
@pytest.mark.sweep(keep=12)
def test_a_slip_in_c_is_found_with_its_line(slip: Slip, isa: str, tmp_path: Path) -> None:
    text = (FOLDER / f"{slip.file}.c").read_text()
    kernel, marker, reference = text.partition(f"{slip.file}_c(")
    assert slip.old in kernel
    spoilt = tmp_path / f"{slip.file}.c"
    spoilt.write_text(kernel.replace(slip.old, slip.new, 1) + marker + reference)
    contract = (FOLDER / f"{slip.file}.contract.toml").read_text()
    shutil.copy(FOLDER / f"{slip.file}.c", tmp_path / "right.c")
    contract = contract.replace('file    = "softmax.c"', 'file    = "right.c"')
    (tmp_path / f"{slip.file}.contract.toml").write_text(contract)
    failures = {failure.identifier: failure for failure in checked(spoilt, isa, cases=60).failures}
    assert slip.fault in failures, failures
    where, _, line = failures[slip.fault].where.rpartition(":")
    if slip.blamed:
        assert Path(where).name == f"{slip.file}.c"
        by_clang = slip.by_clang if isa == "armv8" and compiler_of(spoilt, isa).startswith("zig") else ""
        assert (by_clang or slip.blamed) in spoilt.read_text().splitlines()[int(line) - 1]


@BOTH
def test_an_error_of_the_compiler_is_shown_as_it_is(isa: str, tmp_path: Path) -> None:
    require_compiler(isa_named(isa))
    path = tmp_path / "f.c"
    path.write_text("int f(void)\n{\n    return missing;\n}\n")
    with pytest.raises(
        neonlab.InputError, match=r"f\.c:3:12: error: (.*missing.* undeclared|use of undeclared .*missing)"
    ):
        neonlab.load(path, isa=isa, prototype="int f(void)")


@BOTH
def test_a_function_that_nobody_serves_is_named_with_who_calls_it(isa: str, tmp_path: Path) -> None:
    require_compiler(isa_named(isa))
    path = tmp_path / "f.c"
    path.write_text('#include <stdio.h>\nint f(int n)\n{\n    return printf("%d", n);\n}\n')
    with pytest.raises(neonlab.InputError, match=r"f\.c:4: `printf` is not defined, and `f` refers to it"):
        neonlab.load(path, isa=isa, prototype="int f(int n)")


@BOTH
def test_a_function_is_loaded_called_and_profiled_in_ten_lines(isa: str) -> None:
    require_compiler(isa_named(isa))
    function = neonlab.load(FOLDER / "dot_s8.c", isa=isa)
    a = np.arange(-30, 30, dtype=np.int8)
    b = np.full(60, 3, np.int8)
    run = function.call(a, b, 60)
    assert run.returned == int(np.dot(a.astype(np.int64), b))
    with pytest.raises(neonlab.FaultError, match=r"dot_s8\.c:\d+: oob-read: reads 1 byte of `a` at offset 60 of 60"):
        function.call(a, b, 61)
    cold, warm = (function.profile(a, b, 60, core="cortex-a53", warm=warm) for warm in (False, True))
    assert cold.cycles is not None and warm.cycles is not None
    assert cold.cycles.cycles > warm.cycles.cycles > 0
    assert cold.counts.instructions == run.steps
    assert function.check(shapes=[neonlab.Shape(("n",), (33,))]).passed


def test_the_prototype_of_an_object_comes_from_its_debug_information(tmp_path: Path) -> None:
    made = tmp_path / "sad.o"
    subprocess.run([*require_compiler(Isa.A64), "-O2", "-g", "-c", FOLDER / "sad16.c", "-o", made], check=True)
    function = neonlab.load(made, symbol="sad16")
    assert function.isa is Isa.A64
    assert "const uint8_t *a" in function.prototype
    blocks = np.random.default_rng(3).integers(0, 256, (2, 4, 16), np.uint8)
    run = function.call(blocks[0], 16, blocks[1], 16, 4)
    assert run.returned == int(np.abs(blocks[0].astype(int) - blocks[1]).sum())
