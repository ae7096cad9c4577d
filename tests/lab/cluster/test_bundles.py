"""Short units of a kernel are sent together, until little is left; one whose worker ended runs alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from neonlab.lab.cluster.bundles import Bundles
from neonlab.lab.cluster.turns import Turns


def bundles(kernels: str, seconds: float | None, workers: int = 2) -> Bundles:
    known = [seconds] * len(kernels)
    return Bundles(Turns(kernels, known), kernels, known, lambda: workers)


def test_short_units_go_together_fewer_of_them_towards_the_end() -> None:
    work, sizes = bundles("a" * 100, 0.01), []
    while work.turns.left:
        sizes.append(len(work.take("a")))
    assert sizes[0] == 24 and sizes == sorted(sizes, reverse=True) and sizes[-1] == 1 and sum(sizes) == 100


def test_units_sent_together_take_a_second_at_most() -> None:
    assert len(bundles("a" * 1000, 0.3).take()) == 3
    assert len(bundles("a" * 1000, 2.0).take()) == 1
    assert len(bundles("a" * 1000, 0.0001).take()) == 64


def test_a_unit_of_unknown_length_goes_alone_until_one_of_its_kernel_has_ended() -> None:
    work = bundles("a" * 100 + "b" * 100, None)
    (first,) = work.take()
    (other,) = work.take()
    assert {work.kernels[first], work.kernels[other]} == {"a", "b"}
    work.ended(first, 0.0625)
    assert len(work.take("a")) == 16 and len(work.take("b")) == 1


def test_units_whose_workers_ended_run_alone_after_all_others_and_are_then_to_blame() -> None:
    work = bundles("a" * 100, 0.01)
    together = work.take("a")
    assert len(together) > 1 and work.suspect(together) and work.left == 100
    others = []
    while not work.is_alone:
        others += work.take("a")
    assert sorted([*others, *together]) == list(range(100))
    left = [work.take("a") for _ in together]
    assert sorted(one for [one] in left) == sorted(together) and work.left == 0
    work.put_back(left[0])  # its result was lost: it runs alone again
    assert work.left == 1 and work.is_alone and work.take() == left[0]
    assert not work.suspect(left[0])
    work.ended(left[0][0], None)


def test_units_whose_results_were_lost_go_together_again() -> None:
    work = bundles("a" * 100, 0.01)
    together = work.take("a")
    work.put_back(together)
    assert work.left == 100 and not work.is_alone
    sent = []
    while work.left:
        sent.append(work.take("a"))
    assert sorted(one for few in sent for one in few) == list(range(100)) and len(sent[0]) > 1


@given(st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.floats(0, 2))), min_size=1, max_size=80))
def test_every_unit_is_sent_once_with_others_of_its_kernel_alone(units: list[tuple[str, float | None]]) -> None:
    kernels, seconds = [kernel for kernel, _ in units], [known for _, known in units]
    work = Bundles(Turns(kernels, seconds), kernels, seconds, lambda: 2)
    sent = []
    while work.turns.left:
        together = work.take("b")
        assert len({kernels[one] for one in together}) == 1
        for one in together:
            work.ended(one, 0.1)
        sent += together
    assert sorted(sent) == list(range(len(units)))
