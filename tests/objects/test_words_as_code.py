"""Instructions that were written as data, because the assembler did not know them."""

from __future__ import annotations

import pytest
from tests.objects.build import TARGETS, Target, fresh, run

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.measure.counts import CountsProbe
from neonlab.objects.image.reach import program_of
from neonlab.objects.load import load_image

ADD_2 = {"a64": ".word 0x11000800", "a32": ".word 0xe2800002", "thumb": ".short 0x3002"}  # to w0 or r0


def program(target: Target, body: str):  # type: ignore[no-untyped-def]  # noqa: ANN201
    source, made = fresh("f.S"), fresh("f.o")
    thumb = ".thumb\n.thumb_func\n" if target.name == "thumb" else ""
    neon = "" if target.isa is Isa.A64 else ".syntax unified\n"
    source.write_text(f"{neon}.text\n{thumb}.global f\n.type f, %function\nf:\n{body}\n.size f, . - f\n")
    run(target.tool("gcc"), *target.flags, "-c", source, "-o", made)
    return program_of(load_image([made]), ["f"])


@pytest.mark.parametrize("name", ["a64", "a32"])
def test_a_word_amid_code_is_an_instruction(name: str) -> None:
    target = TARGETS[name]
    a64 = target.isa is Isa.A64
    first, end = ("mov w0, #1", "ret") if a64 else ("mov r0, #1", "bx lr")
    made = program(target, f"{first}\n{ADD_2[name]}\n{end}")
    probe = CountsProbe(made)
    with Machine(made, probes=(probe,)) as machine:
        outcome = machine.call("f", [], parse_prototype("int32_t f(void)", made.isa), seed=1)
        assert isinstance(outcome, Run), outcome
        assert outcome.returned == 3
        assert probe.collect().instructions == 3


@pytest.mark.parametrize("name", TARGETS)
def test_words_that_are_branched_over_or_follow_the_end_are_data(name: str) -> None:
    target = TARGETS[name]
    end = "ret" if target.isa is Isa.A64 else "bx lr"
    made = program(target, f"b 1f\n{ADD_2[name]}\n{ADD_2[name]}\n1: {end}\n{ADD_2[name]}\n{ADD_2[name]}")
    assert [one.mnemonic for one in made.instructions] == ["b", end.split()[0]]


#: Two functions whose addresses the first computes from pc, in one section: the assembler leaves no relocation.
BY_ADR = {
    "a64": "mov x3, x30\nadr x4, inner\nblr x4\nret x3",
    "a32": "push {r4, lr}\nadr r4, inner\nblx r4\npop {r4, pc}",
}
INNER = {"a64": "mov w0, #7\nret", "a32": "mov r0, #7\nbx lr"}


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("name", BY_ADR)
def test_a_function_whose_address_is_computed_from_pc_is_reached(name: str, *, before: bool) -> None:
    target = TARGETS[name]
    inner = f".type inner, %function\n.balign 4\ninner:\n{INNER[name]}\n.size inner, . - inner"
    source, made = fresh("f.S"), fresh("f.o")
    outer = f".global f\n.type f, %function\nf:\n{BY_ADR[name]}\n.size f, . - f"
    source.write_text(".text\n" + "\n".join([inner, outer] if before else [outer, inner]) + "\n")
    run(target.tool("gcc"), *target.flags, "-c", source, "-o", made)
    found = program_of(load_image([made]), ["f"])
    probe = CountsProbe(found)
    with Machine(found, probes=(probe,)) as machine:
        outcome = machine.call("f", [], parse_prototype("int32_t f(void)", found.isa), seed=1)
        assert isinstance(outcome, Run), outcome
        assert outcome.returned == 7
        counts = probe.collect()
        assert sum(counts.by_class.values()) == counts.instructions == len(found.instructions)
