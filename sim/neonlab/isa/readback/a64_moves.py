"""Lower A64 aliases of moves, logic and bit fields: `mov`, `lsl`, `ubfx`, `sxtw`."""

from __future__ import annotations

import re

from neonlab.isa.readback import a64_words as words
from neonlab.isa.readback.text import Spelled, SpellingError

Operands = tuple[str, ...]
_M64 = (1 << 64) - 1
_GENERAL = re.compile(r"[wx](\d+|zr)|w?sp")
_INVERTED = {"bic": "and", "bics": "ands", "orn": "orr", "eon": "eor"}


def integer(operand: str) -> int:
    """Return the value of `#n` as a signed number of 64 bits.  Raises SpellingError for other operands."""
    if not operand.startswith("#") or not operand[1:].removeprefix("-").isdecimal():
        raise SpellingError(f"`{operand}` is no integer")
    value = int(operand[1:])
    return value - (1 << 64) if value >> 63 == 1 else value


def zero(register: str) -> str:
    """Return the zero register that is as wide as `register`."""
    return "wzr" if register.startswith("w") else "xzr"


def bits(register: str) -> int:
    """Return the width of a general register in bits."""
    return 32 if register.startswith("w") else 64


def is_general(operand: str) -> bool:
    """Return whether `operand` is a general register; sp and the zero register count."""
    return _GENERAL.fullmatch(operand) is not None


def need(operands: Operands, *counts: int) -> None:
    """Raise SpellingError unless the number of operands is one of `counts`."""
    if len(operands) not in counts:
        plural = "operand" if len(operands) == 1 else "operands"
        raise SpellingError(f"{len(operands)} {plural}, where {' or '.join(map(str, counts))} are expected")


# Logic and moves


def logic(mnemonic: str, operands: Operands) -> Spelled:
    """Lower `tst`, and invert constants of `bic` and similar."""
    if mnemonic == "tst":
        mnemonic, operands = "ands", (zero(operands[0] if operands else ""), *operands)
    if len(operands) == 3 and operands[2].startswith("#") and is_general(operands[0]):
        size, value = bits(operands[0]), integer(operands[2])
        if mnemonic in _INVERTED and mnemonic != "bic":
            # LLVM's assembler inverts the constant of all four, GNU as of `bic` alone: the others do not build there.
            plain = _INVERTED[mnemonic]
            inverted = f"#{~value & (1 << size) - 1:#x}"
            raise SpellingError(
                f"`{mnemonic}` takes a register, not a constant; write `{plain}` with the constant `{inverted}`"
            )
        if mnemonic in _INVERTED:
            mnemonic, value = _INVERTED[mnemonic], ~value
        # GNU as takes a 32-bit pattern with its upper half all zeros or all ones.
        if size == 32 and value & _M64 >> 32 not in (0, _M64 >> 32) and (value & _M64) >> 32 not in (0, _M64 >> 32):
            raise SpellingError(f"`{operands[2]}` does not fit 32 bits")
        return Spelled(mnemonic, (*operands[:2], f"#{value & (1 << size) - 1}"))
    if operands[0].startswith("v") and len(operands) > 1 and operands[1].startswith("#"):
        return movi(mnemonic, operands)
    return Spelled(mnemonic, operands)


def mov(mnemonic: str, operands: Operands) -> Spelled:
    """Lower `mov` by its operands: to orr, add, movz, movn, ins, umov, dup."""
    need(operands, 2)
    destination, source = operands
    if source.startswith("#") and is_general(destination):
        return _mov_immediate(destination, integer(source))
    if is_general(destination) and is_general(source):
        if "sp" in destination + source:
            return Spelled("add", (destination, source, "#0"))
        return Spelled("orr", (destination, zero(destination), source))
    if "[" in destination:
        return Spelled("ins", operands)
    if "[" in source:
        if is_general(destination) and f".{'s' if destination[0] == 'w' else 'd'}[" not in source:
            raise SpellingError(f"`mov` to {destination} takes a lane of {bits(destination)} bits; umov takes any")
        return Spelled("umov" if is_general(destination) else "dup", operands)
    if destination.startswith("v"):
        low = destination.partition(".")[2] in ("8b", "4h", "2s", "1d")
        shape = "8b" if low else "16b"
        names = [operand.partition(".")[0] for operand in operands]
        if destination.partition(".")[2] != source.partition(".")[2]:
            raise SpellingError(f"`{destination}` and `{source}` differ in arrangement")
        return Spelled("orr", (f"{names[0]}.{shape}", f"{names[1]}.{shape}", f"{names[1]}.{shape}"))
    return Spelled(mnemonic, operands)


