"""Conditions on data, against the emulator: what sets flags, and what chooses by them, form by form."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tests.isa.single_step import SingleStep, State, random_state
from tests.prove.kernel.register_file import SymbolicFile, bytes_of

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.isa.model.condition import NAMES
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import FLAGS, STATUS, Isa, general
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.kernel import replay
from neonlab.prove.kernel.families import CHOOSE, COMPARE, FIELD
from neonlab.prove.kernel.places import FROM_AT, SIGNED_AT, WIDTH_AT
from neonlab.prove.kernel.plan import Plans, plans_of

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/prove/expressions and reference run all else without it"
)

_SEED = 11
_CONDITIONS = NAMES[:14]
#: What sets the flags, from r2 and r4 or w2 and w4.
_SETTERS = {
    Isa.A64: (
        "cmp w2, w4", "cmp w2, #1", "cmp w2, #0", "cmn w2, w4", "cmn w2, #1", "tst w2, w4", "tst w2, #0x80000001",
        "cmp w2, w4, sxtb", "cmp w2, w4, asr #3", "cmp w2, w4, lsl #1", "cmp wzr, w4", "cmn w2, w4, uxth",
        "subs w6, w2, w4", "adds w6, w2, w4", "ands w6, w2, w4", "bics w6, w2, w4", "negs w6, w4", "subs w2, w2, w4",
        "adds w4, w2, w4", "ands w2, w2, #0xff", "subs w6, w2, #1, lsl #12",
        "sxtw x2, w2; sxtw x4, w4; cmp x2, x4", "uxtw x2, w2; uxtw x4, w4; cmp x2, x4",
        "sxtw x2, w2; cmp x2, w4, sxtw", "sxtw x2, w2; sxtw x4, w4; subs x6, x2, x4",
        "cmp w5, w7; ccmp w2, w4, #0, gt", "cmp w2, w4; ccmp w5, w7, #5, ne", "cmp w2, #3; ccmn w4, #1, #15, hs",
        "tst w2, #1; ccmp w4, #9, #8, eq", "cmp w2, w4; ccmp w2, #0, #4, ge; ccmp w5, w7, #2, lo",
    ),
    Isa.A32: (
        "cmp r2, r4", "cmp r2, #1", "cmp r2, #0", "cmn r2, r4", "cmn r2, #1", "cmp r2, r4, asr #3",
        "cmp r2, r4, lsl r5", "subs r6, r2, r4", "adds r6, r2, r4", "rsbs r6, r2, r4", "rsbs r2, r2, #0",
        "subs r2, r2, r4", "tst r2, r4", "tst r2, #0x80000001", "teq r2, r4", "ands r6, r2, r4", "bics r6, r2, r4",
        "eors r6, r2, r4", "orrs r2, r2, r4", "movs r6, r2", "mvns r6, r2", "lsls r6, r2, #3", "asrs r6, r2, #5",
        "lsrs r2, r2, #1",
    ),
}  # fmt: skip
#: What chooses by the condition `{c}`.
_CHOICES = {
    Isa.A64: (
        "csel w3, w2, w4, {c}", "csinc w3, w2, w4, {c}", "csinv w3, w2, w4, {c}", "csneg w3, w2, w4, {c}",
        "cset w3, {c}", "csetm w3, {c}", "cset x3, {c}", "csetm x3, {c}", "cinc w3, w2, {c}", "cinv w3, w2, {c}",
        "cneg w3, w2, {c}", "csel w3, w2, wzr, {c}", "csel w2, w4, w2, {c}", "csinc w3, wzr, w4, {c}",
        "csel x3, x2, x4, {c}", "csneg x3, x2, x4, {c}", "csinv x3, x2, xzr, {c}", "csinc x2, x4, x2, {c}",
    ),
    Isa.A32: (
        "mov{c} r3, r2", "mov{c} r3, #127", "mvn{c} r3, #127", "movw{c} r3, #0x1234", "add{c} r3, r2, r4",
        "add{c} r3, r3, #1", "sub{c} r2, r2, r4", "rsb{c} r2, r2, #0", "and{c} r3, r2, r4", "bic{c} r3, r2, #1",
        "orr{c} r3, r2, r4", "eor{c} r3, r3, r4", "mvn{c} r3, r2", "lsl{c} r3, r2, #2", "asr{c} r3, r2, #31",
        "lsr{c} r3, r2, r4", "mul{c} r3, r2, r4", "mla{c} r3, r2, r4, r5", "ssat{c} r3, #8, r2", "sxtb{c} r3, r2",
        "uxth{c} r2, r2", "add{c} r3, r2, r4, asr #3", "bfi{c} r3, r2, #4, #9", "bfi{c} r3, r2, #8, #8",
        "bfc{c} r3, #8, #8",
        "movgt r3, r2; mov{c} r3, r4", "mov{c} r3, r2; mvnle r2, r3", "teq r5, r7; mov{c} r3, r2",
    ),
}  # fmt: skip
#: A32 keeps V in these, and C comes from the shifter: only N and Z are known.
_SIGN_ALONE = ("tst", "teq", "ands", "bics", "eors", "orrs", "movs", "mvns", "lsls", "asrs", "lsrs")
_OF_SIGN = ("eq", "ne", "mi", "pl")
_EDGES = (0, 1, 0x7F, 0x1000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF)


def _with_setters(isa: Isa) -> list[str]:
    """Each setter with each condition."""
    choice = _CHOICES[isa][0]
    return [f"{setter}; {choice.format(c=c)}" for setter, c in itertools.product(_SETTERS[isa], _CONDITIONS)]


def _with_choices(isa: Isa) -> list[str]:
    """Each choice with a condition of each pair of opposites, every other choice with the other one."""
    first, choices = _SETTERS[isa][0], _CHOICES[isa]
    return [f"{first}; {one.format(c=c)}" for number, one in enumerate(choices) for c in _CONDITIONS[number % 2 :: 2]]


class _Programs:
    """Sequences as one program each, with the numbers of their instructions in it."""

    def __init__(self, isa: Isa, sequences: Sequence[str]) -> None:
        lines = [line.strip() for sequence in sequences for line in sequence.split(";")]
        text = ".text\nforms:\n" + "\n".join(lines) + "\n"
        self.program: Program = link(assemble_text(text, isa=isa, path="forms.S"))
        ends = np.cumsum([sequence.count(";") + 1 for sequence in sequences]).tolist()
        self.numbers = [
            range(end - sequence.count(";") - 1, end) for end, sequence in zip(ends, sequences, strict=True)
        ]
        assert ends[-1] == len(self.program.instructions)


def _states(rng: random.Random, isa: Isa, emulator: SingleStep) -> list[State]:
    """Operands with every pair of edges, and of random bits."""
    found = []
    pairs = [*itertools.product(_EDGES, _EDGES), *(tuple(rng.choices(_EDGES, k=2)) for _ in range(8))]
    for number, (left, right) in enumerate(pairs):
        state = random_state(rng, isa, emulator.registers, "bits" if number % 2 else "extreme4")
        state[STATUS] = 0
        if number < len(_EDGES) ** 2:
            state[general(2)] = state[general(2)] >> 32 << 32 | left
            state[general(4)] = state[general(4)] >> 32 << 32 | right
        found.append(state)
    return found


def _run(
    emulator: SingleStep, addresses: Sequence[int], instructions: Sequence[Instruction], state: State
) -> tuple[State, list[list[int]]]:
    """The state after instructions, and what each of them wrote, register by register."""
    written = []
    for address, instruction in zip(addresses, instructions, strict=True):
        outcome = emulator.run(address, state)
        assert not outcome.fault
        state = dict(outcome.registers)
        written.append([state[register] for register in instruction.writes])
    return state, written


def _differs(
    isa: Isa, plans: Plans, instructions: Sequence[Instruction], numbers: range, emulator: SingleStep,
    states: Sequence[State], rng: random.Random,
) -> tuple[int, bool]:  # fmt: skip
    """Return how the replay of a sequence ended, and whether an expression differs from what the emulator computes."""
    addresses = [emulator.place(one.word) for one in instructions]
    runs = [_run(emulator, addresses, instructions, state) for state in states]
    rows, symbolic = [bytes_of(isa, state) for state in states], SymbolicFile(isa, rng)
    ended = symbolic.execute(plans, list(numbers), rows[0], states[0][FLAGS], runs[0][1])
    if ended != replay.DONE:
        return ended, False
    first = bytes_of(isa, runs[0][0])
    nodes = symbolic.nodes(first)
    known = np.flatnonzero(nodes >= 0)
    found = evaluate(symbolic.table, nodes[known], np.stack([symbolic.values(row) for row in rows]))
    after = np.stack([bytes_of(isa, state) for state, _ in runs])
    # What does not depend on the inputs any more is the same for all of them.
    first_byte = 64 * (8 if isa is Isa.A64 else 4)
    plain = np.setdiff1d(np.flatnonzero(np.arange(len(nodes)) >= first_byte), known)
    changed = plain[(after[:, plain] != after[0, plain]).any(axis=0)]
    hidden = [at for at in changed.tolist() if (after[:, at] != np.stack(rows)[:, at]).any()]
    return ended, bool(((found & 255) != after[:, known]).any() or hidden)


def _refusal(sequence: str) -> int:
    """Return how the replay of a sequence ends: the last instruction has the condition."""
    *_, setter, choice = sequence.split("; ")
    condition = choice.split()[0][-2:] if sequence.startswith((*_SIGN_ALONE, "cmp r")) else choice.split(", ")[-1]
    if setter.startswith(_SIGN_ALONE) and " r" in setter and condition not in _OF_SIGN:
        return replay.CONDITION
    return replay.TOO_LARGE if "sxtw" in sequence and condition in ("hi", "ls", "hs", "lo") else replay.DONE


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_choices_by_conditions_on_data_have_the_values_that_the_emulator_computes(isa: Isa) -> None:
    print(f"seed {_SEED}")
    rng, with_setters = random.Random(_SEED), _with_setters(isa)
    sequences = with_setters + _with_choices(isa)
    programs, emulator = _Programs(isa, sequences), SingleStep(isa, _SEED)
    plans, states = plans_of(programs.program), _states(rng, isa, emulator)
    wrong, refused = [], {}
    for number, (sequence, numbers) in enumerate(zip(sequences, programs.numbers, strict=True)):
        instructions = [programs.program.instructions[number] for number in numbers]
        some = states if number < len(with_setters) else states[::3]  # all pairs matter to what compares
        ended, differs = _differs(isa, plans, instructions, numbers, emulator, some, rng)
        if differs:
            wrong.append(sequence)
        if ended != replay.DONE:
            refused[sequence] = ended
    assert not wrong
    expected = {sequence: _refusal(sequence) for sequence in sequences}
    assert refused == {sequence: ended for sequence, ended in expected.items() if ended != replay.DONE}


#: Fields of 64 bits of what has 32: of more, a number may exceed what intervals hold.
_WIDE_FIELDS = (
    "sxtw x2, w2; ubfiz x3, x2, #2, #5", "sxtw x2, w2; ubfiz x3, x2, #30, #31", "sxtw x2, w2; sbfiz x3, x2, #33, #9",
    "sxtw x2, w2; ubfiz x3, x2, #1, #1", "sxtw x2, w2; sbfx x3, x2, #5, #20", "sxtw x2, w2; ubfx x3, x2, #28, #8",
    "uxtw x2, w2; sbfx x3, x2, #31, #1", "uxtw x2, w2; ubfx x3, x2, #31, #20", "sxtw x2, w2; sbfx x3, x2, #0, #32",
    "sxtw x2, w2; sxtw x4, w4; bfi x4, x2, #5, #20", "uxtw x2, w2; uxtw x4, w4; bfi x4, x2, #40, #20",
    "sxtw x2, w2; sxtw x4, w4; bfxil x4, x2, #3, #40", "uxtw x4, w4; bfi x4, xzr, #3, #20",
    "uxtw x2, w2; uxtw x4, w4; bfi x4, x2, #32, #32; mov w3, w4",
)  # fmt: skip


def test_fields_of_64_bits_have_the_values_that_the_emulator_computes() -> None:
    rng, programs, emulator = random.Random(_SEED), _Programs(Isa.A64, _WIDE_FIELDS), SingleStep(Isa.A64, _SEED)
    plans, states = plans_of(programs.program), _states(rng, Isa.A64, emulator)
    found = {}
    for sequence, numbers in zip(_WIDE_FIELDS, programs.numbers, strict=True):
        instructions = [programs.program.instructions[number] for number in numbers]
        found[sequence] = _differs(Isa.A64, plans, instructions, numbers, emulator, states, rng)
    assert found == dict.fromkeys(_WIDE_FIELDS, (replay.DONE, False))


def _with(family: int, change: Callable[[Any], Any]) -> Callable[[Plans], None]:
    def apply(plans: Plans) -> None:
        rows = plans.lanes["family"] == family
        assert rows.any()
        plans.lanes["immediate"][rows] = change(plans.lanes["immediate"][rows])

    return apply


def _left_for_right(plans: Plans) -> None:
    rows = plans.lanes["family"] == COMPARE
    plans.sources[rows, :2] = plans.sources[rows, 1::-1]


def _of_half_the_bits(plans: Plans) -> None:
    plans.lanes["bits"][plans.lanes["family"] == COMPARE] //= 2


_SABOTEURS = [
    ("cmp w2, w4; csinc w3, w2, w4, gt", _with(CHOOSE, lambda _: NAMES.index("ge"))),
    ("cmp w2, w4; csel w3, w2, w4, gt", _with(CHOOSE, lambda _: NAMES.index("hi"))),
    ("cmp w2, w4; csel w3, w2, w4, hi", _with(CHOOSE, lambda _: NAMES.index("gt"))),
    ("cmp w2, w4; csel w3, w2, w4, hs", _with(CHOOSE, lambda _: NAMES.index("lo"))),
    ("cmp w2, w4; csel w3, w2, w4, lt", _with(CHOOSE, lambda _: NAMES.index("mi"))),
    ("cmp w2, w4; csel w3, w2, w4, mi", _with(CHOOSE, lambda _: NAMES.index("lt"))),
    ("cmp w2, w4; cset w3, vs", _with(CHOOSE, lambda _: NAMES.index("vc"))),
    ("cmp w2, w4; cset w3, eq", _with(COMPARE, lambda kind: kind ^ 3)),  # of a sum
    ("cmn w2, w4; cset w3, ge", _with(COMPARE, lambda kind: kind ^ 3)),  # of a difference
    ("cmn w2, w4; cset w3, hi", _with(CHOOSE, lambda _: NAMES.index("hs"))),
    ("tst w2, w4; cset w3, gt", _with(CHOOSE, lambda _: NAMES.index("hi"))),
    ("cmp w2, w4; cset w3, lt", _left_for_right),
    ("cmp w2, w4; cset w3, lo", _left_for_right),
    ("cmp w2, w4; cset w3, eq", _of_half_the_bits),
    ("cmp w5, w7; ccmp w2, w4, #0, gt; cset w3, eq", _with(COMPARE, lambda kind: kind ^ 1 << 8)),
    ("cmp w5, w7; ccmp w2, w4, #0, gt; cset w3, eq", _with(COMPARE, lambda kind: kind ^ 4 << 16)),
    ("bfi w3, w2, #4, #9", _with(FIELD, lambda field: field + 1)),
    ("bfi w3, w2, #4, #9", _with(FIELD, lambda field: field - (1 << WIDTH_AT))),
    ("bfxil w3, w2, #5, #9", _with(FIELD, lambda field: field - (1 << FROM_AT))),
    ("sxtw x2, w2; sbfx x3, x2, #5, #20", _with(FIELD, lambda field: field ^ 1 << SIGNED_AT)),
]  # fmt: skip


@pytest.mark.parametrize(("sequence", "change"), _SABOTEURS, ids=[str(number) for number in range(len(_SABOTEURS))])
def test_a_wrong_rule_for_a_condition_gives_other_values_than_the_emulator(
    sequence: str, change: Callable[[Plans], None]
) -> None:
    rng, programs = random.Random(_SEED), _Programs(Isa.A64, [sequence])
    emulator = SingleStep(Isa.A64, _SEED)
    found = []
    for alter in (False, True):
        plans = copy.deepcopy(plans_of(programs.program))  # those of a program are kept
        if alter:
            change(plans)
        states = _states(random.Random(_SEED), Isa.A64, emulator)
        numbers = programs.numbers[0]
        instructions = [programs.program.instructions[number] for number in numbers]
        found.append(_differs(Isa.A64, plans, instructions, numbers, emulator, states, rng))
    assert found == [(replay.DONE, False), (replay.DONE, True)]


_REFUSED = {
    Isa.A64: [
        ("cmp w2, w4; b.gt forms", replay.PATH), ("cmp w2, w4; ccmp w5, w7, #0, eq; b.lo forms", replay.PATH),
        ("cbz w2, forms", replay.ADDRESS), ("tbnz w2, #31, forms", replay.ADDRESS),
        ("cmp w2, w4; adc w3, w5, w6", replay.CONDITION), ("cmp w2, w4; fcsel s0, s1, s2, gt", replay.CONDITION),
        ("cmp w2, w4; mrs x3, nzcv", replay.CONDITION), ("fcmp s1, s2", replay.NO_RULE),
        ("msr fpcr, x2", replay.NO_RULE),
        ("sqadd v0.4s, v1.4s, v2.4s; mrs x3, fpsr", replay.NO_RULE), ("adcs w3, w2, w4", replay.NO_RULE),
        ("cmp x2, x4; csel w3, w2, w4, gt", replay.TOO_LARGE), ("msr nzcv, x2", replay.NO_RULE),
    ],
    Isa.A32: [
        ("cmp r2, r4; bgt forms", replay.PATH), ("cmp r2, r4; blgt forms", replay.PATH),
        ("cmp r2, r4; mov lr, #0; bxlt lr", replay.PATH),
        ("cmp r2, r4; mov r9, #0; ldrgt r3, [r9]", replay.CONDITION),
        ("cmp r2, r4; mov r9, #0; strlt r3, [r9]", replay.CONDITION),
        ("cmp r2, r4; subslt r3, r5, r6", replay.CONDITION), ("cmp r2, r4; vmovgt.f32 s0, s1", replay.CONDITION),
        ("cmp r2, r4; smullgt r3, r5, r6, r7", replay.CONDITION), ("cmp r2, r4; adc r3, r5, r6", replay.CONDITION),
        ("cmp r2, r4; mov r9, #3; tst r9, #1; movlo r3, r5", replay.CONDITION), ("vcmp.f32 s1, s2", replay.NO_RULE),
        ("vqadd.s8 d0, d1, d2; vmrs r3, fpscr", replay.NO_RULE), ("muls r3, r2, r4", replay.NO_RULE),
        ("vmsr fpscr, r2", replay.NO_RULE), ("uadd8 r3, r2, r4", replay.NO_RULE),
        ("msr apsr_nzcvq, r2", replay.NO_RULE),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("isa", "sequence", "ended"), [(isa, *rest) for isa, rows in _REFUSED.items() for rest in rows],
    ids=[sequence for rows in _REFUSED.values() for sequence, _ in rows],
)  # fmt: skip
def test_what_data_decide_without_a_rule_is_refused(isa: Isa, sequence: str, ended: int) -> None:
    programs = _Programs(isa, [sequence])
    symbolic = SymbolicFile(isa, random.Random(_SEED))
    row = np.zeros(len(symbolic.cells), np.uint8)
    assert symbolic.execute(plans_of(programs.program), list(programs.numbers[0]), row) == ended


_ALLOWED = {
    Isa.A64: ["cmp w2, w4; mov w9, #3; cmp w9, #1; b.gt forms", "cmp w2, w4; mov w9, #3; tst w9, #1; b.ne forms"],
    Isa.A32: [
        "cmp r2, r4; mov r9, #3; cmp r9, #1; bgt forms", "cmp r2, r4; mov r9, #3; tst r9, #1; bne forms",
        "cmp r2, r4; mov r9, #3; tst r9, #1; movne r3, r5", "lsr r2, r2, #28; cmp r2, #16; blo forms",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("isa", "sequence"), [(isa, one) for isa, rows in _ALLOWED.items() for one in rows], ids=lambda one: str(one)
)
def test_flags_of_numbers_take_the_place_of_flags_of_data(isa: Isa, sequence: str) -> None:
    programs = _Programs(isa, [sequence])
    symbolic = SymbolicFile(isa, random.Random(_SEED))
    row = np.zeros(len(symbolic.cells), np.uint8)
    assert symbolic.execute(plans_of(programs.program), list(programs.numbers[0]), row) == replay.DONE
