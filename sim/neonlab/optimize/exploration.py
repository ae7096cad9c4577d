"""Try rewrites of a loop and orders of what they make, and keep the cheapest.

Each rewrite is tried on the best loops so far; what it makes is ordered by a short search, and the cheapest few stay.
The rest of the steps goes to long searches on these.  The late rewrites, which make loops longer, get half of it.
Between rounds, temporaries get other registers along the order that was found, which leaves the next round more
freedom.  At the end, CP-SAT gets a part of the steps for the cheapest loop, if that is small enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from neonlab.contract.model import Contract
from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.cost import LoopCost
from neonlab.optimize.loop.dependence import edges_of, places_of
from neonlab.optimize.rewrites.every import REWRITES
from neonlab.optimize.rewrites.rewrite import Rewrite
from neonlab.optimize.schedule.exact import ExactSearch, is_installed, may_be_tried
from neonlab.optimize.schedule.limits import fewest_cycles
from neonlab.optimize.schedule.list_schedule import listed
from neonlab.optimize.schedule.order import Order
from neonlab.optimize.schedule.renaming import renamed
from neonlab.optimize.schedule.search import Found, Search
from neonlab.optimize.schedule.spread import apart, loads_of

_WIDTH = 4  # loops that stay between two rewrites
_SHORT = 0.02  # of the steps go to the order of each loop that a rewrite makes
_FINALISTS, _ROUNDS = 3, 3
_SPREAD, _SPREAD_FEW = 4, 3  # a part of what is left goes to so many loops with their loads apart
_LEAST_STEPS, _MOST_SHORT = 50, 400
_EXACT = 8  # a part of the steps goes to CP-SAT
_EPSILON = 1e-6

#: Says how many steps were made, and the fewest cycles so far; returns False to end the search.
Advance = Callable[[int, float], bool]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A changed loop in an order, and its cycles an iteration on the model.

    `plain` is the loop before its temporaries got other registers, in which further rewrites find what they look for.
    `spread` says that loads were kept apart in the order.  No order of the same instructions in the same registers, in
    two stages at most, that takes the same cycles in every iteration takes fewer than `steady`, 0 if none is known.
    """

    plain: LoopCode
    code: LoopCode
    found: Found
    cycles: float
    spread: bool = False
    steady: float = 0.0

    @property
    def key(self) -> tuple[float, int, int]:
        """Return what candidates are compared by: cycles, then how much is duplicated, then the size."""
        return round(self.cycles, 6), len(self.code.changes), len(self.code.body) + len(self.found.ahead)

    @property
    def body(self) -> tuple[Instruction, ...]:
        """Return the instructions of the loop in their order, without the branch."""
        return replace(self.code, body=tuple(self.code.body[at] for at in self.found.sequence)).instructions[:-1]


