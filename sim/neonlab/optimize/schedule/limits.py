"""Collect what holds for every order of a loop on a core that issues in order, by its table: a relaxation of its model.

Each instruction is issued in one cycle of an iteration, and begins its work then or later, where NEON instructions wait
in a queue.  A branch that is taken ends its cycle, so an iteration has cycles of its own for what it issues.  What
stands here are conditions that every order meets which the model runs with the same times in all iterations.  They are
fewer than the model has: fetch is left out, and each set of ports has room enough, whichever of them is picked.

`tests/optimize/schedule/test_limits.py` holds orders as they run on the model against them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.bounds import (
    VECTOR_PLACES,
    dispatch_bound,
    issue_bound,
    length_of,
    port_bound,
    width_of,
)
from neonlab.measure.pipeline.program import CompiledProgram, compile_instructions
from neonlab.measure.pipeline.state import ALWAYS, FIRST_VECTOR, FLAG_REGISTER, FORWARDED, SIMILAR, TURN
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.dependence import Edge, edges_of, places_of

_RESULTS_AHEAD = 30  # cycles for which the model keeps places of results
_FUSED = "aes"  # what is timed otherwise behind another instruction


@dataclass(frozen=True, slots=True)
class Wait:
    """Instruction `later` runs at least `cycles` behind `earlier` of the iteration `distance` before it.

    `from_work` and `to_work` say that the time of its work is meant, not that of its issue.
    """

    earlier: int
    later: int
    distance: int
    from_work: bool
    to_work: bool
    cycles: int


@dataclass(frozen=True, slots=True)
class Taken:
    """An instruction takes `amount` for `cycles` cycles, from `after` cycles behind its issue, or its work."""

    at: int
    of_work: bool
    after: int
    cycles: int
    amount: int


@dataclass(frozen=True, slots=True)
class Limit:
    """In no cycle is more taken than `most`."""

    most: int
    taken: tuple[Taken, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Hold the conditions for a loop whose branch, number `count`, is issued in the last cycle of an iteration.

    `edges` keep the order of what is issued.  `queued` are the instructions that wait in the queue of NEON
    instructions, which has `queue` places, and begin in turn; `behind` are loads that pass none of them, one a cycle.
    `first` are those that are issued as the first of a cycle.
    """

    count: int
    edges: tuple[Edge, ...]
    waits: tuple[Wait, ...]
    limits: tuple[Limit, ...]
    queue: int
    queued: frozenset[int]
    behind: frozenset[int]
    first: frozenset[int]


def fewest_cycles(code: LoopCode, core: PipelineCore) -> float:
    """Return the cycles that an iteration of the kernel's loop takes at least, in any order, on an in-order core.

    They are those of its ports, or those that it issues something in.  0 says that none are known.
    """
    if not core.in_order or _fuses(code):
        return 0.0
    compiled = compile_instructions(code.instructions, core)
    once = np.ones(len(compiled.code), np.int64)
    packed = float(math.ceil(issue_bound(compiled, once, core)))
    return max(port_bound(compiled, once), dispatch_bound(compiled, once, core), packed) / code.times


def limits_of(code: LoopCode, core: PipelineCore) -> Limits | None:
    """Return the conditions for the orders of a loop; None where they might forbid what the model does."""
    compiled = compile_instructions(code.instructions, core)
    rows = compiled.code
    if not core.in_order or _fuses(code) or rows["slots"].min() < 1 or not all(map(_is_plain, _uses_of(compiled))):
        return None
    count = len(code.body)
    queued = frozenset(at for at in range(count) if core.queue > 0 and rows["neon"][at])
    results = _results(compiled, core, queued) if _keeps_places(compiled, core, queued) else []
    return Limits(
        count,
        tuple(edges_of([step.instruction for step in code.body], places_of(code))),
        tuple(_waits(compiled, queued)),
        (*_issued(compiled, core), *_ports(compiled, queued), *results),
        core.queue,
        queued,
        _behind(compiled) if queued else frozenset(),
        frozenset(at for at in range(count) if rows["leads"][at]),
    )


def _fuses(code: LoopCode) -> bool:
    """Tell whether the timing of an instruction may depend on the one before it, and so on the order."""
    return any(step.instruction.mnemonic.lower().startswith(_FUSED) for step in code.body)


def _issued(compiled: CompiledProgram, core: PipelineCore) -> list[Limit]:
    """Return what cycles have room for: slots, work on vector registers, one instruction that must be the first."""
    rows = range(len(compiled.code))
    slots = [Taken(at, False, 0, length_of(compiled, core, at), width_of(compiled, core, at)) for at in rows]
    vectors = [
        Taken(at, False, 0, 1, min(VECTOR_PLACES, int(compiled.code["vectors"][at])))
        for at in rows
        if compiled.code["vectors"][at]
    ]
    leads = [Taken(at, False, 0, 1, 1) for at in rows if compiled.code["leads"][at]]
    return [Limit(core.width, tuple(slots)), Limit(VECTOR_PLACES, tuple(vectors)), Limit(1, tuple(leads))]


def _uses_of(compiled: CompiledProgram) -> list[list[tuple[int, int]]]:
    """Return the uses of each instruction that any port can do at all."""
    return [[use for use in compiled.uses_of(at).tolist() if use[0]] for at in range(len(compiled.code))]


def _is_plain(uses: Sequence[tuple[int, int]]) -> bool:
    """Tell whether sets of ports are alike or have none in common: no use can take the only port of another."""
    return all(one == other or not one & other for one, _ in uses for other, _ in uses)


