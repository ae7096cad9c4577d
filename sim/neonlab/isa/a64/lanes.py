"""Parse the text of an A64 instruction to its arithmetic on lanes (DDI 0487, C7.2, section of the mnemonic).

The arrangements of the operands give all widths.  The table of mnemonics therefore has only a family, and how each
operand is read: signed, unsigned, or `x` for either, where the result has the same bits.
"""

from __future__ import annotations

import re
from dataclasses import replace

from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import LaneOperation, Lanes, general_start, vector_start

_WIDTH = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128}
_SIGN = {"s": True, "u": False, "x": None}

# mnemonic -> (family, signs of the destination and the sources, options)
# Options: s saturates, r rounds, a the destination is the first source (its sign is then the first of both).
_Entry = tuple[str, str, str]


#: Instructions that have no twin for lanes of the other sign.
_PLAIN: dict[str, _Entry] = {
    "add": ("add", "xxx", ""),
    "sub": ("sub", "xxx", ""),
    "mul": ("mul", "xxx", ""),
    "mla": ("mla", "xxx", "a"),
    "mls": ("mls", "xxx", "a"),
    "addp": ("addp", "xxx", ""),
    "addv": ("addv", "xx", ""),
    "abs": ("abs", "ss", ""),
    "neg": ("neg", "xx", ""),
    "sqabs": ("abs", "ss", "s"),
    "sqneg": ("neg", "ss", "s"),
    "suqadd": ("add", "su", "sa"),
    "usqadd": ("add", "us", "sa"),
    "shl": ("shl", "xx", ""),
    "shll": ("shl", "xx", ""),
    "sqshlu": ("shl", "us", "s"),
    "xtn": ("shr", "xx", ""),
    "shrn": ("shr", "xx", ""),
    "rshrn": ("shr", "xx", "r"),
    "sqxtun": ("shr", "us", "s"),
    "sqshrun": ("shr", "us", "s"),
    "sqrshrun": ("shr", "us", "sr"),
    "addhn": ("addhn", "xxx", ""),
    "raddhn": ("addhn", "xxx", "r"),
    "subhn": ("subhn", "xxx", ""),
    "rsubhn": ("subhn", "xxx", "r"),
    "sqdmulh": ("qdmulh", "sss", "s"),
    "sqrdmulh": ("qdmulh", "sss", "sr"),
    "sqrdmlah": ("qdmlah", "sss", "sra"),
    "sqrdmlsh": ("qdmlsh", "sss", "sra"),
    "sqdmull": ("qdmull", "sss", "s"),
    "sqdmlal": ("qdmlal", "sss", "sa"),
    "sqdmlsl": ("qdmlsl", "sss", "sa"),
    "usdot": ("dot", "sus", "a"),
    "sudot": ("dot", "ssu", "a"),
    "usmmla": ("mmla", "sus", "a"),
    "pmul": ("pmul", "uuu", ""),
    "pmull": ("pmul", "uuu", ""),
    "cmeq": ("cmeq", "xxx", ""),
    "cmtst": ("cmtst", "xxx", ""),
    "cmgt": ("cmgt", "sss", ""),
    "cmge": ("cmge", "sss", ""),
    "cmlt": ("cmlt", "sss", ""),
    "cmle": ("cmle", "sss", ""),
    "cmhi": ("cmgt", "suu", ""),
    "cmhs": ("cmge", "suu", ""),
    "and": ("and", "uuu", ""),
    "orr": ("orr", "uuu", ""),
    "eor": ("eor", "uuu", ""),
    "bic": ("bic", "uuu", ""),
    "orn": ("orn", "uuu", ""),
    "mvn": ("not", "uu", ""),
    "not": ("not", "uu", ""),
    "bsl": ("bsl", "uuu", "a"),
    "bit": ("bit", "uuu", "a"),
    "bif": ("bif", "uuu", "a"),
    "sli": ("sli", "uu", "a"),
    "sri": ("sri", "uu", "a"),
    "cnt": ("cnt", "uu", ""),
    "clz": ("clz", "uu", ""),
    "cls": ("cls", "uu", ""),
    "rbit": ("rbit", "uu", ""),
    "mov": ("mov", "uu", ""),
    "dup": ("mov", "uu", ""),
    "ins": ("mov", "uu", ""),
    "umov": ("mov", "uu", ""),
    "smov": ("mov", "ss", ""),
    "fmov": ("mov", "uu", ""),
    "ext": ("ext", "uuu", ""),
    "rev16": ("rev", "uu", ""),
    "rev32": ("rev", "uu", ""),
    "rev64": ("rev", "uu", ""),
}


