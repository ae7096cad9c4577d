"""Find hints in the number of iterations that the run makes each time it enters the loop."""

from __future__ import annotations

from collections.abc import Iterator

from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study

_FEW = 16  # iterations an entry, below which a predictor can hardly learn the end and unrolling is at hand
_OFTEN = 4  # entries from which on the loop is one within another
_LEAST = 0.05  # of the cycles in the run


def short_trips(study: Study, spent: float, branches: float) -> Iterator[Hint]:
    """Yield a hint for a loop that is left so often that the mispredicted ends count.

    `spent` is the cycles of the run in the loop, of which `branches` went to branches.
    """
    loop = study.loop
    trips = loop.iterations / loop.entries
    if loop.entries < _OFTEN or trips >= _FEW or branches < _LEAST * spent:
        return
    last = len(study.body) - 1
    text = (
        f"the loop runs {trips:.3g} iterations each time, and its mispredicted branch costs "
        f"{branches / loop.entries:.3g} of {spent / loop.entries:.3g} cycles: unroll it completely, or exchange it "
        "with the outer loop if that runs longer; in this run"
    )
    yield Hint("short-trips", study.lines([last]), text, spent / loop.iterations, (spent - branches) / loop.iterations)
