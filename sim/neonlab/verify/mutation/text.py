"""List the texts that one slip of the programmer can make of an instruction; most are valid instructions.

A slip is one of `SLIPS`.  This module does not know what can be encoded: the caller tries each text and drops the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register

#: Every kind of slip, by the name that reports use.
SLIPS = ("register", "lane", "immediate", "order", "size", "mnemonic", "dropped")

_CORE_A32 = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14}
_REGISTER = r"(?:[xwrvqdshb]\d+|sb|sl|fp|ip|sp|lr)"
_LIST = re.compile(r"\{[^}]*\}")
_OPERAND = re.compile(rf"(?<![\w#])({_REGISTER})((?:\.\w+)?)(?![\w.])")
_LANE = re.compile(r"(?<=[\w}])\[(\d+)\]")
_IMMEDIATE = re.compile(r"(?<=#)-?(?:0x[0-9a-f]+|\d+)(?![\w.])")
_ARRANGEMENT = re.compile(r"\.(16b|8b|8h|4h|4s|2s|2d|1d|b|h|s|d)\b")
_TYPE_A32 = re.compile(r"\.([suif]?)(8|16|32|64)\b")
_INCREMENT = re.compile(r"(\])(?:!|, #?-?\w+)$")

_OTHER_HALF = {"8b": "16b", "4h": "8h", "2s": "4s", "1d": "2d", "16b": "8b", "8h": "4h", "4s": "2s", "2d": "1d"}
_WIDER = {"8b": "4h", "4h": "2s", "2s": "1d", "16b": "8h", "8h": "4s", "4s": "2d", "b": "h", "h": "s", "s": "d"}
_NARROWER = {wide: narrow for narrow, wide in _WIDER.items()}
_WIDER_SCALAR = {"b": "h", "h": "s", "s": "d", "d": "q", "w": "x"}
_NARROWER_SCALAR = {wide: narrow for narrow, wide in _WIDER_SCALAR.items()}

_INVERSE = {
    "eq": "ne", "hs": "lo", "mi": "pl", "vs": "vc", "hi": "ls", "ge": "lt", "gt": "le",
    "ne": "eq", "lo": "hs", "pl": "mi", "vc": "vs", "ls": "hi", "lt": "ge", "le": "gt",
}  # fmt: skip
_AT_EQUALITY = {"hs": "hi", "hi": "hs", "lo": "ls", "ls": "lo", "ge": "gt", "gt": "ge", "lt": "le", "le": "lt"}
_OTHER_CONDITIONS = {
    condition: [inverse, *([_AT_EQUALITY[condition]] if condition in _AT_EQUALITY else [])]
    for condition, inverse in _INVERSE.items()
}

# Mnemonics that are easily confused.  A32 mnemonics have no type here.
_CONFUSED = {
    Isa.A64: """
        smlal smull smlal2 smlsl umlal; smlal2 smlal smull2 smlsl2 umlal2; smull smlal umull smull2;
        smull2 smlal2 umull2 smull; umlal umull umlal2 umlsl smlal; umlal2 umlal umull2 umlsl2 smlal2;
        umull umlal smull umull2; umull2 umlal2 smull2 umull; saddw uaddw ssubw saddw2;
        saddw2 uaddw2 ssubw2 saddw; uaddw saddw usubw uaddw2; uaddw2 saddw2 usubw2 uaddw;
        saddl uaddl ssubl saddl2; saddl2 uaddl2 ssubl2 saddl; saddlp uaddlp sadalp; uaddlp saddlp uadalp;
        sadalp uadalp saddlp; uadalp sadalp uaddlp; addp add smaxp; addv smaxv; add sub addp; sub add;
        adds add subs; subs sub adds; mla mls mul; mls mla; mul mla; sdot udot; udot sdot; smmla ummla;
        ummla smmla; usdot udot sudot; sudot usdot; sxtl uxtl sxtl2; sxtl2 uxtl2 sxtl; uxtl sxtl uxtl2;
        uxtl2 sxtl2 uxtl; sshll ushll sshll2; sshll2 ushll2 sshll; xtn sqxtn xtn2; sqxtn xtn sqxtun sqxtn2;
        sqxtn2 sqxtun2 sqxtn; sqxtun sqxtn uqxtn; sqrdmulh sqdmulh; sqdmulh sqrdmulh; srshl sshl; sshl srshl;
        srshr sshr; sshr ushr srshr; ushr sshr; smax smin umax; smin smax umin; zip1 zip2 uzp1 trn1;
        zip2 zip1 uzp2 trn2; uzp1 uzp2 zip1; uzp2 uzp1 zip2; trn1 trn2 zip1; trn2 trn1 zip2; tbl tbx;
        ld1 ld2 ld3 ld4 ld1r; ld2 ld1; ld3 ld1; ld4 ld1; st1 st2; ld1r ld2r; st2 st1; st3 st1; st4 st1; ext trn1;
        ands and orr; and ands orr; orr and eor; eor orr; tst cmp cmn; cmp cmn tst; lsr lsl; lsl lsr; asr lsr;
        cbz cbnz; cbnz cbz; tbz tbnz; tbnz tbz; csel csinc; ldr ldur; ldrb ldrsb ldrh; ldrsb ldrb ldrsh;
        madd msub; msub madd; movi mvni; mov mvn; ldp ldnp; b bl; ret br
    """,
    Isa.A32: """
        vmlal vmull vmlsl; vmull vmlal; vmla vmls vmul; vmls vmla; vmul vmla; vaddw vsubw vaddl;
        vaddl vsubl vaddw; vpadal vpaddl; vpaddl vpadal; vpadd vadd vpmax; vadd vsub vpadd vqadd; vsub vadd;
        vmovl vmov; vqmovn vqmovun vmovn; vmovn vqmovn; vqrdmulh vqdmulh; vqdmulh vqrdmulh; vrshl vshl;
        vshl vrshl vshr; vshr vrshr vshl; vmax vmin; vmin vmax; vzip vuzp vtrn; vuzp vzip vtrn; vtrn vzip vuzp;
        vld1 vld2 vld3 vld4; vld2 vld1; vld3 vld1; vld4 vld1; vst1 vst2; vst2 vst1; vorr vand veor; vmov vmvn;
        vext vtbl; vpush vpop; vpop vpush; push pop; pop push; vdup vmov; vsdot vudot; vudot vsdot; add sub adc;
        sub add rsb; adds add subs; subs sub adds rsbs; rsb sub add; ands and orrs; and ands orr; orr and eor;
        cmp cmn tst; tst teq cmp; lsl lsr; lsr lsl; lsls lsl lsrs; lsrs lsr lsls; asr lsr; mov mvn movs;
        ldrb ldrsb ldrh ldr; ldrsb ldrb ldrsh; mla mls mul; mul mla; vldr vstr; vldmia vldmdb; b bl; bx blx
    """,
}
_TABLES = {
    isa: {
        first: others for first, *others in (row.split() for row in text.replace("\n", ";").split(";") if row.strip())
    }
    for isa, text in _CONFUSED.items()
}


def slips(instruction: Instruction, live: Collection[Register] = ()) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of each slip, repeats possible, except for order and dropping, which have no text.

    `live` are registers that hold a value at the instruction: one of them is tried in each operand.
    """
    for text in _registers(instruction, live):
        yield "register", text
    for text in _lists(instruction):
        yield "register", text
    for text in _lanes(instruction):
        yield "lane", text
    for text in _immediates(instruction):
        yield "immediate", text
    for text in _sizes(instruction):
        yield "size", text
    for text in _mnemonics(instruction):
        yield "mnemonic", text