def _entries() -> dict[str, _Entry]:
    table = dict(_PLAIN)
    for name in ("zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2"):
        table[name] = (name, "uuu", "")
    for letter in "su":
        both = letter * 3
        table |= {
            f"{letter}mull": ("mul", both, ""),
            f"{letter}addl": ("add", both, ""),
            f"{letter}addlp": ("addp", letter * 2, ""),
            f"{letter}addlv": ("addv", letter * 2, ""),
            f"{letter}hadd": ("hadd", both, ""),
            f"{letter}rhadd": ("hadd", both, "r"),
            f"{letter}hsub": ("hsub", both, ""),
            f"{letter}qadd": ("add", both, "s"),
            f"{letter}qsub": ("sub", both, "s"),
            # A difference of unsigned lanes is a signed number; a distance of signed ones is unsigned.
            f"{letter}subl": ("sub", "s" + letter * 2, ""),
            f"{letter}abd": ("abd", "u" + letter * 2, ""),
            f"{letter}abdl": ("abd", "u" + letter * 2, ""),
            f"{letter}max": ("max", both, ""),
            f"{letter}min": ("min", both, ""),
            f"{letter}maxp": ("maxp", both, ""),
            f"{letter}minp": ("minp", both, ""),
            f"{letter}maxv": ("maxv", letter * 2, ""),
            f"{letter}minv": ("minv", letter * 2, ""),
            f"{letter}shl": ("shift", letter * 2 + "s", ""),
            f"{letter}rshl": ("shift", letter * 2 + "s", "r"),
            f"{letter}qshl": ("shift", letter * 2 + "s", "s"),
            f"{letter}qrshl": ("shift", letter * 2 + "s", "sr"),
            f"{letter}shr": ("shr", letter * 2, ""),
            f"{letter}rshr": ("shr", letter * 2, "r"),
            f"{letter}shll": ("shl", letter * 2, ""),
            f"{letter}qxtn": ("shr", letter * 2, "s"),
            f"{letter}qshrn": ("shr", letter * 2, "s"),
            f"{letter}qrshrn": ("shr", letter * 2, "sr"),
        }
        # With a signed addend the sum is signed; with an unsigned one it may be either.
        total = "s" if letter == "s" else "x"
        table |= {
            f"{letter}addw": ("add", total * 2 + letter, ""),
            f"{letter}subw": ("sub", total * 2 + letter, ""),
            f"{letter}mlal": ("mla", total + letter * 2, "a"),
            f"{letter}mlsl": ("mls", total + letter * 2, "a"),
            f"{letter}adalp": ("adalp", total + letter, "a"),
            f"{letter}sra": ("sra", total + letter, "a"),
            f"{letter}rsra": ("sra", total + letter, "ra"),
            f"{letter}dot": ("dot", total + letter * 2, "a"),
            f"{letter}mmla": ("mmla", total + letter * 2, "a"),
            f"{letter}aba": ("aba", "x" + letter * 2, "a"),
            f"{letter}abal": ("aba", "x" + letter * 2, "a"),
        }
    return table


_TABLE = _entries()
_SECOND_HALF = re.compile(r"^(?:[su](?:mull|mlal|mlsl|addl|addw|subl|subw|abdl|abal|shll|qxtn|qshrn|qrshrn)|xtn|r?shrn"
                          r"|shll|sqxtun|sqr?shrun|r?addhn|r?subhn|sqdmull|sqdmlal|sqdmlsl|pmull)2$")  # fmt: skip
_VECTOR = re.compile(r"^v(\d+)\.(\d*)([bhsdq])(?:\[(0x[0-9a-f]+|\d+)\])?$")  # Capstone writes 0xf for 15
_SCALAR = re.compile(r"^([bhsdq])(\d+)$")
_GENERAL = re.compile(r"^(?:([wx])(\d+|zr)|lr)$")
_NUMBER = re.compile(r"^#(-?(?:0x)?[0-9a-f]+)$")


def split_operands(text: str) -> list[str]:
    """Split operands at their commas; a list in braces is one operand."""
    return [part.strip() for part in re.findall(r"\s*(\{[^}]*\}(?:\[\d+\])?|[^,]+)", text) if part.strip()]


def number(text: str) -> int | None:
    """Return the value of an immediate, or None."""
    found = _NUMBER.match(text)
    return int(found[1], 16 if "x" in found[1] else 10) if found else None


