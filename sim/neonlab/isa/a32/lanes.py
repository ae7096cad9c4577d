"""Parse the text of an A32 Advanced SIMD instruction to its arithmetic on lanes (DDI 0406C A8.8, DDI 0487 F6.1).

The data type after the dot gives the sign, and the width of the narrower operands (of the wider ones where the result
narrows).  An operand is wide where its register is a q and others are d.
"""

from __future__ import annotations

import re
from dataclasses import replace

from neonlab.isa.a64.lanes import number, split_operands
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import LaneOperation, Lanes, general_start, vector_start

_SIGN = {"s": True, "u": False, "x": None}
_NARROWING = {"vmovn", "vqmovn", "vqmovun", "vshrn", "vrshrn", "vqshrn", "vqrshrn", "vqshrun", "vqrshrun",
              "vaddhn", "vraddhn", "vsubhn", "vrsubhn"}  # fmt: skip

# mnemonic -> (family, signs of destination and sources, options).  `t` is the sign in the data type, `T` that of a sum
# that such a lane is added to: signed for signed, either for unsigned.
# Options: s saturates, r rounds, a the destination is the first source.
_TABLE: dict[str, tuple[str, str, str]] = {
    "vadd": ("add", "xxx", ""),
    "vsub": ("sub", "xxx", ""),
    "vmul": ("mul", "xxx", ""),
    "vmla": ("mla", "xxx", "a"),
    "vmls": ("mls", "xxx", "a"),
    "vaddl": ("add", "ttt", ""),
    "vaddw": ("add", "TTt", ""),
    "vsubl": ("sub", "stt", ""),
    "vsubw": ("sub", "TTt", ""),
    "vmull": ("mul", "ttt", ""),
    "vmlal": ("mla", "Ttt", "a"),
    "vmlsl": ("mls", "Ttt", "a"),
    "vpadd": ("addp", "xxx", ""),
    "vpaddl": ("addp", "tt", ""),
    "vpadal": ("adalp", "Tt", "a"),
    "vaddhn": ("addhn", "xxx", ""),
    "vraddhn": ("addhn", "xxx", "r"),
    "vsubhn": ("subhn", "xxx", ""),
    "vrsubhn": ("subhn", "xxx", "r"),
    "vhadd": ("hadd", "ttt", ""),
    "vrhadd": ("hadd", "ttt", "r"),
    "vhsub": ("hsub", "ttt", ""),
    "vqadd": ("add", "ttt", "s"),
    "vqsub": ("sub", "ttt", "s"),
    "vabd": ("abd", "utt", ""),
    "vabdl": ("abd", "utt", ""),
    "vaba": ("aba", "xtt", "a"),
    "vabal": ("aba", "xtt", "a"),
    "vabs": ("abs", "ss", ""),
    "vneg": ("neg", "xx", ""),
    "vqabs": ("abs", "ss", "s"),
    "vqneg": ("neg", "ss", "s"),
    "vmax": ("max", "ttt", ""),
    "vmin": ("min", "ttt", ""),
    "vpmax": ("maxp", "ttt", ""),
    "vpmin": ("minp", "ttt", ""),
    "vshl": ("shift", "tts", ""),
    "vrshl": ("shift", "tts", "r"),
    "vqshl": ("shift", "tts", "s"),
    "vqrshl": ("shift", "tts", "sr"),
    "vqshlu": ("shl", "us", "s"),
    "vshll": ("shl", "tt", ""),
    "vmovl": ("shl", "tt", ""),
    "vshr": ("shr", "tt", ""),
    "vrshr": ("shr", "tt", "r"),
    "vsra": ("sra", "Tt", "a"),
    "vrsra": ("sra", "Tt", "ra"),
    "vmovn": ("shr", "xx", ""),
    "vshrn": ("shr", "xx", ""),
    "vrshrn": ("shr", "xx", "r"),
    "vqmovn": ("shr", "tt", "s"),
    "vqmovun": ("shr", "us", "s"),
    "vqshrn": ("shr", "tt", "s"),
    "vqrshrn": ("shr", "tt", "sr"),
    "vqshrun": ("shr", "us", "s"),
    "vqrshrun": ("shr", "us", "sr"),
    "vqdmulh": ("qdmulh", "sss", "s"),
    "vqrdmulh": ("qdmulh", "sss", "sr"),
    "vqrdmlah": ("qdmlah", "sss", "sra"),
    "vqrdmlsh": ("qdmlsh", "sss", "sra"),
    "vqdmull": ("qdmull", "sss", "s"),
    "vqdmlal": ("qdmlal", "sss", "sa"),
    "vqdmlsl": ("qdmlsl", "sss", "sa"),
    "vsdot": ("dot", "sss", "a"),
    "vudot": ("dot", "xuu", "a"),
    "vusdot": ("dot", "sus", "a"),
    "vsudot": ("dot", "ssu", "a"),
    "vsmmla": ("mmla", "sss", "a"),
    "vummla": ("mmla", "xuu", "a"),
    "vusmmla": ("mmla", "sus", "a"),
    "vceq": ("cmeq", "xxx", ""),
    "vtst": ("cmtst", "xxx", ""),
    "vcgt": ("cmgt", "stt", ""),
    "vcge": ("cmge", "stt", ""),
    "vclt": ("cmlt", "stt", ""),
    "vcle": ("cmle", "stt", ""),
    "vand": ("and", "uuu", ""),
    "vorr": ("orr", "uuu", ""),
    "veor": ("eor", "uuu", ""),
    "vbic": ("bic", "uuu", ""),
    "vorn": ("orn", "uuu", ""),
    "vmvn": ("not", "uu", ""),
    "vbsl": ("bsl", "uuu", "a"),
    "vbit": ("bit", "uuu", "a"),
    "vbif": ("bif", "uuu", "a"),
    "vsli": ("sli", "uu", "a"),
    "vsri": ("sri", "uu", "a"),
    "vcnt": ("cnt", "uu", ""),
    "vclz": ("clz", "uu", ""),
    "vcls": ("cls", "uu", ""),
    "vext": ("ext", "uuu", ""),
    "vrev16": ("rev", "uu", ""),
    "vrev32": ("rev", "uu", ""),
    "vrev64": ("rev", "uu", ""),
    "vdup": ("mov", "uu", ""),
    "vmov": ("mov", "uu", ""),
    "vzip": ("vzip", "uu", ""),
    "vuzp": ("vuzp", "uu", ""),
    "vtrn": ("vtrn", "uu", ""),
    "vswp": ("vswp", "uu", ""),
}
_TYPE = re.compile(r"^([isupf]?)(8|16|32|64)$")
_REGISTER = re.compile(r"^([qd])(\d+)(?:\[(\d*)\])?$")
_GENERAL = {f"r{i}": i for i in range(16)} | {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14}


