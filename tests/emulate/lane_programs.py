"""One program for each instruction set that executes every form of `tests.isa.lane_forms` on states from a table.

The same text runs on the lab's emulated CPU, and, linked with a main function, under qemu-user.  A state is 128 bytes
of v0-v7 (or 64 of q0-q3, and as much left alone), four general registers of 8 bytes, and 16 bytes that begin with FPSR
(FPSCR in A32), of which only the cumulative saturation bit counts.
"""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tests.isa.lane_forms import forms
from tests.tools import require

from neonlab.assemble.program import Program, Segment
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa

STATE_BYTES = 176
GENERALS = 128  # where general registers 2, 3, 4 and 5 begin
STATUS = 160
SATURATED = 1 << 27
BASE = 0x10000
Bytes = npt.NDArray[np.uint8]

_PREFIX = {Isa.A64: "aarch64-linux-gnu-", Isa.A32: "arm-linux-gnueabihf-"}
_EMULATOR = {Isa.A64: "qemu-aarch64", Isa.A32: "qemu-arm"}
_AS = {Isa.A64: ["-march=armv8.6-a"], Isa.A32: []}
_HEAD = {
    Isa.A64: ".text\n",
    Isa.A32: """
        .syntax unified
        .arch armv8.6-a
        .fpu neon-fp-armv8
        .arch_extension dotprod
        .arch_extension i8mm
        .arm
        .text
""",
}
# drive(stub, before, after, count): x9 (r5) and x10 (r6) walk the states; a stub's instruction stands between a load
# and a store of everything that it may name.
_DRIVE = {
    Isa.A64: """
        .global drive
drive:  stp     x29, x30, [sp, #-16]!
        mov     x8, x0
        mov     x9, x1
        mov     x10, x2
        mov     x11, x3
1:      blr     x8
        subs    x11, x11, #1
        b.ne    1b
        ldp     x29, x30, [sp], #16
        ret
""",
    Isa.A32: """
        .global drive
drive:  push    {r4-r8, lr}
        mov     r4, r0
        mov     r5, r1
        mov     r6, r2
        mov     r7, r3
1:      blx     r4
        subs    r7, r7, #1
        bne     1b
        pop     {r4-r8, pc}
""",
}
_BEFORE = {
    Isa.A64: """
        ldp     q0, q1, [x9], #32
        ldp     q2, q3, [x9], #32
        ldp     q4, q5, [x9], #32
        ldp     q6, q7, [x9], #32
        ldp     x2, x3, [x9], #16
        ldp     x4, x5, [x9], #32
        msr     fpsr, xzr
""",
    Isa.A32: """
        vldmia  r5!, {d0-d7}
        add     r5, r5, #64
        ldr     r2, [r5], #8
        ldr     r3, [r5], #40
        mov     r12, #0
        vmsr    fpscr, r12
""",
}
_AFTER = {
    Isa.A64: """
        mrs     x6, fpsr
        stp     q0, q1, [x10], #32
        stp     q2, q3, [x10], #32
        stp     q4, q5, [x10], #32
        stp     q6, q7, [x10], #32
        stp     x2, x3, [x10], #16
        stp     x4, x5, [x10], #16
        stp     x6, xzr, [x10], #16
        ret
""",
    Isa.A32: """
        vmrs    r12, fpscr
        vstmia  r6!, {d0-d7}
        add     r6, r6, #64
        str     r2, [r6], #8
        str     r3, [r6], #24
        str     r12, [r6], #16
        bx      lr
""",
}
# Reads how many forms to run; for each its number and a count of states; then the states.  Writes the states left.
_MAIN = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef void stub(void);
extern void drive(stub *, const void *, void *, size_t);
extern stub *const stubs[];
int main(void) {
  uint32_t runs, what[2];
  if (fread(&runs, 4, 1, stdin) != 1) return 1;
  while (runs--) {
    if (fread(what, 4, 2, stdin) != 2) return 1;
    size_t size = (size_t)what[1] * 176;
    char *before = malloc(size), *after = calloc(1, size);
    if (fread(before, 1, size, stdin) != size) return 1;
    drive(stubs[what[0]], before, after, what[1]);
    fwrite(after, 1, size, stdout);
    free(before);
    free(after);
  }
  return 0;
}
"""


def _text(isa: Isa) -> str:
    lines = [_HEAD[isa], _DRIVE[isa]]
    for number, form in enumerate(forms(isa)):
        lines += [f"stub_{number}:", _BEFORE[isa], f"form_{number}: {form}", _AFTER[isa]]
    return "\n".join(lines)


def _run(*command: str | Path) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


class LanePrograms:
    """The forms of one instruction set, built: on the lab's CPU, and under qemu-user."""

    def __init__(self, isa: Isa, folder: Path) -> None:
        self.isa = isa
        self.folder = folder
        prefix = _PREFIX[isa]
        text = _text(isa)
        (folder / "stubs.s").write_text(text)
        _run(require(prefix + "as"), *_AS[isa], folder / "stubs.s", "-o", folder / "stubs.o")
        self.program, self.instructions, self._stubs = self._place(prefix)

    def _place(self, prefix: str) -> tuple[Program, tuple[Instruction, ...], list[int]]:
        folder = self.folder
        _run(require(prefix + "ld"), "-Ttext", hex(BASE), "-e", hex(BASE), folder / "stubs.o", "-o", folder / "a.elf")
        _run(prefix + "objcopy", "-O", "binary", "-j", ".text", folder / "a.elf", folder / "a.bin")
        symbols = {}
        for line in _run(prefix + "nm", folder / "a.elf").splitlines():
            address, _, symbol = line.split()
            symbols[symbol] = int(address, 16)
        code = (folder / "a.bin").read_bytes()
        count = len(forms(self.isa))

        def word(address: int) -> int:
            return int.from_bytes(code[address - BASE : address - BASE + 4], "little")

        places = [symbols[f"form_{number}"] for number in range(count)]
        instructions = tuple(decode_word(self.isa, word(at), at) for at in places)
        segment = Segment(".text", BASE, code, executable=True)
        program = Program(self.isa, "stubs.s", (segment,), {"drive": symbols["drive"]}, instructions)
        return program, instructions, [symbols[f"stub_{number}"] for number in range(count)]

    def on_the_lab(self, machine: Machine, number: int, states: Bytes) -> Bytes:
        """States, shape (n, STATE_BYTES), that form `number` leaves on the lab's CPU."""
        after = Buffer("after", np.zeros_like(states), writable=True)
        signature = parse_prototype("void (size_t stub, const void *before, void *after, size_t n)", self.isa)
        before = Buffer("before", states)
        outcome = machine.call("drive", [self._stubs[number], before, after, len(states)], signature)
        assert isinstance(outcome, Run), outcome
        return outcome.outputs["after"]

    @cache  # noqa: B019 - one object a session
    def _executable(self) -> Path:
        folder, prefix = self.folder, _PREFIX[self.isa]
        table = ["", '.section .data.rel.ro,"aw"', ".balign 8", ".global stubs", "stubs:"]
        pointer = ".xword" if self.isa is Isa.A64 else ".word"
        table += [f"{pointer} stub_{number}" for number in range(len(forms(self.isa)))]
        table += ['.section .note.GNU-stack,"",%progbits', ""]
        (folder / "table.s").write_text(_text(self.isa) + "\n".join(table))
        (folder / "main.c").write_text(_MAIN)
        _run(prefix + "as", *_AS[self.isa], folder / "table.s", "-o", folder / "table.o")
        main = ["-marm"] if self.isa is Isa.A32 else []
        compiler = require(prefix + "gcc")
        _run(compiler, "-O1", "-static", *main, folder / "main.c", folder / "table.o", "-o", folder / "main")
        return folder / "main"

    def under_qemu(self, runs: list[tuple[int, Bytes]]) -> list[Bytes]:
        """States that each (form number, states) leaves under qemu-user, whose CPU is the most capable it has."""
        parts = [np.array([len(runs)], "<u4").tobytes()]
        for number, states in runs:
            parts += [np.array([number, len(states)], "<u4").tobytes(), states.tobytes()]
        command = [require(_EMULATOR[self.isa]), "-cpu", "max", str(self._executable())]
        output = subprocess.run(command, input=b"".join(parts), capture_output=True, check=True, timeout=300).stdout
        sizes = np.cumsum([states.size for _, states in runs])
        pieces = np.split(np.frombuffer(output, np.uint8), sizes[:-1])
        return [piece.reshape(-1, STATE_BYTES) for piece in pieces]