def _operand(text: str, dot: bool = False) -> Lanes | None:
    """Return a register, its arrangement or its element as lanes; None for another operand."""
    if found := _VECTOR.match(text):
        start, width, index = vector_start(Isa.A64, int(found[1])), _WIDTH[found[3]], found[4]
        if index is None:
            return Lanes(start, int(found[2]), width)
        if dot:  # v2.4b[1]: a group of four bytes
            return Lanes(start + 4 * int(index, 0), 4, 8, same=True)
        return Lanes(start + width // 8 * int(index, 0), 1, width, same=True)
    if found := _SCALAR.match(text):
        return Lanes(vector_start(Isa.A64, int(found[2])), 1, _WIDTH[found[1]])
    if found := _GENERAL.match(text):
        if found[0] == "lr":
            return Lanes(general_start(Isa.A64, 30), 1, 64)
        index = 31 if found[2] == "zr" else int(found[2])
        return Lanes(general_start(Isa.A64, index), 1, 32 if found[1] == "w" else 64)
    return None


def _is_general(lanes: Lanes) -> bool:
    return lanes.start >= general_start(Isa.A64, 0)


def _sign(lanes: Lanes, letter: str) -> Lanes:
    return replace(lanes, signed=_SIGN[letter])


def lane_operation_a64(mnemonic: str, operands: str) -> LaneOperation | None:
    """Return the lane arithmetic of one instruction; None where it is no integer work on vector registers."""
    parts = split_operands(operands)
    if mnemonic in ("movi", "mvni"):
        return _constant(mnemonic, parts)
    if mnemonic in ("tbl", "tbx"):
        return _table(mnemonic, parts)
    upper = bool(_SECOND_HALF.match(mnemonic))
    name = mnemonic[:-1] if upper else mnemonic
    entry = _TABLE.get(name)
    if entry is None or len(parts) < 2:
        return None
    family, signs, options = entry
    dot = family == "dot"
    lanes = [found for part in parts if (found := _operand(part, dot)) is not None]
    numbers = [value for part in parts if (value := number(part)) is not None]
    if len(lanes) + len(numbers) != len(parts):
        return _logic_immediate(mnemonic, parts)
    if not lanes or all(map(_is_general, lanes)):
        return None
    if family in ("orr", "bic") and len(lanes) == 1:
        return _logic_immediate(mnemonic, parts)
    destination, *sources = lanes
    if family == "mov":
        return _move(name, parts[0], destination, sources, numbers)
    immediate = numbers[0] if numbers else 0
    if family.startswith("cm") and numbers:
        immediate = 0  # a comparison with zero
    if family == "shift" and numbers:
        family = "shl"
    if family == "rev":
        immediate = int(name[3:])
    narrow = min(lane.bits for lane in lanes)
    if upper:
        destination, *sources = (
            lane.high_half() if lane.bits == narrow and not lane.same else lane for lane in (destination, *sources)
        )
    destination = _sign(destination, signs[0])
    sources = [_sign(lane, letter) for lane, letter in zip(sources, signs[1:], strict=False)]
    if "a" in options:
        sources.insert(0, destination)
    keeps_half = upper and destination.bits == narrow
    return LaneOperation(
        family,
        replace(destination, same=False),
        tuple(sources),
        immediate,
        "s" in options,
        "r" in options,
        destination.end if keeps_half else _register_end(destination),
    )


def _register_end(lanes: Lanes) -> int:
    return lanes.start // 16 * 16 + 16


def _constant(mnemonic: str, parts: list[str]) -> LaneOperation | None:
    """Parse MOVI, MVNI (AdvSIMDExpandImm)."""
    destination, value = _operand(parts[0]), number(parts[1])
    if destination is None or value is None:
        return None
    if len(parts) > 2:
        kind, amount = parts[2].split()
        shift = int(amount.strip("#"), 0)
        value = (value << shift) | ((1 << shift) - 1 if kind == "msl" else 0)
    value = (~value if mnemonic == "mvni" else value) & (1 << destination.bits) - 1
    return LaneOperation("constant", _sign(destination, "u"), (), value, clear_end=_register_end(destination))


def _logic_immediate(mnemonic: str, parts: list[str]) -> LaneOperation | None:
    """Parse ORR, BIC (vector, immediate)."""
    destination, value = _operand(parts[0]), number(parts[1])
    if mnemonic not in ("orr", "bic") or destination is None or value is None:
        return None
    if len(parts) > 2:
        value <<= int(parts[2].split()[1].strip("#"), 0)
    lanes = _sign(destination, "u")
    return LaneOperation(f"{mnemonic}_constant", lanes, (lanes,), value, clear_end=_register_end(lanes))


def _table(mnemonic: str, parts: list[str]) -> LaneOperation | None:
    listed = [_operand(text.strip()) for text in parts[1].strip("{}").split(",")]
    lanes = [_operand(parts[0]), *listed, _operand(parts[2])]
    if any(lane is None for lane in lanes):
        return None
    destination, *sources = (_sign(lane, "u") for lane in lanes if lane is not None)
    if mnemonic == "tbx":
        sources.insert(0, destination)
    return LaneOperation(mnemonic, destination, tuple(sources), clear_end=_register_end(destination))


def _move(
    name: str, written: str, destination: Lanes, sources: list[Lanes], numbers: list[int]
) -> LaneOperation | None:
    """Parse MOV of registers and elements, DUP, INS, UMOV, SMOV, and FMOV between register files (bits only)."""
    if len(sources) != 1 or numbers:
        return None
    source, letter = sources[0], "s" if name == "smov" else "u"
    width = destination.bits
    if _is_general(destination):
        # a write to a w register clears the upper half of the x register
        wide = replace(destination, bits=64) if letter == "u" else destination
        end = destination.start + 8
        return LaneOperation("mov", _sign(wide, "u"), (_sign(replace(source, same=True), letter),), clear_end=end)
    if _is_general(source):
        source = replace(source, bits=width, same=True)
    if source.count == 1 and source.bits > width:
        source = replace(source, bits=width)
    inserts = "[" in written
    end = destination.end if inserts else _register_end(destination)
    return LaneOperation("mov", replace(_sign(destination, "u"), same=False), (_sign(source, "u"),), clear_end=end)
