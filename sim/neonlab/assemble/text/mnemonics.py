"""Describe mnemonics for the front end: which operand is an address, and how ELF relocates it."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import lru_cache

from neonlab.isa.model.isa import Isa


class Place(enum.Enum):
    """The ways in which an instruction refers to an address."""

    NONE = "none"
    BRANCH = "branch"
    ADR = "adr"
    ADRP = "adrp"
    ADRL = "adrl"
    LOAD = "load"  # from an address near the program counter


@dataclass(frozen=True, slots=True)
class Mnemonic:
    """A mnemonic: `operand` is the index of its operand that is an address.

    `relocation` is its ELF type when the address is elsewhere.
    """

    text: str
    place: Place = Place.NONE
    operand: int = 0
    relocation: str = ""
    is_system: bool = False  # operands are names of registers and operations, not expressions


_CONDITIONS = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al"
_A64_CONDITIONAL = re.compile(rf"b\.?({_CONDITIONS}|nv)")
_A32_BRANCH = re.compile(rf"(b|bl|blx)({_CONDITIONS})?(?:\.w)?")
_A32_ADR = re.compile(rf"adr(l?)({_CONDITIONS})?(?:\.w)?")
_A32_LOAD = re.compile(
    rf"(?:ldr|str)(b|h|sb|sh|d)?({_CONDITIONS})?(?:\.w)?|(?:vldr|vstr)({_CONDITIONS})?(?:\.(?:32|64))?"
)
_A32_SYSTEM = re.compile(
    rf"(?:mcr|mrc|mcrr|mrrc|mrs|msr|vmrs|vmsr|fmrx|fmxr|dmb|dsb|isb|cps|cpsie|cpsid)2?({_CONDITIONS})?"
)
_A64_SYSTEM = frozenset(
    """
    mrs msr sys sysl dc ic at tlbi dmb dsb isb hint psb tsb csdb
    """.split()  # noqa: SIM905 - a table to be read
)
_A64 = {
    "b": Mnemonic("b", Place.BRANCH, 0, "R_AARCH64_JUMP26"),
    "bl": Mnemonic("bl", Place.BRANCH, 0, "R_AARCH64_CALL26"),
    "cbz": Mnemonic("cbz", Place.BRANCH, 1, "R_AARCH64_CONDBR19"),
    "cbnz": Mnemonic("cbnz", Place.BRANCH, 1, "R_AARCH64_CONDBR19"),
    "tbz": Mnemonic("tbz", Place.BRANCH, 2, "R_AARCH64_TSTBR14"),
    "tbnz": Mnemonic("tbnz", Place.BRANCH, 2, "R_AARCH64_TSTBR14"),
    "adr": Mnemonic("adr", Place.ADR, 1, "R_AARCH64_ADR_PREL_LO21"),
    "adrp": Mnemonic("adrp", Place.ADRP, 1, "R_AARCH64_ADR_PREL_PG_HI21"),
    "ldr": Mnemonic("ldr", Place.LOAD, 1, "R_AARCH64_LD_PREL_LO19"),
    "ldrsw": Mnemonic("ldrsw", Place.LOAD, 1, "R_AARCH64_LD_PREL_LO19"),
    "prfm": Mnemonic("prfm", Place.LOAD, 1, "R_AARCH64_LD_PREL_LO19"),
}


# Before the unified syntax a condition stood before size, mode and `s`: ldreqb, ldmeqfd, addeqs.
_DIVIDED = re.compile(
    rf"(?P<load>ldr|str)(?P<c1>{_CONDITIONS})(?P<size>b|h|sb|sh|d|t|bt)"
    rf"|(?P<block>ldm|stm)(?P<c2>{_CONDITIONS})(?P<mode>[id][ab]|[fe][da])"
    rf"|(?P<name>and|eor|sub|rsb|add|adc|sbc|rsc|orr|mov|bic|mvn|mul|mla|[us]m(?:ull|lal)|lsl|lsr|asr|ror)"
    rf"(?P<c3>{_CONDITIONS})s"
)


def unified_spelling(name: str) -> str:
    """Return an A32 mnemonic of the divided syntax in the unified spelling; any other as it is."""
    match = _DIVIDED.fullmatch(name.lower())
    if match is None:
        return name
    if match.group("load"):
        return match.group("load") + match.group("size") + match.group("c1")
    if match.group("block"):
        return match.group("block") + match.group("mode") + match.group("c2")
    return match.group("name") + "s" + match.group("c3")


@lru_cache(maxsize=4096)
def mnemonic(isa: Isa, name: str) -> Mnemonic:
    """Return the description of `name`, in whatever case; its `text` is the spelling to encode."""
    lower = name.lower()
    return _a64(lower) if isa is Isa.A64 else _a32(lower)


def _a64(name: str) -> Mnemonic:
    if name in _A64:
        return _A64[name]
    conditional = _A64_CONDITIONAL.fullmatch(name)
    if conditional:
        return Mnemonic(f"b.{conditional.group(1)}", Place.BRANCH, 0, "R_AARCH64_CONDBR19")
    return Mnemonic(name, is_system=name in _A64_SYSTEM)


def _a32(name: str) -> Mnemonic:
    branch = _A32_BRANCH.fullmatch(name)
    if branch:
        link, condition = branch.group(1), branch.group(2) or "al"
        called = link == "blx" or (link == "bl" and condition == "al")
        return Mnemonic(name.removesuffix(".w"), Place.BRANCH, 0, "R_ARM_CALL" if called else "R_ARM_JUMP24")
    adr = _A32_ADR.fullmatch(name)
    if adr:
        return Mnemonic(name.removesuffix(".w"), Place.ADRL if adr.group(1) else Place.ADR, 1)
    load = _A32_LOAD.fullmatch(name)
    if load:
        return Mnemonic(name.removesuffix(".w"), Place.LOAD, 2 if load.group(1) == "d" else 1)
    return Mnemonic(name, is_system=_A32_SYSTEM.fullmatch(name) is not None)
