"""Every instruction form that a core executes has a time, or is in a short list that says why not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from tests.statements import placed

from neonlab.assemble.encode.encoder import Encoder
from neonlab.isa.decode import decode_word
from neonlab.isa.model.architecture import architecture_features
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.caches import load_core
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names
from neonlab.measure.forms.form import form_of

_CRYPTO = frozenset({"crc", "crypto"})
_V8_0 = architecture_features("armv8-a")[1] | _CRYPTO
_V8_2 = architecture_features("armv8.2-a")[1] | _CRYPTO | {"fp16", "rcpc"}
_V8_4 = architecture_features("armv8.4-a")[1] | _CRYPTO | {"fp16", "fp16fml", "sha3", "sha512"}
#: What each core executes: its technical reference manual's list of ID registers.
FEATURES = {
    "cortex-a7": frozenset({"neon", "vfpv4", "idiv"}),
    **dict.fromkeys(("cortex-a8", "cortex-a9"), frozenset({"neon"})),
    "cortex-a15": frozenset({"neon", "vfpv4", "idiv"}),
    **dict.fromkeys(("cortex-a53", "cortex-a57", "cortex-a72", "cortex-a73"), _V8_0),
    **dict.fromkeys(("cortex-a55", "cortex-a75", "cortex-a76", "cortex-a78", "cortex-x1", "neoverse-n1"), _V8_2),
    **dict.fromkeys(
        ("neoverse-v1", "neoverse-n2", "apple-m1", "cortex-a510", "cortex-a710", "cortex-x2"), _V8_4 | {"i8mm", "bf16"}
    ),
}
#: Forms without a time: what they start with, on which cores, and why.
WITHOUT = (
    ("mrs|msr|cfinv", "", "reads or writes the state of the processor; no kernel's loop has one"),
    ("dmb|dsb|isb", "", "waits for other observers, which are not modelled"),
    ("cas|casp|ldadd|stadd|swpal", "", "its time is that of the cache line's way between cores, which is not modelled"),
    ("sha512h", "", "in no table of timings that was opened"),
    ("pmull.1d|pmull2.2d", "cortex-a53 cortex-a55 cortex-a7 cortex-a9", "in no table of timings that was opened"),
    (
        "aese|aesd|aesmc|aesimc|sha1|sha256|crc32|xar",
        "apple-m1",
        "the table was filled from measurements without cryptography and checksums",
    ),
)


def decoded(isa: Isa, lines: Sequence[str]) -> list[tuple[str, Instruction]]:
    """Lines that assemble, each with its instruction."""
    statements = placed(lines)
    with Encoder(isa) as encoder:
        words = encoder.encode(statements)
    return [
        (line, decode_word(isa, word, statement.address))
        for line, word, statement in zip(lines, words, statements, strict=True)
        if isinstance(word, int)
    ]


@cache
def instructions(isa: Isa) -> list[tuple[str, Instruction]]:
    path = Path(__file__).resolve().parents[2] / "isa" / f"forms_{isa.value}.txt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and line[0] != "#"]
    found = decoded(isa, lines)
    assert len(found) >= len(lines) - 2
    return found


def reason_of(form: str, core: str) -> str | None:
    for starts, cores, reason in WITHOUT:
        if form.startswith(tuple(starts.split("|"))) and (not cores or core in cores.split()):
            return reason
    return None


@pytest.mark.parametrize("core", pipeline_names())
def test_every_form_that_a_core_executes_has_a_time_or_a_reason(core: str) -> None:
    pipeline = load_pipeline(core)
    missing = {}
    for isa in load_core(core).instruction_sets:
        for line, instruction in instructions(isa):
            if instruction.features <= FEATURES[core] and not pipeline.knows(instruction):
                form = form_of(instruction)
                if reason_of(form, core) is None:
                    missing[isa.value, line] = form
    assert not missing


def test_every_reason_is_still_needed() -> None:
    needed = set()
    for core in pipeline_names():
        pipeline = load_pipeline(core)
        for isa in load_core(core).instruction_sets:
            for _, instruction in instructions(isa):
                if instruction.features <= FEATURES[core] and not pipeline.knows(instruction):
                    form = form_of(instruction)
                    needed |= {
                        start for starts, _, _ in WITHOUT for start in starts.split("|") if form.startswith(start)
                    }
    assert {"mrs", "msr", "dmb", "cas", "sha512h", "aese"} <= needed


def _halved(line: str) -> str:
    return line.replace(".4s", ".8h").replace(".2s", ".4h").replace(".s[", ".h[")


@pytest.mark.parametrize("core", [core for core, features in FEATURES.items() if "fp16" in features])
def test_half_precision_vectors_have_times_wherever_single_precision_ones_do(core: str) -> None:
    """Each form of `forms_a64.txt` on single-precision vectors, asked for on half-precision ones."""
    lines = [line for line, _ in instructions(Isa.A64) if line[0] == "f" and (".4s" in line or ".2s" in line)]
    lines += [f"{name} v0.4s, v1.4s" for name in ("fabs", "fneg", "fcvtas", "fcvtns", "fcvtzu", "frinta", "fsqrt")]
    lines += [f"{name} v0.4s, v1.4s, #0.0" for name in ("fcmeq", "fcmge", "fcmgt", "fcmle", "fcmlt")]
    for name in ("fadd", "fsub", "fmul", "fmax", "fmin", "fmaxnm", "fminnm", "fmaxp", "fminnmp", "faddp", "fabd"):
        lines.append(f"{name} v0.4s, v1.4s, v2.4s")
    found = decoded(Isa.A64, [_halved(line) for line in lines])
    halves = [(line, one) for line, one in found if "fp16" in one.features and one.features <= FEATURES[core]]
    assert len(halves) > 25
    pipeline = load_pipeline(core)
    assert [line for line, one in halves if not pipeline.knows(one)] == []


_A32_RULES = [
    *(f"vcvt{how}.{sign}32.f32 {two}" for how in "anpm" for sign in "su" for two in ("q0, q1", "d0, d1", "s0, s1")),
    *(f"vcvt{how}.{sign}32.f64 s0, d1" for how in "anpm" for sign in "su"),
    *(f"v{name}.{kind} {two}, #0" for name in ("clt", "cle", "cgt", "cge") for kind in ("f32", "s8", "s16", "s32")
      for two in ("q0, q1", "d0, d1")),
    *(f"vceq.f32 {two}, #0" for two in ("q0, q1", "d0, d1")),
    *(f"vceq.i{bits} q0, q1, #0" for bits in (8, 16, 32)),
    *(f"vmov.i64 {register}, #{value}" for register in ("d0", "q0") for value in ("0", "0xff00ff00ff00ff00")),
    *(f"vrint{how}.f32 q0, q1" for how in "anpmxz"),
    *(f"v{name}nm.f32 {abc}" for name in ("max", "min") for abc in ("q0, q1, q2", "d0, d1, d2", "s0, s1, s2")),
]  # fmt: skip


@pytest.mark.parametrize("core", [core for core in pipeline_names() if Isa.A32 in load_core(core).instruction_sets])
def test_conversions_with_a_mode_comparisons_with_zero_and_64_bit_constants_have_times_in_a32(core: str) -> None:
    found = decoded(Isa.A32, _A32_RULES)
    assert len(found) == len(_A32_RULES)
    pipeline = load_pipeline(core)
    chosen = [(line, one) for line, one in found if one.features <= FEATURES[core]]
    assert chosen and [line for line, one in chosen if not pipeline.knows(one)] == []


@pytest.mark.parametrize(
    ("core", "half", "single"),
    [
        ("cortex-a55", "fadd v0.8h, v1.8h, v2.8h", "fadd v0.4s, v1.4s, v2.4s"),
        ("cortex-a55", "fcmle v0.8h, v1.8h, #0.0", "fcmle v0.4s, v1.4s, #0.0"),
        ("cortex-a55", "fcvtas v0.4h, v1.4h", "fcvtas v0.2s, v1.2s"),
        ("cortex-a55", "fmaxp v0.8h, v1.8h, v2.8h", "fmaxp v0.4s, v1.4s, v2.4s"),
    ],
)
def test_a_half_precision_form_of_no_table_takes_as_long_as_its_single_precision_one(
    core: str, half: str, single: str
) -> None:
    (_, first), (_, second) = decoded(Isa.A64, [half, single])
    pipeline = load_pipeline(core)
    assert pipeline.timing(first) == pipeline.timing(second)


@pytest.mark.parametrize(
    ("a32", "a64"),
    [
        ("vcvtn.s32.f32 q0, q1", "fcvtns v0.4s, v1.4s"),
        ("vcvta.u32.f32 d0, d1", "fcvtau v0.2s, v1.2s"),
        ("vclt.f32 q0, q1, #0", "fcmlt v0.4s, v1.4s, #0.0"),
        ("vcle.s16 q0, q1, #0", "cmle v0.8h, v1.8h, #0"),
        ("vmov.i64 q0, #0xff00ff00ff00ff00", "movi v0.2d, #0xff00ff00ff00ff00"),
        ("vmull.p8 q0, d1, d2", "pmull v0.8h, v1.8b, v2.8b"),
        ("aese.8 q0, q1", "aese v0.16b, v1.16b"),
        ("sha256h.32 q0, q1, q2", "sha256h q0, q1, v2.4s"),
        ("sha1c.32 q0, q1, q2", "sha1c q0, s1, v2.4s"),
        ("vmaxnm.f32 q0, q1, q2", "fmaxnm v0.4s, v1.4s, v2.4s"),
        ("ldrex r0, [r1]", "ldxr w0, [x1]"),
        ("strexb r0, r2, [r1]", "stxrb w0, w2, [x1]"),
        ("ldaexd r0, r1, [r2]", "ldaxp w0, w1, [x2]"),
        ("lda r0, [r1]", "ldar w0, [x1]"),
    ],
)
def test_an_a32_instruction_has_the_form_of_the_a64_one_that_does_the_same(a32: str, a64: str) -> None:
    ((_, first),), ((_, second),) = decoded(Isa.A32, [a32]), decoded(Isa.A64, [a64])
    assert form_of(first) == form_of(second)