def _ports(compiled: CompiledProgram, queued: frozenset[int]) -> list[Limit]:
    """Return the work that only a set of ports can do, for each set that matters."""
    taken: dict[int, list[Taken]] = {}
    for at, uses in enumerate(_uses_of(compiled)):
        for ports in sorted({ports for ports, _ in uses}):
            cycles = [length for mask, length in uses if mask == ports]
            width = ports.bit_count()
            if width == 1:  # one behind the other
                found = [Taken(at, at in queued, 0, sum(cycles), 1)]
            elif len(cycles) > width:  # each port does one at least
                found = [Taken(at, at in queued, 0, min(cycles), width)]
            else:
                found = [Taken(at, at in queued, 0, length, 1) for length in cycles]
            taken.setdefault(ports, []).extend(found)
    unions = {0}
    for ports in taken:
        unions |= {ports | other for other in unions}
    return [
        Limit(union.bit_count(), tuple(one for ports in parts for one in taken[ports]))
        for union in sorted(unions)
        if _is_joined(parts := [ports for ports in taken if not ports & ~union], union)
    ]


def _is_joined(parts: Sequence[int], union: int) -> bool:
    """Tell whether sets of ports make up the union, each with some in common with those before it."""
    seen = parts[0] if parts else 0
    while True:
        more = seen
        for ports in parts:
            if ports & more:
                more |= ports
        if more == seen:
            return bool(union) and seen == union
        seen = more


def _results(compiled: CompiledProgram, core: PipelineCore, queued: frozenset[int]) -> list[Limit]:
    """Return the results that vector registers take in a cycle; of those that are loaded, one every other cycle."""
    taken = []
    for at, row in enumerate(compiled.code):
        writes = compiled.writes_of(at)
        if core.results > 0 and row["halves"]:
            halves = min(int(row["halves"]), core.results)
            taken.append(Taken(at, at in queued, int(writes[0]["latency"]), 1, halves))
        if row["loaded"]:
            last = int(next(one for one in writes if not one["aside"])["latency"])
            pieces = range(min(int(row["loaded"]), last // 2 + 1))
            taken += [Taken(at, at in queued, last - 2 * piece, 1, min(2, core.results)) for piece in pieces]
    return [Limit(core.results, tuple(taken))]


def _keeps_places(compiled: CompiledProgram, core: PipelineCore, queued: frozenset[int]) -> bool:
    """Tell whether the model keeps the place of each result: that it is never so far ahead that it does not.

    An instruction begins at most `wait` cycles behind the issue of the one before it and all work of those before that:
    then operands and ports are there, it is fetched, and places are free.  Work in the queue may be ahead of issue by
    as many waits as the queue has places.
    """
    latest = int(compiled.writes["latency"].max(initial=0))
    ports = max((sum(cycles for _, cycles in uses) for uses in _uses_of(compiled)), default=0)
    issue = max(length_of(compiled, core, at) for at in range(len(compiled.code)))
    fetch = 1 + max(core.taken_bubble, core.loop_bubble, core.far_bubble)
    wait = max(latest, ports, issue, fetch) + 1 + 2 * int(compiled.code["loaded"].max())
    return wait * (core.queue + 1 if queued else 1) + latest + 1 < _RESULTS_AHEAD


def _in_vectors(compiled: CompiledProgram, at: int) -> bool:
    return bool(compiled.code["vectors"][at] > 0)


def _behind(compiled: CompiledProgram) -> frozenset[int]:
    """Return the loads that pass nothing in the queue, if one port does them all, so that no two begin at once."""
    rows = compiled.code
    loads = [at for at in range(len(rows)) if rows["load"][at] and _in_vectors(compiled, at) and not rows["neon"][at]]
    ports = [{mask for mask, _ in uses if mask.bit_count() == 1} for uses in (_uses_of(compiled)[at] for at in loads)]
    return frozenset(loads) if ports and set.intersection(*ports) else frozenset()


def _waits(compiled: CompiledProgram, queued: frozenset[int]) -> list[Wait]:
    """Return how long each instruction waits for what wrote last what it reads: no order changes which that is."""
    last = len(compiled.code) - 1
    writers: dict[int, list[int]] = {}
    for at in range(last):
        for number in {int(one["register"]) for one in compiled.writes_of(at)}:
            writers.setdefault(number, []).append(at)
    found: dict[tuple[int, int, int, bool, bool], int] = {}
    for at in range(last + 1):
        for read in compiled.reads_of(at):
            number = int(read["register"])
            known = writers.get(number, []) if number != TURN else []
            if not known or (at == last and len(known) > 1):  # which the branch reads is known where there is but one
                continue
            ahead = [one for one in known if one < at]
            earlier, distance = (ahead[-1], 0) if ahead else (known[-1], 1)
            write = next(one for one in reversed(compiled.writes_of(earlier)) if one["register"] == number)
            families = compiled.code["family"][earlier], compiled.code["family"][at]
            cycles = int(write["latency"]) - _early(read, write, similar=families[0] == families[1])
            in_queue = at in queued and FIRST_VECTOR <= number != FLAG_REGISTER
            for to_work in (True,) if in_queue or at not in queued else (True, False):
                key = (earlier, at, distance, earlier in queued and not write["aside"], to_work and at in queued)
                found[key] = max(found.get(key, cycles), cycles)
    return [Wait(*key, cycles) for key, cycles in found.items()]


def _early(read: np.void, write: np.void, *, similar: bool) -> int:
    """Return the cycles by which a result is looked at early, as `neonlab.measure.pipeline.in_order` has it."""
    late = int(read["late"])
    if read["how"] == FORWARDED:
        return min(late, int(write["forwards"]))
    assert read["how"] >= ALWAYS
    return late if read["how"] != SIMILAR or similar else 0
