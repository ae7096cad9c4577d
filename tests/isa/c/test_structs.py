"""Where members of structs lie, against GCC's own `offsetof`; and what cannot be told is refused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.tools import require

from neonlab.isa.c.prototype import PrototypeError, parse_prototype
from neonlab.isa.model.isa import Isa

TOOLS = {Isa.A32: "arm-linux-gnueabihf", Isa.A64: "aarch64-linux-gnu"}
STRUCTS = [
    "struct s { char a; int16_t b; int32_t c; int8_t d; };",
    "struct s { int8_t a; double b; float c; int64_t d; uint16_t e[3]; };",
    "struct s { uint8_t a; const int8_t *b; size_t c; void *d; _Bool e; };",
    "struct s { int8_t a; struct { int32_t x; int8_t y; } in; int8_t b; };",
    "struct s { int32_t a; union { struct { int32_t x; int8_t y; } one; int64_t two; } u; int16_t b; };",
    "struct q { int16_t zero; int8_t low, high; }; struct s { float scale; struct q out; struct q in; int8_t last; };",
    "typedef struct { long a; short b; } inner_t; struct s { char a; inner_t b; char c[2 * 3 + 1]; unsigned long d; };",
    "typedef int32_t acc_t; struct s { int8_t a; acc_t b; int8_t c; acc_t *d; };",
    "struct s { ptrdiff_t a; float32_t b; intptr_t c[2]; uint8_t d; };",
]


@pytest.mark.parametrize("isa", list(TOOLS), ids=lambda isa: isa.value)
@pytest.mark.parametrize("text", STRUCTS)
def test_members_lie_where_gcc_puts_them(text: str, isa: Isa, tmp_path: Path) -> None:
    pointee = parse_prototype("void f(const struct s *p)", isa, text).parameters[0].ctype.pointee
    assert pointee is not None
    assert pointee.layout is not None
    members = pointee.layout.members
    assert len(members) >= 3
    asked = ["sizeof(struct s)", "_Alignof(struct s)"]
    for member in members:
        asked += [f"__builtin_offsetof(struct s, {member.name})", f"sizeof(((struct s *)0)->{member.name})"]
    source = tmp_path / "s.c"
    head = "#include <stdint.h>\n#include <stddef.h>\ntypedef float float32_t;\n#include <sys/types.h>\n"
    source.write_text(f"{head}{text}\nconst unsigned answer[] = {{ {', '.join(asked)} }};\n")
    made, raw = tmp_path / "s.o", tmp_path / "s.bin"
    subprocess.run([require(f"{TOOLS[isa]}-gcc"), "-c", source, "-o", made], check=True)
    subprocess.run([require(f"{TOOLS[isa]}-objcopy"), "-O", "binary", "-j", ".rodata", made, raw], check=True)
    data = raw.read_bytes()
    answer = [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]
    expected = [pointee.size, pointee.layout.alignment]
    for member in members:
        expected += [member.offset, member.count * member.ctype.size]
    assert answer[: len(expected)] == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("struct s { int a : 3; };", "`a` is a bit-field"),
        ("struct s { struct t x; };", "`struct t` is not defined"),
        ("struct s { struct s x; };", "contains itself"),
        ("struct s { int a[n]; };", "is not|no plain number"),
    ],
)
def test_a_layout_that_nobody_can_tell_is_refused(text: str, said: str) -> None:
    with pytest.raises(PrototypeError, match=said):
        parse_prototype("void f(const struct s *p)", Isa.A64, text)


def test_a_type_that_is_not_known_is_named() -> None:
    wanted = re.escape("uses the type `acc_t`, which is not known: define it in `structs`")
    with pytest.raises(PrototypeError, match=wanted):
        parse_prototype("void f(const int8_t *a, const acc_t *b)", Isa.A64)
    ctype = parse_prototype("void f(const acc_t *b)", Isa.A64, "typedef int16_t acc_t;").parameters[0].ctype
    assert ctype.pointee is not None
    assert (ctype.pointee.size, ctype.pointee.signed, ctype.pointee.const) == (2, True, True)


def chain(length: int, members: str) -> str:
    """Structs `s0`, `s1`, ..., each with `members` of the next."""
    inner = "".join(f"struct s{i} {{ struct s{i + 1} {members}; }};" for i in range(length))
    return f"{inner} struct s{length} {{ int8_t x; }};"


@pytest.mark.parametrize(
    ("declarations", "said"),
    [
        (chain(6, "a[256]"), "more than 4096 members"),
        (chain(30, "a, b"), "more than 4096 members"),
        (chain(30, "a, b").replace("int8_t x;", ""), ""),
        (f"struct s0 {{ int8_t a[{' + '.join(['1'] * 2000)}]; }};", "nested too deeply"),
        ("struct s0 { int8_t a; };" * 4000, "96000 characters"),
    ],
)
def test_declarations_that_would_never_be_read_to_their_end_are_refused(declarations: str, said: str) -> None:
    try:
        parse_prototype("void f(struct s0 *p)", Isa.A64, declarations)
    except PrototypeError as error:
        assert said and said in str(error)
        assert len(str(error)) < 500
    else:
        assert not said
