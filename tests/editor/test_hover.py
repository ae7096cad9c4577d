"""What an editor shows at a line: the instruction, what it does, and what it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.editor.assembled import AssembledText
from neonlab.editor.hover import hover
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.measure.cores.modelled import cores_named
from neonlab.measure.form_table.figures import figures_of

ROOT = Path(__file__).parents[2]
CORES = cores_named(["cortex-a53", "cortex-a72"])
MACRO = """    .macro twice to, from
    smlal   \\to\\().8h, \\from\\().8b, v4.8b
    smlal   v3.8h, \\from\\().8b, v5.8b
    .endm
f:
    twice   v2, v0
    twice   v6, v1
    ret
"""


def shown(text: str, line: int, path: Path = Path("armv8/f.S")) -> str:
    told = hover(AssembledText(path), text, line, CORES)
    return told.markdown if told is not None else ""


def test_an_instruction_is_told_with_its_registers_and_its_cost_on_each_core() -> None:
    told = shown("f:\n    smlal v2.8h, v0.8b, v4.8b\n    ret\n", 2)
    assert "v2.h[i] += v0.b[i] * v4.b[i], signed" in told and "reads v0, v2, v4; writes v2" in told
    for core in CORES:
        figures = figures_of("smlal.8b", core)
        assert f"**{core.name}**: latency {figures.latency:g}" in told and figures.source in told


def test_a_line_in_a_macro_is_told_as_it_is_assembled_for_each_call() -> None:
    told = shown(MACRO, 2)
    assert "smlal v2.8h, v0.8b, v4.8b" in told and "also assembles to" in told and "smlal v6.8h, v1.8b, v4.8b" in told


def test_a_call_of_a_macro_shows_what_it_expands_to() -> None:
    told = shown(MACRO, 6)
    assert told.startswith("2 instructions")
    assert "smlal v2.8h, v0.8b, v4.8b" in told and "v6" not in told


def test_a_text_that_does_not_assemble_is_told_from_the_last_one_that_did() -> None:
    known = AssembledText(Path("armv8/f.S"))
    whole = hover(known, MACRO, 6, CORES)
    assert whole is not None and whole == hover(known, MACRO.replace("f:\n", "f:\n    sml\n"), 7, CORES)


def test_a_text_that_is_half_typed_when_first_asked_about_is_told_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "armv8" / "f.S"
    path.parent.mkdir()
    path.write_text(MACRO)
    whole = hover(AssembledText(path), MACRO, 6, CORES)
    assert whole is not None and whole == hover(AssembledText(path), MACRO.replace("f:\n", "f:\n    sml\n"), 7, CORES)


@pytest.mark.parametrize("line", [4, 5, 0, 99])
def test_a_line_without_code_says_nothing(line: int) -> None:
    assert shown(MACRO, line) == ""


@pytest.mark.parametrize("kernel", open_library(ROOT).kernels[::20], ids=lambda one: one.title)
def test_every_instruction_of_a_kernel_is_known_at_its_line(kernel: Kernel) -> None:
    program = kernel_program(kernel)
    text = AssembledText(kernel.path)
    source = kernel.path.read_text()
    for address, line in program.lines.items():
        if line.path == str(kernel.path) and address in program.by_address:
            own, _ = text.at(source, line.line)
            wanted = program.by_address[address]
            assert wanted.mnemonic in {one.instruction.mnemonic for one in own}, line
