"""The prover's rules for instructions, against the emulator: a wrong rule would prove what is not so."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.isa.lane_forms import forms
from tests.isa.single_step import PATTERNS, SingleStep, random_state
from tests.prove.kernel.register_file import SymbolicFile, bytes_of

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.isa.lanes import execute, lane_operation
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import STATUS, Isa
from neonlab.isa.model.lane_operation import VECTOR_BYTES
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.kernel import families, replay
from neonlab.prove.kernel.lanes import SIGNED, START
from neonlab.prove.kernel.plan import ARITHMETIC, BITS, Plans, plans_of

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/prove/expressions and reference run all else without it"
)

_SEED = 5
_FLOATS = {
    Isa.A64: (
        "fadd v0.4s, v1.4s, v2.4s", "fsub v0.2s, v1.2s, v2.2s", "fmul v0.4s, v1.4s, v2.4s", "fdiv v0.4s, v1.4s, v2.4s",
        "fmul v0.4s, v1.4s, v2.s[3]", "fmla v0.4s, v1.4s, v2.4s", "fmls v0.4s, v1.4s, v2.4s",
        "fmla v0.4s, v1.4s, v2.s[1]",
        "fmin v0.4s, v1.4s, v2.4s", "fmax v0.4s, v1.4s, v2.4s", "fneg v0.4s, v1.4s", "fabs v0.4s, v1.4s",
        "fminv s0, v1.4s", "fmaxv s0, v1.4s", "scvtf v0.4s, v1.4s", "ucvtf v0.4s, v1.4s", "scvtf s0, w2",
        "fcvtns v0.4s, v1.4s", "fcvtas v0.4s, v1.4s", "fcvtzs v0.4s, v1.4s", "fcvtms v0.4s, v1.4s",
        "fcvtps v0.4s, v1.4s",
        "fcvtnu v0.4s, v1.4s", "fcvtzu v0.4s, v1.4s", "frintn v0.4s, v1.4s", "frinta v0.4s, v1.4s",
        "frintz v0.4s, v1.4s", "frintx v0.4s, v1.4s", "frintx s0, s1", "frinti v0.4s, v1.4s",
        "frintm v0.4s, v1.4s", "frintp v0.4s, v1.4s", "fcmgt v0.4s, v1.4s, v2.4s", "fcmge v0.4s, v1.4s, v2.4s",
        "fcmeq v0.4s, v1.4s, v2.4s", "fcmgt v0.4s, v1.4s, #0.0", "fadd s0, s1, s2", "fmul s0, s1, v2.s[2]",
    ),
    Isa.A32: (
        "vadd.f32 q0, q1, q2", "vsub.f32 d0, d1, d2", "vmul.f32 q0, q1, q2", "vmla.f32 q0, q1, q2",
        "vmls.f32 q0, q1, q2",
        "vmla.f32 q0, q1, d4[1]", "vmul.f32 d0, d1, d4[0]", "vfma.f32 q0, q1, q2", "vfms.f32 q0, q1, q2",
        "vmin.f32 q0, q1, q2", "vmax.f32 q0, q1, q2", "vpmin.f32 d0, d1, d2", "vpmax.f32 d0, d1, d2", "vneg.f32 q0, q1",
        "vabs.f32 q0, q1", "vcvt.f32.s32 q0, q1", "vcvt.f32.u32 d0, d1", "vcvt.s32.f32 q0, q1", "vcvt.u32.f32 q0, q1",
        "vcvtn.s32.f32 q0, q1", "vcvta.s32.f32 q0, q1", "vcgt.f32 q0, q1, q2", "vcge.f32 q0, q1, q2",
        "vceq.f32 q0, q1, q2", "vadd.f32 s0, s1, s2", "vmul.f32 s0, s1, s2", "vdiv.f32 s0, s1, s2",
        "vmla.f32 s0, s1, s2",
    ),
}  # fmt: skip
_SCALARS = {
    Isa.A64: (
        "add w3, w2, w4", "add x3, x2, x4", "sub w3, w2, w4", "mul w3, w2, w4", "madd w3, w2, w4, w5",
        "msub w3, w2, w4, w5",
        "lsl w3, w2, #5", "lsr w3, w2, #5", "asr w3, w2, #5", "asr x3, x2, #33", "sxtb w3, w2", "sxth x3, w2",
        "sxtw x3, w2", "uxtb w3, w2", "uxth w3, w2", "mov w3, w2", "mov x3, x2",
        "add w3, w2, #7", "sub x3, x2, #1, lsl #12", "add w3, w2, w4, lsl #3", "sub w3, w2, w4, asr #31",
        "add w3, w2, w4, sxtb", "add x3, x2, w4, sxtw #2", "sub w3, w2, w4, uxth #1", "neg w3, w2",
        "neg w3, w2, lsr #5",
        "mvn w3, w2", "mvn w3, w2, lsl #4", "and w3, w2, w4", "orr w3, w2, w4", "eor w3, w2, w4", "bic w3, w2, w4",
        "orn w3, w2, w4", "eon w3, w2, w4", "and w3, w2, #0xff", "and w3, w2, #0xfffffffe", "orr w3, w2, #0x80000000",
        "eor w3, w2, #0x80000000", "eor w3, w2, #0xf0", "bic w3, w2, w2, asr #31", "and w3, w2, w4, lsr #7",
        "lsl w3, w2, w4", "lsr w3, w2, w4", "asr w3, w2, w4", "asr x3, x2, x4", "sbfx w3, w2, #3, #9",
        "ubfx w3, w2, #31, #1", "sbfiz w3, w2, #5, #9", "ubfiz w3, w2, #2, #5", "ubfx x3, x2, #31, #1",
        "smull x3, w2, w4", "smaddl x3, w2, w4, x5", "smsubl x3, w2, w4, x5",
        "mneg w3, w2, w4", "sub w3, wzr, w2", "add w3, wzr, w2", "add x2, sp, #16", "sub w2, w2, w2",
        "add w3, w2, w3", "sub w2, w4, w2", "add w2, w2, w2, lsl #1",
        "bfi w3, w2, #4, #9", "bfi w3, w2, #8, #8", "bfi w3, w2, #24, #8", "bfi x3, x2, #5, #20",
        "bfi x3, x2, #32, #32", "bfi w3, wzr, #3, #7", "bfi x3, xzr, #16, #8", "bfi w2, w2, #4, #4",
        "bfi w2, w2, #8, #16",
        "bfi w3, w2, #31, #1",
        "bfxil w3, w2, #5, #9", "bfxil w3, w2, #8, #16", "bfxil x3, x2, #32, #16", "bfxil x3, x2, #3, #7",
        "ubfiz x3, x2, #2, #5", "sbfiz x3, x2, #33, #9", "sbfx x3, x2, #5, #20", "ubfx x3, x2, #40, #8",
        "ubfx x3, x2, #33, #31", "sbfx w3, w2, #0, #1",
    ),
    Isa.A32: (
        "add r3, r2, r4", "sub r3, r2, r4", "rsb r3, r2, r4", "mul r3, r2, r4", "mla r3, r2, r4, r5",
        "mls r3, r2, r4, r5",
        "lsl r3, r2, #5", "asr r3, r2, #5", "sxtb r3, r2", "uxth r3, r2", "smulbb r3, r2, r4", "smlabt r3, r2, r4, r5",
        "mov r3, r2", "add r3, r2, #7", "sub r3, r2, #256", "rsb r3, r2, #0", "add r3, r2, r4, lsl #3",
        "sub r3, r2, r4, asr #31", "rsb r3, r2, r2, lsl #4", "add r3, r2, r4, asr r5", "sub r3, r2, r4, lsl r5",
        "and r3, r2, r4", "orr r3, r2, r4", "eor r3, r2, r4", "bic r3, r2, r4", "and r3, r2, #0xff",
        "bic r3, r2, #1", "orr r3, r2, #0x80000000", "eor r3, r2, #0x80000000", "bic r3, r2, r2, asr #31",
        "and r3, r2, r4, lsr #7", "mvn r3, r2", "mvn r3, r2, asr #31", "lsl r3, r2, r4", "lsr r3, r2, r4",
        "asr r3, r2, r4", "lsr r3, r2, #32", "asr r3, r2, #32", "ssat r3, #8, r2", "ssat r3, #8, r2, asr #3",
        "usat r3, #8, r2", "ssat r3, #16, r2, lsl #4", "ubfx r3, r2, #3, #9", "sbfx r3, r2, #31, #1",
        "smull r3, r5, r2, r4", "smull r2, r3, r2, r4", "smmul r3, r2, r4", "smmulr r3, r2, r4", "smultt r3, r2, r4",
        "sub r2, r4, r2", "add r2, r2, r2, lsl #1",
        "bfi r3, r2, #4, #9", "bfi r3, r2, #8, #8", "bfi r3, r2, #16, #16", "bfi r2, r2, #3, #20",
        "bfi r3, r2, #31, #1", "bfc r3, #4, #9", "bfc r3, #8, #8", "bfi r3, r2, #0, #5",
    ),
}  # fmt: skip
#: Shifts by whole bytes, whose lanes of 64 bits are copied and of 32 bits not joined.
_BY_BYTES = {
    Isa.A64: (
        "ushr v0.2d, v1.2d, #32", "ushr v0.2d, v1.2d, #64", "shl v0.2d, v1.2d, #48", "sli v0.2d, v1.2d, #16",
        "sri v0.2d, v1.2d, #24", "sri v0.2d, v1.2d, #64", "ushr d0, d1, #8", "ushr v0.4s, v1.4s, #16",
        "sshr v0.4s, v1.4s, #8", "sshr v0.8h, v1.8h, #8", "shrn v0.4h, v1.4s, #16", "sqshrn v0.4h, v1.4s, #8",
        "lsr x3, x2, #32", "lsl x3, x2, #16", "lsr w3, w2, #24",
    ),
    Isa.A32: (
        "vshr.u64 q0, q1, #32", "vshr.u64 d0, d1, #16", "vshr.u64 d0, d1, #64", "vshl.i64 d0, d1, #40",
        "vsli.64 d0, d1, #32", "vsri.64 d0, d1, #8", "vshr.u32 q0, q1, #16", "vshr.s32 d0, d1, #8",
        "vshr.u16 q0, q1, #8", "vshrn.i32 d0, q1, #16", "lsr r3, r2, #16",
    ),
}  # fmt: skip
#: Forms that the prover may refuse: it says so, and proves nothing.
_WITHOUT_RULES = ("pmul", "vmul.p8", "vmull.p8", "cnt", "vcnt", "clz", "vclz", "cls", "vcls", "rbit")


def _forms(isa: Isa) -> list[str]:
    without = tuple(f"{name}{end}" for name in _WITHOUT_RULES for end in (" ", "l", "2", ".", "l2"))
    return [
        form for form in (*forms(isa), *_FLOATS[isa], *_SCALARS[isa], *_BY_BYTES[isa]) if not form.startswith(without)
    ]


def _instructions(isa: Isa) -> tuple[Plans, tuple[Instruction, ...], list[str]]:
    texts = _forms(isa)
    program = link(assemble_text(".text\nforms:\n" + "\n".join(texts) + "\n", isa=isa, path="forms.S"))
    assert len(program.instructions) == len(texts)
    return plans_of(program), tuple(program.instructions), texts


@dataclass(frozen=True, slots=True)
class _Runs:
    """Register files before an instruction and after it, uint8 [run, byte]."""

    before: np.ndarray
    after: np.ndarray


def _runs(emulator: SingleStep, instruction: Instruction, rng: random.Random) -> _Runs:
    befores, afters = [], []
    address, isa = emulator.place(instruction.word), instruction.isa
    states = [random_state(rng, isa, emulator.registers, pattern) for pattern in PATTERNS]
    for width in (2, 4):  # all the least numbers, whose doubled product alone saturates
        least = int.from_bytes(VECTOR_BYTES[isa] // width * (b"\0" * (width - 1) + b"\x80"), "little")
        states.append({one: least if one.file == "vector" else value for one, value in states[0].items()})
    for state in states:
        state[STATUS] = 0
        befores.append(bytes_of(isa, state))
        outcome = emulator.run(address, state)
        if outcome.fault:  # this CPU lacks it, and the lab's own rule stands in
            operation = lane_operation(instruction)
            assert operation is not None
            afters.append(execute(operation, befores[-1][np.newaxis])[0])
        else:
            afters.append(bytes_of(isa, {**state, **dict(outcome.registers)}))
    return _Runs(np.stack(befores), np.stack(afters))


def _compare(plans: Plans, number: int, text: str, runs: _Runs, isa: Isa, rng: random.Random) -> tuple[int, bool]:
    """Return how the replay of an instruction ends, and whether its expressions have another value in some run."""
    symbolic = SymbolicFile(isa, rng)
    ended = symbolic.execute(plans, [number], runs.before[0])
    if ended != replay.DONE:
        return ended, False
    nodes = symbolic.nodes(runs.before[0])
    known = np.flatnonzero(nodes >= 0)
    found = evaluate(symbolic.table, nodes[known], np.stack([symbolic.values(row) for row in runs.before]))
    differs = (found & 255) != runs.after[:, known]
    if "f" in text.split()[0] and differs.any():  # the bits of a NaN are those of an operand
        differs &= ~_are_nans(isa, runs.after, known)
    return ended, bool(differs.any())


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_expressions_of_every_form_have_the_values_that_the_emulator_computes(isa: Isa) -> None:
    print(f"seed {_SEED}")
    rng = random.Random(_SEED)
    plans, instructions, texts = _instructions(isa)
    emulator = SingleStep(isa, _SEED)
    wrong: list[str] = []
    without_rule: list[str] = []
    too_large: list[str] = []
    for number, (instruction, text) in enumerate(zip(instructions, texts, strict=True)):
        ended, differs = _compare(plans, number, text, _runs(emulator, instruction, rng), isa, rng)
        if ended != replay.DONE:
            (too_large if ended == replay.TOO_LARGE else without_rule).append(text)
        elif differs:
            wrong.append(text)
    assert not wrong
    assert not without_rule
    # Operands of any 32 or 64 bits may take some forms beyond what intervals hold; most forms stay below.
    assert len(too_large) < len(texts) // 6


#: A rule that each family could be mistaken for.
_MISTAKEN = {
    "add": "sub", "sub": "add", "mul": "add", "mla": "mls", "mls": "mla", "dot": "mmla", "hadd": "hsub", "hsub": "hadd",
    "abd": "sub", "aba": "mla", "abs": "neg", "neg": "abs", "adalp": "addp", "shr": "shl", "shl": "shr", "sra": "sli",
    "addhn": "subhn", "subhn": "addhn", "qdmulh": "mul", "qdmlah": "qdmlsh", "qdmlsh": "qdmlah", "qdmull": "mul",
    "qdmlal": "qdmlsl", "qdmlsl": "qdmlal", "max": "min", "min": "max", "maxp": "minp", "minp": "maxp", "maxv": "minv",
    "minv": "maxv", "addv": "maxv", "cmeq": "cmge", "cmgt": "cmge", "cmge": "cmgt", "cmlt": "cmle", "cmle": "cmlt",
    "cmtst": "cmeq", "and": "orr", "orr": "eor", "eor": "orr", "bic": "orn", "orn": "bic", "not": "and", "bsl": "bit",
    "bit": "bif", "bif": "bit", "sli": "sri", "sri": "sli", "orr_constant": "bic_constant",
    "bic_constant": "orr_constant",
}  # fmt: skip


#: Forms in which a change of a family's rule is tried until it was noticed so often.
_OFTEN = 3
#: What a rule does whatever its row says, as no instruction does otherwise.
_ALWAYS = {("qdmlah", "rounds"), ("qdmlsh", "rounds")}


def _changes(plans: Plans, at: int) -> dict[str, Callable[[Plans], None]]:
    """Return what may be wrong in the rule of a lane operation."""
    operation, sources = plans.lanes[at], plans.sources[at]
    name = families.NAMES[operation["family"]]

    def set_to(column: str, value: int) -> Callable[[Plans], None]:
        return lambda altered: altered.lanes[column].__setitem__(at, value)

    def source_to(which: int, column: int, value: int) -> Callable[[Plans], None]:
        return lambda altered: altered.sources[at, which].__setitem__(column, value)

    found = {}
    if name in _MISTAKEN:
        found["family"] = set_to("family", families.number_of(_MISTAKEN[name]))
    if operation["immediate"] and name != "orr_constant":
        found["immediate"] = set_to("immediate", operation["immediate"] - 1)
    for column in ("rounds", "saturates"):
        if operation[column] and (name, column) not in _ALWAYS:
            found[column] = set_to(column, 0)
    if operation["saturates"]:
        found["signed"] = set_to("signed", int(operation["signed"] == 0))
    for which in range(operation["sources"]):
        _, count, bits, signed, same = sources[which].tolist()
        if signed != 2 and bits < operation["bits"]:  # else a multiple of the lane's size may be added
            found[f"sign of {which}"] = source_to(which, SIGNED, 1 - signed)
        if count > 1 or same:
            found[f"place of {which}"] = source_to(which, START, int(sources[which][START]) + bits // 8)
    return found


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_a_wrong_rule_for_lanes_gives_other_values_than_the_emulator(isa: Isa) -> None:
    print(f"seed {_SEED}")
    rng = random.Random(_SEED)
    plans, instructions, texts = _instructions(isa)
    emulator = SingleStep(isa, _SEED)
    noticed: Counter[tuple[str, str]] = Counter()
    for number, (instruction, text) in enumerate(zip(instructions, texts, strict=True)):
        if plans.plan["kind"][number] not in (ARITHMETIC, BITS):
            continue
        at = int(plans.plan["lanes"][number])
        family = families.NAMES[plans.lanes["family"][at]]
        changes = {name: one for name, one in _changes(plans, at).items() if noticed[family, name] < _OFTEN}
        runs = _runs(emulator, instruction, rng)
        if not changes or _compare(plans, number, text, runs, isa, rng)[0] != replay.DONE:
            continue
        for name, change in changes.items():
            altered = replace(plans, lanes=plans.lanes.copy(), sources=plans.sources.copy())
            change(altered)
            ended, differs = _compare(altered, number, text, runs, isa, rng)
            noticed[family, name] += differs or ended != replay.DONE
    assert len(noticed) > 200
    assert [change for change, forms_of in noticed.items() if not forms_of] == []


def _are_nans(isa: Isa, after: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Tell of each byte whether the aligned 4 bytes around it are a NaN."""
    words = np.ascontiguousarray(after).view("<u4")
    nan = (words & 0x7FFFFFFF) > 0x7F800000
    return np.repeat(nan, 4, axis=1)[:, known]
