"""The field of 2^61 - 1, against integers of Python, and the points that are drawn in it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from neonlab.prove.expressions import field
from neonlab.prove.expressions.field import PRIME

_SEED = 3
_EDGES = (0, 1, 2, PRIME - 1, PRIME - 2, 1 << 32, (1 << 32) - 1, 1 << 29, (1 << 29) - 1, 1 << 60, PRIME >> 1)


def _numbers() -> list[int]:
    rng = random.Random(_SEED)
    return [*_EDGES, *(rng.randrange(PRIME) for _ in range(60))]


def test_sums_products_and_negatives_are_those_of_integers_modulo_the_prime() -> None:
    for x in _numbers():
        assert int(field.minus(np.uint64(x))) == -x % PRIME
        for y in _numbers():
            assert int(field.times_modulo(np.uint64(x), np.uint64(y))) == x * y % PRIME
            assert int(field.plus_modulo(np.uint64(x), np.uint64(y))) == (x + y) % PRIME


@pytest.mark.parametrize("number", [0, 1, -1, PRIME, -PRIME, PRIME + 5, (1 << 63) - 1, -(1 << 63) + 1, -(1 << 61)])
def test_numbers_with_a_sign_have_their_residue(number: int) -> None:
    assert int(field.residue(number)) == number % PRIME


def test_inverses_are_those_of_integers() -> None:
    for x in _numbers():
        if x:
            assert int(field.inverse_modulo(np.uint64(x))) == pow(x, -1, PRIME)


def test_points_follow_from_the_seed_and_differ_for_others() -> None:
    drawn = field.points(b"a", 0, 1000)
    assert np.array_equal(drawn, field.points(b"a", 0, 1000))
    others = [field.points(b"b", 0, 1000), field.points(b"a", 1000, 1000)]
    every = np.concatenate([drawn.reshape(-1), *(one.reshape(-1) for one in others)])
    assert len(np.unique(every)) == every.size
    assert int(every.max()) < PRIME
    # Of 6000 numbers the mean is within 5 deviations of the middle.
    assert abs(every.mean() / PRIME - 0.5) < 5 * math.sqrt(1 / 12 / every.size)


def test_the_error_is_that_of_all_pairs_at_two_points() -> None:
    exact = math.log2(1000**2 / 2 * (3 / PRIME) ** 2)
    assert field.log2_error(1000, 3) == pytest.approx(exact)
    assert field.log2_error(1001, 3) > field.log2_error(1000, 3) < field.log2_error(1000, 4)
