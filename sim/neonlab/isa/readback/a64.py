"""Lower A64 aliases to their instruction, with the choice of encoding that GNU as makes.

`lower` is one to one with the word: two texts lower to the same instruction exactly when they are the same word.
Aliases are those of the Arm Architecture Reference Manual (DDI 0487), part C6 and C7.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable

from neonlab.isa.readback import a64_moves as moves
from neonlab.isa.readback import a64_words as words
from neonlab.isa.readback.text import Spelled, SpellingError

Operands = tuple[str, ...]
_M64 = (1 << 64) - 1
_GENERAL = re.compile(r"[wx](\d+|zr)|w?sp")
_BRANCHES = frozenset(f"b{name}" for name in words.CONDITIONS if len(name) == 2) - {"bal", "bnv"}
_LIMIT_SHIFT = re.compile(r"(lsl|uxtw|sxtw|uxtx|sxtx|uxtb|uxth|sxtb|sxth) #0")


def lower(text: Spelled, address: int = 0) -> Spelled:
    """Return the base form of the instruction `text` at `address`."""
    mnemonic, operands = text.mnemonic, text.operands
    if mnemonic.startswith("b.") or mnemonic in _BRANCHES:
        return Spelled(f"b.{words.condition(mnemonic.lstrip('b').lstrip('.'))}", operands)
    rule = _RULES.get(mnemonic)
    if rule is not None:
        text = rule(mnemonic, operands)
    elif mnemonic in words.HINTS and not operands:
        return Spelled("hint", (f"#{words.HINTS[mnemonic]}",))
    return _plain(text)


def _plain(text: Spelled) -> Spelled:
    """Apply the rules for every instruction: drop shifts by zero and displacements of zero."""
    operands = tuple(_operand(operand) for operand in text.operands)
    if operands and operands[-1] == "lsl #0":
        operands = operands[:-1]
    if text.mnemonic in _FLOAT_IMMEDIATE and operands[-1].startswith("#"):
        operands = (*operands[:-1], f"#{_float(operands[-1])!r}")
    return Spelled(text.mnemonic, operands)


def _operand(operand: str) -> str:
    if operand.startswith("["):
        return operand.replace(", #0]", "]").replace("#-0", "#0") if not operand.endswith("!") else operand
    if _LIMIT_SHIFT.fullmatch(operand) and not operand.startswith("lsl"):
        return operand[:4]
    return "#0" if operand == "#-0" else operand


def _float(operand: str) -> float:
    """Return the value of a floating-point immediate.

    A whole number above 65536 is taken as the 32 bits of a single.
    """
    text = operand[1:]
    if text.lstrip("-").isdecimal() and int(text) > 1 << 16:
        value: float = struct.unpack("<f", struct.pack("<I", int(text) & 0xFFFFFFFF))[0]
        return value
    return float(text)


# Addition and subtraction


def _add(mnemonic: str, operands: Operands) -> Spelled:
    if len(operands) < 3 or not moves.is_general(operands[0]):
        return Spelled(mnemonic, operands)
    destination, first, second, *shift = operands
    if second.startswith("#"):
        value = moves.integer(second)
        if shift == ["lsl #12"]:
            if value == 0:
                return Spelled(mnemonic, operands)
            value <<= 12
        elif shift not in ([], ["lsl #0"]):
            raise SpellingError(f"`{shift[0]}` is no shift of an immediate")
        if value < 0:
            mnemonic, value = _OPPOSITE[mnemonic], -value
        return Spelled(mnemonic, (destination, first, f"#{value}"))
    if "sp" in destination + first:
        # With sp the register form is an extension: lsl stands for uxtx (uxtw of 32 bits).
        whole = "uxtw" if first.startswith("w") else "uxtx"
        extension = shift[0] if shift else ("uxtw" if second.startswith("w") else "uxtx")
        name, _, amount = extension.partition(" ")
        name = whole if name == "lsl" else name
        if name == whole:
            extension = f"lsl {amount or '#0'}"
        return Spelled(mnemonic, (destination, first, second, extension))
    return Spelled(mnemonic, operands)


def _compare(mnemonic: str, operands: Operands) -> Spelled:
    if not operands:
        raise SpellingError("an operand is missing")
    zero = "wzr" if operands[0].startswith("w") else "xzr"
    return _add({"cmp": "subs", "cmn": "adds"}[mnemonic], (zero, *operands))


def _negate(mnemonic: str, operands: Operands) -> Spelled:
    if not operands or not moves.is_general(operands[0]):
        return Spelled(mnemonic, operands)
    base = {"neg": "sub", "negs": "subs", "ngc": "sbc", "ngcs": "sbcs"}[mnemonic]
    return Spelled(base, (operands[0], moves.zero(operands[0]), *operands[1:]))


# Conditional selection, multiplication, comparison


def _select(mnemonic: str, operands: Operands) -> Spelled:
    if mnemonic in ("cset", "csetm"):
        moves.need(operands, 2)
        zero = moves.zero(operands[0])
        operands = (operands[0], zero, zero, words.inverted(operands[1]))
        return Spelled("csinc" if mnemonic == "cset" else "csinv", operands)
    if mnemonic in ("cinc", "cinv", "cneg"):
        moves.need(operands, 3)
        base = {"cinc": "csinc", "cinv": "csinv", "cneg": "csneg"}[mnemonic]
        return Spelled(base, (operands[0], operands[1], operands[1], words.inverted(operands[2])))
    moves.need(operands, 4)
    return Spelled(mnemonic, (*operands[:3], words.condition(operands[3])))


def _multiply(mnemonic: str, operands: Operands) -> Spelled:
    if not operands or not moves.is_general(operands[0]):
        return Spelled(mnemonic, operands)
    moves.need(operands, 3)
    return Spelled(_PRODUCTS[mnemonic], (*operands, moves.zero(operands[0])))


def _swapped(mnemonic: str, operands: Operands) -> Spelled:
    """Lower `cmle a, b, c` to `cmge a, c, b`; the form against zero is a separate instruction."""
    if len(operands) == 3 and not operands[2].startswith("#"):
        return Spelled(_MIRRORED[mnemonic], (operands[0], operands[2], operands[1]))
    return _against_zero(mnemonic, operands)


def _against_zero(mnemonic: str, operands: Operands) -> Spelled:
    if mnemonic.startswith("f") and operands and operands[-1].startswith("#") and float(operands[-1][1:]) == 0.0:
        operands = (*operands[:-1], "#0.0")
    return Spelled(mnemonic, operands)


def _lengthen(mnemonic: str, operands: Operands) -> Spelled:
    """Lower `sxtl` to `sshll` by nothing."""
    return Spelled(mnemonic.replace("xtl", "shll"), (*operands, "#0"))


# Memory


def _memory(mnemonic: str, operands: Operands) -> Spelled:
    """Choose between the scaled and the unscaled form, and drop shifts that are not encoded."""
    if len(operands) == 2 and operands[1].startswith("["):
        found = _DISPLACED.fullmatch(operands[1])
        size = _access_bytes(mnemonic, operands[0])
        if found is not None:
            value = int(found[2])
            if mnemonic in _UNSCALED and (value < 0 or value % size or value >= size << 12) and -256 <= value < 256:
                mnemonic = _UNSCALED[mnemonic]
        elif operands[1].endswith(", lsl #0]") and size > 1:
            operands = (operands[0], operands[1].replace(", lsl #0]", "]"))
        elif operands[1].endswith((" #0]", "xtw #0]", "xtx #0]")) and size > 1:
            operands = (operands[0], operands[1].replace(" #0]", "]"))
    elif len(operands) == 3 and operands[2].startswith("#") and int(operands[2][1:]) >> 63 == 1:
        operands = (*operands[:2], f"#{int(operands[2][1:]) - (1 << 64)}")  # Capstone's way with negative steps
    if mnemonic in ("prfm", "prfum") and operands:
        operands = (words.prefetch(operands[0]), *operands[1:])
    return Spelled(mnemonic, operands)


_DISPLACED = re.compile(r"\[(x\d+|sp), #(-?\d+)\]")


def _access_bytes(mnemonic: str, register: str) -> int:
    if mnemonic.endswith("b"):
        return 1
    if mnemonic.endswith("h"):
        return 2
    if mnemonic in ("ldrsw", "ldursw"):
        return 4
    if mnemonic.startswith("prf"):
        return 8
    return {"w": 4, "x": 8, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}.get(register[:1], 8)


def _atomic_store(mnemonic: str, operands: Operands) -> Spelled:
    moves.need(operands, 2)
    return Spelled(f"ld{mnemonic[2:]}", (operands[0], moves.zero(operands[0]), operands[1]))


def _test_bit(mnemonic: str, operands: Operands) -> Spelled:
    if (
        len(operands) == 3
        and operands[1].startswith("#")
        and operands[0].startswith("x")
        and moves.integer(operands[1]) < 32
    ):
        return Spelled(mnemonic, (f"w{operands[0][1:]}", *operands[1:]))
    return Spelled(mnemonic, operands)


# System


def _system_register(mnemonic: str, operands: Operands) -> Spelled:
    return Spelled(mnemonic, tuple(words.SYSTEM_REGISTERS.get(operand, operand) for operand in operands))


def _barrier(mnemonic: str, operands: Operands) -> Spelled:
    if mnemonic in ("ssbb", "pssbb"):
        mnemonic, operands = "dsb", ("#0" if mnemonic == "ssbb" else "#4",)
    option = operands[0] if operands else "sy"
    return Spelled(mnemonic, (f"#{words.BARRIERS[option]}" if option in words.BARRIERS else option,))


def _hint(mnemonic: str, operands: Operands) -> Spelled:
    """Lower `bti c` and other named hints."""
    number = words.HINTS.get(" ".join((mnemonic, *operands)))
    return Spelled("hint", (f"#{number}",)) if number is not None else Spelled(mnemonic, operands)


def _operation(mnemonic: str, operands: Operands) -> Spelled:
    """Lower cache maintenance by name."""
    if operands and f"{mnemonic} {operands[0]}" in words.CACHE_OPERATIONS:
        code = words.CACHE_OPERATIONS[f"{mnemonic} {operands[0]}"]
        return Spelled("sys", (f"#{code[0]}", "c7", f"c{int(code[1:-1])}", f"#{code[-1]}", *(operands[1:] or ("xzr",))))
    return Spelled(mnemonic, operands)


def _sys(mnemonic: str, operands: Operands) -> Spelled:
    return Spelled(mnemonic, operands if len(operands) != 4 else (*operands, "xzr"))


def _rev(mnemonic: str, operands: Operands) -> Spelled:
    return Spelled("rev" if moves.is_general(operands[0] if operands else "") else mnemonic, operands)


def _ret(mnemonic: str, operands: Operands) -> Spelled:
    return Spelled(mnemonic, operands or ("x30",))


def _page(mnemonic: str, operands: Operands) -> Spelled:
    if len(operands) == 2 and operands[1].startswith("#"):
        operands = (operands[0], f"#{moves.integer(operands[1]) & _M64 & ~0xFFF}")
    return Spelled(mnemonic, operands)


_OPPOSITE = {"add": "sub", "sub": "add", "adds": "subs", "subs": "adds"}
_PRODUCTS = {
    "mul": "madd",
    "mneg": "msub",
    "smull": "smaddl",
    "smnegl": "smsubl",
    "umull": "umaddl",
    "umnegl": "umsubl",
}
_MIRRORED = {"cmle": "cmge", "cmlt": "cmgt", "cmls": "cmhs", "cmlo": "cmhi"}
_MIRRORED |= {"fcmle": "fcmge", "fcmlt": "fcmgt", "facle": "facge", "faclt": "facgt"}
_FLOAT_IMMEDIATE = frozenset({"fmov"})
_UNSCALED = {f"{way}{kind}": f"{way[:2]}u{way[2:]}{kind}" for way in ("ldr", "str") for kind in ("", "b", "h")}
_UNSCALED |= {f"ldr{kind}": f"ldur{kind}" for kind in ("sb", "sh", "sw")} | {"prfm": "prfum"}
_STORE_ATOMICS = [
    f"st{operation}{order}{size}"
    for operation in ("add", "clr", "eor", "set", "smax", "smin", "umax", "umin")
    for order in ("", "l")
    for size in ("", "b", "h")
]

Rule = Callable[[str, Operands], Spelled]
_RULES: dict[str, Rule] = {
    **dict.fromkeys(_OPPOSITE, _add),
    **dict.fromkeys(("cmp", "cmn"), _compare),
    **dict.fromkeys(("neg", "negs", "ngc", "ngcs"), _negate),
    **dict.fromkeys(("and", "ands", "orr", "eor", "bic", "bics", "orn", "eon", "tst"), moves.logic),
    **dict.fromkeys(("movz", "movn", "movk"), moves.wide),
    **dict.fromkeys(("movi", "mvni"), moves.movi),
    **dict.fromkeys(("lsl", "lsr", "asr", "ror"), moves.shift),
    **dict.fromkeys(("bfi", "bfxil", "bfc", "sbfx", "sbfiz", "ubfx", "ubfiz"), moves.field),
    **dict.fromkeys(("sxtb", "sxth", "sxtw", "uxtb", "uxth", "uxtw"), moves.extend),
    **dict.fromkeys(("cset", "csetm", "cinc", "cinv", "cneg", "csel", "csinc", "csinv", "csneg"), _select),
    **dict.fromkeys(("ccmp", "ccmn", "fcsel", "fccmp", "fccmpe"), _select),
    **dict.fromkeys(_PRODUCTS, _multiply),
    **dict.fromkeys(_MIRRORED, _swapped),
    **dict.fromkeys(("fcmp", "fcmpe", "fcmeq", "fcmge", "fcmgt"), _against_zero),
    **dict.fromkeys(("sxtl", "sxtl2", "uxtl", "uxtl2"), _lengthen),
    **dict.fromkeys([*_UNSCALED, *_UNSCALED.values()], _memory),
    **dict.fromkeys(_STORE_ATOMICS, _atomic_store),
    **dict.fromkeys(("tbz", "tbnz"), _test_bit),
    **dict.fromkeys(("mrs", "msr"), _system_register),
    **dict.fromkeys(("dmb", "dsb", "isb", "clrex", "ssbb", "pssbb"), _barrier),
    **dict.fromkeys(("bti", "psb", "tsb"), _hint),
    "mov": moves.mov,
    "mvn": moves.mvn,
    "ret": _ret,
    "rev64": _rev,
    "at": _operation,
    "dc": _operation,
    "ic": _operation,
    "sys": _sys,
    "adrp": _page,
}


@functools.cache
def aliases() -> frozenset[str]:
    """Return mnemonics that only `lower` knows."""
    return frozenset(_RULES) | words.HINTS.keys()
