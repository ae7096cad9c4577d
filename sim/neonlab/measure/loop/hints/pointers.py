"""Find better ways to step pointers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa, Register
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study, number_of, operands, with_operands

_SINGLE_A64 = re.compile(r"(ld|st)(r|rb|rh|rsb|rsh|rsw|p)$")
_STRUCTURE = re.compile(r"v?(ld|st)[1-4]r?(\.|$)")
_MOST_SINGLE, _LEAST_STEPS = 255, 3


def post_index(study: Study) -> Iterator[Hint]:
    """Yield a hint for a pointer that a separate instruction steps past what was just loaded or stored."""
    changed: list[Instruction | str | None] = list(study.body)
    found: list[int] = []
    example = ""
    for at, instruction in enumerate(study.body):
        step = _step(instruction)
        if step is None:
            continue
        pointer, amount = step
        touching = [p for p in range(at) if pointer in (*study.body[p].reads, *study.body[p].writes)]
        if not touching or not isinstance(changed[touching[-1]], Instruction):
            continue
        text = _post_indexed(study.body[touching[-1]], pointer, amount, study.isa)
        if text is not None:
            changed[at] = None
            changed[touching[-1]] = example = text
            found.append(at)
    if found:
        several = f"{len(found)} instructions only step pointers"
        subject = several if found[1:] else "an instruction only steps a pointer"
        text = f"{subject}: use a post-indexed access, `{example}`"
        hint = study.hint("post-index", found, text, [one for one in changed if one is not None])
        if hint is not None:
            yield hint


def _step(instruction: Instruction) -> tuple[Register, int] | None:
    """Return the register that an `add` steps, and the step in bytes; None for other instructions."""
    listed = operands(instruction)
    if instruction.mnemonic != "add" or len(listed) != 3 or listed[0] != listed[1] or len(instruction.writes) != 1:
        return None
    amount = number_of(listed[2]) if listed[2].startswith("#") else None
    return None if amount is None or listed[0][0] == "w" else (instruction.writes[0], amount)


def _post_indexed(instruction: Instruction, pointer: Register, amount: int, isa: Isa) -> str | None:
    if len(instruction.accesses) != 1 or instruction.writeback is not None or pointer in instruction.writes:
        return None
    access = instruction.accesses[0]
    if access.base != pointer or access.index is not None or access.displacement or not access.count:
        return None
    listed = operands(instruction)
    if not listed[-1].startswith("["):
        return None
    if _STRUCTURE.match(instruction.mnemonic):
        if amount != access.count:
            return None
        return with_operands(
            instruction, [*listed[:-1], listed[-1] + "!"] if isa is Isa.A32 else [*listed, f"#{amount}"]
        )
    limit = _MOST_SINGLE if isa is Isa.A64 and not instruction.mnemonic.endswith("p") else 4 * _MOST_SINGLE
    if instruction.mnemonic.startswith("v") or not _SINGLE_A64.match(instruction.mnemonic) or abs(amount) > limit:
        return None
    return with_operands(instruction, [*listed, f"#{amount}"])


def single_step(study: Study) -> Iterator[Hint]:
    """Yield a hint for a pointer that several accesses step in turn, where offsets and one step would do (A64)."""
    if study.isa is not Isa.A64:
        return
    by_pointer: dict[Register, list[int]] = defaultdict(list)
    for at, instruction in enumerate(study.body):
        if instruction.writeback is not None and _SINGLE_A64.match(instruction.mnemonic):
            by_pointer[instruction.writeback.base].append(at)
    for pointer, places in by_pointer.items():
        others = [p for p, one in enumerate(study.body) if p not in places and pointer in (*one.reads, *one.writes)]
        steps = [study.body[place].writeback for place in places]
        if others or len(places) < 2 or any(s is None or s.register is not None for s in steps):
            continue
        changed: list[Instruction | str] = list(study.body)
        offset = 0
        name = pointer.name(study.isa)
        for place in places:
            instruction = study.body[place]
            listed = operands(instruction)
            if not re.fullmatch(rf"\[{name}\]", listed[-2]):
                break  # pre-indexed
            changed[place] = with_operands(instruction, [*listed[:-2], f"[{name}, #{offset}]"])
            offset += instruction.writeback.immediate if instruction.writeback else 0
        else:
            changed.insert(places[-1] + 1, f"add {name}, {name}, #{offset}")
            subject = f"{len(places)} accesses step `{name}` one after another"
            text = f"{subject}: use offsets, and step `{name}` once by {offset}"
            hint = study.hint("single-step", places, text, changed) if 0 < offset < 4096 else None
            if hint is not None:
                yield hint


def two_pointers(study: Study) -> Iterator[Hint]:
    """Yield a hint for a chain of steps by a register, which a second pointer halves and offsets cannot replace."""
    by_pointer: dict[Register, list[int]] = defaultdict(list)
    for at, instruction in enumerate(study.body):
        if instruction.writeback is not None and instruction.writeback.register is not None:
            by_pointer[instruction.writeback.base].append(at)
    for pointer, places in by_pointer.items():
        others = [p for p, one in enumerate(study.body) if p not in places and pointer in (*one.reads, *one.writes)]
        if others or len(places) < _LEAST_STEPS or not study.free_general:
            continue
        name, spare = pointer.name(study.isa), f"{'x' if study.isa is Isa.A64 else 'r'}{study.free_general[0]}"
        changed: list[Instruction | str] = list(study.body)
        for place in places[1::2]:
            changed[place] = re.sub(rf"\[{name}\b", f"[{spare}", study.body[place].text)
        text = (
            f"{len(places)} accesses step `{name}`, and each waits for the one before it: use two pointers that take "
            f"turns (`{spare}` is free)"
        )
        hint = study.hint("two-pointers", places, text, changed)
        if hint is not None:
            yield hint
