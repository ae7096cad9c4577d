"""Loads are kept apart in an order where that costs little, and the loop stays the same."""

from __future__ import annotations

import pytest
from tests.optimize.loops import CONTRACT, code_of_text
from tests.optimize.running import left_behind, written

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import Exploration
from neonlab.optimize.rewrites.unroll import UNROLLING
from neonlab.optimize.schedule.spread import apart, closeness, loads_of

TEXT = """
    ldr q0, [x0], #16
    ldr q1, [x1], #16
    add v2.16b, v0.16b, v1.16b
    sshll v3.8h, v2.8b, #1
    sshll2 v4.8h, v2.16b, #1
    sqxtn v3.8b, v3.8h
    sqxtn2 v3.16b, v4.8h
    smax v3.16b, v3.16b, v0.16b
    add v16.4s, v16.4s, v3.4s
    add v17.4s, v17.4s, v1.4s
    subs x3, x3, #1
    b.ne loop
"""


@pytest.mark.parametrize(
    ("sequence", "closer"),
    [((0, 2, 3, 1, 4, 5), 0.0), ((0, 1, 2, 3, 4, 5), 2 / 3), ((1, 2, 3, 4, 5, 0), 2 / 3), ((2, 3, 4, 5, 0), 0.0)],
)
def test_closeness_is_what_two_loads_lack_of_half_a_loop_between_them(sequence: tuple[int, ...], closer: float) -> None:
    assert closeness(sequence, frozenset({0, 1})) == pytest.approx(closer)
    costed = apart(lambda _: 100.0, frozenset({0, 1}), 100.0)
    assert costed(sequence) == pytest.approx(100 + 3 * closer)


@pytest.mark.slow
def test_a_search_puts_loads_apart_and_leaves_the_same() -> None:
    code = code_of_text(TEXT, Isa.A64, free=(5, 6, 7, 18, 19, 20, 21))
    assert loads_of(code) == {0, 1}
    exploration = Exploration(CONTRACT, load_pipeline("cortex-a53"), 1, lambda _steps, _cycles: True, UNROLLING)
    candidates = exploration.run(code, 1500)
    spread = [one for one in candidates if one.spread]
    assert spread and all(one.code.times > 1 for one in spread)
    plain = left_behind(f"loop:\n{TEXT}", Isa.A64, range(1, 10))
    for one in spread:
        dense = next(other for other in candidates if not other.spread and other.code.changes == one.code.changes)
        ours, theirs = (closeness(each.found.sequence, loads_of(each.code)) for each in (one, dense))
        assert ours < theirs, "seed 1"
        assert left_behind(written(TEXT, code, one.code, one.found), Isa.A64, range(1, 10)) == plain
