"""Forms of general registers, and conditions on them, against the emulator."""

from __future__ import annotations

import random

import pytest
from tests.isa.single_step import SingleStep, random_state

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.isa.model.condition import holds
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import FLAGS, Isa, general
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.decide import Flags, low_bits, truth
from neonlab.prove.trips.form import Form, Region
from neonlab.prove.trips.rules import Outcome, outcome

_SEED = 7
_FORMS = {
    Isa.A64: (
        "mov x0, x1", "mov w0, w1", "add x0, x1, #48", "add x0, x1, x2", "add x0, x1, x2, lsl #3", "add w0, w1, w2",
        "add x0, x1, w2, uxtw", "add x0, x1, w2, sxtw #2", "sub x0, x1, #33", "sub x0, x1, x2", "sub w0, w1, w2",
        "adds x0, x1, #32", "subs x0, x1, #32", "subs w0, w1, #32", "subs x0, x1, x2", "cmp x1, x2", "cmp w1, #17",
        "cmn x1, #3", "cmp x1, x2, lsl #1", "neg x0, x1", "lsl x0, x1, #3", "lsr x0, x1, #3", "lsr w0, w1, #4",
        "asr x0, x1, #2", "asr w0, w1, #3", "and x0, x1, #31", "and x0, x1, #0xfffffffffffffff0", "and w0, w1, #0xff",
        "and x0, x1, #0xffff", "ands x0, x1, #7", "tst x1, #24", "uxtb w0, w1", "uxth w0, w1", "sxtw x0, w1",
        "mul x0, x1, x3", "mul w0, w1, w3", "madd x0, x1, x3, x2", "msub x0, x1, x3, x2", "bic x0, x1, x3",
    ),
    Isa.A32: (
        "mov r0, r1", "add r0, r1, #48", "add r0, r1, r2", "add r0, r1, r2, lsl #3", "sub r0, r1, #33",
        "sub r0, r1, r2", "rsb r0, r1, #64", "rsb r0, r1, r2", "rsbs r0, r1, #64", "adds r0, r1, #32",
        "subs r0, r1, #32", "subs r0, r1, r2", "cmp r1, r2", "cmp r1, #17", "cmn r1, #3", "cmp r1, r2, lsl #1",
        "lsl r0, r1, #3", "lsr r0, r1, #3", "asr r0, r1, #2", "and r0, r1, #31", "bic r0, r1, #31", "ands r0, r1, #7",
        "tst r1, #24", "uxtb r0, r1", "uxth r0, r1", "mul r0, r1, r3", "mla r0, r1, r3, r2", "mls r0, r1, r3, r2",
    ),
}  # fmt: skip
_CONDITIONS = ("eq", "ne", "hs", "lo", "mi", "pl", "hi", "ls", "ge", "lt", "gt", "le")
_ENDS = ((0, 200), (-3, 5), (0, 1), (0, 2048))


def _instructions(isa: Isa) -> list[Instruction]:
    texts = "\n".join(_FORMS[isa])
    return list(link(assemble_text(f".text\nforms:\n{texts}\n", isa=isa, path="forms.S")).instructions)


def _form(rng: random.Random) -> Form:
    step = rng.choice((0, 1, 8, 16, 32, -32, 96))
    number = rng.choice((0, 1, 7, 31, 32, 33, 64, 255, 256, 1000, -1, -32, 1 << 20, (1 << 31) - 5, rng.getrandbits(40)))
    return Form(number, step, rng.choice((0, 0, step, -step, 8)))


def _known(instruction: Instruction, forms: dict[int, Form], region: Region) -> Outcome | None:
    try:
        return outcome(instruction, forms, region)
    except Refusal:
        return None


