"""Lower A32 aliases to their instruction, with the choice of encoding that GNU as makes.

`lower` is one to one with the word: two texts lower to the same instruction exactly when they are the same word.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from neonlab.isa.encoding.pattern import modified_immediate
from neonlab.isa.readback import a32_names as names
from neonlab.isa.readback import a32_vector as vector
from neonlab.isa.readback.a32_names import Name
from neonlab.isa.readback.text import Spelled, SpellingError, pairs, words

Operands = tuple[str, ...]
Lowered = tuple[Name, Operands]
_M32 = (1 << 32) - 1
_REGISTER = re.compile(r"r\d+|sp|lr|pc")
_SHIFT = re.compile(r"(lsl|lsr|asr|ror) #(\d+)")
_ELEMENTS = re.compile("v(?:ld|st)[1-4]")  # their `[r0]!` is no offset of 0
_NUMBERS = {"sp": 13, "lr": 14, "pc": 15}


def lower(text: Spelled, address: int = 0) -> Spelled:
    """Return the base form of the instruction `text` at `address`."""
    name = names.split(text.mnemonic)
    if name is None:
        return text
    operands = text.operands
    if name.base in names.OLD_FLOAT:
        name, operands = vector.modern(name, operands)
    literal = _literal(name, operands, address)
    if literal is not None:
        operands = literal
    rule = _RULES.get(name.base)
    if rule is not None:
        name, operands = rule(name, operands)
    elif name.base.startswith("v"):
        name, operands = vector.lower(name, operands)
    if name.base == "adr":
        name, operands = _adr(name, operands, address)
    if _ELEMENTS.fullmatch(name.base):
        return Spelled(str(name), tuple(operand.replace(", #0]", "]") for operand in operands))
    return Spelled(str(name), tuple(_operand(operand) for operand in operands))


def _literal(name: Name, operands: Operands, address: int) -> Operands | None:
    """Return the operands of `ldr r0, 0x1040` (an address) as of `ldr r0, [pc, #...]`; None for other loads."""
    if name.base not in _LITERAL_LOADS or len(operands) < 2 or not operands[-1].startswith("#"):
        return None
    if any(operand.startswith("[") for operand in operands):
        return None
    base = address + 8 & ~3
    return (*operands[:-1], f"[pc, #{integer(operands[-1]) - base}]")


def _operand(operand: str) -> str:
    if operand.startswith("[") and operand.endswith(", #0]"):
        return operand.replace(", #0]", "]")
    if operand.startswith("["):
        operand = operand.replace(", lsl #0]", "]").replace(", ror #0]", ", rrx]")
        return f"{operand[:-2]}, #0]!" if operand.endswith("]!") and "," not in operand else operand
    return operand


def integer(operand: str) -> int:
    """Return the value of `#n`.  Raises SpellingError for other operands."""
    if operand.startswith("#") and operand[1:].lstrip("-").isdecimal():
        return int(operand[1:])
    raise SpellingError(f"`{operand}` is no integer")


def _is_register(operand: str) -> bool:
    return _REGISTER.fullmatch(operand) is not None


def _next_register(register: str) -> str:
    number = _NUMBERS.get(register, int(register[1:]) if register[1:].isdecimal() else -9) + 1
    return {13: "sp", 14: "lr", 15: "pc"}.get(number, f"r{number}")


# Data processing


def _data(name: Name, operands: Operands) -> Lowered:
    base = name.base
    if base in _TWO_OPERANDS:
        two = True
    else:
        two = False
        if len(operands) == 2 or (len(operands) == 3 and _shift_of(operands[2]) is not None and base != "mov"):
            operands = (operands[0], *operands)  # `add r0, #1` is `add r0, r0, #1`
    position = 1 if two else 2
    if len(operands) <= position:
        raise SpellingError("an operand is missing")
    if operands[position].startswith("#"):
        return _data_immediate(name, operands, position)
    if len(operands) == position + 2:
        shift = _plain_shift(operands[-1])
        operands = (*operands[:-1], *shift)
    return name, operands


def _shift_of(operand: str) -> str | None:
    head = operand.split(" ")[0]
    return head if head in ("lsl", "lsr", "asr", "ror", "rrx", "asl") else None


def _plain_shift(shift: str) -> Operands:
    """Drop a shift by nothing. `lsr #0` has no encoding, and GNU as takes it as no shift."""
    shift = shift.replace("asl", "lsl")
    return () if _SHIFT.fullmatch(shift) and shift.endswith(" #0") else (shift,)


def _data_immediate(name: Name, operands: Operands, position: int) -> Lowered:
    value = integer(operands[position])
    if len(operands) == position + 2:  # `#4, 2`: an 8-bit constant and its rotation, as they are to be encoded
        rotation = integer(operands[-1])
        if not (0 <= value < 256 and 0 <= rotation < 32 and rotation % 2 == 0):
            raise SpellingError(f"`{operands[position]}, {operands[-1]}` is no rotated constant")
        whole = (value >> rotation | value << 32 - rotation) & _M32
        if modified_immediate(whole) != rotation >> 1 << 8 | value:
            return name, operands
        return name, (*operands[:position], f"#{whole}")
    if not -(1 << 31) <= value <= _M32:
        raise SpellingError(f"`{operands[position]}` does not fit 32 bits")
    if value < 0 and name.base == "add" and not name.sets_flags and operands[1] == "pc":
        # GNU as takes the distance from pc as a signed one.
        name, value = Name(_OPPOSITES[name.base][0], name.sets_flags, name.condition), -value
    if modified_immediate(value) is None:
        opposite, negated = _OPPOSITES.get(name.base, ("", False))
        other = -value if negated else ~value
        if opposite and modified_immediate(other) is not None:
            name, value = Name(opposite, name.sets_flags, name.condition), other
        elif name.base == "mov" and not name.sets_flags and value & ~0xFFFF == 0:
            name = Name("movw", False, name.condition)
        else:
            raise SpellingError(f"`#{value:#x}` is no rotated 8-bit constant")
    return name, (*operands[:position], f"#{value & _M32}")


def _shift(name: Name, operands: Operands) -> Lowered:
    """Lower a shift: `lsl r0, r1, #3` is `mov r0, r1, lsl #3`."""
    base = name.base
    move = Name("mov", name.sets_flags, name.condition)
    if base == "rrx":
        return move, (*(operands if len(operands) == 2 else operands * 2), "rrx")
    if len(operands) == 2:
        operands = (operands[0], *operands)
    if len(operands) != 3:
        raise SpellingError("a shift has a destination, a source and an amount")
    return move, (*operands[:2], *_plain_shift(f"{base} {operands[2]}"))


def _neg(name: Name, operands: Operands) -> Lowered:
    return Name("rsb", name.sets_flags, name.condition), (*operands, "#0")


def _multiply(name: Name, operands: Operands) -> Lowered:
    if name.base == "mul" and len(operands) == 2:
        operands = (*operands, operands[0])
    if name.base in ("sdiv", "udiv") and len(operands) == 2:
        operands = (operands[0], *operands)
    return name, operands


def _three(name: Name, operands: Operands) -> Lowered:
    return name, (operands[0], *operands) if len(operands) == 2 else operands


def _extend(name: Name, operands: Operands) -> Lowered:
    if operands and operands[-1] == "ror #0":
        operands = operands[:-1]
    return name, operands


def _pack(name: Name, operands: Operands) -> Lowered:
    if len(operands) == 4 and operands[3] == "lsl #0":
        operands = operands[:3]
    if name.base == "pkhtb" and len(operands) == 3:
        return Name("pkhbt", False, name.condition), (operands[0], operands[2], operands[1])
    return name, operands


def _saturate(name: Name, operands: Operands) -> Lowered:
    if len(operands) == 4 and operands[3] in ("lsl #0", "asr #0"):
        operands = operands[:3]
    return name, operands


def _adr(name: Name, operands: Operands, address: int) -> Lowered:
    if len(operands) != 2:
        raise SpellingError("adr takes a register and an address")
    offset = integer(operands[1]) - (address + 8)
    for base, value in (("add", offset), ("sub", -offset)):
        if modified_immediate(value) is not None:
            return Name(base, False, name.condition), (operands[0], "pc", f"#{value & _M32}")
    raise SpellingError(f"{offset:+d} bytes from here is not within reach of adr")


# Memory


def _multiple(name: Name, operands: Operands) -> Lowered:
    way, mode = name.base[:3], name.base[3:]
    stack = _STACK_MODES[way]
    base = way + stack.get(mode, mode).replace("ia", "")
    return Name(base, False, name.condition), (*operands[:1], *(_ascending(operand) for operand in operands[1:]))


def _ascending(registers: str) -> str:
    """Return a list of registers in ascending order, each once: the word has a bit for each."""
    inner, _, user = registers.removeprefix("{").partition("}")
    members = {_NUMBERS.get(name) or int(name[1:]) for name in inner.split(", ") if _is_register(name)}
    if len(members) == 0 or not registers.startswith("{"):
        return registers
    return "{" + ", ".join({13: "sp", 14: "lr", 15: "pc"}.get(i, f"r{i}") for i in sorted(members)) + "}" + user


def _push(name: Name, operands: Operands) -> Lowered:
    if len(operands) != 1 or not operands[0].startswith("{"):
        raise SpellingError("a list of registers in { } is expected")
    registers = _ascending(operands[0])
    if "," not in registers and (name.base, registers) != ("push", "{sp}"):
        register = registers.strip("{}")
        if name.base == "push":
            return Name("str", False, name.condition), (register, "[sp, #-4]!")
        return Name("ldr", False, name.condition), (register, "[sp]", "#4")
    return Name("stmdb" if name.base == "push" else "ldm", False, name.condition), ("sp!", registers)


def _double(name: Name, operands: Operands) -> Lowered:
    first = 1 if name.base in ("strexd", "stlexd") else 0
    if len(operands) > first + 1 and operands[first + 1].startswith("["):
        operands = (*operands[: first + 1], _next_register(operands[first]), *operands[first + 1 :])
    return name, operands


# System


def _svc(name: Name, operands: Operands) -> Lowered:
    return Name("svc" if name.base == "swi" else name.base, False, name.condition), operands or ("#0",)


def _barrier(name: Name, operands: Operands) -> Lowered:
    option = operands[0] if operands else "sy"
    return name, (f"#{_BARRIERS[option]}" if option in _BARRIERS else option,)


def _hint(name: Name, operands: Operands) -> Lowered:
    if name.base == "hint":
        return name, operands
    if name.base == "nop" and operands:  # objdump shows unassigned hints as `nop {43}`
        return Name("hint", False, name.condition), (f"#{operands[0].strip('{}')}",)
    return Name("hint", False, name.condition), (f"#{_HINTS[name.base]}",)


def _coprocessor(name: Name, operands: Operands) -> Lowered:
    """Lower a coprocessor access: `mcr 15, 0, r0, cr7, cr10, {5}` and `mcr p15, #0, r0, c7, c10, #5` are one."""
    plain = [operand.strip("#{}") for operand in operands]
    if plain and plain[0].isdecimal():
        plain[0] = f"p{plain[0]}"
    if name.base in ("mcr", "mrc", "mcr2", "mrc2") and len(plain) == 5:
        plain.append("0")
    return name, tuple(plain)


def _status(name: Name, operands: Operands) -> Lowered:
    def plain(operand: str) -> str:
        register, _, fields = operand.partition("_")
        if register == "apsr" and fields:
            register, fields = "cpsr", {"nzcvq": "f", "g": "s", "nzcvqg": "fs"}.get(fields, fields)
        if register in ("apsr", "cpsr", "spsr") and set(fields) <= set("fsxc"):
            if name.base == "mrs":
                return "cpsr" if register == "apsr" else register
            if not fields:
                fields = "fc" if register != "apsr" else "f"
            register = "cpsr" if register == "apsr" else register
            return f"{register}_{''.join(letter for letter in 'fsxc' if letter in fields)}"
        return operand

    operands = tuple(plain(operand) for operand in operands)
    if name.base == "msr" and len(operands) > 1 and operands[1].startswith("#"):
        return _data_immediate(name, operands, 1)
    return name, operands


# The instruction that takes the negative (True) or the inverse (False) of a constant.
_OPPOSITES = {
    base: (other, base in ("add", "sub", "cmp", "cmn"))
    for base, other in pairs("add=sub sub=add cmp=cmn cmn=cmp mov=mvn mvn=mov and=bic bic=and adc=sbc sbc=adc").items()
}
_TWO_OPERANDS = words("mov mvn cmp cmn tst teq cmpp cmnp tstp teqp")
_LITERAL_LOADS = words("ldr ldrb ldrh ldrsb ldrsh ldrd vldr pld pli")
_STACK_MODES = {
    "ldm": {"fd": "ia", "ed": "ib", "fa": "da", "ea": "db"},
    "stm": {"fd": "db", "ed": "da", "fa": "ib", "ea": "ia"},
}
_BARRIERS = {"oshld": 1, "oshst": 2, "osh": 3, "nshld": 5, "unst": 6, "nshst": 6, "un": 7, "nsh": 7, "ishld": 9}
_BARRIERS |= {"ishst": 10, "ish": 11, "sh": 11, "ld": 13, "st": 14, "sy": 15}
_HINTS = {"nop": 0, "yield": 1, "wfe": 2, "wfi": 3, "sev": 4, "sevl": 5, "esb": 16, "csdb": 20}

Rule = Callable[[Name, Operands], Lowered]
_RULES: dict[str, Rule] = {
    **dict.fromkeys(words("and eor sub rsb add adc sbc rsc orr mov bic mvn tst teq cmp cmn"), _data),
    **dict.fromkeys(words("tstp teqp cmpp cmnp"), _data),
    **dict.fromkeys(words("lsl lsr asr ror rrx"), _shift),
    **dict.fromkeys(words("mul sdiv udiv"), _multiply),
    **dict.fromkeys(words("qadd qsub qdadd qdsub smulbb smulbt smultb smultt smulwb smulwt"), _three),
    **dict.fromkeys([f"{s}xt{a}{k}" for s in "su" for a in ("", "a") for k in ("b", "h", "b16")], _extend),
    **dict.fromkeys(("pkhbt", "pkhtb"), _pack),
    **dict.fromkeys(("ssat", "usat"), _saturate),
    **dict.fromkeys(
        [f"{way}{mode}" for way in ("ldm", "stm") for mode in ("", "ia", "ib", "da", "db", "fd", "ed", "fa", "ea")],
        _multiple,
    ),
    **dict.fromkeys(("push", "pop"), _push),
    **dict.fromkeys(words("ldrd strd ldrexd strexd ldaexd stlexd"), _double),
    **dict.fromkeys(("svc", "swi", "bkpt"), _svc),
    **dict.fromkeys(("dmb", "dsb", "isb"), _barrier),
    **dict.fromkeys([*_HINTS, "hint"], _hint),
    **dict.fromkeys(words("mcr mrc mcr2 mrc2 mcrr mrrc mcrr2 mrrc2 cdp cdp2"), _coprocessor),
    **dict.fromkeys(
        words("ldc ldcl ldc2 ldc2l stc stcl stc2 stc2l"),
        lambda name, operands: (name, tuple(o.strip("#") if i == 0 else o for i, o in enumerate(operands))),
    ),
    **dict.fromkeys(("mrs", "msr"), _status),
    "neg": _neg,
}


@functools.cache
def aliases() -> frozenset[str]:
    """Return every base mnemonic that is known."""
    return names.KNOWN
