"""Units begin with the kernels whose units took longest, and those of one kernel stay together."""

from __future__ import annotations

from neonlab.lab.parallel.kept import longest_first


def test_units_that_are_not_known_come_first_and_then_the_longest() -> None:
    kernels = ["a", "b", "a", "c", "b"]
    assert longest_first(kernels, [1.0, 9.0, 2.0, None, 0.1]) == [3, 1, 4, 0, 2]
    assert longest_first(kernels, [None] * 5) == [0, 2, 1, 4, 3]
    assert longest_first([], []) == []
