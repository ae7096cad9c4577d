"""Workers keep to the kernels that they have prepared, and help where most is left for each worker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from neonlab.lab.cluster.turns import Turns


def test_a_worker_gets_the_units_of_its_kernel_while_there_are_some() -> None:
    turns = Turns(["a", "a", "b", "b"], [None] * 4)
    assert turns.take() == 0
    turns.ended(0)
    assert [turns.take("a"), turns.take("a"), turns.take("a")] == [1, 2, 3] and turns.left == 0


def test_workers_begin_at_different_kernels_with_the_longest_units_first() -> None:
    turns = Turns(["a", "a", "b", "c"], [1.0, 3.0, 2.5, 9.0])
    assert [turns.take() for _ in range(4)] == [3, 1, 2, 0]


def test_a_worker_whose_kernel_is_done_helps_where_most_is_left_for_each_worker() -> None:
    turns = Turns(["a"] * 10 + ["b"] * 8, [1.0] * 18)
    assert [turns.take(), turns.take()] == [0, 10]  # one worker at each
    assert turns.take("c") == 1  # 9 s are left of a, 7 s of b
    assert turns.take("c") == 11  # 8 s for 3 workers, or 7 s for 2


@given(st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.floats(0, 9))), min_size=1, max_size=30))
def test_every_unit_has_its_turn_once_and_one_that_is_put_back_again(units: list[tuple[str, float | None]]) -> None:
    turns = Turns([kernel for kernel, _ in units], [seconds for _, seconds in units])
    first = turns.take()
    turns.ended(first)
    turns.put_back(first)
    taken = []
    while turns.left:
        taken.append(turns.take("b"))
    assert sorted(taken) == list(range(len(units)))
