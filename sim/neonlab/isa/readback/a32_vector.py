"""Lower the Advanced SIMD and floating-point part of the A32 aliases: types, short forms, immediates, moves."""

from __future__ import annotations

import re
from dataclasses import replace

from neonlab.isa.readback import a32_names as names
from neonlab.isa.readback.a32_names import Name
from neonlab.isa.readback.text import SpellingError, pairs, words

Operands = tuple[str, ...]
Lowered = tuple[Name, Operands]
_M32 = (1 << 32) - 1
_TYPE = re.compile(r"([suifp]|bf|)(8|16|32|64)")
_TYPED_OPERAND = re.compile(r"([qds]\d+)\.([a-z]?\d+)(\[\d*\])?")
_GENERAL = re.compile(r"r\d+|sp|lr|pc")
_PLAIN_LIST = re.compile(r"[sd]\d+")


# The part of the type that is encoded.
_NO_TYPE = words("vand veor vorn vbsl vbit vbif vswp vldm vldmia vldmdb vstm vstmia vstmdb vpush vpop vmrs vmsr")
_SIZE_ONLY = words(
    """vld1 vld2 vld3 vld4 vst1 vst2 vst3 vst4 vext vtrn vzip vuzp vdup vrev16 vrev32 vrev64 vtbl vtbx vsli vsri vtst
    vcnt"""
)
_SIGNLESS = words("""vadd vsub vmla vmls vmul vpadd vceq vmovn vaddhn vraddhn vsubhn vrsubhn vshrn vrshrn vclz""")
# `vadd.i32 q0, q1` is `vadd.i32 q0, q0, q1`.
_THREE = words(
    """vadd vsub vmul vdiv vnmul vhadd vhsub vrhadd vqadd vqsub vand vbic vorr vorn veor vbsl vmax vmin vmaxnm vminnm
    vpadd vpmax vpmin vabd vshl vrshl vqshl vqrshl vshr vrshr vsli vsri vsra vrsra vqshlu vceq vcge vcgt vcle
    vclt vacge vacgt vacle vaclt vtst vqdmulh vqrdmulh vrecps vrsqrts vaddw vsubw vqshlu vmla vmls vfma vfms
    vqrdmlah vqrdmlsh"""
)
# The encoding of a narrowing shift by zero.
_NARROWING = pairs("vshrn=vmovn vrshrn=vmovn vqshrn=vqmovn vqrshrn=vqmovn vqshrun=vqmovun vqrshrun=vqmovun")
_MIRRORED = {"vcle": "vcge", "vclt": "vcgt", "vacle": "vacge", "vaclt": "vacgt"}


def modern(name: Name, operands: Operands) -> Lowered:
    """Return the unified-syntax form of a mnemonic from before that syntax."""
    base, _, types = names.OLD_FLOAT[name.base].partition(".")
    if base == "fmstat":
        return replace(name, base="vmrs"), ("apsr_nzcv", "fpscr")
    if name.base in ("fcmpzs", "fcmpzd", "fcmpezs", "fcmpezd"):
        operands = (*operands, "#0")
    return replace(name, base=base, types=types), operands


def lower(name: Name, operands: Operands) -> Lowered:
    """Return the base form of a `v...` instruction."""
    types, operands = _operand_types(name, operands)
    if types in ("f", "d", "s"):
        types = {"f": "f32", "s": "f32", "d": "f64"}[types]
    name = replace(name, types=types)
    if name.base == "vmov":
        return _vmov(name, operands)
    if name.base in _THREE and len(operands) == 2:
        operands = (operands[0], *operands)
    if not operands:
        return name, operands
    immediate = operands[-1].startswith("#")
    if name.base in ("vorr", "vbic", "vand", "vorn") and immediate:
        return _logic_immediate(name, operands)
    if name.base == "vmvn":
        return _move_immediate(name, operands) if immediate else (replace(name, types=""), operands)
    if name.base in _MIRRORED and len(operands) == 3 and not immediate:
        name, operands = replace(name, base=_MIRRORED[name.base]), (operands[0], operands[2], operands[1])
    rule = _RULES.get(name.base)
    if rule is not None:
        name, operands = rule(name, operands)
    return _typed(name, operands), operands


def _operand_types(name: Name, operands: Operands) -> tuple[str, Operands]:
    """Return the type of the mnemonic, or of operands that have it: `vmull q0.s32, d0.s16, d1.s16`."""
    found = [_TYPED_OPERAND.fullmatch(operand) for operand in operands]
    types = [match[2] for match in found if match is not None]
    if not types or name.types:
        return name.types, operands
    plain = tuple(
        operand if match is None else match[1] + (match[3] or "")
        for operand, match in zip(operands, found, strict=True)
    )
    return ".".join(types) if name.base == "vcvt" else types[-1], plain


