"""Where buffers lie: in checks no better than promised, in measurements as the contract says to measure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled

from neonlab.contract.header import Contract, parse_contract
from neonlab.emulate.guest.address_space import PAGE
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.memory.placement import (
    MIXED,
    measured_placement,
    mixed_placement,
    place_arguments,
    place_measured,
)


def contract(said: str) -> Contract:
    found = parse_contract(
        f"""/*toml
summary = "x"
prototype = "void (const int8_t *a, size_t n)"
isa = ["armv8.0-a"]
[args]
a = {{ reg = "x0", read = "n"{said} }}
n = {{ reg = "x1", range = [0, 4096] }}
*/
""",
        "f.S",
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("", (64, 0)),
        (", align = 16", (64, 0)),
        (", align = 256", (256, 0)),
        (", offset = 3", (64, 3)),
        (", align = 16, offset = 48", (64, 48)),
        (", align = 256, offset = 0", (256, 0)),
        (", offset = 64", (128, 64)),
        (", offset = 4093", (4096, 4093)),
    ],
)
def test_a_measured_buffer_lies_behind_a_line_of_a_cache(said: str, place: tuple[int, int]) -> None:
    one = contract(said)
    assert measured_placement(one.argument("a")) == place
    (placed, number) = place_measured(one, [Buffer("a", np.zeros(8, np.int8)), 8])
    assert isinstance(placed, Buffer) and (placed.alignment, placed.offset) == place and number == 8


def test_a_buffer_that_somebody_placed_stays_there() -> None:
    chosen = Buffer("a", np.zeros(8, np.int8), alignment=32, offset=5)
    (placed,) = place_measured(contract(", offset = 3"), [chosen])
    assert isinstance(placed, Buffer) and (placed.alignment, placed.offset) == (32, 5)


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_checks_place_buffers_the_same_whatever_is_said_of_measurements(turn: int) -> None:
    found = []
    for said in ("", ", offset = 3"):
        (placed,) = place_arguments(contract(said), [Buffer("a", np.zeros(8, np.int8))], turn)
        assert isinstance(placed, Buffer)
        found.append((placed.alignment, placed.offset))
    assert found[0] == found[1]


MIXES = range(256)


@pytest.mark.parametrize("align", [1, 2, 8, 16, 64, 256])
def test_a_mixed_buffer_is_aligned_as_promised_or_better(align: int) -> None:
    argument = contract(f", align = {align}").argument("a")
    places = {mixed_placement(argument, mix) for mix in MIXES}
    assert all(alignment % align == 0 and offset % align == 0 for alignment, offset in places)
    best = {math.gcd(alignment, offset) for alignment, offset in places}
    assert best >= {align << step for step in range(7) if align << step <= 64}
    assert {alignment for alignment, offset in places if not offset} == {max(64, align)}


@pytest.mark.parametrize("least", [1, 8])
def test_some_mixed_buffers_lie_across_the_end_of_a_page(least: int) -> None:
    argument = contract("").argument("a")
    before_the_end = {PAGE - offset for alignment, offset in (mixed_placement(argument, m, least) for m in MIXES)
                      if alignment == PAGE}  # fmt: skip
    assert before_the_end == {least, 3 * least, 5 * least, 7 * least}


def test_a_mixed_buffer_lies_where_it_should() -> None:
    one = contract("")
    pairs = set()
    with Machine(assembled(Isa.A64, "ret")) as machine:
        for turn in range(MIXED, 2 * MIXED):
            placed = place_arguments(one, [Buffer("a", np.zeros(8, np.int8)), 8], turn)
            (buffer, _) = placed
            assert isinstance(buffer, Buffer)
            run = machine.call("kernel", placed, one.signature)
            assert isinstance(run, Run) and (run.addresses["a"] - buffer.offset) % buffer.alignment == 0
            pairs.add((buffer.alignment, buffer.offset))
    assert len(pairs) > 10
