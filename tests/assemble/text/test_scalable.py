"""SVE and SME in A64 text, and Thumb in A32 text: refused by name, with file and line, and nothing else is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.source import AssemblyError
from neonlab.isa.model.isa import Isa

SEED = 2024


def refusal(text: str, isa: Isa = Isa.A64) -> AssemblyError:
    with pytest.raises(AssemblyError) as caught:
        assemble_text(f"    .text\n{text}\n", isa=isa, path="kernel.S")
    return caught.value


def name_of(line: str) -> str:
    return line.split()[0]


SVE = """\
ptrue p0.b
ptrue p3.s, vl8
pfalse p1.b
ld1b {z0.b}, p0/z, [x0]
ld1b { z0.b }, p0/Z, [x0, #1, MUL VL]
ld1rqb {z5.b}, p7/z, [x2, #16]
ld1w z0.s, p0/z, [x0]
ld2w {z0.s, z1.s}, p1/z, [x0, x1, lsl #2]
ld1d {z3.d}, p0/z, [x1, z2.d, lsl #3]
ldff1b {z0.b}, p0/z, [x0, x1]
st1w {z0.s-z3.s}, pn8, [x0]
st1h {z31.h}, p0, [sp, #-8, mul vl]
ldr z0, [x0]
ldr p0, [x0, #7, mul vl]
str z8, [sp, #1, mul vl]
str p15, [sp]
whilelo p0.b, x1, x2
whilelt p0.s, wzr, w10
whilewr p0.b, x0, x1
mov z0.d, d0
mov z1.b, #3
movprfx z0, z1
dup z0.s, w2
index z0.s, #0, #1
sdot z0.s, z1.b, z2.b
sdot z0.s, z1.b, z2.b[3]
smmla z0.s, z1.b, z2.b
add z0.b, z0.b, #1
mul z0.s, p0/m, z0.s, z1.s
fmla z0.s, p0/m, z1.s, z2.s
cmpgt p0.b, p1/z, z0.b, #0
uaddv d0, p0, z1.b
lasta w0, p0, z0.b
cntp x0, p0, p1.b
incp x0, p0.b
brka p0.b, p1/z, p2.b
and p0.b, p1/z, p2.b, p3.b
ptest p0, p1.b
rdffr p0.b
wrffr p0.b
setffr
prfb pldl1keep, p0, [x0]
sel z0.b, p0, z1.b, z2.b
tbl z0.b, {z1.b}, z2.b
rdvl x0, #1
addvl sp, sp, #-4
addpl x0, x0, #2
cntb x0
cntd x11, all, mul #2
incw x3
decd x3, pow2
sqincb x0, w0
uqdech x0, vl4, mul #3
ctermeq x0, x1
b.none 1f
b.first 1f
b.any done
"""
SME = """\
smstart
smstart za
smstop sm
zero {za}
zero {za0.s, za1.s}
fmopa za0.s, p0/m, p0/m, z0.s, z1.s
smopa za3.s, p0/m, p1/m, z0.b, z1.b
mova z2.s, p0/m, za0h.s[w12, 0]
mov za0v.b[w12, 3], p0/m, z0.b
ld1w {za0h.s[w12, 0]}, p0/z, [x0]
st1w {za0v.s[w12, #3]}, p0, [x2]
ldr za[w12, 0], [x0]
str za [w12, 0], [x0]
ldr zt0, [x0]
luti4 z0.s, zt0, z1[0]
bfdot za.s[w8, #0], {z0.h, z1.h}, z2.h
addsvl x0, x0, #1
addspl x0, x0, #1
rdsvl x0, #1
"""


@pytest.mark.parametrize("case", ["as written", "in capitals"])
@pytest.mark.parametrize("line", SVE.splitlines())
def test_an_instruction_of_sve_is_refused_by_name(line: str, case: str) -> None:
    text = line.upper() if case == "in capitals" else line
    error = refusal(f"    nop\n    {text}")
    assert f"SVE instruction `{name_of(text)}` is not supported" in str(error)
    assert str(error).startswith("kernel.S:3:")


@pytest.mark.parametrize("line", SME.splitlines())
def test_an_instruction_of_sme_is_refused_by_name(line: str) -> None:
    error = refusal(f"    {line}")
    assert f"SME instruction `{name_of(line)}` is not supported" in str(error)


def generated(count: int) -> list[str]:
    """Lines of all shapes of operands, with registers, sizes and mnemonics drawn at random."""
    rng = random.Random(SEED)
    names = [name for name in (name_of(line) for line in SVE.splitlines()) if not name.startswith("b.")]
    found = []
    for _ in range(count):
        z = [f"z{rng.randrange(32)}.{rng.choice('bhsd')}" for _ in range(3)]
        p = rng.randrange(16)
        operands = rng.choice(
            [
                f"{z[0]}, {z[1]}, {z[2]}",
                f"{z[0]}, p{p}/m, {z[0]}, {z[1]}",
                f"{{{z[0]}}}, p{p}/z, [x{rng.randrange(30)}]",
                f"{{ {z[0]}, {z[1]} }}, p{p}, [x3, #{rng.randrange(-8, 8)}, mul vl]",
                f"{{{z[0]} - {z[1]}}}, pn{p}/z, [x0, x8, lsl #2]",
                f"p{p}.{rng.choice('bhsd')}, x{rng.randrange(30)}, x{rng.randrange(30)}",
                f"x{rng.randrange(30)}, p{p}, {z[1]}",
                f"{z[0]}, {z[1]}[{rng.randrange(4)}]",
                f"v0.4s, {z[0]}",
                f"[x0, {z[1]}, sxtw]",
            ]
        )
        name = rng.choice([*names, "frobnicate", "add", "mov", "ldr"])
        found.append(
            f"{name}{rng.choice([' ', chr(9), '   '])}{operands}{rng.choice(['', '  // note', ' /* p0/z */'])}"
        )
    return found


@pytest.mark.slow
def test_any_operand_of_sve_has_its_line_refused_by_name_whatever_the_mnemonic() -> None:
    for line in generated(2000):
        error = str(refusal(f"    {line}"))
        assert f"SVE instruction `{name_of(line)}` is not supported" in error, (SEED, line)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("acc .req z3\n", "add acc.s, acc.s, acc.s"),
        ("mask .req p1\n", "mov x0, mask"),
        (".macro load r\nld1b {\\r\\().b}, p0/z, [x0]\n.endm\n", "load z4"),
        ("#define VEC z7.s\n", "fadd VEC, VEC, VEC"),
    ],
)
def test_names_of_the_source_for_scalable_registers_are_seen_through(head: str, line: str) -> None:
    assert "SVE instruction `" in str(refusal(head + line))


@pytest.mark.parametrize(
    "text",
    [
        "b z0\nz0: ret",
        "bl p0\np0: ret",
        "cbz x0, za\nza: ret",
        ".set z40, 4\nmov x0, z40\nret",
        ".set zap, 4\nadd x0, x0, #zap\nret",
        "p1x .req x3\nadd p1x, p1x, #1\nret",
        "mov x0, #16 / 4\nret",
        ".set p, 8\n.set z, 2\nmov x0, #p/z\nret",
        "ld1 {v0.16b}, [x0], x1\nuzp1 v0.16b, v1.16b, v2.16b\nret",
        ".macro cntb r\nmov \\r, #16\n.endm\ncntb x0\nret",
        "prfm pldl1keep, [x0]\nret",
        "mov w0, wzr\nadd x0, x1, w2, sxtw\nb.mi 1f\n1: b.hs 1b\nret",
        ".arch armv8-a+sve\nret",
        ".arch armv9-a\n.arch_extension sve2\n.arch_extension sme\nret",
        ".cpu neoverse-v1\n.arch_extension nosve\nret",
        ".variant_pcs f\nf: ret",
        "#ifdef __ARM_FEATURE_SVE\nptrue p0.b\n#endif\nret",
        ".if 0\nptrue p0.b\n.endif\nret",
    ],
)
def test_what_only_looks_like_it_or_is_a_directive_is_taken(text: str) -> None:
    assemble_text(f".text\n{text}\n", isa=Isa.A64, path="kernel.S")


def test_a_directive_for_sve_does_not_hide_the_instruction_behind_it() -> None:
    error = refusal("    .arch armv8-a+sve\n    .arch_extension sve2\n    mov x0, #0\n    whilelo p0.b, x0, x1")
    assert str(error).startswith("kernel.S:5:") and "SVE instruction `whilelo`" in str(error)


FILE = """\
#include "config.h"
    .arch armv8.2-a+sve
    .text
    .balign 16
    .globl sum
    .type sum, %function
sum:
    mov     x3, #0
    mov     z0.s, #0
    whilelo p0.b, x3, x1
1:  ld1b    {z1.b}, p0/z, [x0, x3]
    udot    z0.s, z1.b, z2.b
    incb    x3
    whilelo p0.b, x3, x1
    b.any   1b
    ret
    .size sum, . - sum
"""


def test_a_file_is_refused_at_its_first_instruction_of_sve_with_a_trail(tmp_path: Path) -> None:
    from neonlab.assemble.assembler import assemble_file

    (tmp_path / "config.h").write_text("#define HAVE_SVE 1\n", encoding="utf-8")
    path = tmp_path / "sum.S"
    path.write_text(FILE, encoding="utf-8")
    with pytest.raises(AssemblyError) as caught:
        assemble_file(path, isa=Isa.A64)
    assert str(caught.value).startswith(f"{path}:9:")
    assert "SVE instruction `mov` is not supported" in str(caught.value)


@pytest.mark.parametrize("directive", [".thumb", ".thumb_func", ".code 16", ".thumb_set a, b"])
@pytest.mark.parametrize("head", ["", ".syntax unified\n", ".syntax unified\n.arch armv7-a\n.fpu neon\n"])
def test_thumb_in_text_is_refused_by_name(head: str, directive: str) -> None:
    error = str(refusal(f"{head}{directive}\nf: bx lr", Isa.A32))
    assert f"`{directive.split()[0] if 'code' not in directive else directive}`: Thumb is not supported" in error
    assert f"kernel.S:{2 + head.count(chr(10))}:" in error


def test_p_and_z_are_no_such_registers_in_a32() -> None:
    assemble_text(".text\n.set z0, 4\nmov r0, #z0\nmcr p15, 0, r0, c7, c10, 5\nbx lr\n", isa=Isa.A32, path="kernel.S")
