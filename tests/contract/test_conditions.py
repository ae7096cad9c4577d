"""What a contract says of how a buffer is measured, and what it may not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.contract.conditions import NO_CONDITIONS, Conditions, DataFile, Ramp
from neonlab.contract.header import Contract, ContractError, parse_contract

TEXT = """/*toml
summary   = "c = a * b"
prototype = "void (const int8_t *a, int32_t *c, const struct p *p, size_t k)"
structs   = "struct p { const int16_t *bias; int32_t zero; };"
isa       = ["armv8.0-a", "neon"]
[args]
a = { reg = "x0", read = "k", range = [-127, 127] }
c = { reg = "x1", write = "4*k" }
p = { reg = "x2", fields = { bias = { read = "2*k" } } }
k = { reg = "x3", range = [16, 4096] }
*/
"""


def read(old: str = "", new: str = "") -> Contract:
    assert old in TEXT
    contract = parse_contract(TEXT.replace(old, new), "folder/mul.S")
    assert contract is not None
    return contract


@pytest.mark.parametrize(
    ("said", "conditions"),
    [
        ("", NO_CONDITIONS),
        (", offset = 3", Conditions(offset=3)),
        (", offset = 0, cold = true", Conditions(offset=0, cold=True)),
        (', data = "ramp"', Conditions(data=Ramp())),
        (", data = { start = -3, step = 2 }", Conditions(data=Ramp(-3, 2))),
        (", data = { step = -1 }", Conditions(data=Ramp(None, -1))),
        (', data = "x.npy"', Conditions(data=DataFile(str(Path("folder/x.npy"))))),
        (', data = "/x/y.bin"', Conditions(data=DataFile("/x/y.bin"))),
        (", align = 16, offset = 48", Conditions(offset=48)),
    ],
)
def test_a_buffer_says_where_it_lies_and_what_it_holds(said: str, conditions: Conditions) -> None:
    assert read('read = "k"', f'read = "k"{said}').argument("a").conditions == conditions


def test_a_pointer_in_a_struct_has_data_and_an_offset_that_is_its_place_in_the_struct() -> None:
    bias = read('read = "2*k"', 'read = "2*k", data = "ramp", offset = 0, cold = true').argument("p").fields[0]
    assert bias.offset == 0 and bias.argument.conditions == Conditions(None, Ramp(), True)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('read = "k"', 'read = "k", offset = -1', "offset of `a` is a number of bytes, 0 to 4095"),
        ('read = "k"', 'read = "k", offset = 4096', "0 to 4095"),
        ('read = "k"', 'read = "k", offset = true', "0 to 4095"),
        ('read = "k"', 'read = "k", offset = "3"', "0 to 4095"),
        ('read = "k"', 'read = "k", align = 16, offset = 3', "offset of `a` is 3, but the contract promises 16-byte"),
        ('write = "4*k"', 'write = "4*k", offset = 2', "promises 4-byte alignment"),
        ('read = "k"', 'read = "k", cold = 1', "cold of `a` is true or false"),
        ('read = "k"', 'read = "k", data = "slope"', 'data of `a` is "ramp", a table such as'),
        ('read = "k"', 'read = "k", data = "x.txt"', "a file that ends in .npy or .bin"),
        ('read = "k"', 'read = "k", data = {}', 'data of `a` is "ramp"'),
        ('read = "k"', 'read = "k", data = 3', 'data of `a` is "ramp"'),
        ('read = "k"', 'read = "k", data = { begin = 3 }', "has no key `begin`"),
        ('read = "k"', 'read = "k", data = { start = 1.5 }', "start in data of `a` is a whole number"),
        ('read = "k"', 'read = "k", data = { step = "1" }', "step in data of `a` is a whole number"),
        ('read = "k"', 'read = "k", data = { start = 128 }', "start in data of `a` is within its range, [-127, 127]"),
        ('write = "4*k"', 'write = "4*k", data = "ramp"', "`c` has `data`, but no plain elements that are read"),
        ("fields = {", 'data = "ramp", fields = {', "`p` has `data`, but no plain elements"),
        ("range = [16, 4096]", "range = [16, 4096], offset = 3", "has no key `offset`"),
    ],
)
def test_what_cannot_be_is_refused_at_its_line(old: str, new: str, words: str) -> None:
    with pytest.raises(ContractError) as caught:
        read(old, new)
    assert words in str(caught.value) and str(caught.value).startswith("folder/mul.S:"), caught.value


def test_two_pointers_that_are_one_lie_where_either_says() -> None:
    text = TEXT.replace("[args]", 'alias = ["c", "a"]\n[args]').replace("const int8_t *a", "const int32_t *a")
    text = text.replace('read = "k", range = [-127, 127]', 'read = "4*k", offset = 8, cold = true, data = "ramp"')
    contract = parse_contract(text, "mul.S")
    assert contract is not None
    assert contract.argument("c").conditions == Conditions(offset=8, cold=True)
