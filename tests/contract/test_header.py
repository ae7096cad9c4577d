"""The contract block: what it must say, and how each mistake in it is answered."""

from __future__ import annotations

import pytest

from neonlab.contract.header import ContractError, parse_contract
from neonlab.isa.c.procedure_call import FloatAbi
from neonlab.isa.model.isa import Isa

A64 = """// a comment first is fine
/*toml
summary   = "c = a * b"
prototype = "void (const int8_t *a, int32_t *c, size_t k)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 16
[args]
a = { reg = "x0", read = "k", range = [-127, 127] }
c = { reg = "x1", write = "4*k", layout = "row" }
k = { reg = "x2", range = [16, 4096], step = 16 }
[counts]
macs = "k"
*/
"""
A32 = """/*toml
summary   = "wide"
prototype = "int32_t f(int8_t *p, int64_t n, float s, double t)"
isa       = ["armv7-a", "neon"]
float_abi = "{abi}"
[args]
p = {{ reg = "r0", read = "n" }}
n = {{ reg = "r2:r3", range = [1, 9] }}
s = {{ reg = "{s}", range = [0.5, 2] }}
t = {{ reg = "{t}" }}
*/
"""


def test_a_contract_reads_back_every_field_it_states() -> None:
    contract = parse_contract(A64, "asm/armv8/mul.S")
    assert contract is not None
    assert (contract.name, contract.isa, contract.stack, contract.line) == ("mul", Isa.A64, 16, 2)
    assert {"neon", "dotprod", "rdm"} <= contract.features and "i8mm" not in contract.features
    a, c, k = contract.arguments
    assert (a.dtype.name, a.value_range, a.read and a.read.evaluate({"k": 48})) == ("int8", (-127, 127), 48)
    assert (c.dtype.name, c.write and c.write.evaluate({"k": 48}), c.layout) == ("int32", 192, "row")
    assert (k.value_range, k.step, str(k.location)) == ((16, 4096), 16, "x2")
    assert contract.macs is not None and contract.macs.evaluate({"k": 32}) == 32


@pytest.mark.parametrize(("abi", "s", "t"), [("hard", "s0", "d1"), ("soft", "stack+0", "stack+8")])
def test_a32_places_floats_by_the_float_abi(abi: str, s: str, t: str) -> None:
    contract = parse_contract(A32.format(abi=abi, s=s, t=t), "x.S")
    assert contract is not None and contract.float_abi is FloatAbi(abi)
    assert str(contract.argument("t").location) == t


def test_a_file_without_a_block_has_no_contract() -> None:
    assert parse_contract("    .text\nf: ret\n", "x.S") is None


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('reg = "x0"', 'reg = "x3"', 8, "arrives in x0"),
        ('read = "k"', 'read = "n"', 8, "uses `n`"),
        ('read = "k"', 'read = "k**2"', 8, "not allowed"),
        ('read = "k"', 'read = "k("', 8, "not an expression"),
        (', write = "4*k"', "", 9, "neither `read` nor `write`"),
        ('read = "k"', 'write = "k"', 8, "says const"),
        ("range = [-127, 127]", "range = [-129, 127]", 8, "within int8"),
        ("range = [-127, 127]", "range = [127, -127]", 8, "[lowest, highest]"),
        ("range = [16, 4096], ", "", 10, "no `range`"),
        ("step = 16", "step = 0", 10, "whole number from 1"),
        ("step = 16", "stop = 16", 10, "did you mean `step`"),
        ("stack     = 16", "stack     = -1", 6, "number of bytes"),
        ('"neon", "dotprod"', '"neon", "dotprd"', 5, "did you mean `dotprod`"),
        ('"armv8.2-a"', '"arm64"', 5, "architecture such as"),
        ("const int8_t *a", "const int8_t *", 4, "no name"),
        ("size_t k)", "size_t k, ...)", 4, "variadic"),
        ("size_t k)", "size_t k, int z)", 7, "has no table for `z`"),
        ("const int8_t *a, ", "", 8, "prototype does not have"),
        ('summary   = "c = a * b"', "", 2, "`summary` is missing"),
        ("stack     = 16", "stack     = = 16", 6, "not TOML"),
        ('layout = "row"', 'dtype = "int3"', 9, "dtype of `c` is one of"),
        ('layout = "row"', 'dtype = "int16"', 9, "not the size"),
        ('layout = "row"', "align = 3", 9, "power of two"),
        ('macs = "k"', 'macs = "q"', 12, "uses `q`"),
        ("*/", "", 2, "no `*/` closes it"),
        ("[args]", 'modular = ["lines:5-1"]\n[args]', 7, "`lines:5-1` names no line"),
        ("[args]", 'modular = ["lines:0-1"]\n[args]', 7, "`lines:0-1` names no line"),
        ("[args]", f"{'.'.join('x' * 3000)} = 1\n[args]", 3, "a line of 6003 characters"),
        ("[args]", "#\n" * 100_000 + "[args]", 3, "characters; at most 200000 are allowed"),
        ("const int8_t *a", f"const int8_t {'*' * 9}a", 4, "pointers more than 8 deep"),
        ("const int8_t *a", f"const int8_t {'*' * 3000}a", 4, "deep"),
    ],
)
def test_a_mistake_is_refused_at_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in A64
    with pytest.raises(ContractError) as caught:
        parse_contract(A64.replace(old, new), "mul.S")
    message = str(caught.value)
    assert message.startswith(f"mul.S:{line}:"), message
    assert words in message, message


@pytest.mark.parametrize(("k", "words"), [(15, "outside"), (4097, "outside"), (24, "step")])
def test_values_outside_range_or_off_step_are_refused(k: int, words: str) -> None:
    contract = parse_contract(A64, "mul.S")
    assert contract is not None
    contract.check_values({"k": 32})
    with pytest.raises(ContractError, match=words):
        contract.check_values({"k": k})
