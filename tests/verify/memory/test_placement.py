"""Where buffers lie: in checks no better than promised, in measurements as the contract says to measure."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.contract.header import Contract, parse_contract
from neonlab.emulate.guest.buffer import Buffer
from neonlab.verify.memory.placement import measured_placement, place_arguments, place_measured


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
