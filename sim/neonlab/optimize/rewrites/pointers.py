"""Step pointers otherwise: by one instruction for several accesses, or by the accesses themselves.

`ldr q0, [x0], #16` moves the pointer along with the load.  On a core that issues out of order this is an operation
more, and where several accesses step one pointer, each waits for the one before it.  By offsets, one `add` an iteration
does, or one for all iterations of an unrolled loop.  An in-order core has the step with the access for nothing, so the
other way round saves the `add`.
"""

from __future__ import annotations

from neonlab.contract.model import Contract
from neonlab.isa.model.isa import Isa
from neonlab.optimize.loop.code import Change, LoopCode
from neonlab.optimize.rewrites.addressing import Accessed, Moved, read
from neonlab.optimize.rewrites.rewrite import Rewrite, with_texts

_LEAST = 2  # steps of a pointer that are worth another instruction
_Users = dict[int, Accessed | Moved]


def by_offsets(code: LoopCode, _contract: Contract) -> LoopCode | None:
    """Return the loop with pointers that several instructions step moved by one of their own instead."""
    texts: dict[int, list[str]] = {}
    places = 0
    for base, users in _pointers(code).items():
        if sum(bool(one.step) for one in users.values()) < _LEAST:
            continue
        made = _offsets(code.isa, base, users)
        if made is not None:
            texts.update(made)
            places += sum(isinstance(one, Accessed) for one in users.values())
    return with_texts(code, texts, Change("offsets", places, "one instruction moves a pointer for all accesses by it"))


def _offsets(isa: Isa, base: str, users: _Users) -> dict[int, list[str]] | None:
    """Return the new instructions for each that uses a pointer; None where one cannot reach so far."""
    moved = 0
    found: dict[int, list[str]] = {}
    for at, one in users.items():
        texts: list[str] | None = []
        if isinstance(one, Accessed):
            texts = one.at(moved + one.offset).texts(isa)
        if texts is None:
            return None
        found[at] = texts
        moved += one.step
    if moved:
        last = max(users)
        found[last] = [*found[last], f"{'add' if moved > 0 else 'sub'} {base}, {base}, #{abs(moved)}"]
    return found


def by_post_index(code: LoopCode, _contract: Contract) -> LoopCode | None:
    """Return the loop with pointers that an instruction of its own steps moved by an access instead."""
    texts: dict[int, list[str]] = {}
    places = 0
    for users in _pointers(code).values():
        steps = [at for at, one in users.items() if one.step]
        if len(steps) == 1 and isinstance(users[steps[0]], Moved):
            made = _post_indexed(code.isa, users, steps[0])
            if made is not None:
                texts.update(made)
                places += 1
    return with_texts(code, texts, Change("post-index", places, "an access moves its pointer along"))


def _post_indexed(isa: Isa, users: _Users, add: int) -> dict[int, list[str]] | None:
    """Return the new instructions with the step of `add` in an access ahead of it; None where none can take it."""
    step = users[add].step
    before = {at: one for at, one in users.items() if at < add and isinstance(one, Accessed)}
    for chosen, access in reversed(before.items()):
        if access.offset:
            continue
        new = {at: one.at(one.offset - step).texts(isa) for at, one in before.items() if at > chosen}
        new[chosen] = access.at(0, step).texts(isa)
        found = {at: texts for at, texts in new.items() if texts is not None}
        if len(found) == len(new):
            return {**found, add: []}
    return None


def _pointers(code: LoopCode) -> dict[str, _Users]:
    """Return what each pointer is used by, in order, where all that uses it is an access by it or a step of it."""
    found: dict[str, _Users] = {}
    counts: dict[object, int] = {}
    for at, step in enumerate(code.body):
        for register in {*step.instruction.reads, *step.instruction.writes}:
            counts[register] = counts.get(register, 0) + 1
        one = read(step.text, code.isa)
        if one is not None:
            found.setdefault(one.base, {})[at] = one
    registers = {register.name(code.isa): register for register in code.buffers}
    return {
        base: users
        for base, users in found.items()
        if base in registers
        and counts[registers[base]] == len(users)
        and not any(base in one.registers for one in users.values() if isinstance(one, Accessed))
        and any(isinstance(one, Accessed) for one in users.values())
    }


POINTERS = (Rewrite("offsets", by_offsets), Rewrite("post-index", by_post_index))