def _typed(name: Name, operands: Operands) -> Name:
    """Return the name with only as much of the type as is encoded."""
    base, types = name.base, name.types
    if base in ("vldr", "vstr"):
        return replace(name, types="16" if types.endswith("16") and operands[0].startswith("s") else "")
    if base in _NO_TYPE or base in ("vorr", "vbic"):
        return replace(name, types="")
    found = _TYPE.fullmatch(types)
    if found is None:
        return name
    kind, size = found[1], found[2]
    if base in _SIZE_ONLY:
        return replace(name, types=size)
    signless = base in _SIGNLESS or (base == "vshl" and operands[-1].startswith("#"))
    if signless and kind in ("s", "u", "i", ""):
        return replace(name, types=f"i{size}")
    return name


def _is_general(operand: str) -> bool:
    return _GENERAL.fullmatch(operand) is not None


def _vmov(name: Name, operands: Operands) -> Lowered:
    if len(operands) != 2:
        return replace(name, types=""), operands  # two core registers at once
    destination, source = operands
    size = name.types.lstrip("suifp") or "32"
    if source.startswith("#"):
        return _move_immediate(name, operands)
    if _is_general(source) or _is_general(destination):
        if name.types.endswith("16") and "[" not in destination + source:
            return replace(name, types="f16"), operands
        if "[" in destination:
            return replace(name, types=size), operands
        if "[" in source:
            return replace(name, types=name.types if size in ("8", "16") else size), operands
        return replace(name, types=""), operands
    if destination.startswith("s"):
        return replace(name, types="f32"), operands
    if name.types == "f64" or name.condition:
        return replace(name, types="f64"), operands
    return replace(name, base="vorr", types=""), (destination, source, source)


# Immediates


def _value(operand: str) -> int:
    if operand.startswith("#") and operand[1:].lstrip("-").isdecimal():
        return int(operand[1:])
    raise SpellingError(f"`{operand}` is no integer")


def _move_immediate(name: Name, operands: Operands) -> Lowered:
    """Return the form that GNU as picks.

    It tries the value as written, then inverted with vmov and vmvn exchanged.  Raises SpellingError where neither fits.
    """
    destination, text = operands[0], operands[-1]
    if name.types in ("f32", "f64", "f16"):
        value = float(text[1:])
        if value != 0.0 or destination.startswith("s") or name.types != "f32":
            return name, (destination, f"#{value!r}")
        name, text = replace(name, types="i32"), "#0"
    found = _TYPE.fullmatch(name.types)
    if found is None or found[1] not in ("i", "s", "u"):
        raise SpellingError(f"`{name.types or 'no type'}` is no integer type")
    size, value = int(found[2]), _value(text)
    if size < 32 and not 0 <= value < 1 << size:
        raise SpellingError(f"`{text}` has bits outside {size} bits")
    if not -(1 << 31) <= value < 1 << (64 if size == 64 else 32):
        raise SpellingError(f"`{text}` does not fit {size} bits")
    value &= (1 << size) - 1
    inverse = name.base == "vmvn"
    for attempt, invert in ((value, inverse), (~value & (1 << size) - 1, not inverse)):
        form = _move_form(attempt, size, invert)
        if form is not None:
            base, types, shown = form
            return replace(name, base=base, types=types), (destination, f"#{shown}")
    raise SpellingError(f"`#{value:#x}` is no immediate of {name.base}.{name.types}")


def _move_form(value: int, size: int, inverse: bool) -> tuple[str, str, int] | None:
    """Return an encoding of table "Modified immediate values in Advanced SIMD" (DDI 0406C, A7.4.6); else None."""
    base = "vmvn" if inverse else "vmov"
    low = value & _M32
    if size == 64:
        if all(value >> 8 * i & 0xFF in (0, 0xFF) for i in range(8)):
            return None if inverse else ("vmov", "i64", value)
        if value >> 32 != low:
            return None
    if size >= 32:
        if any(low == low & 0xFF << 8 * i for i in range(4)):
            return base, "i32", low
        if low == low & 0xFF00 | 0xFF or low == low & 0xFF0000 | 0xFFFF:
            return base, "i32", low
        if low & 0xFFFF != low >> 16:
            return None
        low &= 0xFFFF
    if size >= 16:
        if low in (low & 0xFF, low & 0xFF00):
            return base, "i16", low
        if low & 0xFF != low >> 8:
            return None
        low &= 0xFF
    return None if inverse else ("vmov", "i8", low)


