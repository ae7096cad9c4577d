"""Repeat the body of a loop, so that several iterations run at the same time.

A short loop whose instructions wait for each other's results leaves a core idle, most of all one that issues in order.
Two or four iterations in one body fill each other's gaps, once their temporaries have registers of their own.

`subs count, count, #step` with a branch on `ne`, `hi`, `hs`, `gt` or `ge` is what counts.  The unrolled loop runs while
enough iterations are left.  The loop of one iteration stays behind it for the rest, so any count of iterations is
right.  In the unrolled loop the counter is lower by the other iterations of a body, so that one `subs` is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from neonlab.contract.model import Contract
from neonlab.errors import InputError
from neonlab.isa.model.isa import FLAGS, Isa, general, vector
from neonlab.optimize.loop.code import Change, LoopCode, Step, Unrolled, made_steps
from neonlab.optimize.rewrites.rewrite import Rewrite

_SUBS = re.compile(r"subs (\w+), \1, #(0x[0-9a-f]+|\d+)")
_BRANCH = re.compile(r"b\.?(ne|hi|hs|cs|gt|ge)(?: .*)?")
#: By the condition of the branch back: that of too few iterations for the unrolled loop, that of its branch back, and
#: that of nothing left behind it.
_CONDITIONS = {
    "ne": ("ls", "hi", "eq"), "hi": ("ls", "hi", "le"), "hs": ("lo", "hs", "lt"), "cs": ("lo", "hs", "lt"),
    "gt": ("le", "gt", "le"), "ge": ("lt", "ge", "lt"),
}  # fmt: skip
_KEPT_FOR_CALLERS = range(8, 16)  # vector registers whose lower halves a function keeps
#: Most instructions of an unrolled loop: more fill the first-level cache of instructions, and cost as much to try.
_MOST = 320


@dataclass(frozen=True, slots=True)
class _Counter:
    """Instruction `at` takes `step` off register `name` and sets the flags for the branch back on `condition`."""

    at: int
    name: str
    step: int
    condition: str


def _counter(code: LoopCode) -> _Counter | None:
    """Return what counts the iterations of a loop; None where it is of another kind, or used for anything else."""
    branch = _BRANCH.fullmatch(code.branch.text)
    flags = [at for at, one in enumerate(code.body) if FLAGS in (*one.instruction.reads, *one.instruction.writes)]
    if branch is None or len(flags) != 1 or FLAGS in code.kept:
        return None
    found = _SUBS.fullmatch(code.body[flags[0]].text)
    if found is None:
        return None
    own = {one for one in code.body[flags[0]].instruction.writes if one != FLAGS}
    others = [one for at, one in enumerate(code.body) if at != flags[0]]
    if any(own.intersection((*one.instruction.reads, *one.instruction.writes)) for one in others):
        return None
    return _Counter(flags[0], found[1], int(found[2], 0), branch[1])


def unrolled(code: LoopCode, times: int) -> LoopCode | None:
    """Return the loop with `times` iterations in its body; None where it cannot be unrolled so."""
    counter = _counter(code) if code.unrolled is None and len(code.body) * times <= _MOST else None
    if counter is None:
        return None
    few, again, done = _CONDITIONS[counter.condition]
    one, others = counter.name, (times - 1) * counter.step
    try:
        compare, lower, count, restore = made_steps(
            code.isa,
            [f"cmp {one}, #{others}", f"sub {one}, {one}, #{others}", f"subs {one}, {one}, #{times * counter.step}",
             f"adds {one}, {one}, #{others}"],
        )  # fmt: skip
    except InputError:
        return None  # a number that the instruction set cannot say
    left = Unrolled(times, compare, few, lower, again, restore, done, code.body)
    reason = (
        f"{times} iterations fill each other's gaps; one `subs` counts them, and the loop of one iteration stays "
        "behind for what is left"
    )
    made = code.changed(Change(f"unrolled by {times}", times, reason), [*_copies(code, counter, times), count])
    return replace(made, unrolled=left)


def with_room(code: LoopCode) -> LoopCode | None:
    """Return the loop with more vector registers to use, whose values wait in general ones meanwhile; None without any.

    A function keeps the lower halves of v8-v15 for its caller.  Where it does not use them, and general registers are
    free, `fmov` takes these halves over ahead of the loop, and back behind it.
    """
    if code.isa is not Isa.A64:
        return None
    used = {one for step in code.body for one in (*step.instruction.reads, *step.instruction.writes)}
    vectors = [at for at in _KEPT_FOR_CALLERS if vector(at) not in code.free | code.kept | used]
    generals = sorted(one.index for one in code.free if one.file == "general")
    pairs = list(zip(vectors, generals, strict=False))
    if not pairs:
        return None
    taken = {general(number) for _, number in pairs}
    away = made_steps(code.isa, [f"fmov x{number}, d{at}" for at, number in pairs])
    back = made_steps(code.isa, [f"fmov d{at}, x{number}" for at, number in pairs])
    names = f"v{pairs[0][0]}-v{pairs[-1][0]}" if len(pairs) > 1 else f"v{pairs[0][0]}"
    change = Change("room", len(pairs), f"the caller's halves of {names} wait in general registers, so that values fit")
    made = code.changed(change, code.body)
    return replace(
        made, free=(code.free - taken) | {vector(at) for at, _ in pairs}, before=(*away, *code.before),
        after=(*code.after, *back),
    )  # fmt: skip


def _copies(code: LoopCode, counter: _Counter, times: int) -> Iterator[Step]:
    for copy in range(times):
        for at, step in enumerate(code.body):
            if at != counter.at:
                yield step if copy == 0 else replace(step, comment="")


def _unrolling(times: int, *, room: bool) -> Rewrite:
    def apply(code: LoopCode, _contract: Contract) -> LoopCode | None:
        roomy = with_room(code) if room else code
        return unrolled(roomy, times) if roomy is not None else None

    return Rewrite(f"unrolled by {times}{' with room' if room else ''}", apply, late=True)


UNROLLING = tuple(_unrolling(times, room=room) for times in (2, 4) for room in (False, True))
