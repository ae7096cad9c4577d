"""Every order of a small loop in two stages, and when the model of a core runs the instructions of one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.cost import loop_schedule
from neonlab.optimize.exploration import control_of
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.dependence import edges_of, places_of

_ITERATIONS = 6


def every_order(code: LoopCode) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield each legal order, and which instructions run ahead in it, found by trying all."""
    count = len(code.body)
    edges = list(edges_of([step.instruction for step in code.body], places_of(code)))
    for stages in itertools.product((0, 1), repeat=count):
        rounds = [(one.earlier, one.later, one.distance + stages[one.later] - stages[one.earlier]) for one in edges]
        if any(apart < 0 for *_, apart in rounds) or (0 in stages and any(stages[one] for one in control_of(code))):
            continue
        before = [{one for one, other, apart in rounds if other == at and apart == 0} for at in range(count)]
        for sequence in _grown(before, []):
            yield tuple(sequence), tuple(one for one in sequence if not stages[one])


def _grown(before: Sequence[set[int]], done: list[int]) -> Iterator[list[int]]:
    if len(done) == len(before):
        yield done
    for one in range(len(before)):
        if one not in done and before[one] <= {*done}:
            yield from _grown(before, [*done, one])


@dataclass(frozen=True)
class Times:
    """The cycles of an iteration, and those in which each instruction is issued and begins its work."""

    cycles: int
    starts: list[int]
    works: list[int]


def times_of(code: LoopCode, sequence: Sequence[int], core: PipelineCore) -> Times | None:
    """Return when the model runs each instruction; None where its iterations do not all take the same times.

    An iteration begins in the cycle behind that of the branch of the one before.
    """
    body = tuple(code.body[at] for at in sequence)
    rows = loop_schedule(replace(code, body=body).instructions, core, _ITERATIONS).rows
    length = len(body) + 1
    ends = [rows[at].dispatched for at in range(length - 1, len(rows), length)]
    cycles = ends[1] - ends[0]
    starts, works = [0] * len(body), [0] * len(body)
    for place, at in enumerate(sequence):
        for round_, end in enumerate(ends[:-1]):
            row = rows[(round_ + 1) * length + place]
            found = row.dispatched - end - 1, row.issued - end - 1
            if round_ and found != (starts[at], works[at]):
                return None
            starts[at], works[at] = found
    return Times(cycles, starts, works) if {b - a for a, b in itertools.pairwise(ends)} == {cycles} else None