def _mov_immediate(destination: str, value: int) -> Spelled:
    """Return MOVZ if it can hold the value, else MOVN, else ORR: the order in which GNU as tries."""
    size = 32 if destination.startswith("w") else 64
    mask = (1 << size) - 1
    if not -(1 << (size - 1)) <= value <= mask:
        raise SpellingError(f"`#{value}` does not fit {size} bits")
    value &= mask
    if "sp" not in destination:
        for mnemonic, wanted in (("movz", value), ("movn", ~value & mask)):
            for shift in range(0, size, 16):
                if wanted & ~(0xFFFF << shift) == 0:
                    return wide(mnemonic, (destination, f"#{wanted >> shift}", f"lsl #{shift}"))
    if not words.is_bitmask(value, size):
        raise SpellingError(f"`#{value:#x}` cannot be moved by one instruction")
    return Spelled("orr", (destination, zero(destination), f"#{value}"))


def wide(mnemonic: str, operands: Operands) -> Spelled:
    """Lower movz, movn, movk: a shift by nothing is not written."""
    return Spelled(mnemonic, operands if len(operands) != 3 or operands[2] != "lsl #0" else operands[:2])


def mvn(mnemonic: str, operands: Operands) -> Spelled:
    """Lower `mvn`: of a general register it is orn, of a vector not."""
    if operands and is_general(operands[0]):
        return Spelled("orn", (operands[0], zero(operands[0]), *operands[1:]))
    return Spelled("not", operands)


def movi(mnemonic: str, operands: Operands) -> Spelled:
    """Replace a negative constant by its bits."""
    if len(operands) >= 2 and operands[1].startswith("#"):
        value = integer(operands[1])
        wide = operands[0].startswith("d") or operands[0].endswith(".2d")
        if wide and -(1 << 63) <= value < 0:
            value &= _M64
        elif -128 <= value < 0:
            value &= 0xFF  # GNU as: any signed byte stands for its bits, whatever the arrangement
        operands = (operands[0], f"#{value}", *operands[2:])
    return Spelled(mnemonic, operands)


# Bit fields and shifts


def shift(mnemonic: str, operands: Operands) -> Spelled:
    """Lower shifts: by a register to lslv and so on, by a constant to bit-field moves."""
    need(operands, 3)
    destination, source, amount = operands
    if not amount.startswith("#"):
        return Spelled(f"{mnemonic}v", operands)
    size, value = bits(destination), integer(amount)
    if not 0 <= value < size:
        raise SpellingError(f"a shift by {value} is out of range for {size} bits")
    if mnemonic == "ror":
        return Spelled("extr", (destination, source, source, amount))
    if mnemonic == "lsl":
        return Spelled("ubfm", (destination, source, f"#{-value % size}", f"#{size - 1 - value}"))
    return Spelled("ubfm" if mnemonic == "lsr" else "sbfm", (destination, source, amount, f"#{size - 1}"))


def field(mnemonic: str, operands: Operands) -> Spelled:
    """Lower bit-field aliases, given by their lowest bit and width."""
    if mnemonic == "bfc" and len(operands) == 3:
        operands = (operands[0], zero(operands[0]), *operands[1:])
    need(operands, 4)
    destination, source, low, width = operands[0], operands[1], integer(operands[2]), integer(operands[3])
    size = bits(destination)
    if not (0 <= low < size and 1 <= width <= size - low):
        raise SpellingError(f"a field of {width} bits at bit {low} does not fit {size} bits")
    base = {"s": "sbfm", "u": "ubfm", "b": "bfm"}[mnemonic[0]]
    if mnemonic in ("bfi", "bfc", "sbfiz", "ubfiz"):
        return Spelled(base, (destination, source, f"#{-low % size}", f"#{width - 1}"))
    return Spelled(base, (destination, source, f"#{low}", f"#{low + width - 1}"))


def extend(mnemonic: str, operands: Operands) -> Spelled:
    """Lower sign and zero extensions to bit-field moves."""
    need(operands, 2)
    destination, source = operands
    last = {"b": 7, "h": 15, "w": 31}[mnemonic[-1]]
    if mnemonic == "uxtw":
        # GNU as writes a plain 32-bit move, which clears the upper half.
        return Spelled("orr", (f"w{destination[1:]}", "wzr", f"w{source[1:]}"))
    if mnemonic[0] == "u":
        destination = f"w{destination[1:]}"
    return Spelled(f"{mnemonic[0]}bfm", (destination, destination[0] + source[1:], "#0", f"#{last}"))