class Exploration:
    """Explores the loop of a kernel for one core."""

    def __init__(
        self, contract: Contract, core: PipelineCore, seed: int, advance: Advance,
        rewrites: Sequence[Rewrite] = REWRITES,
    ) -> None:  # fmt: skip
        self._contract, self._core = contract, core
        self._seed, self._advance, self._rewrites = seed, advance, rewrites
        self.tried, self.stopped = 0, False
        self._best, self._searches = float("inf"), 0
        self._spent = self._limit = 0  # orders that were costed, with what CP-SAT took; and how many may be
        self._seen: set[tuple[str, ...]] = set()

    def run(self, code: LoopCode, steps: int) -> list[Candidate]:
        """Return candidates, the cheapest first: the best of each set of changes."""
        own = steps // _EXACT if may_be_tried(code, self._core) and is_installed() else 0
        self._limit = steps - own
        candidates = self._searched_through(code, steps - own)
        self._limit = steps
        return self._exactly(candidates, own)

    @property
    def _left(self) -> int:
        """Return how many orders may still be costed; a search costs two before its first step."""
        return self._limit - self._spent - 2

    def _exactly(self, candidates: list[Candidate], steps: int) -> list[Candidate]:
        """Return candidates with what CP-SAT says of the cheapest, if that is small enough, the cheapest of all first.

        Steps that it leaves go to a search again.
        """
        best, *others = candidates
        least = fewest_cycles(best.code, self._core) + _EPSILON
        if steps < 1 or self.stopped or best.cycles <= least:
            return candidates
        made, left = best, steps
        if may_be_tried(best.code, self._core):
            made, used = self._asked(best, steps)
            left -= used
        if made.cycles > max(least, made.steady + _EPSILON) and left >= _LEAST_STEPS and not self.stopped:
            again = self._searched(made.plain, made.code, left, made)
            if again is not None and again.key < made.key:
                made = replace(made, found=again.found, cycles=again.cycles)
        return [made, *others]

    def _asked(self, best: Candidate, steps: int) -> tuple[Candidate, int]:
        """Return what CP-SAT makes of a candidate, and the steps that it took."""
        code = best.code
        order = order_of(code)
        order.put(best.found.sequence, best.found.ahead)

        def cost(sequence: Sequence[int]) -> float:
            return exact_cycles(code, sequence, self._core) * code.times

        search = ExactSearch(code, self._core, order, best.cycles * code.times, cost, self._seed)
        exact = search.run(steps, self._teller(code.times))
        self.tried += exact.costed
        self._spent += exact.steps
        made = replace(best, steady=exact.bound / code.times)
        if exact.found is not None:
            made = replace(made, found=exact.found, cycles=exact.found.cycles / code.times)
        return made, exact.steps

    def _searched_through(self, code: LoopCode, steps: int) -> list[Candidate]:
        """Return the best candidates of each set of changes after so many steps of searches, the cheapest first."""
        short = min(max(_LEAST_STEPS, int(_SHORT * steps)), _MOST_SHORT)
        late = [one for one in self._rewrites if one.late]
        early = [one for one in self._rewrites if not one.late]
        self._is_new(code)
        every = self._rewritten([self._ordered(code, short)], early, short)
        every += self._finalists(every, (steps // 2 if late else steps) - self.tried)
        if late and not self.stopped:
            stay = sorted(_best_of_each(every), key=lambda one: one.key)[:_WIDTH]
            made = self._rewritten(stay, late, short)[len(stay) :]
            every += made
            left = steps - self.tried
            every += self._finalists([*made, stay[0]], left - left // _SPREAD)
            every += self._spread(every, left // _SPREAD)
        return _best_of_each(every)

    def _spread(self, candidates: Sequence[Candidate], steps: int) -> list[Candidate]:
        """Return the cheapest candidates of several iterations with their loads apart, which may miss a cache less."""
        several = [one for one in sorted(candidates, key=lambda one: one.key) if one.code.times > 1][:_SPREAD_FEW]
        found = []
        for one in several:
            if len(loads_of(one.code)) > 1 and not self.stopped and self._left > 0:
                made = self._searched(one.plain, one.code, max(steps // len(several), _LEAST_STEPS), one, spread=True)
                if made is not None and made.found.sequence != one.found.sequence:
                    found.append(made)
        return found

    def _rewritten(self, stay: Sequence[Candidate], rewrites: Sequence[Rewrite], short: int) -> list[Candidate]:
        """Return loops and what rewrites make of them, one on top of the other, each ordered by a short search."""
        every = list(stay)
        for rewrite in rewrites:
            for one in stay:
                made = rewrite.apply(one.plain, self._contract) if not self.stopped and self._left > 0 else None
                if made is not None and self._is_new(made):
                    candidate = self._ordered(made, short)
                    stay = [*stay, candidate]
                    every.append(candidate)
            stay = sorted(stay, key=lambda one: one.key)[:_WIDTH]
        return every

    def _is_new(self, code: LoopCode) -> bool:
        """Tell whether no rewrites made the same loop before, as one does that turns back another."""
        texts = tuple(step.text for step in (*code.before, *code.body, *code.after))
        known = texts in self._seen
        self._seen.add(texts)
        return not known

    def _finalists(self, candidates: Sequence[Candidate], steps: int) -> list[Candidate]:
        """Return the cheapest candidates after long searches, which share the steps."""
        left = max(steps, _LEAST_STEPS)
        finalists = sorted(candidates, key=lambda one: one.key)[:_FINALISTS]
        return [
            # The cheapest gets half of what is left, the next half of the rest.
            self._finished(one, max(left >> (at + 1 if at + 1 < len(finalists) else at), _LEAST_STEPS))
            for at, one in enumerate(finalists)
        ]

    def _finished(self, candidate: Candidate, steps: int) -> Candidate:
        """Return the best of several rounds, each with other registers for the temporaries, along the best order."""
        best = candidate
        for _ in range(_ROUNDS):
            if self.stopped or self._left <= 0:
                break
            again = renamed(best.code, best.found.straight)
            one = self._searched(candidate.plain, again, max(steps // _ROUNDS, _LEAST_STEPS), best)
            if one is not None and one.key < best.key:
                best = one
        return best

    def _ordered(self, code: LoopCode, steps: int) -> Candidate:
        """Return the loop after a short search; as it is, with its own registers, if nothing is cheaper.

        The search begins at the cheapest of several orders: that of the body, and list schedules.
        """
        plain = self._searched(code, code, 0)
        assert plain is not None, "a loop is a legal order of itself"
        if steps == 0 or self.stopped or self._left <= 0:
            return plain
        starts = [renamed(code), *listed(code, self._core)]
        costs = [exact_cycles(one, range(len(one.body)), self._core) for one in starts]
        found = self._searched(code, starts[costs.index(min(costs))], steps)
        return min((one for one in (plain, found) if one is not None), key=lambda one: one.key)

    def _searched(
        self, plain: LoopCode, code: LoopCode, steps: int, start: Candidate | None = None, *, spread: bool = False
    ) -> Candidate | None:
        """Return the cheapest order of a loop after so many steps; None where what is kept in it cannot be kept.

        `start` is what the loop was made of: the search begins with its order, if that is legal still.  `spread` keeps
        loads apart.
        """
        order = order_of(code)
        if not order.is_legal:
            return None
        if start is not None:
            straight = range(len(code.body)) if start.code is code else start.found.straight  # else it was put in order
            moved = {old: new for new, old in enumerate(straight)}
            order.put([moved[one] for one in start.found.sequence], [moved[one] for one in start.found.ahead])
            if not order.is_legal:
                order.put(range(len(code.body)))
        cost = LoopCost(code.instructions, self._core)
        costed = apart(cost, loads_of(code), cost(order.sequence)) if spread else cost
        search = Search(order, costed, cost.bound, self._seed + self._searches)
        self._searches += steps > 0  # no two go the same way
        tell = self._teller(code.times, cost)
        found = search.run(min(steps, self._left), tell) if steps else search.best
        tell(0, found.cycles)
        self.tried += cost.evaluations
        self._spent += cost.evaluations
        return Candidate(plain, code, found, exact_cycles(code, found.sequence, self._core), spread)

    def _teller(self, times: int, cost: LoopCost | None = None) -> Advance:
        """Return what is told of a search of a body of `times` iterations; with `cost`, orders count that it costed."""
        known = 0

        def told(steps: int, cycles: float) -> bool:
            nonlocal known
            self._best = min(self._best, cycles / times)
            if cost is not None:
                steps, known = cost.evaluations - known, cost.evaluations
            if not self._advance(steps, self._best):
                self.stopped = True
            return not self.stopped

        return told


def _best_of_each(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the cheapest candidate of each set of changes, the cheapest of all first."""
    best: dict[tuple[object, ...], Candidate] = {}
    for one in sorted(candidates, key=lambda one: one.key):
        best.setdefault((one.spread, *((change.name, change.places) for change in one.code.changes)), one)
    return list(best.values())


def order_of(code: LoopCode) -> Order:
    """Return the order of a loop as it is, with what must stay in order in it."""
    edges = edges_of([step.instruction for step in code.body], places_of(code))
    return Order(len(code.body), edges, control_of(code))


def control_of(code: LoopCode) -> list[int]:
    """Return the instructions that decide whether there is another iteration."""
    wanted = set(code.branch.instruction.reads)
    control: set[int] = set()
    changed = True
    while changed:
        changed = False
        for at, step in enumerate(code.body):
            if at not in control and wanted.intersection(step.instruction.writes):
                control.add(at)
                wanted |= {one for one in step.instruction.reads if one.file in ("general", "flags")}
                changed = True
    return sorted(control)


def exact_cycles(code: LoopCode, sequence: Sequence[int], core: PipelineCore) -> float:
    """Return the cycles of an iteration of the kernel's loop in this order, as `profile` gives them."""
    body = tuple(code.body[at] for at in sequence)
    return steady_cycles(replace(code, body=body).instructions, core) / code.times
