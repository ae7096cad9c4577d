"""Find instructions that another form replaces with fewer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study, counted, number_of, operands, vectors_named, with_operands

_LANE_A64 = re.compile(r"v(\d+)\.([hsd])\[(\d+)\]$")
_LANE_A32 = re.compile(r"d(\d+)\[(\d+)\]$")
_ELEMENTS_A64 = re.compile(r"(mul|ml[as]|[su]mull2?|[su]ml[as]l2?|fmul|fml[as]|sqr?dmulh|sqdm(ul|lal|lsl)l?2?)$")
_ELEMENTS_A32 = re.compile(r"(vmul|vml[as]|vmull|vml[as]l|vqr?dmulh|vqdmull|vqdml[as]l)\.[isf](16|32)$")
_SIGNED_ZERO = frozenset({"eq", "ne", "mi", "pl"})
_BASE = {"sub": "subs", "add": "adds"}
_FIRST = {
    "smlal": "smull", "smlal2": "smull2", "umlal": "umull", "umlal2": "umull2", "mla": "mul", "sadalp": "saddlp",
    "uadalp": "uaddlp", "fmla": "fmul", "vmlal": "vmull", "vmla": "vmul", "vpadal": "vpaddl",
}  # fmt: skip
_FUSED = {
    "mul": "mla", "smull": "smlal", "smull2": "smlal2", "umull": "umlal", "umull2": "umlal2",
    "vmul": "vmla", "vmull": "vmlal",
}  # fmt: skip
_SUBTRACTED = {
    "mul": "mls", "smull": "smlsl", "smull2": "smlsl2", "umull": "umlsl", "umull2": "umlsl2",
    "vmul": "vmls", "vmull": "vmlsl",
}  # fmt: skip
_WIDENED = {"sshll": "saddw", "sshll2": "saddw2", "ushll": "uaddw", "ushll2": "uaddw2", "vmovl": "vaddw"}


def by_element(study: Study) -> Iterator[Hint]:
    """Yield a hint for a lane that is copied over a register only to be multiplied by."""
    changed: list[Instruction | str | None] = list(study.body)
    copies, multiplies = [], []
    for at, instruction in enumerate(study.body):
        replaced = _element_forms(study, at, instruction)
        if replaced:
            copies.append(at)
            changed[at] = None
            for place, text in replaced.items():
                changed[place] = text
                multiplies.append(place)
    if not copies:
        return
    name = study.body[copies[0]].mnemonic.partition(".")[0]
    example = changed[multiplies[0]]
    each = "one multiply each" if len(multiplies) == len(copies) else f"{len(multiplies)} multiplies"
    subject = f"these {len(copies)} `{name}`s feed" if len(copies) > 1 else f"this `{name}` feeds"
    text = f"{subject} {each}: use the by-element form of the multiply, `{example}`"
    hint = study.hint("by-element", copies, text, [one for one in changed if one is not None])
    if hint is not None:
        yield hint


def _element_forms(study: Study, at: int, instruction: Instruction) -> dict[int, str]:
    """Return the text of each multiply that reads a copied lane, with the lane itself as its operand, by place.

    Empty where one of the readers cannot take a lane.
    """
    a64 = study.isa is Isa.A64
    listed = operands(instruction)
    if instruction.mnemonic != "dup" and not instruction.mnemonic.startswith("vdup."):
        return {}
    lane = (_LANE_A64 if a64 else _LANE_A32).match(listed[1])
    if lane is None:
        return {}
    bits = {"h": 16, "s": 32, "d": 64}[lane[2]] if a64 else int(instruction.mnemonic.rpartition(".")[2])
    if bits == 8 or (bits == 16 and int(lane[1]) >= (16 if a64 else 8)) or (not a64 and int(lane[1]) >= 16):
        return {}
    uses = study.uses(at)
    if uses.leaves or not uses.readers:
        return {}
    found = {}
    for place in uses.readers:
        if place <= at or study.written_between(instruction.reads, at, place):
            return {}
        text = _by_lane(study.body[place], listed[0], listed[1], bits, a64=a64)
        if text is None:
            return {}
        found[place] = text
    return found


def _by_lane(reader: Instruction, copy: str, lane: str, bits: int, *, a64: bool) -> str | None:
    listed = operands(reader)
    matched = (_ELEMENTS_A64 if a64 else _ELEMENTS_A32).match(reader.mnemonic)
    if matched is None or len(listed) != 3:
        return None
    name = copy.partition(".")[0]
    places = [n for n in (1, 2) if listed[n].partition(".")[0] == name]
    if len(places) != 1 or listed[0].partition(".")[0] == name or "[" in listed[places[0]]:
        return None
    suffix = listed[places[0]].partition(".")[2] if a64 else matched[2]
    if suffix[-1:] != {16: "h", 32: "s", 64: "d"}[bits] and suffix != str(bits):
        return None
    return with_operands(reader, [listed[0], listed[3 - places[0]], lane])


def flags_for_free(study: Study) -> Iterator[Hint]:
    """Yield a hint for a comparison with zero of a register that was just added to or subtracted from."""
    for at, instruction in enumerate(study.body):
        if instruction.mnemonic not in _BASE:
            continue
        target = operands(instruction)[0]
        general = [register for register in instruction.writes if register.file == "general"]
        for place in range(at + 1, len(study.body)):
            other = study.body[place]
            if FLAGS in other.reads or set(general) & set(other.writes):
                break
            if other.mnemonic == "cmp" and operands(other) == [target, "#0"]:
                readers = study.uses(place, [FLAGS])
                plain = all(study.body[reader].condition in _SIGNED_ZERO for reader in readers.readers)
                if plain and not readers.leaves:
                    new = with_operands(instruction, operands(instruction), _BASE[instruction.mnemonic])
                    changed: list[Instruction | str] = [*study.body]
                    changed[at] = new
                    del changed[place]
                    setter = instruction.mnemonic
                    text = f"`cmp` compares the result of `{setter}` with 0: use `{new}`, which sets the flags"
                    hint = study.hint("flags-for-free", (at, place), text, changed)
                    if hint is not None:
                        yield hint
                break
            if FLAGS in other.writes:
                break


def clear_then_accumulate(study: Study) -> Iterator[Hint]:
    """Yield a hint for a register that is cleared in the loop and then accumulated into.

    The first accumulation can be a plain multiply.
    """
    changed: list[Instruction | str | None] = list(study.body)
    clears, example = [], ""
    for at, instruction in enumerate(study.body):
        if not _clears(instruction):
            continue
        uses = study.uses(at)
        place = uses.readers[0] if uses.readers else 0
        if uses.leaves or len(uses.readers) != 1 or place <= at:
            continue
        reader = study.body[place]
        name, dot, suffix = reader.mnemonic.partition(".")
        listed = operands(reader)
        same = set(reader.writes) == set(instruction.writes)
        apart = not vectors_named(listed[:1], study.isa) & vectors_named(listed[1:], study.isa)
        if name in _FIRST and same and apart:
            changed[at] = None
            suffix = suffix.replace("s", "i") if name == "vmla" and suffix[:1] in "su" else suffix
            changed[place] = example = with_operands(reader, listed, _FIRST[name] + dot + suffix)
            clears.append(at)
    if clears:
        kept = [one for one in changed if one is not None]
        text = f"{counted(len(clears), 'register')} cleared before the first addition: start with `{example}` instead"
        hint = study.hint("clear-then-accumulate", clears, text, kept)
        if hint is not None:
            yield hint


def _clears(instruction: Instruction) -> bool:
    name = instruction.mnemonic.partition(".")[0]
    listed = operands(instruction)
    if name in ("eor", "veor"):
        return len(listed) == 3 and listed[1] == listed[2] == listed[0]
    return name in ("movi", "vmov") and len(listed) == 2 and listed[1].startswith("#") and number_of(listed[1]) == 0


def multiply_and_add(study: Study) -> Iterator[Hint]:
    """Yield a hint for a product that is used only in one sum."""
    changed: list[Instruction | str | None] = list(study.body)
    found: list[int] = []
    example = ""
    for at, instruction in enumerate(study.body):
        name, dot, suffix = instruction.mnemonic.partition(".")
        uses = study.uses(at) if name in _FUSED else None
        if uses is None or uses.leaves or len(uses.readers) != 1 or uses.readers[0] <= at:
            continue
        place = uses.readers[0]
        adder = study.body[place]
        product, listed = operands(instruction), operands(adder)
        kind = adder.mnemonic.partition(".")[0].removeprefix("v")
        sums = [one for one in listed[1:] if one != product[0]]
        if kind not in ("add", "sub") or len(listed) != 3 or sums != [listed[0]] or "f" in adder.mnemonic:
            continue
        if (kind == "sub" and listed[2] != product[0]) or study.written_between(instruction.reads, at, place):
            continue
        fused = (_FUSED if kind == "add" else _SUBTRACTED)[name]
        changed[at] = None
        changed[place] = example = with_operands(instruction, [listed[0], *product[1:]], fused + dot + suffix)
        found += [at, place]
    if found:
        text = f"a multiply and then an addition, {len(found) // 2} times: use one instruction for both, `{example}`"
        hint = study.hint("multiply-and-add", found, text, [one for one in changed if one is not None])
        if hint is not None:
            yield hint


def widening_add(study: Study) -> Iterator[Hint]:
    """Yield a hint for a widened copy that is used only in one sum."""
    changed: list[Instruction | str | None] = list(study.body)
    found: list[int] = []
    example = ""
    for at, instruction in enumerate(study.body):
        name, dot, suffix = instruction.mnemonic.partition(".")
        listed = operands(instruction)
        plain = len(listed) == 2 or (len(listed) == 3 and listed[2] == "#0")
        if name not in _WIDENED or not plain:
            continue
        uses = study.uses(at)
        if uses.leaves or len(uses.readers) != 1 or uses.readers[0] <= at:
            continue
        place = uses.readers[0]
        adder, summed = study.body[place], operands(study.body[place])
        if adder.mnemonic.partition(".")[0].removeprefix("v") not in ("add", "sub") or len(summed) != 3:
            continue
        subtracts = "sub" in adder.mnemonic
        others = [one for one in summed[1:] if one != listed[0]]
        if len(others) != 1 or (subtracts and summed[2] != listed[0]):
            continue
        if study.written_between(instruction.reads, at, place):
            continue
        wide = _WIDENED[name].replace("add", "sub") if subtracts else _WIDENED[name]
        changed[at] = None
        changed[place] = example = f"{wide}{dot}{suffix} {summed[0]}, {others[0]}, {listed[1]}"
        found += [at, place]
    if found:
        text = f"a widening and then an addition, {len(found) // 2} times: use one instruction for both, `{example}`"
        hint = study.hint("widening-add", found, text, [one for one in changed if one is not None])
        if hint is not None:
            yield hint


def copies(study: Study) -> Iterator[Hint]:
    """Yield a hint for a copied vector whose original is unchanged for every reader."""
    changed: list[Instruction | str | None] = list(study.body)
    found = []
    for at, instruction in enumerate(study.body):
        pair = _copied(instruction)
        uses = study.uses(at) if pair else None
        if pair is None or uses is None or uses.leaves or not uses.readers:
            continue
        target, source = pair
        last = max(uses.readers)
        readers = [study.body[place] for place in uses.readers]
        if min(uses.readers) <= at or study.written_between(instruction.reads, at, last):
            continue
        if any(set(reader.writes) & set(instruction.writes) for reader in readers):
            continue
        if any(set(reader.writes) & set(instruction.reads) for reader in readers[:-1]):
            continue
        if any(isinstance(changed[place], str) for place in uses.readers):
            continue
        renamed = [re.sub(rf"\b{target}\b", source, reader.text) for reader in readers]
        if any(text == reader.text for text, reader in zip(renamed, readers, strict=True)):
            continue  # read by another name, as half of a register
        changed[at] = None
        for place, text in zip(uses.readers, renamed, strict=True):
            changed[place] = text
        found.append(at)
    if found:
        number = "a copy" if len(found) == 1 else f"{len(found)} copies"
        text = f"{number} of a register that does not change: read the original instead"
        hint = study.hint("copies", found, text, [one for one in changed if one is not None])
        if hint is not None:
            yield hint


def _copied(instruction: Instruction) -> tuple[str, str] | None:
    listed = operands(instruction)
    names = [one.partition(".")[0] for one in listed]
    if instruction.branch is not BranchKind.NONE or not names:
        return None
    if instruction.mnemonic == "mov" and len(names) == 2 and listed[0].endswith(".16b"):
        return names[0], names[1]
    if instruction.mnemonic == "vorr" and len(names) == 3 and names[1] == names[2] and names[0] != names[1]:
        return names[0], names[1]
    return None
