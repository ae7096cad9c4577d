"""Calls of functions that the lab supplies: what they leave in registers, and what they may be called with."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab import Buffer, Isa, Machine, Run, parse_prototype
from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.program import Program
from neonlab.emulate.guest.noise import Noise
from neonlab.emulate.guest.registers import offset_of
from neonlab.emulate.run import Fault, FaultKind
from neonlab.objects.from_assembly import assembled_module
from neonlab.objects.image.reach import program_of
from neonlab.objects.linker import link_modules
from neonlab.sources.runtime import RuntimeLibrary

BOTH = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
_FRAME = {
    Isa.A64: ("str x30, [sp, #-16]!", "ldr x30, [sp], #16\n ret"),
    Isa.A32: ("push {r3, lr}", "pop {r3, pc}"),
}


def linked(text: str, isa: Isa) -> Program:
    """Return a program with the lab's functions; the kernel is `f`."""
    module = assembled_module(assemble_text(text, isa=isa, path="a.s"))
    return program_of(link_modules([module], archives=[RuntimeLibrary(isa)]), ["f"])


def calling(isa: Isa, function: str, before: str = "") -> Program:
    enter, leave = _FRAME[isa]
    head = ".syntax unified\n .fpu neon\n .arm\n" if isa is Isa.A32 else ""
    text = f"{head} .text\n .global f\nf:\n {enter}\n {before}\n bl {function}\n {leave}\n"
    return linked(text, isa)


def copied(program: Program, start: int, count: int, noise: Noise | None = None) -> tuple[Machine, Run | Fault]:
    """Call f(to, from, count) with both in one buffer of 64 bytes."""
    machine = Machine(program)
    data = Buffer("data", np.arange(64, dtype=np.uint8), writable=True)
    signature = parse_prototype("void f(uint8_t *data, size_t start, size_t count)", program.isa)
    return machine, machine.call("f", (data, start, count), signature, noise=noise)


@BOTH
def test_a_call_leaves_the_noise_of_the_call_in_all_that_a_callee_may_change(isa: Isa) -> None:
    noise = Noise.drawn(5)
    add = "add x1, x0, x1" if isa is Isa.A64 else "add r1, r0, r1"
    machine, run = copied(calling(isa, "memcpy", add), 32, 16, noise)
    assert isinstance(run, Run)
    entry, left = machine.entry_state, machine.exit_state

    def held(name: str, size: int) -> int:
        start = offset_of(isa, name)
        return int.from_bytes(noise.calls[start : start + size].tobytes(), "little")

    if isa is Isa.A64:
        for number in range(1, 18):
            assert left.read(f"x{number}") == held(f"x{number}", 8)
        for number in range(32):
            kept = 8 <= number < 16
            assert left.read(f"q{number}") >> 64 == held(f"q{number}", 16) >> 64
            wanted = entry.read(f"q{number}") if kept else held(f"q{number}", 16)
            assert (left.read(f"q{number}") ^ wanted) & (1 << 64) - 1 == 0
        same = [f"x{number}" for number in range(18, 30)]
    else:
        for name in ("r1", "r2", "r12", *(f"d{number}" for number in (*range(8), *range(16, 32)))):
            assert left.read(name) == held(name, 8 if name.startswith("d") else 4), name
        same = [f"r{number}" for number in range(4, 12)] + [f"d{number}" for number in range(8, 16)]
    assert [left.read(name) for name in same] == [entry.read(name) for name in same]
    status = "pstate" if isa is Isa.A64 else "cpsr"
    assert left.read(status) >> 28 == int.from_bytes(noise.calls[-4:].tobytes(), "little") >> 28
    assert left.read("x0" if isa is Isa.A64 else "r0") == run.addresses["data"]


@BOTH
@pytest.mark.parametrize(("start", "count", "overlaps"), [(8, 8, False), (8, 9, True), (0, 16, False), (63, 1, False)])
def test_memcpy_refuses_places_that_overlap_and_are_not_one(isa: Isa, start: int, count: int, overlaps: bool) -> None:
    add = "add x1, x0, x1" if isa is Isa.A64 else "add r1, r0, r1"
    for function in ("memcpy", "memmove"):
        _, run = copied(calling(isa, function, add), start, count)
        if overlaps and function == "memcpy":
            assert isinstance(run, Fault)
            assert run.kind is FaultKind.ABORTED
            assert "`memcpy`" in run.message and "overlap" in run.message
            assert run.instruction.startswith("bl")
        else:
            assert isinstance(run, Run)
            data = np.arange(64, dtype=np.uint8)
            data[:count] = data[start : start + count].copy()
            assert np.array_equal(run.outputs["data"], data)


@pytest.mark.parametrize(("isa", "lower"), [(Isa.A32, 4), (Isa.A64, 8)])
def test_a_call_with_sp_off_its_unit_is_a_fault(isa: Isa, lower: int) -> None:
    register = "x30" if isa is Isa.A64 else "lr"
    leave = "ret" if isa is Isa.A64 else "bx lr"
    add, keep = ("add x1, x0, x1", "mov x19, x30") if isa is Isa.A64 else ("add r1, r0, r1", "mov r4, lr")
    kept = keep.split()[1].rstrip(",")
    head = ".syntax unified\n .arm\n" if isa is Isa.A32 else ""
    text = (
        f"{head} .text\n .global f\nf:\n {keep}\n {add}\n sub sp, sp, #{lower}\n bl memmove\n"
        f" add sp, sp, #{lower}\n mov {register}, {kept}\n {leave}\n"
    )
    _, run = copied(linked(text, isa), 8, 8)
    assert isinstance(run, Fault)
    assert run.kind is FaultKind.STACK_POINTER
    assert run.register == "sp"
    assert run.instruction.startswith("bl")