def _general(text: str) -> Lanes | None:
    index = _GENERAL.get(text)
    return None if index is None else Lanes(general_start(Isa.A32, index), 1, 32)


def _operand(text: str, bits: int) -> Lanes | None:
    """Return a q or d register as lanes of `bits`, or an element of a d register; None for another operand."""
    found = _REGISTER.match(text)
    if found is None:
        return None
    size, index = (16 if found[1] == "q" else 8), int(found[2])
    start = vector_start(Isa.A32, index * size // 8)
    if found[3]:
        return Lanes(start + bits // 8 * int(found[3]), 1, bits, same=True)
    return Lanes(start, size * 8 // bits, bits)


def lane_operation_a32(mnemonic: str, operands: str) -> LaneOperation | None:
    """Return the lane arithmetic of one instruction; None where it is no integer work on Advanced SIMD registers."""
    name, _, data_type = mnemonic.partition(".")
    parts = split_operands(operands)
    found = _TYPE.match(data_type) if data_type else None
    if data_type and (found is None or found[1] == "f"):
        return None
    letter, bits = (found[1], int(found[2])) if found else ("", 8)
    if name in ("vtbl", "vtbx"):
        return _table(name, parts)
    entry = _TABLE.get(name)
    if entry is None or len(parts) < 2:
        return None
    numbers = [value for part in parts if (value := number(part)) is not None]
    if name == "vmov" or name == "vdup":
        return _move(data_type, letter, bits, parts, numbers)
    if letter == "p":
        entry = ("pmul", "uuu", "")
    family, signs, options = entry
    if family in ("orr", "bic", "not") and numbers:
        return _immediate(family, bits, parts, numbers[0])
    return _general_form(name, letter, bits, parts, numbers, (family, signs, options))


def _general_form(
    name: str, letter: str, bits: int, parts: list[str], numbers: list[int], entry: tuple[str, str, str]
) -> LaneOperation | None:
    family, signs, options = entry
    widths = _widths(name, family, bits, parts)
    lanes = []
    for part, width in zip(parts, widths, strict=True):
        if number(part) is not None:
            continue
        if family == "dot" and "[" in part:
            element = _operand(part, 32)
            found = replace(element, count=4, bits=8) if element is not None else None
        else:
            found = _operand(part, width)
        if found is None:
            return None
        lanes.append(found)
    sign = {"s": True, "u": False}.get(letter)
    meaning = {**_SIGN, "t": sign, "T": True if sign else None}
    if name in ("vcgt", "vcge", "vclt", "vcle") and sign is None:
        meaning["t"] = True
    if name == "vshl" and numbers:
        family, meaning["t"] = "shl", None  # vshl.i: by an immediate there is no sign
    elif name == "vqshl" and numbers:
        family = "shl"
    destination, *sources = (replace(lane, signed=meaning[s]) for lane, s in zip(lanes, signs, strict=False))
    immediate = numbers[0] if numbers and not family.startswith("cm") else 0
    if family == "rev":
        immediate = int(name[4:])
    if family == "ext":  # counted in elements; as bytes it is the same move
        destination, *sources = (replace(lane, bits=8, count=lane.size) for lane in (destination, *sources))
        immediate *= bits // 8
    second = None
    if family in ("vzip", "vuzp", "vtrn", "vswp"):
        second, sources = sources[0], [destination, sources[0]]
    if "a" in options:
        sources.insert(0, destination)
    return LaneOperation(family, destination, tuple(sources), immediate, "s" in options, "r" in options, 0, second)


def _widths(name: str, family: str, bits: int, parts: list[str]) -> list[int]:
    """Return the bits of a lane of each operand."""
    if family in ("dot", "mmla"):
        return [32, 8, 8]
    if family in ("bsl", "bit", "bif", "and", "orr", "eor", "bic", "orn", "not", "vswp"):
        return [8] * len(parts)
    if name in _NARROWING:
        return [bits // 2, *[bits] * (len(parts) - 1)]
    if name in ("vpaddl", "vpadal"):
        return [2 * bits, bits]
    wide = parts[0].startswith("q")
    return (
        [
            2 * bits
            if wide and part.startswith("q") and any(p.startswith("d") and "[" not in p for p in parts)
            else bits
            for part in parts
        ]
        if name.endswith(("l", "w")) and name not in ("vshl", "vrshl", "vqshl", "vqrshl")
        else [bits] * len(parts)
    )


def _immediate(family: str, bits: int, parts: list[str], value: int) -> LaneOperation | None:
    """Parse VORR, VBIC, VMVN (immediate). The text shows the constant of AdvSIMDExpandImm as the value of one lane."""
    destination = _operand(parts[0], bits)
    if destination is None:
        return None
    lanes = replace(destination, signed=False)
    if family == "not":
        return LaneOperation("constant", lanes, (), ~value & (1 << bits) - 1)
    return LaneOperation(f"{family}_constant", lanes, (lanes,), value & (1 << bits) - 1)


def _table(name: str, parts: list[str]) -> LaneOperation | None:
    lanes = [_operand(part.strip(), 8) for part in (parts[0], *parts[1].strip("{}").split(","), parts[2])]
    destination, *sources = (replace(lane, signed=False) for lane in lanes if lane is not None)
    if len(sources) + 1 != len(lanes):
        return None
    if name == "vtbx":
        sources.insert(0, destination)
    return LaneOperation(name[1:], destination, tuple(sources))


def _move(data_type: str, letter: str, bits: int, parts: list[str], numbers: list[int]) -> LaneOperation | None:
    """Parse VMOV of constants, of elements to and from general registers, of two of these at once, and VDUP."""
    if numbers and len(parts) == 2:
        destination = _operand(parts[0], bits)
        if destination is None:
            return None
        return LaneOperation("constant", replace(destination, signed=False), (), numbers[0] & (1 << bits) - 1)
    generals = [_general(part) for part in parts]
    if len(parts) == 3:
        return _pair(parts, generals)
    if len(parts) != 2:
        return None
    width = bits if data_type else 32
    destination, source = (
        found if found is not None else _operand(part, width) for part, found in zip(parts, generals, strict=True)
    )
    if destination is None or source is None:
        return None
    if generals[1] is not None:
        source = replace(source, bits=width)
    if generals[0] is not None:
        source, signed = replace(source, same=True), letter == "s"
        wide = destination.start + 8
        return LaneOperation(
            "mov", replace(destination, signed=False), (replace(source, signed=signed),), clear_end=wide
        )
    source = replace(source, same=source.count == 1, signed=False)
    return LaneOperation("mov", replace(destination, same=False, signed=False), (source,))


def _pair(parts: list[str], generals: list[Lanes | None]) -> LaneOperation | None:
    """Parse VMOV between a d register and two general registers."""
    first, second, third = generals
    if first is None and second is not None and third is not None:
        vector = _operand(parts[0], 32)
        if vector is None:
            return None
        return LaneOperation("pair_in", replace(vector, signed=False), (second, third))
    if first is not None and second is not None and third is None:
        vector = _operand(parts[2], 32)
        if vector is None:
            return None
        return LaneOperation("pair_out", first, (replace(vector, signed=False),), second=second)
    return None
