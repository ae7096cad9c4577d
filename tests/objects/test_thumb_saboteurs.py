"""The A32 saboteurs and kernels, assembled as Thumb by GNU as: the same faults at the same lines, or no fault.

Their text is in unified syntax, so that an assembler makes Thumb of it, IT blocks included.
"""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from tests.kernel_sources import inlined
from tests.objects.build import THUMB, fresh, run
from tests.saboteurs import Saboteur, right_kernels, saboteurs
from tests.sample import CONV1X1, ONE_OF_EACH

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.contract.options import PLAIN, Build
from neonlab.emulate.hooks.served import is_served
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run import check as checking
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import plan_cases
from neonlab.measure.options import MemoryOptions
from neonlab.objects.image.reach import program_of
from neonlab.objects.linker import link_modules
from neonlab.objects.load import elf_module
from neonlab.sources import open as opening
from neonlab.sources.runtime import RuntimeLibrary
from neonlab.verify.verdict import Failure

A32_ASM = Path(__file__).parents[2] / "asm" / "armv7"
_SABOTEURS = [one for one in saboteurs() if one.isa == "armv7"]
#: A computed branch into Thumb sets bit 0 of the address, which A32 text does not.
_A32_ALONE = "saturating_add_entered_in_the_middle"
_RIGHT = [path for path in right_kernels() if path.parent.name == "armv7" and path.stem != _A32_ALONE]
# on a core that has no dot products
_COUNTED = sorted(kernel.path for kernel in CONV1X1 if kernel.isa is Isa.A32 and "dotprod" not in kernel.name)
_KERNELS = sorted(kernel.path for kernel in ONE_OF_EACH if kernel.isa is Isa.A32)
_WIDE = ("-march=armv8.6-a", "-mfpu=crypto-neon-fp-armv8", "-Wa,-mimplicit-it=always", "-mthumb", "-g")


# DWARF has no lines for data: what is written as .word belongs to the instruction before it, so many lines above.  In
# Thumb a conditional instruction needs an IT block, and the fault shows at the instruction that sets its flags.
_LINES_ABOVE = {
    "undefined_instruction_constants_in_the_way": 2,
    "undefined_instruction_unallocated": 1,
    "nondeterministic_sum_of_two_addresses": -1,
}


def in_thumb(text: str) -> str:
    return re.sub(r"^(\s*)\.arm\b", r"\1.thumb", text, flags=re.M)


@cache
def included_in_thumb() -> Path:
    """Return a copy of asm/armv7 in which files that kernels include ask for Thumb."""
    folder = fresh("armv7")
    shutil.copytree(A32_ASM, folder)
    for path in folder.rglob("*.inc"):
        path.write_text(in_thumb(path.read_text("utf-8")), "utf-8")
    return folder


@cache
def as_thumb(path: Path) -> Program:
    """The file's program in Thumb; its lines are those of the file."""
    assert re.search(r"^\s*\.arm\b", inlined(path), re.M), "says which state it is in"
    changed = fresh(path.name)
    changed.write_text(f'#line 1 "{path}"\n' + in_thumb(path.read_text("utf-8")), "utf-8")
    out = changed.with_suffix(".o")
    folders = [path.parent]
    if path.is_relative_to(A32_ASM):
        folders = [included_in_thumb() / path.parent.relative_to(A32_ASM), included_in_thumb()]
    run(THUMB.tool("gcc"), *_WIDE, *(f"-I{folder}" for folder in folders), "-c", changed, "-o", out)
    module = elf_module(out.read_bytes(), str(out))
    program = program_of(link_modules([module], archives=[RuntimeLibrary(Isa.A32)]))
    assert program.thumb
    own = [i for i in program.instructions if not is_served(program, i.address)]
    assert own
    assert all(instruction.thumb for instruction in own)
    return program


@pytest.fixture(autouse=True)
def _thumb_in_place_of_a32(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: Path, contract: Contract, build: Build) -> Program:
        assert contract.isa is Isa.A32
        assert build == PLAIN
        return as_thumb(path)

    monkeypatch.setattr(opening, "load_program", load)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("saboteur", _SABOTEURS, ids=lambda saboteur: saboteur.name)
def test_a_saboteur_is_found_out_in_thumb_too(saboteur: Saboteur, tmp_path: Path) -> None:
    path = saboteur.write(tmp_path)
    verdict = checking.check(open_kernel(path))
    assert not verdict.passed
    failure = verdict.failures[0]
    print(failure)
    assert failure.identifier == saboteur.fault
    if saboteur.line is not None:
        assert failure.where == f"{path}:{saboteur.line - _LINES_ABOVE.get(saboteur.name, 0)}"


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("path", _RIGHT + _KERNELS, ids=lambda path: path.stem)
def test_what_is_right_is_right_in_thumb_too(path: Path) -> None:
    verdict = checking.check(open_kernel(path))
    assert verdict.failures == ()
    assert verdict.faultless


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("path", _COUNTED, ids=lambda path: path.stem)
def test_what_is_counted_is_what_a32_does(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for IT, which A32 does not have, Thumb executes the same and moves the same bytes in as many accesses."""
    kernel = open_kernel(path)
    shape = plan_cases(kernel)[-1].shape
    memory = MemoryOptions(core="cortex-a53")
    thumb = profiling.profile(kernel, shape, memory=memory)
    monkeypatch.undo()
    a32 = profiling.profile(kernel, shape, memory=memory)
    assert not isinstance(thumb, Failure)
    assert not isinstance(a32, Failure)
    assert (thumb.counts.loaded_bytes, thumb.counts.stored_bytes) == (a32.counts.loaded_bytes, a32.counts.stored_bytes)
    assert thumb.counts.branches == a32.counts.branches
    extra = thumb.counts.instructions - a32.counts.instructions
    assert 0 <= extra <= a32.counts.instructions // 20
    classes = {name: count for name, count in a32.counts.by_class.items() if name != "integer"}
    assert {name: thumb.counts.by_class[name] for name in classes} == classes
    assert thumb.traffic is not None
    assert a32.traffic is not None
    assert thumb.traffic.to_json() == a32.traffic.to_json()
    assert thumb.cycles is not None
    assert a32.cycles is not None
    unknown = {name for name in thumb.cycles.unknown if not name.startswith("it")}
    assert unknown == set(a32.cycles.unknown), "only IT is not in the tables"
    assert abs(thumb.cycles.cycles - a32.cycles.cycles) <= extra + a32.cycles.cycles // 50
