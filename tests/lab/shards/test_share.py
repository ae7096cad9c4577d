"""Units are dealt to shards once each, alike on every machine, and evenly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonlab.errors import InputError
from neonlab.lab.cache.share import Share, share_named


@given(st.integers(1, 9), st.lists(st.integers(0, 1000).map(float), max_size=60))
def test_every_unit_is_dealt_once_and_no_shard_has_more_than_one_unit_too_much(of: int, weights: list[float]) -> None:
    dealt = [Share(number, of).deal(weights) for number in range(1, of + 1)]
    assert sorted(unit for mine in dealt for unit in mine) == list(range(len(weights)))
    loads = [sum(weights[unit] for unit in mine) for mine in dealt]
    assert max(loads) - min(loads) <= max(weights, default=0.0)


def test_units_of_equal_weight_go_round() -> None:
    assert [Share(number, 3).deal([40.0] * 8) for number in (1, 2, 3)] == [[0, 3, 6], [1, 4, 7], [2, 5]]


def test_the_heaviest_unit_is_alone_where_the_others_are_light() -> None:
    assert Share(1, 2).deal([1.0, 1.0, 9.0, 1.0]) == [2] and Share(2, 2).deal([1.0, 1.0, 9.0, 1.0]) == [0, 1, 3]


def test_a_share_is_named_by_two_numbers() -> None:
    assert share_named("2/8") == Share(2, 8) and str(Share(2, 8)) == "2/8"


@pytest.mark.parametrize("text", ["9/8", "0/8", "1", "1/0", "-1/2", "1/2/3", "a/b", "1/99999", ""])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="such as 2/8"):
        share_named(text)
