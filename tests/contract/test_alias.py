"""Pointers that callers pass the same address: what a contract may say, and the buffers that a call gets."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.contract.header import Contract, parse_contract
from neonlab.emulate.guest.buffer import Buffer
from neonlab.errors import ContractError
from neonlab.measure.shape import Shape
from neonlab.verify.cases.call_arguments import call_arguments
from neonlab.verify.cases.generated import generated_case

TEXT = """/*toml
summary   = "output[i] = ~input[i]"
prototype = "void (const uint8_t *input, uint8_t *output, const int32_t *wide, size_t n)"
isa       = ["armv8.0-a", "neon"]
alias     = ALIAS
[args]
input  = { reg = "x0", read = "n", align = 4 }
output = { reg = "x1", write = "n" }
wide   = { reg = "x2", read = "4*n" }
n      = { reg = "x3", range = [1, 64] }
*/
"""


def contract(alias: str) -> Contract:
    found = parse_contract(TEXT.replace("ALIAS", alias), "armv8/f.S")
    assert found is not None
    return found


@pytest.mark.parametrize("alias", ['["output", "input"]', '["input", "output"]'])
def test_both_names_are_one_buffer_that_holds_the_input(alias: str) -> None:
    found = contract(alias)
    assert found.alias == ("output", "input")
    case = generated_case(found, Shape(("n",), (9,)), "random", 1)
    assert set(case.inputs) == {"input", "wide"}
    first, second, wide, _ = call_arguments(found, case)
    assert first is second
    assert first is not wide
    assert isinstance(first, Buffer) and first.writable
    assert np.array_equal(first.contents(), case.inputs["input"])
    assert found.by_name["output"].align == 4


def test_without_it_no_buffer_is_passed_twice() -> None:
    found = contract("[]")
    case = generated_case(found, Shape(("n",), (9,)), "random", 1)
    assert len({id(value) for value in call_arguments(found, case)[:3]}) == 3


@pytest.mark.parametrize(
    ("alias", "message"),
    [
        ('"output"', "alias is a list of two pointer arguments"),
        ("[1, 2]", "alias is a list of two pointer arguments"),
        ('["output", "inptu"]', "alias: the pointer argument `inptu` is not known; did you mean `input`?"),
        ('["output", "n"]', "alias: the pointer argument `n` is not known"),
        ('["output", "output"]', "alias names two different arguments"),
        ('["output", "input", "wide"]', "alias names two different arguments"),
        ('["input", "wide"]', "one argument has `write` and no `read`"),
        ('["output", "wide"]', "`output` and `wide` are the same bytes: `write = n` and `read = 4*n` must be alike"),
    ],
)
def test_bad_values_are_refused_with_their_line(alias: str, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        contract(alias)
    assert str(caught.value).startswith("armv8/f.S:5: contract: ")
    assert message in str(caught.value)
