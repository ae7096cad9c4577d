"""Which cases a kernel with nothing but a contract is tried on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from neonlab.contract.header import parse_contract
from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.check import check
from neonlab.lab.run.plan import LEAST_CASES, draw_case, layers_or_largest, parse_shape, plan_cases
from neonlab.measure.shape import NO_SIZES
from neonlab.sources.open import Code
from neonlab.verify.cases.case import Depth

HEAD = """/*toml
summary   = "a test"
prototype = "void (const int8_t *a, int8_t *c{prototype})"
isa       = ["armv8.0-a", "neon"]
[args]
a = {{ reg = "x0", read = {size} }}
c = {{ reg = "x1", write = {size} }}
{numbers}
*/
    .text
    .global k
k:
{code}
"""
COPY = """1:  ldrb w9, [x0], #1
    strb w9, [x1], #1
    subs x2, x2, #1
    b.ne 1b
    ret"""


def opened(folder: Path, size: str, numbers: dict[str, str], code: str = "ret") -> Kernel:
    kinds = "".join(f", {'ptrdiff_t' if '[-' in said else 'size_t'} {name}" for name, said in numbers.items())
    lines = [f'{name} = {{ reg = "x{2 + at}", {said} }}' for at, (name, said) in enumerate(numbers.items())]
    text = HEAD.format(prototype=kinds, size=size, numbers="\n".join(lines), code=code)
    path = folder / "k.S"
    path.write_text(text)
    contract = parse_contract(text, str(path))
    assert contract is not None
    return Kernel(Code(contract, path), None, None)


@pytest.mark.parametrize(
    ("size", "numbers"),
    [
        ("16", {}),
        ('"n"', {"n": "range = [16, 16]"}),
        ('"n"', {"n": "range = [16, 32], step = 16"}),
        ('"n"', {"n": "range = [1048576, 2097152]"}),
        ('"n"', {"n": "range = [1, 4096]"}),
    ],
)
def test_a_kernel_is_tried_on_many_cases_however_few_sizes_it_has(
    size: str, numbers: dict[str, str], tmp_path: Path
) -> None:
    kernel = opened(tmp_path, size, numbers)
    names = plan_cases(kernel)
    assert len(names) >= LEAST_CASES >= 40
    assert len({(name.shape, name.pattern, name.seed) for name in names}) == len(names)
    assert sum(name.depth is Depth.FULL for name in names) >= 20
    for name in names[:3]:
        assert parse_shape(kernel, str(name.shape)) == name.shape
        assert numbers or str(name.shape) == NO_SIZES


@pytest.mark.parametrize("ask", [plan_cases, layers_or_largest])
def test_sizes_that_the_lab_cannot_make_are_an_error_and_not_a_success(
    ask: Callable[[Kernel], object], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="nothing to check: there are no sizes that the contract's ranges allow"):
        ask(opened(tmp_path, '"n"', {"n": "range = [1073741824, 2147483648]"}))


def test_a_size_is_0_where_it_may_be(tmp_path: Path) -> None:
    verdict = check(opened(tmp_path, '"n"', {"n": "range = [0, 64]"}, COPY))
    assert [(failure.identifier, str(failure.shape)) for failure in verdict.failures] == [("oob-read", "0")]
    assert check(opened(tmp_path, '"n"', {"n": "range = [1, 64]"}, COPY)).faultless
    assert check(opened(tmp_path, '"n"', {"n": "range = [0, 64]"}, f"cbz x2, 2f\n{COPY}\n2:  ret")).faultless


def test_numbers_that_no_size_depends_on_take_all_of_their_range(tmp_path: Path) -> None:
    kernel = opened(tmp_path, '"n"', {"n": "range = [1, 64]", "zero": "range = [-128, 128], step = 4"})
    cases = [draw_case(kernel, name) for name in plan_cases(kernel)]
    seen = {case.integers["zero"] for case in cases}
    assert {-128, 0, 4, 128} <= seen
    assert len(seen) > 15
    assert all(number % 4 == 0 for number in seen)
    shape = parse_shape(kernel, "3x-128")
    assert shape.values() == {"n": 3, "zero": -128}


def test_a_size_is_as_large_as_it_may_be(tmp_path: Path) -> None:
    def sizes(said: str) -> set[int]:
        kernel = opened(tmp_path, '"n"', {"n": said})
        return {draw_case(kernel, name).integers["n"] for name in plan_cases(kernel)}

    assert {1, 2, 4096} <= sizes("range = [1, 4096]")
    assert {3, 8, 4098} <= sizes("range = [3, 4099], step = 5")
    few = f"{COPY.replace('x2', 'w2')}".replace("1:  ldrb", "and w2, w2, #1023\n1:  ldrb")
    verdict = check(opened(tmp_path, '"n"', {"n": "range = [1, 1024]"}, few))
    assert {(failure.identifier, str(failure.shape)) for failure in verdict.failures} == {("oob-read", "1024")}
