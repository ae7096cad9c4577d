"""Try the same instructions in another order."""

from __future__ import annotations

from collections.abc import Iterator

from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.reorder import orders_of
from neonlab.measure.loop.hints.study import Study, counted, is_load

_TRIED = 4  # stalls that are looked into, the longest first
_CAUSES = ("load-use", "dependency")
_FARTHEST = 32  # slots that one instruction is moved
_LONGEST = 512  # instructions of a loop that is put in another order
_NEARLY = 0.02  # share of the loop's cycles by which a shorter move may be worse than the best


def moved_up(study: Study) -> Iterator[Hint]:
    """Yield a hint for a result that is made right before it is needed, by an instruction that can move up."""
    tried: set[int] = set()
    waits = [s for s in study.cycles.stalls if s.cause in _CAUSES and s.producer in study.places]
    for stall in waits[:_TRIED]:
        consumer = study.places[stall.address]
        producer = study.places[stall.producer] if stall.producer is not None else consumer
        if producer in tried or producer >= consumer:
            continue
        tried.add(producer)
        hint = _moved(study, producer, consumer)
        if hint is not None:
            yield hint


def _moved(study: Study, producer: int, consumer: int) -> Hint | None:
    """Return a hint with the shortest move up that saves nearly as much as the best one."""
    code = list(study.body)
    moving = code[producer]
    outcomes: list[tuple[float, int]] = []
    for slots in range(1, min(producer, _FARTHEST) + 1):
        if study.conflict(code[producer - slots], moving):
            break
        order = [*code[: producer - slots], moving, *code[producer - slots : producer], *code[producer + 1 :]]
        cost = study.cost(order)
        if cost is not None:
            outcomes.append((cost, slots))
    if outcomes:
        best = min(cost for cost, _ in outcomes)
        slots = next(n for cost, n in outcomes if cost <= best + _NEARLY * study.total)
        order = [*code[: producer - slots], moving, *code[producer - slots : producer], *code[producer + 1 :]]
        text = (
            f"the result of `{moving.text}` is used {counted(consumer - producer, 'instruction')} later, at line "
            f"{study.line(consumer)}: move it up by {counted(slots, 'instruction')}"
        )
        hint = study.hint("load-earlier" if is_load(moving) else "move-up", (producer, consumer), text, order)
        if hint is not None:
            return hint
    return _next_iteration(study, producer, consumer) if is_load(moving) else None


def _next_iteration(study: Study, producer: int, consumer: int) -> Hint | None:
    """Return a hint to move a load at the top to the end of the iteration before; None where it cannot move."""
    code = list(study.body)
    moving = code[producer]
    if any(study.conflict(code[place], moving) for place in range(producer)):
        return None
    outcomes: list[tuple[float, int, list[Instruction]]] = []
    rest = [*code[:producer], *code[producer + 1 :]]
    for slots in range(1, min(len(rest), _FARTHEST) + 1):
        place = len(rest) - slots
        # Past the branch back, which looks at no register of the load; the load then runs once more than needed.
        branch = rest[place].branch is not BranchKind.NONE
        clash = set(rest[place].reads) & set(moving.writes) if branch else study.conflict(rest[place], moving)
        if clash or place < producer:
            break
        order = [*rest[:place], moving, *rest[place:]]
        cost = None if branch else study.cost(order)
        if cost is not None:
            outcomes.append((cost, slots, order))
    if not outcomes:
        return None
    best = min(cost for cost, _, _ in outcomes)
    _, slots, order = next(one for one in outcomes if one[0] <= best + _NEARLY * study.total)
    text = (
        f"the result of this load is used {counted(consumer - producer, 'instruction')} later, at line "
        f"{study.line(consumer)}: load for the next iteration {counted(slots, 'instruction')} before the end of this "
        "one, but not in the last iteration, where it would read too far"
    )
    return study.hint("load-for-next-iteration", (producer, consumer), text, order)


def another_order(study: Study) -> Iterator[Hint]:
    """Yield a hint for a new order of all instructions, by list scheduling: longest dependency chains first."""
    if len(study.body) > _LONGEST:
        return
    costs = [(study.cost([study.body[at] for at in order]) or study.total, order) for order in orders_of(study)]
    if not costs:
        return
    _, order = min(costs)
    moved = sum(place != at for at, place in enumerate(order))
    waits = [study.places[s.address] for s in study.cycles.stalls if s.cause in _CAUSES and s.address in study.places]
    text = (
        f"reorder the {len(order)} instructions: start with those that begin the longest dependency chains, and put "
        f"independent work between dependent instructions ({moved} instructions move)"
    )
    hint = study.hint("another-order", waits[:_TRIED], text, [study.body[at] for at in order])
    if hint is not None:
        yield hint
