"""Express what general registers compute as arithmetic on lanes, and narrow loads as extensions of a lane."""

from __future__ import annotations

import re
from dataclasses import dataclass

from neonlab.isa.lanes import LaneOperation, Lanes
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import general_start

_A32_NAMES = {f"r{index}": index for index in range(13)} | {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "lr": 14}
_FAMILIES = {
    Isa.A64: {"add": "add", "sub": "sub", "mul": "mul", "madd": "mla", "msub": "mls"},
    Isa.A32: {"add": "add", "sub": "sub", "rsb": "sub", "mul": "mul", "mla": "mla", "mls": "mls"},
}
_SHIFTS = {"lsl": ("shl", None), "asr": ("shr", True), "lsr": ("shr", False)}
_HALVES = re.compile(r"^sm(ul|la)([bt])([bt])$")
_LOAD = re.compile(r"^ldu?r(s?)([bhw])$")
_A32_LOAD = re.compile(r"^ldr(s?)([bh])$")
_EXTEND = re.compile(r"^([su])xt([bhw])$")
_BITS = {"b": 8, "h": 16, "w": 32}
_NUMBER = re.compile(r"^#(-?(?:0x)?[0-9a-f]+)$")


@dataclass(frozen=True, slots=True)
class Extension:
    """A lane of `bits`, from memory or from byte `source` of the register file, written to a register of `width` bytes.

    Bytes from the end of the destination up to `clear_end` become zero.
    """

    destination: int
    width: int
    clear_end: int
    bits: int
    signed: bool
    loads: bool
    source: int = 0


def extension(instruction: Instruction) -> Extension | None:
    """Return a load that is narrower than its register, or an extension; None for another instruction."""
    isa, parts = instruction.isa, [part.strip() for part in instruction.operands.split(",")]
    loaded = (_LOAD if isa is Isa.A64 else _A32_LOAD).match(instruction.mnemonic)
    extended = _EXTEND.match(instruction.mnemonic)
    target = _register(isa, parts[0])
    if target is None or not (loaded or extended):
        return None
    index, width = target
    start = general_start(isa, index)
    end = start + isa.pointer_bytes
    if loaded:
        return Extension(start, width, end, _BITS[loaded[2]], loaded[1] == "s", True)
    assert extended is not None
    source = _register(isa, parts[-1])
    if len(parts) != 2 or source is None:
        return None
    bits, at = _BITS[extended[2]], general_start(isa, source[0])
    return Extension(start, width, end, bits, extended[1] == "s", False, at)


def scalar_operation(instruction: Instruction) -> LaneOperation | None:
    """Return the operation on whole registers, or on their signed halves, as lanes; None for all others.

    Instructions that set flags too are left out, as are shifted operands.
    """
    isa, mnemonic = instruction.isa, instruction.mnemonic
    if instruction.accesses or [one.file for one in instruction.writes if one.file != "status"] != ["general"]:
        return None
    parts = [part.strip() for part in instruction.operands.split(",")]
    registers = [found for part in parts if (found := _register(isa, part)) is not None]
    numbers = [int(number[1], 0) for part in parts if (number := _NUMBER.match(part))]
    if len(registers) + len(numbers) != len(parts) or not registers:
        return None
    width = registers[0][1]

    def lanes(register: tuple[int, int], signed: bool | None = None) -> Lanes:
        return Lanes(general_start(isa, register[0]), 1, 8 * width, signed)

    destination = lanes(registers[0])
    end = destination.start + isa.pointer_bytes
    if mnemonic in _SHIFTS and len(registers) == 2 and len(numbers) == 1:
        family, signed = _SHIFTS[mnemonic]
        return LaneOperation(family, destination, (lanes(registers[1], signed),), numbers[0], clear_end=end)
    if numbers:
        return None
    indices = registers[1:] if len(registers) > 2 else registers
    if halves := _HALVES.match(mnemonic):
        factors = [
            Lanes(general_start(isa, one[0]) + 2 * (half == "t"), 1, 16, signed=True)
            for one, half in zip(indices, halves.groups()[1:], strict=False)
        ]
        total = (lanes(indices[2]),) if halves[1] == "la" else ()
        return LaneOperation("mla" if total else "mul", destination, (*total, *factors), clear_end=end)
    family_name = _FAMILIES[isa].get(mnemonic)
    if family_name is None:
        return None
    if family_name in ("mla", "mls"):
        indices = [indices[2], *indices[:2]]
    elif mnemonic == "rsb":
        indices = indices[::-1]
    return LaneOperation(family_name, destination, tuple(map(lanes, indices)), clear_end=end)


def _register(isa: Isa, text: str) -> tuple[int, int] | None:
    """Return the number and the width in bytes of a general register; None for another operand."""
    if isa is Isa.A32:
        return (_A32_NAMES[text], 4) if text in _A32_NAMES else None
    if text == "lr":
        return 30, 8
    found = re.fullmatch(r"([wx])(\d+|zr)", text)
    if found is None:
        return None
    return (31 if found[2] == "zr" else int(found[2])), 4 if found[1] == "w" else 8
