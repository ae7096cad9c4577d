"""Between the calls of one kernel every bit of every pointer changes, and every buffer comes to a boundary."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
from tests.verify.small_kernels import drawn_arguments, kernel

from neonlab.emulate.guest.noise import Noise
from neonlab.emulate.run import Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.uninitialised.observed import ObservedPart, Setting, World

BOTH = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
COUNTS = pytest.mark.parametrize("count", [1, 2, 3])
_RETURNS = {Isa.A64: "ret", Isa.A32: "bx lr"}
_BITS = {Isa.A64: 48, Isa.A32: 32}
#: Where a boundary is, for addresses as they are and for their lower halves with a sign.
_UNIT = 1 << 31
_TURNS, _SIZES = range(1, 41), range(2, 14)
Addresses = Mapping[str, int]


@cache
def placed(isa: Isa, count: int) -> tuple[tuple[int, Addresses, Addresses], ...]:
    """Return for each size and turn the addresses at home and elsewhere."""
    names = [f"p{number}" for number in range(count)]
    prototype = f"void k({', '.join(f'const uint8_t *{name}' for name in names)}, size_t n)"
    arguments = {**dict.fromkeys(names, 'read = "n"'), "n": f"range = [1, {max(_SIZES)}]"}
    program, contract, _ = kernel(isa, prototype, arguments, _RETURNS[isa])
    found = []
    for turn in _TURNS:
        home, away = World(program, contract), World(program, contract, frozenset(ObservedPart), turn % 4)
        for size in _SIZES:
            passed = tuple(drawn_arguments(contract, {"n": size}, size))
            settings = [Setting(passed, Noise.drawn(1), contract, moved, turn=turn)
                        for moved in (frozenset[ObservedPart](), frozenset(ObservedPart))]  # fmt: skip
            runs = [world.observed(one, 1, 100).outcome for world, one in zip((home, away), settings, strict=True)]
            here, there = (run.addresses for run in runs if isinstance(run, Run))
            found.append((size, dict(here), dict(there)))
        home.close()
        away.close()
    return tuple(found)


@pytest.mark.slow
@BOTH
@COUNTS
def test_each_bit_of_each_pointer_differs_in_some_call(isa: Isa, count: int) -> None:
    for name in placed(isa, count)[0][1]:
        differing = 0
        for _, here, there in placed(isa, count):
            differing |= here[name] ^ there[name]
        assert not [bit for bit in range(_BITS[isa]) if not differing >> bit & 1], name


@pytest.mark.slow(keep=1)
@BOTH
@COUNTS
def test_each_buffer_ends_at_a_boundary_and_lies_across_one(isa: Isa, count: int) -> None:
    for name in placed(isa, count)[0][1]:
        ends = [(there[name], there[name] + size) for size, _, there in placed(isa, count)]
        assert any(end % _UNIT == 0 for _, end in ends), name
        assert any(start // _UNIT < (end - 1) // _UNIT for start, end in ends), name
        if isa is Isa.A64:
            assert any(start >> 32 < end >> 32 for start, end in ends), name


@BOTH
@COUNTS
def test_every_two_buffers_are_in_the_other_order_in_each_call(isa: Isa, count: int) -> None:
    for _, here, there in placed(isa, count):
        assert sorted(here, key=lambda name: here[name]) == sorted(there, key=lambda name: -there[name])


@BOTH
def test_the_distance_of_two_buffers_changes_from_call_to_call(isa: Isa) -> None:
    distances = {there["p1"] - there["p0"] for _, _, there in placed(isa, 2)}
    assert len(distances) > len(placed(isa, 2)) // 2
