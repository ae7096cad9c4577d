"""The lab's own assembler and the linker of objects: the same program as from the assembler's own linker."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kernel_sources import FILES
from tests.objects.build import A32, A64, compiled
from tests.saboteurs import Saboteur, saboteurs

from neonlab.assemble.assembler import assemble_file, assemble_text
from neonlab.assemble.linking import link
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.objects.from_assembly import assembled_module
from neonlab.objects.image.reach import program_of
from neonlab.objects.linker import link_modules
from neonlab.objects.load import elf_module

ROOT = Path(__file__).parents[2]
KERNELS = list(FILES)
UNDEFINED = [one for one in saboteurs() if one.fault == "undefined-instruction"]


def title(kernel: Saboteur | Path) -> str:
    return kernel.title if isinstance(kernel, Saboteur) else f"{kernel.parent.name}/{kernel.stem}"


@pytest.mark.parametrize("kernel", [*KERNELS, *UNDEFINED], ids=title)
@pytest.mark.sweep
def test_a_kernel_is_linked_as_by_the_assembler(kernel: Saboteur | Path, tmp_path: Path) -> None:
    made = assemble_file(kernel.write(tmp_path) if isinstance(kernel, Saboteur) else kernel)
    want, got = link(made), program_of(link_modules([assembled_module(made)]))
    assert got.instructions == want.instructions
    assert {name: got.symbols[name] for name in want.symbols if name in got.symbols} == dict(want.symbols)
    assert {i.address: want.line_at(i.address) for i in want.instructions} == {
        i.address: got.line_at(i.address) for i in got.instructions
    }
    text = next(segment for segment in want.segments if segment.name == ".text")
    mine = next(segment for segment in got.segments if segment.name == ".text")
    assert mine.data == text.data


@pytest.mark.parametrize("target", [A64, A32], ids=lambda target: target.name)
def test_assembly_and_c_call_each_other(target: object) -> None:
    isa = A64.isa if target is A64 else Isa.A32
    registers = ("w0", "w0", "x30", "x29") if isa is Isa.A64 else ("r0", "r0", "lr", "r11")
    save = "stp x29, x30, [sp, #-16]!" if isa is Isa.A64 else "push {r11, lr}"
    restore = "ldp x29, x30, [sp], #16\nret" if isa is Isa.A64 else "pop {r11, pc}"
    text = f".text\n.global outer\nouter:\n{save}\nbl helper\nadd {registers[0]}, {registers[1]}, #1\n{restore}\n"
    text += ".global seven\nseven:\nmov " + registers[0] + ", #7\n" + ("ret\n" if isa is Isa.A64 else "bx lr\n")
    text = (".syntax unified\n.arm\n" if isa is Isa.A32 else "") + text
    source = "extern int seven(void); int helper(int x) { return x * seven(); }\n"
    other = compiled(source, A64 if target is A64 else A32)
    modules = [assembled_module(assemble_text(text, isa=isa)), elf_module(other.read_bytes(), str(other))]
    program = program_of(link_modules(modules), ["outer"])
    with Machine(program) as machine:
        outcome = machine.call("outer", [6], parse_prototype("int outer(int x)", isa))
    assert isinstance(outcome, Run)
    assert outcome.returned == 43