def _logic_immediate(name: Name, operands: Operands) -> Lowered:
    """Lower vorr and vbic with a constant; vorn and vand are these with the inverse."""
    if len(operands) == 3 and operands[0] != operands[1]:
        raise SpellingError("destination and first operand must be the same register")
    found = _TYPE.fullmatch(name.types)
    size, value = int(found[2]) if found else 0, _value(operands[-1])
    if size not in (8, 16, 32, 64):
        raise SpellingError(f"`{name.types}` is no integer type")
    if size < 32 and not 0 <= value < 1 << size:
        raise SpellingError(f"`{operands[-1]}` has bits outside {size} bits")
    base = {"vand": "vbic", "vorn": "vorr"}.get(name.base, name.base)
    value = (value if base == name.base else ~value) & (1 << size) - 1
    if size == 8:
        value, size = value << 8 | value, 16
    if size == 64 and value >> 32 == value & _M32:
        value, size = value & _M32, 32
    if size == 32:
        if any(value == value & 0xFF << 8 * i for i in range(4)):
            return replace(name, base=base, types="i32"), (operands[0], f"#{value}")
        if value & 0xFFFF == value >> 16:
            value, size = value & 0xFFFF, 16
    if size == 16 and value in (value & 0xFF, value & 0xFF00):
        return replace(name, base=base, types="i16"), (operands[0], f"#{value}")
    raise SpellingError(f"`{operands[-1]}` is no immediate of {name.base}.{name.types}")


# Single instructions


def _compare(name: Name, operands: Operands) -> Lowered:
    if operands[-1].startswith("#") and float(operands[-1][1:]) == 0.0:
        operands = (*operands[:-1], "#0")
    return name, operands


def _extract(name: Name, operands: Operands) -> Lowered:
    """Lower vext, which counts bytes in the base form."""
    if len(operands) == 3:
        operands = (operands[0], *operands)
    found = _TYPE.fullmatch(name.types)
    if found is None or len(operands) != 4:
        return name, operands
    return replace(name, types="8"), (*operands[:3], f"#{_value(operands[3]) * int(found[2]) // 8}")


def _permute(name: Name, operands: Operands) -> Lowered:
    """Lower vzip and vuzp, which are vtrn on two lanes."""
    if name.types.endswith("32") and operands[0].startswith("d"):
        name = replace(name, base="vtrn")
    return name, operands


def _shift_right(name: Name, operands: Operands) -> Lowered:
    if operands[-1] == "#0" and name.base in ("vshr", "vrshr"):
        return replace(name, base="vorr", types=""), (operands[0], operands[1], operands[1])
    if operands[-1] == "#0" and name.base in _NARROWING:
        return replace(name, base=_NARROWING[name.base]), operands[:-1]
    if operands[-1] == "#0" and name.base == "vcvt" and operands[0][0] != "s" and len(operands) == 3:
        return name, operands[:-1]
    return name, operands


def _shift_long(name: Name, operands: Operands) -> Lowered:
    found = _TYPE.fullmatch(name.types)
    if found is not None and operands[-1] == f"#{found[2]}":
        name = replace(name, types=f"i{found[2]}")
    elif operands[-1] == "#0":
        return replace(name, base="vmovl"), operands[:-1]
    return name, operands


def _multiple(name: Name, operands: Operands) -> Lowered:
    """Lower vpush and vpop to store and load multiple on sp. Lists of q registers are lists of d registers already."""
    base = {"vpush": "vstmdb", "vpop": "vldmia", "vldm": "vldmia", "vstm": "vstmia"}.get(name.base, name.base)
    if name.base in ("vpush", "vpop"):
        operands = ("sp!", *operands)
    return replace(name, base=base), operands


def _elements(name: Name, operands: Operands) -> Lowered:
    """Add the braces that a single register does not need."""
    if not operands[0].startswith("{"):
        operands = ("{" + operands[0] + "}", *operands[1:])
    return name, operands


def _table(name: Name, operands: Operands) -> Lowered:
    return name, operands


def _status(name: Name, operands: Operands) -> Lowered:
    return name, tuple("apsr_nzcv" if operand == "pc" else operand for operand in operands)


_RULES = {
    **dict.fromkeys(("vcmp", "vcmpe", "vceq", "vcge", "vcgt", "vcle", "vclt"), _compare),
    **dict.fromkeys(("vzip", "vuzp"), _permute),
    **dict.fromkeys(("vshr", "vrshr", "vcvt", *_NARROWING), _shift_right),
    **dict.fromkeys(("vpush", "vpop", "vldm", "vstm"), _multiple),
    **dict.fromkeys([f"v{way}{count}" for way in ("ld", "st") for count in "1234"], _elements),
    **dict.fromkeys(("vmrs", "vmsr"), _status),
    "vext": _extract,
    "vshll": _shift_long,
}
