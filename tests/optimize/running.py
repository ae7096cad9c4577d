"""Run loops as they are written out, and compare what they leave behind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.output.edit import Place, Text, edited
from neonlab.optimize.output.inlined import Origin
from neonlab.optimize.schedule.search import Found

#: A loop from `loop:` on reads from r0 and r1, counts in r3, and adds up in v16 and v17, which are q8 and q9 in A32.
_PROTOTYPE = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t count)"
_BEFORE = {
    Isa.A64: "mov x10, x0\n mov x11, x1\n movi v16.4s, #0\n movi v17.4s, #0",
    Isa.A32: "push {r4, r5}\n mov r4, r0\n mov r5, r1\n vmov.i32 q8, #0\n vmov.i32 q9, #0",
}
_BEHIND = {
    Isa.A64: "sub x10, x0, x10\n sub x11, x1, x11\n st1 {v16.4s, v17.4s}, [x2], #32\n stp x10, x11, [x2], #16\n"
    " str x3, [x2]\n ret",
    Isa.A32: "sub r4, r0, r4\n sub r5, r1, r5\n vst1.32 {d16-d19}, [r2]!\n stm r2!, {r4, r5}\n str r3, [r2]\n"
    " pop {r4, r5}\n bx lr",
}


def written(text: str, old: LoopCode, new: LoopCode, found: Found | None = None) -> str:
    """Return the text of the loop `loop:` with `new` in place of `old`, in the order that was found, or its own."""
    lines = ["loop:", *(line.strip() for line in text.strip().splitlines())]
    origins = [Origin(Path("loop.S"), at, f"    {line}" if at else line) for at, line in enumerate(lines)]
    place = Place(0, len(lines) - 1, "loop", lines[-1], "", False, True)
    order = tuple(range(len(new.body)))
    return "\n".join(edited(Text(origins, place, {}), old, new, found or Found(0.0, order, ()), []))


def left_behind(loop: str, isa: Isa, counts: Iterable[int]) -> list[bytes]:
    """Return what a loop leaves after each count: sums, how far the pointers went, and the counter."""
    source = f".global f\nf:\n {_BEFORE[isa]}\n{loop}\n {_BEHIND[isa]}\n"
    program = link(assemble_text(source, isa=isa))
    chance = np.random.default_rng(5)
    a, b = (chance.integers(0, 256, 4096, dtype=np.uint8) for _ in range(2))
    found = []
    with Machine(program) as machine:
        for count in counts:
            out = np.zeros(64, np.uint8)
            arguments: list[Argument] = [Buffer("a", a), Buffer("b", b), Buffer("out", out, writable=True), count]
            run = machine.call("f", arguments, parse_prototype(_PROTOTYPE, isa), seed=1)
            assert isinstance(run, Run), run
            found.append(bytes(run.outputs["out"]))
    return found
