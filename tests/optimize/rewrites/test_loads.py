"""Loads in pieces load the same bytes and leave the pointer where it was to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.optimize.loops import CONTRACT, code_of_text

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa, general
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.rewrites.loads import LOADS, by_inserts, by_lanes
from neonlab.optimize.rewrites.rewrite import Rewrite

_CALL = "void (const uint8_t *data, uint8_t *out)"
_A64 = "f:\n{load}\n st1 {{v0.16b, v1.16b}}, [x1], #32\n str x0, [x1]\n ret\n"
_A32 = "f:\n{load}\n vst1.8 {{d0, d1, d2, d3}}, [r1]!\n str r0, [r1]\n bx lr\n"


def effect(texts: list[str], isa: Isa) -> bytes:
    """Return what instructions load into the first 32 bytes of the vector file, and where they leave the pointer."""
    form = _A64 if isa is Isa.A64 else _A32
    program = link(assemble_text(".global f\n" + form.format(load="\n".join(texts)), isa=isa))
    data, out = np.arange(1, 65, dtype=np.uint8), np.zeros(40, np.uint8)
    with Machine(program) as machine:
        arguments = [Buffer("data", data), Buffer("out", out, writable=True)]
        run = machine.call("f", arguments, parse_prototype(_CALL, isa), seed=1)
        assert isinstance(run, Run), run
        return bytes(run.outputs["out"])


@pytest.mark.parametrize(
    "load",
    [
        "ldp q0, q1, [x0], #32",
        "ldp q0, q1, [x0]",
        "ldp q0, q1, [x0, #16]",
        "ld1 {v0.16b, v1.16b}, [x0], #32",
        "ldr q0, [x0], #16\nldr q1, [x0], #16",
    ],
)
def test_halves_by_inserts_do_what_the_load_did(load: str) -> None:
    code = code_of_text(f"{load}\nsubs x2, x2, #1\nb.ne loop", Isa.A64)
    changed = by_inserts(with_general(code, 9, 10), CONTRACT)
    assert changed is not None and changed.changes[0].places == len(load.splitlines())
    same(code, changed)


@pytest.mark.parametrize("load", ["ldp q0, q1, [x0], #32", "ldr q0, [x0], #16\nldr q1, [x0], #16"])
def test_halves_by_lanes_do_what_the_load_did(load: str) -> None:
    code = code_of_text(f"{load}\nsubs x2, x2, #1\nb.ne loop", Isa.A64)
    changed = by_lanes(code, CONTRACT)
    assert changed is not None
    same(code, changed)


def test_without_a_free_register_nothing_goes_through_one() -> None:
    assert by_inserts(code_of_text("ldr q0, [x0]\nsubs x2, x2, #1\nb.ne loop", Isa.A64), CONTRACT) is None


@pytest.mark.parametrize("rewrite", LOADS[2:], ids=lambda one: one.name)
def test_smaller_lists_do_what_the_load_did(rewrite: Rewrite) -> None:
    code = code_of_text("vld1.8 {d0, d1, d2, d3}, [r0]!\nsubs r2, r2, #1\nbne loop", Isa.A32)
    changed = rewrite.apply(code, CONTRACT)
    assert changed is not None and len(changed.body) > len(code.body)
    same(code, changed)


def with_general(code: LoopCode, *free: int) -> LoopCode:
    return replace(code, free=code.free | {general(one) for one in free})


def same(code: LoopCode, changed: LoopCode) -> None:
    """Compare what both load; addresses differ from call to call only as far as the lab moves buffers."""
    texts = [[step.text for step in one.body[:-1]] for one in (code, changed)]
    before, after = (effect(one, code.isa) for one in texts)
    assert before[:32] == after[:32] and any(before[:32])
    assert before[32:] == after[32:], "the pointer"
