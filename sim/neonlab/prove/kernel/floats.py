"""Parse arithmetic on float32 lanes: what it computes, and where its operands lie.

A64 rounds once and keeps denormals.  Advanced SIMD of A32 flushes denormals to zero, operands and results (DDI 0406C,
A2.7.2), and its vmla and vmls round the product first; scalars of A32 keep denormals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from neonlab.isa.a64.lanes import split_operands
from neonlab.isa.lanes import Lanes
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import general_start, vector_start
from neonlab.prove.expressions.operation import Rounding
from neonlab.prove.kernel import families

_A64 = {
    "fadd": families.F_ADD, "fsub": families.F_SUB, "fmul": families.F_MUL, "fdiv": families.F_DIV,
    "fmla": families.F_FUSED, "fmls": families.F_FUSED_MINUS, "fmin": families.F_MIN, "fmax": families.F_MAX,
    "fminv": families.F_MINV, "fmaxv": families.F_MAXV, "fneg": families.F_NEG, "fabs": families.F_ABS,
    "fcmgt": families.F_GREATER, "fcmge": families.F_GREATER_EQUAL, "fcmeq": families.F_EQUAL,
}  # fmt: skip
_A32 = {
    "vadd": families.F_ADD, "vsub": families.F_SUB, "vmul": families.F_MUL, "vdiv": families.F_DIV,
    "vmla": families.F_TWICE, "vmls": families.F_TWICE_MINUS, "vfma": families.F_FUSED, "vfms": families.F_FUSED_MINUS,
    "vmin": families.F_MIN, "vmax": families.F_MAX, "vpmin": families.F_MINP, "vpmax": families.F_MAXP,
    "vneg": families.F_NEG, "vabs": families.F_ABS, "vcgt": families.F_GREATER, "vcge": families.F_GREATER_EQUAL,
    "vceq": families.F_EQUAL,
}  # fmt: skip
_ACCUMULATES = (families.F_FUSED, families.F_FUSED_MINUS, families.F_TWICE, families.F_TWICE_MINUS)
_BITS_ONLY = (families.F_NEG, families.F_ABS)
_ROUNDINGS = {
    "n": Rounding.EVEN, "a": Rounding.AWAY, "z": Rounding.TRUNCATE, "m": Rounding.DOWN, "p": Rounding.UP,
    # In the mode of the control register, which is the default one: no kernel is followed that may write it.
    "x": Rounding.EVEN, "i": Rounding.EVEN,
}  # fmt: skip
_TO_INTEGER = re.compile(r"^fcvt([nazmp])([su])$")
_TO_WHOLE = re.compile(r"^frint([nazmpxi])$")
_A32_TO_INTEGER = re.compile(r"^vcvt([nazmp]?)\.([su])32\.f32$")
_A32_OF_INTEGER = re.compile(r"^vcvt\.f32\.([su])32$")
_A64_OPERAND = re.compile(r"^v(\d+)\.([24]?)s(?:\[(\d+)\])?$")
_SCALAR = re.compile(r"^s(\d+)$")
_A32_OPERAND = re.compile(r"^([qds])(\d+)(?:\[(\d)\])?$")


@dataclass(frozen=True, slots=True)
class FloatOperation:
    """Arithmetic on lanes of 32 bits: a family of floats, a Rounding or the like in `amount`, and where lanes lie."""

    family: int
    destination: Lanes
    sources: tuple[Lanes, ...]
    amount: int = 0
    flushes: bool = False
    clear_end: int = 0


def float_operation(instruction: Instruction) -> FloatOperation | None:
    """Return the arithmetic of an instruction on float32 lanes; None for any other."""
    parts = split_operands(instruction.operands)
    found = _a64(instruction.mnemonic, parts) if instruction.isa is Isa.A64 else _a32(instruction.mnemonic, parts)
    if found is None:
        return None
    if found.family in _ACCUMULATES:
        return replace(found, sources=(found.destination, *found.sources))
    return found


def _a64(mnemonic: str, parts: list[str]) -> FloatOperation | None:
    lanes = [found for part in parts if (found := _a64_lanes(part)) is not None]
    compares_with_zero = len(parts) == 3 and parts[2] in ("#0.0", "#0")
    if len(lanes) != len(parts) - compares_with_zero or not lanes:
        return None
    if lanes[0].start >= general_start(Isa.A64, 0) and not mnemonic.startswith("fcvt"):
        return None
    family, amount = _A64.get(mnemonic), 0
    if mnemonic in ("scvtf", "ucvtf") and len(lanes) == 2:
        family = families.F_OF_INTEGER
        lanes[1] = replace(lanes[1], signed=mnemonic == "scvtf")
    elif (to_integer := _TO_INTEGER.match(mnemonic)) and len(lanes) == 2:
        family, amount = families.F_TO_INTEGER, _rounding(to_integer[1]) + (8 if to_integer[2] == "u" else 0)
    elif to_whole := _TO_WHOLE.match(mnemonic):
        family, amount = families.F_TO_WHOLE, _rounding(to_whole[1])
    if family is None:
        return None
    destination = replace(lanes[0], same=False)
    general = destination.start >= general_start(Isa.A64, 0)
    end = destination.start + 8 if general else destination.start // 16 * 16 + 16
    return FloatOperation(family, destination, tuple(lanes[1:]), amount, clear_end=end)


def _rounding(letter: str) -> int:
    return int(_ROUNDINGS[letter])


def _a64_lanes(text: str) -> Lanes | None:
    if found := _A64_OPERAND.match(text):
        start = vector_start(Isa.A64, int(found[1]))
        if found[3] is not None:
            return Lanes(start + 4 * int(found[3]), 1, 32, same=True)
        return Lanes(start, int(found[2]), 32) if found[2] else None
    if found := _SCALAR.match(text):
        return Lanes(vector_start(Isa.A64, int(found[1])), 1, 32)
    if (found := re.fullmatch(r"w(\d+)", text)) is not None:
        return Lanes(general_start(Isa.A64, int(found[1])), 1, 32)
    return None


def _a32(mnemonic: str, parts: list[str]) -> FloatOperation | None:
    found = [_a32_lanes(part) for part in parts]
    lanes = [one for one in found if one is not None]
    compares_with_zero = len(parts) == 3 and parts[2] in ("#0", "#0.0")
    if len(lanes) != len(parts) - compares_with_zero or not lanes:
        return None
    name, _, data_type = mnemonic.partition(".")
    family, amount = _A32.get(name) if data_type == "f32" else None, 0
    if (of_integer := _A32_OF_INTEGER.match(mnemonic)) and len(lanes) == 2:
        family = families.F_OF_INTEGER
        lanes[1] = replace(lanes[1], signed=of_integer[1] == "s")
    elif (to_integer := _A32_TO_INTEGER.match(mnemonic)) and len(lanes) == 2:
        family = families.F_TO_INTEGER
        amount = _rounding(to_integer[1] or "z") + (8 if to_integer[2] == "u" else 0)
    if family is None:
        return None
    if len(lanes) == 2 and family not in (*_BITS_ONLY, families.F_OF_INTEGER, families.F_TO_INTEGER):
        lanes.insert(1, lanes[0])  # two operands: the first one is the destination too
    vectors = not parts[0].startswith("s")
    flushes = vectors and family not in (*_BITS_ONLY, families.F_OF_INTEGER)
    return FloatOperation(family, replace(lanes[0], same=False), tuple(lanes[1:]), amount, flushes)


def _a32_lanes(text: str) -> Lanes | None:
    found = _A32_OPERAND.match(text)
    if found is None:
        return None
    number, element = int(found[2]), found[3]
    if found[1] == "s":
        return Lanes(4 * number, 1, 32)
    start = vector_start(Isa.A32, number * (2 if found[1] == "q" else 1))
    if element is not None:
        return Lanes(start + 4 * int(element), 1, 32, same=True)
    return Lanes(start, 4 if found[1] == "q" else 2, 32)
