"""A changed loop is written as a person would: in its place, with names and comments, guarded in macros."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.optimize.loops import SAFE_A32, SAFE_A64, longest_loop

from neonlab.contract.model import Contract
from neonlab.contract.options import PLAIN
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import code_digest, kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.find import code_of, instances
from neonlab.optimize.output.edit import Text, definitions_of, edited, text_for, with_symbol
from neonlab.optimize.output.statements import inverse_branch
from neonlab.optimize.rewrites.loads import by_inserts
from neonlab.optimize.schedule.search import Found

ROOT = Path(__file__).resolve().parents[3]
MACROS = [
    ROOT / "asm" / "armv8" / "conv1x1" / "conv1x1_s8s32_hwc_4x4.S",
    ROOT / "asm" / "armv7" / "conv1x1" / "conv1x1_s8s32_hwc_2x4.S",
]


def rewritten(
    path: Path, folder: Path, ahead: int, rewrite: Callable[[LoopCode, Contract], LoopCode | None] | None = None
) -> tuple[Text, list[str]]:
    """Return the text of a kernel and the same with its longest loop written anew in the same order."""
    kernel = open_kernel(path)
    program = kernel_program(kernel)
    groups = instances(program, longest_loop(kernel))
    code = code_of(program, kernel.contract, groups[0])
    new = rewrite(code, kernel.contract) if rewrite is not None else code
    assert new is not None, "there is something to rewrite"
    text = text_for(path, PLAIN, program, groups, folder, definitions_of(path, PLAIN, program, groups))
    order = tuple(range(len(new.body)))
    return text, edited(text, code, new, Found(1.0, order, order[:ahead]), ["what was done"])


@pytest.mark.parametrize("path", [SAFE_A64, SAFE_A32, *MACROS], ids=lambda path: path.stem)
def test_a_loop_in_the_same_order_assembles_to_the_same(path: Path, tmp_path: Path) -> None:
    _, lines = rewritten(path, tmp_path, 0)
    new = tmp_path / path.name
    new.write_text("\n".join(lines) + "\n")
    assert code_digest(open_kernel(new)) == code_digest(open_kernel(path))


@pytest.mark.parametrize("path", MACROS, ids=lambda path: path.stem)
def test_a_loop_in_a_macro_is_changed_for_the_arguments_that_make_it(path: Path, tmp_path: Path) -> None:
    text, lines = rewritten(path, tmp_path, 0)
    start = lines.index("    // what was done") - 1
    added = [line.strip() for line in lines[start : start + len(lines) - len(text.lines)]]
    assert text.place.guard == (".if \\n == 4" if "armv8" in str(path) else ".if \\n == 2")
    assert added[0] == text.place.guard and ".else" in added
    assert any("[input]" in line for line in added), "registers keep their names"
    behind = lines[start + len(added) : start + len(added) + text.place.branch - text.place.label + 2]
    assert "  .endif" in behind


def test_what_runs_ahead_stands_before_the_loop_and_the_rest_once_more_behind(tmp_path: Path) -> None:
    text, lines = rewritten(SAFE_A64, tmp_path, 3)
    start, end = lines.index("    // what was done"), lines.index(".Lsixteen_last:")
    label = next(at for at, line in enumerate(lines) if line.startswith(".Lsixteen:"))
    assert [line.split()[0] for line in lines[start + 1 : label]] == ["ldr", "ldr", "ldr", "b.eq"]
    assert label < end and lines[end - 1].split() == ["b.ne", ".Lsixteen"]
    assert "256 MACs" in lines[label], "the comment of the label stays"
    assert len(lines) - len(text.lines) == 1 + 3 + 1 + 1 + 70, "headline, ahead, branch, label, the rest"


def test_names_that_another_kernel_gives_to_registers_are_not_used(tmp_path: Path) -> None:
    path = ROOT / "asm" / "armv8" / "matmul" / "matmul_s8s32_packed_4x4.S"
    _, lines = rewritten(path, tmp_path, 0, by_inserts)
    new = tmp_path / path.name
    new.write_text("\n".join(lines) + "\n")
    kernel = open_kernel(new)
    start, end = lines.index("    // what was done"), next(at for at, one in enumerate(lines) if "_again" in one)
    loop = lines[end:]
    assert start < end and kernel_program(kernel).instructions, "it assembles"
    assert any(one.split()[:2] == ["ldur", "x15,"] for one in loop), "`other_half` is a name under #ifdef AHEAD alone"
    assert any("[b_at, #" in one for one in loop), "registers that the kernel itself names keep their names"


def test_the_arguments_of_a_macro_are_those_of_its_definition_that_counts(tmp_path: Path) -> None:
    text = SAFE_A64.read_text()
    before, label, rest = text.partition(".Lsixteen:")
    body, branch, behind = rest.partition("    b.ne    .Lsixteen\n")
    macro = "#ifdef OTHER\n.macro summed first\n.endm\n#else\n.macro summed second, third\n.Lsixteen\\@:" + body
    macro += "    movi    v1\\third\\().4s, #0\n    b.ne    .Lsixteen\\@\n.endm\n#endif\n"
    path = tmp_path / SAFE_A64.name
    path.write_text(before + macro + "    summed  1, 0\n    summed  1, 1\n" + behind)
    assert label and branch
    text_of, _ = rewritten(path, tmp_path, 0)
    assert text_of.place.guard in {".if \\third == 0", ".if \\third == 1"}


@pytest.mark.parametrize(
    ("isa", "branch", "other"),
    [
        (Isa.A64, "b.hs .L1", "b.lo .L1"),
        (Isa.A64, "b.ne .L1", "b.eq .L1"),
        (Isa.A64, "cbnz x3, .L1", "cbz x3, .L1"),
        (Isa.A64, "tbz x3, #4, .L1", "tbnz x3, #4, .L1"),
        (Isa.A32, "bgt .L1", "ble .L1"),
        (Isa.A32, "bls .L1", "bhi .L1"),
    ],
)
def test_a_branch_is_inverted(isa: Isa, branch: str, other: str) -> None:
    assert inverse_branch(branch, isa) == other
    assert inverse_branch(other, isa) == branch


def test_loops_that_no_argument_tells_apart_are_refused(tmp_path: Path) -> None:
    text = SAFE_A64.read_text()
    before, label, rest = text.partition(".Lsixteen:")
    body, branch, behind = rest.partition("    b.ne    .Lsixteen\n")
    twice = "    .irp first, 0, 1\n.Lsixteen\\first:" + body.replace(
        "#16\n    ldr     q1", "#(16 + 0 * \\first)\n    ldr     q1"
    )
    twice += "    movi    v1\\first\\().4s, #0\n    b.ne    .Lsixteen\\first\n    .endr\n"
    path = tmp_path / SAFE_A64.name
    path.write_text(before + twice + behind)
    assert label and branch
    with pytest.raises(InputError, match="tells apart"):
        rewritten(path, tmp_path, 0)


def test_a_file_of_another_name_states_the_symbol(tmp_path: Path) -> None:
    path = tmp_path / "faster.S"
    path.write_text(with_symbol(SAFE_A64.read_text(), SAFE_A64.stem))
    kernel = open_kernel(path)
    assert kernel.name == SAFE_A64.stem and code_digest(kernel) == code_digest(open_kernel(SAFE_A64))
    assert with_symbol(path.read_text(), "other") == path.read_text(), "one that states its symbol keeps it"
    assert with_symbol("    ret\n", "f") == "    ret\n"