def _registers(instruction: Instruction, live: Collection[Register]) -> Iterator[str]:
    """Yield texts with each operand outside a list replaced by its neighbours, and by another live register."""
    operands = instruction.operands
    inside = [found.span() for found in _LIST.finditer(operands)]
    for found in _OPERAND.finditer(operands):
        if any(start <= found.start() < end for start, end in inside):
            continue
        for name in _neighbours(instruction.isa, found[1], live):
            yield _text(instruction, operands[: found.start(1)] + name + operands[found.end(1) :])


def _neighbours(isa: Isa, name: str, live: Collection[Register]) -> Iterator[str]:
    file, number = _parsed(isa, name)
    tried = {number}
    if file in "xwr":
        last, kind, step = (30 if isa is Isa.A64 else 14), "general", 1
    else:
        kind = "vector"
        last = 15 if isa is Isa.A32 and file == "q" else 31
        step = 2 if isa is Isa.A32 and file == "q" else 1
    for other in (number + 1, number - 1):
        if 0 <= other <= last:
            tried.add(other)
            yield _named(isa, file, other)
    # The furthest in the register file, since a near register is likely to hold related data.
    holding = sorted({register.index // step for register in live if register.file == kind} - tried)
    holding = [index for index in holding if index <= last]
    if holding:
        yield _named(isa, file, max(holding, key=lambda index: (abs(index - number), index)))


def _parsed(isa: Isa, name: str) -> tuple[str, int]:
    if name == "sp":
        return ("x", 31) if isa is Isa.A64 else ("r", 13)
    if isa is Isa.A32 and name in _CORE_A32:
        return "r", _CORE_A32[name]
    return name[0], int(name[1:])


def _named(isa: Isa, file: str, number: int) -> str:
    if isa is Isa.A32 and file == "r":
        return {13: "sp", 14: "lr"}.get(number, f"r{number}")
    return "sp" if file == "x" and number == 31 else f"{file}{number}"


def _lists(instruction: Instruction) -> Iterator[str]:
    """Yield texts with a register list moved by one, or one longer or shorter; of general registers, one left out."""
    operands, isa = instruction.operands, instruction.isa
    found = _LIST.search(operands)
    if found is None:
        return
    members = [member.strip() for member in found[0][1:-1].split(",")]
    read = [re.fullmatch(rf"({_REGISTER}|pc)(.*)", member) for member in members]
    if any(member is None for member in read):
        return
    if members[0].startswith("r") or members[0] in _CORE_A32:
        variants = [members[:left] + members[left + 1 :] for left in range(len(members))]
    else:
        named = [(*_parsed(isa, member[1]), member[2]) for member in read if member is not None]
        (file, first, suffix), count = named[0], len(named)
        stride = named[1][1] - first if count > 1 else 1

        def listed(start: int, count: int) -> list[str]:
            return [f"{file}{(start + stride * i) % 32}{suffix}" for i in range(count)]

        starts = [start for start in (first + 1, first - 1) if 0 <= start < 32]
        variants = [listed(start, count) for start in starts] + [listed(first, count - 1), listed(first, count + 1)]
    for variant in variants:
        if variant:
            yield _text(instruction, f"{operands[: found.start()]}{{{', '.join(variant)}}}{operands[found.end() :]}")


def _lanes(instruction: Instruction) -> Iterator[str]:
    operands = instruction.operands
    for found in _LANE.finditer(operands):
        lane = int(found[1])
        for other in (lane + 1, lane - 1, 0):
            if other >= 0:
                yield _text(instruction, f"{operands[: found.start(1)]}{other}{operands[found.end(1) :]}")


def _immediates(instruction: Instruction) -> Iterator[str]:
    """Yield texts with each number changed by 1 or an element, or set to 0; a target moves by one instruction."""
    operands = instruction.operands
    numbers = list(_IMMEDIATE.finditer(operands))
    for found in numbers:
        value = int(found[0], 0)
        if instruction.branch is not BranchKind.NONE and found is numbers[-1]:
            others = [value + 4, value - 4]
        else:
            element = instruction.accesses[0].count if instruction.accesses else 4
            others = [value + 1, value - 1, value + element, value - element, 0]
        for other in others:
            yield _text(instruction, f"{operands[: found.start()]}{other}{operands[found.end() :]}")


def _sizes(instruction: Instruction) -> Iterator[str]:
    text = instruction.text
    if instruction.isa is Isa.A64:
        for table in (_OTHER_HALF, _WIDER, _NARROWER):
            yield _ARRANGEMENT.sub(lambda found: f".{table.get(found[1], found[1])}", text)  # noqa: B023
            for found in _ARRANGEMENT.finditer(text):
                if found[1] in table:
                    yield f"{text[: found.start(1)]}{table[found[1]]}{text[found.end(1) :]}"
        for scalar in (_WIDER_SCALAR, _NARROWER_SCALAR):
            pattern = re.compile(r"(?<![\w#])([bhsdqwx])(\d+|zr)\b(?!\.)")
            brackets = text.find("[") if "[" in text else len(text)
            head, tail = text[:brackets], text[brackets:]
            yield pattern.sub(lambda found: scalar.get(found[1], found[1]) + found[2], head) + tail  # noqa: B023
        return
    for found in _TYPE_A32.finditer(instruction.mnemonic):
        sign, bits = found[1], int(found[2])
        others = [f"{sign}{size}" for size in (bits // 2, bits * 2) if 8 <= size <= 64]
        others += [f"{other}{bits}" for other in {"s": "u", "u": "s"}.get(sign, "")]
        for other in others:
            changed = instruction.mnemonic[: found.start(1)] + other + instruction.mnemonic[found.end() :]
            yield f"{changed} {instruction.operands}"
    if "{" not in text:
        yield _text(instruction, re.sub(r"\bq(\d+)\b", lambda found: f"d{2 * int(found[1])}", instruction.operands))
        if all(int(found[1]) % 2 == 0 for found in re.finditer(r"\bd(\d+)\b", instruction.operands)):
            yield _text(
                instruction, re.sub(r"\bd(\d+)\b", lambda found: f"q{int(found[1]) // 2}", instruction.operands)
            )


def _mnemonics(instruction: Instruction) -> Iterator[str]:
    """Yield texts with an easily confused mnemonic, another condition, or no step of the base register."""
    mnemonic, operands, isa = instruction.mnemonic, instruction.operands, instruction.isa
    base, dot, kind = mnemonic.partition(".")
    condition = instruction.condition
    if isa is Isa.A32 and condition and base.endswith(condition):
        base = base[: -len(condition)]
    for other in _TABLES[isa].get(base, ()):
        name = other + (condition if isa is Isa.A32 else "") + dot + kind
        yield f"{name} {operands}".rstrip()
        if isa is Isa.A64:  # second-half forms of long instructions need other arrangements of the sources
            first, comma, rest = operands.partition(",")
            turned = _ARRANGEMENT.sub(lambda found: f".{_OTHER_HALF.get(found[1], found[1])}", rest)
            yield f"{name} {first}{comma}{turned}"
            narrow = rest.rpartition(",")
            turned = _ARRANGEMENT.sub(lambda found: f".{_OTHER_HALF.get(found[1], found[1])}", narrow[2])
            yield f"{name} {first}{comma}{narrow[0]}{narrow[1]}{turned}"
    yield from _conditions(instruction, base, dot, kind)
    if _INCREMENT.search(operands) and instruction.writeback is not None:
        yield _text(instruction, _INCREMENT.sub(r"\1", operands))


def _conditions(instruction: Instruction, base: str, dot: str, kind: str) -> Iterator[str]:
    operands, condition = instruction.operands, instruction.condition
    if instruction.isa is Isa.A32 and condition in _INVERSE:
        for other in (*_OTHER_CONDITIONS[condition], ""):
            yield f"{base}{other}{dot}{kind} {operands}"
    elif condition in _INVERSE:  # b.ne
        for other in _OTHER_CONDITIONS[condition]:
            yield f"{base}.{other} {operands}"
        yield f"b {operands}"
    head, comma, last = operands.rpartition(", ")
    if comma and last in _INVERSE:  # csel x0, x1, x2, ne
        for other in _OTHER_CONDITIONS[last]:
            yield _text(instruction, f"{head}, {other}")


def _text(instruction: Instruction, operands: str) -> str:
    return f"{instruction.mnemonic} {operands}"


def swappable(instructions: Collection[Instruction]) -> Iterator[tuple[Instruction, Instruction]]:
    """Yield adjacent instructions whose order matters to registers or memory, and which always run one after the other.

    Neither is a branch, and the second is no branch target: in both cases more than two lines would be exchanged.
    """
    targets = {instruction.target for instruction in instructions}
    for first, second in pairwise(instructions):
        plain = first.branch is BranchKind.NONE and second.branch is BranchKind.NONE
        adjacent = second.address == first.address + first.size and second.address not in targets
        if plain and adjacent and depend(first, second):
            yield first, second


def depend(first: Instruction, second: Instruction) -> bool:
    """Tell whether exchanging the two can matter: one writes a register that the other names, or memory."""
    if set(first.writes) & (set(second.reads) | set(second.writes)) or set(second.writes) & set(first.reads):
        return True
    stores = bool(first.stored_bytes or second.stored_bytes)
    return stores and any(
        _may_overlap(first, second, i, j) for i in range(len(first.accesses)) for j in range(len(second.accesses))
    )


def _may_overlap(first: Instruction, second: Instruction, i: int, j: int) -> bool:
    one, other = first.accesses[i], second.accesses[j]
    if one.base is None or one.base != other.base or one.index or other.index:
        return True
    return one.displacement < other.displacement + other.count and other.displacement < one.displacement + one.count
