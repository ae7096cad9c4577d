"""C prototypes: what is understood, what is refused."""

from __future__ import annotations

import pytest

from neonlab.isa.c.prototype import PrototypeError, parse_prototype
from neonlab.isa.model.isa import Isa


@pytest.mark.parametrize(
    ("text", "name", "kind", "a32", "a64", "signed"),
    [
        ("size_t", "size_t", "integer", 4, 8, False),
        ("long", "long", "integer", 4, 8, True),
        ("unsigned long long int", "unsigned long long int", "integer", 8, 8, False),
        ("unsigned", "unsigned", "integer", 4, 4, False),
        ("short", "short", "integer", 2, 2, True),
        ("char", "char", "integer", 1, 1, False),
        ("signed char", "signed char", "integer", 1, 1, True),
        ("bool", "_Bool", "integer", 1, 1, False),
        ("uint16_t", "uint16_t", "integer", 2, 2, False),
        ("float", "float", "float", 4, 4, True),
        ("double", "double", "float", 8, 8, True),
        ("const int8_t *restrict", "int8_t *", "pointer", 4, 8, False),
        ("struct params *", "struct params *", "pointer", 4, 8, False),
    ],
)
def test_a_type_has_the_size_of_the_data_model(
    text: str, name: str, kind: str, a32: int, a64: int, signed: bool
) -> None:
    for isa, size in ((Isa.A32, a32), (Isa.A64, a64)):
        ctype = parse_prototype(f"void f({text} x)", isa).parameters[0].ctype
        assert (ctype.name, ctype.kind, ctype.size, ctype.signed) == (name, kind, size, signed)


@pytest.mark.parametrize("text", ["void (void)", "void f()", "int32_t (void)", "uint8_t *name(void);"])
def test_a_function_may_take_nothing_and_have_no_name(text: str) -> None:
    assert parse_prototype(text, Isa.A64).parameters == ()


def test_pointers_keep_what_they_point_to() -> None:
    signature = parse_prototype("void (const uint8_t **rows, const int16_t table[4])", Isa.A64)
    rows, table = (parameter.ctype for parameter in signature.parameters)
    assert (
        rows.pointee and rows.pointee.pointee and rows.pointee.pointee.name == "uint8_t" and rows.pointee.pointee.const
    )
    assert table.kind == "pointer" and table.pointee and table.pointee.size == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "void",
        "void (",
        "void (int)",
        "void (int a, int a)",
        "void (int a, ...)",
        "foo (int a)",
        "int x",
        "(((",
        "void (\x00 a)",
    ],
)
def test_what_is_no_prototype_is_refused(text: str) -> None:
    with pytest.raises(PrototypeError, match="prototype"):
        parse_prototype(text, Isa.A64)
