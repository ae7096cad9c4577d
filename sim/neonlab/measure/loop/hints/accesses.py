"""Find better memory accesses: in pairs, and loads that copy to all lanes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Changed, Study, counted, operands, with_operands

_STRUCTURE = re.compile(r"v?(ld|st)[1-4]r?(\.|$)")


def pair_loads(study: Study) -> Iterator[Hint]:
    """Yield a hint for accesses to adjacent memory that one instruction could do."""
    changed: list[Instruction | str | None] = list(study.body)
    found: list[int] = []
    example = ""
    for at, instruction in enumerate(study.body):
        if at in found or len(instruction.accesses) != 1:
            continue
        for place in range(at + 1, len(study.body)):
            other = study.body[place]
            text = _paired(instruction, other, study.isa)
            if text is not None and place not in found and _movable(study, at, place):
                changed[at], changed[place] = text, None
                example = text
                found += [at, place]
                break
            base = instruction.accesses[0].base
            if base is not None and base in other.writes:
                break
    if not found:
        return
    kept: Changed = [one for one in changed if one is not None]
    verb = "stores" if study.body[found[0]].stored_bytes else "loads"
    pairs = counted(len(found) // 2, "pair")
    text = f"{pairs} of {verb} access adjacent memory: use one instruction per pair, `{example}`"
    hint = study.hint("pair-accesses", found, text, kept)
    if hint is not None:
        yield hint


def _movable(study: Study, at: int, place: int) -> bool:
    """Return whether the second access of a pair can move to the first; that both step one pointer does not matter."""
    other = study.body[place]
    return not any(study.conflict(study.body[between], other) for between in range(at + 1, place))


def _paired(first: Instruction, second: Instruction, isa: Isa) -> str | None:
    if first.mnemonic != second.mnemonic or len(second.accesses) != 1:
        return None
    one, two = first.accesses[0], second.accesses[0]
    if one.base is None or one.base != two.base or one.index is not None or two.index is not None:
        return None
    if (
        one.kind is not two.kind
        or one.count != two.count
        or one.base in {r for r in first.writes if not first.writeback}
    ):
        return None
    listed, following = operands(first), operands(second)
    if listed[0] == following[0]:
        return None
    steps = first.writeback.immediate if first.writeback and first.writeback.register is None else 0
    later = second.writeback.immediate if second.writeback and second.writeback.register is None else 0
    if bool(first.writeback) != bool(second.writeback) or (first.writeback and steps != one.count):
        return None
    if first.writeback and later != one.count:
        return None
    if not first.writeback and two.displacement != one.displacement + one.count:
        return None
    if (
        isa is Isa.A64
        and first.mnemonic in ("ldr", "str")
        and listed[0][0] in "qdsxw"
        and following[0][0] == listed[0][0]
    ):
        name = "ldp" if first.mnemonic == "ldr" else "stp"
        if first.writeback:
            return f"{name} {listed[0]}, {following[0]}, {listed[1]}, #{2 * steps}" if len(listed) == 3 else None
        return f"{name} {listed[0]}, {following[0]}, {listed[1]}"
    if first.writeback and _STRUCTURE.match(first.mnemonic) and re.match(r"v?(ld|st)1(\.|$)", first.mnemonic):
        registers = [*listed[0].strip("{} ").split(", "), *following[0].strip("{} ").split(", ")]
        numbers = [int(found[1]) for name in registers if (found := re.match(r"[dv](\d+)(?!.*\[)", name))]
        if len(numbers) != len(registers) or len(numbers) > 4:
            return None
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            return None
        rest = [listed[1]] if isa is Isa.A32 else [listed[1], f"#{2 * steps}"]
        return with_operands(first, ["{" + ", ".join(registers) + "}", *rest])
    return None


def load_and_duplicate(study: Study) -> Iterator[Hint]:
    """Yield a hint for a value that is loaded only to be copied to all lanes: one load does both."""
    changed: list[Instruction | str | None] = list(study.body)
    found: list[int] = []
    example = ""
    for at, instruction in enumerate(study.body):
        lone = len(instruction.accesses) == 1 and instruction.loaded_bytes in (1, 2, 4, 8)
        data = [r for r in instruction.writes if not instruction.writeback or r != instruction.writeback.base]
        if not lone or len(data) != 1 or instruction.accesses[0].index is not None:
            continue
        uses = study.uses(at, data)
        if uses.leaves or len(uses.readers) != 1 or uses.readers[0] <= at:
            continue
        place = uses.readers[0]
        text = _duplicating(instruction, study.body[place], study.isa)
        if text is None or study.written_between(study.body[place].writes, at, place):
            continue
        if any(set(study.body[between].reads) & set(study.body[place].writes) for between in range(at + 1, place)):
            continue
        changed[place] = None
        changed[at] = example = text
        found += [at, place]
    if found:
        text = f"a load and then a copy to all lanes, {len(found) // 2} times: use one load that does both, `{example}`"
        hint = study.hint("load-and-duplicate", found, text, [one for one in changed if one is not None])
        if hint is not None:
            yield hint


def _duplicating(load: Instruction, copy: Instruction, isa: Isa) -> str | None:
    access = load.accesses[0]
    listed = operands(copy)
    if access.displacement or access.base is None:
        return None
    base = access.base.name(isa)
    step = load.writeback.immediate if load.writeback and load.writeback.register is None else 0
    if load.writeback is not None and step != access.count:
        return None
    bits = 8 * access.count
    if isa is Isa.A64:
        letter = {8: "b", 16: "h", 32: "s", 64: "d"}[bits]
        shape = listed[0].partition(".")[2]
        if copy.mnemonic != "dup" or not shape.endswith(letter) or ("[" in listed[1] and not listed[1].endswith("[0]")):
            return None
        return f"ld1r {{{listed[0]}}}, [{base}]" + (f", #{step}" if step else "")
    if copy.mnemonic != f"vdup.{bits}" or (listed[1].startswith("d") and not listed[1].endswith("[0]")):
        return None
    name, number = listed[0][0], int(listed[0][1:])
    registers = [f"d{number}[]"] if name == "d" else [f"d{2 * number}[]", f"d{2 * number + 1}[]"]
    return f"vld1.{bits} {{{', '.join(registers)}}}, [{base}]" + ("!" if step else "")
