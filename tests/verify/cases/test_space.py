"""Ask a space for the shapes that a contract allows, and for their cost."""

from __future__ import annotations

import pytest

from neonlab.contract.header import Contract, parse_contract
from neonlab.measure.shape import Shape
from neonlab.verify.cases.sizes import Role
from neonlab.verify.cases.space import Space

TEXT = """/*toml
summary   = "a test"
prototype = "void (const int8_t *a, int8_t *c, size_t n, size_t m, size_t pitch, int zero)"
isa       = ["armv8.0-a", "neon"]
[args]
a     = {{ reg = "x0", read = "{read}" }}
c     = {{ reg = "x1", write = {{ rows = "m", bytes = "n", pitch = "pitch" }} }}
n     = {{ reg = "x2", range = [{low}, 4096] }}
m     = {{ reg = "x3", range = [1, 64], step = 3 }}
pitch = {{ reg = "x4", range = [1, 262144] }}
zero  = {{ reg = "x5", range = [-8, 7] }}
*/
"""


def contract(read: str = "n*m", low: int = 0) -> Contract:
    found = parse_contract(TEXT.format(read=read, low=low), "k.S")
    assert found is not None
    return found


def test_dimensions_are_the_integers_but_the_pitches_and_numbers_are_known_as_such() -> None:
    dimensions = Space(contract()).dimensions
    assert [(d.name, d.low, d.high, d.step, d.role) for d in dimensions] == [
        ("n", 0, 4096, 1, Role.LENGTH),
        ("m", 1, 64, 3, Role.LENGTH),
        ("zero", -8, 7, 1, Role.NUMBER),
    ]


def test_a_shape_is_placed_with_a_pitch_and_its_work() -> None:
    space = Space(contract())
    placed = space.place((5, 7, -3))
    assert placed is not None and placed.shape["pitch"] >= 5
    assert (placed.macs, placed.bytes, placed.work) == (0, 70, 70)
    assert space.place((5, 8, 0)) is None  # not on the step
    assert space.place((5000, 7, 0)) is None


@pytest.mark.parametrize(("read", "least"), [("n*m", (1, 1, 0)), ("n-9", (9, 1, 0)), ("n-2*m", (2, 1, 0))])
def test_the_least_shape_is_the_smallest_that_every_size_allows(read: str, least: tuple[int, ...]) -> None:
    assert Space(contract(read)).least == least


def test_a_pitch_is_once_wider_than_16_bits() -> None:
    (shape,) = Space(contract()).far_apart()
    assert shape["pitch"] > 1 << 16 and shape["m"] > 1
    assert isinstance(shape, Shape)


def test_no_shape_is_found_where_none_fits() -> None:
    assert Space(contract("n-5000")).least is None
