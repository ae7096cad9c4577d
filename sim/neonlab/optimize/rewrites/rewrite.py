"""Define what a rewrite is: another way to compute the same in a loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from neonlab.contract.model import Contract
from neonlab.errors import InputError
from neonlab.optimize.loop.code import Change, LoopCode, Step, made_steps


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A way to change a loop: `apply` returns the changed loop, or None where there is nothing to change.

    Whether the result is right is not for it to say: every outcome is checked and proved as a whole.  A `late` one is
    tried on the best loops that the others made, with the second half of the steps.
    """

    name: str
    apply: Callable[[LoopCode, Contract], LoopCode | None]
    late: bool = False


def next_use_is_write(body: Sequence[Step], registers: frozenset[object], behind: int, kept: frozenset[object]) -> bool:
    """Tell whether nothing reads `registers` behind instruction `behind` before they are all set anew."""
    left = set(registers)
    for step in body[behind + 1 :]:
        if left.intersection(step.instruction.reads):
            return False
        left -= set(step.instruction.writes)
        if not left:
            return True
    return not left & kept


def with_texts(code: LoopCode, texts: Mapping[int, Sequence[str]], change: Change) -> LoopCode | None:
    """Return the loop with the given texts in place of the instructions at these places of its body.

    Return None where there are none, or where one has no encoding: then there is no such form of the instruction.
    """
    if not texts:
        return None
    try:
        made = iter(made_steps(code.isa, [text for at in sorted(texts) for text in texts[at]]))
    except InputError:
        return None
    body: list[Step] = []
    for at, step in enumerate(code.body):
        body += [next(made) for _ in texts[at]] if at in texts else [step]
    return code.changed(change, body)