def _truth(condition: str, flags: Flags, region: Region) -> bool | None:
    try:
        return truth(condition, flags, region)
    except Refusal:
        return None


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("isa", list(Isa), ids=str)
def test_a_rule_gives_what_the_emulator_gives_for_every_size_and_pass(isa: Isa) -> None:
    rng, step = random.Random(_SEED), SingleStep(isa, _SEED)
    bits = 8 * isa.pointer_bytes
    tried: dict[str, int] = {}
    decided: dict[str, int] = {}
    for instruction in _instructions(isa):
        code = step.place(instruction.word)
        for _ in range(40):
            first, last = rng.choice(_ENDS)
            passes, growth = rng.choice(((4, 1), (7, 2), (5, 3)))
            first = max(first, -((passes - 1) // growth))
            region = Region.of_passes(first, last, passes, growth)
            forms = {1: _form(rng), 2: _form(rng), 3: Form(rng.choice((2, 3, 5)))}
            found = _known(instruction, forms, region)
            if found is None:
                continue
            tried[instruction.text] = tried.get(instruction.text, 0) + 1
            truths = {c: _truth(c, found.flags, region) for c in _CONDITIONS} if found.flags is not None else {}
            for _ in range(4):
                k = rng.choice((first, last, rng.randint(first, last)))
                t = rng.choice((0, passes - 1 + growth * k, rng.randint(0, passes - 1 + growth * k)))
                state = random_state(rng, isa, step.registers, "bits")
                for index, form in forms.items():
                    state[general(index)] = form.number + form.k * k + form.t * t & (1 << bits) - 1
                ran = step.run(code, state)
                if found.form is not None and found.register is not None:
                    expected = found.form.number + found.form.k * k + found.form.t * t & (1 << bits) - 1
                    assert ran.value(general(found.register)) == expected, (instruction.text, forms, k, t)
                for condition, holding in truths.items():
                    if holding is not None:
                        decided[condition] = decided.get(condition, 0) + 1
                        assert holds(condition, ran.value(FLAGS)) is holding, (instruction.text, forms, condition, k, t)
    assert len(tried) == len(_FORMS[isa]), set(_FORMS[isa])
    assert set(decided) == set(_CONDITIONS)


_PASSES = Region.of_passes(0, 300, 4, 1)


@pytest.mark.parametrize(
    ("condition", "flags"),
    [
        ("eq", Flags("difference", Form(0, 0, 1), Form(40), 64)),  # the pass after 40
        ("hs", Flags("difference", Form(0, 1, 0), Form(255), 64)),
        ("lt", Flags("difference", Form(0, 0, 1), Form(303), 32)),
        ("mi", Flags("sum", Form(-300, 1, 0), Form(1), 32)),
        ("ne", Flags("bits", Form(-256, 1, 0), Form(0), 64)),
        ("hs", Flags("difference", Form(0, base="a"), Form(64, base="b"), 64)),
        ("eq", Flags("difference", Form(0, base="a"), Form(64), 64)),
        ("hs", Flags("bits", Form(1), Form(0), 64)),
    ],
)
def test_a_condition_that_is_not_always_the_same_is_refused(condition: str, flags: Flags) -> None:
    with pytest.raises(Refusal):
        truth(condition, flags, _PASSES)


def test_a_condition_at_the_last_corner_is_decided_with_it() -> None:
    for end, found in ((303, None), (304, False)):  # the greatest pass is 303, with 300 blocks
        assert _truth("hs", Flags("difference", Form(0, 0, 1), Form(end), 64), _PASSES) is found


def test_numbers_that_exceed_their_register_are_refused() -> None:
    assert _PASSES.placed(Form(0, 1), 0, 8) is None
    assert Region.outside(0, 255).placed(Form(0, 1), 0, 8) == Form(0, 1)
    assert Region.outside(0, 255).placed(Form(-512, 1), 0, 8) == Form(0, 1)
    assert Region.outside(0, 65535).placed(Form(1, 1), 0, 16) is None


def test_low_bits_that_vary_are_refused() -> None:
    assert low_bits(Form(37, 32, 64), 5) == 5
    for form in (Form(37, 16), Form(37, 0, 1), Form(32, base="a")):
        with pytest.raises(Refusal):
            low_bits(form, 5)
