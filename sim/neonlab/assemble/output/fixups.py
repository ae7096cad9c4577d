"""Fill in addresses in instructions and data: a number where the assembler knows it, else a relocation."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.assemble.output.object_file import Relocation
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.text.mnemonics import Mnemonic, Place
from neonlab.assemble.values.expressions import Value
from neonlab.assemble.values.operands import Slot
from neonlab.assemble.values.symbols import Symbol
from neonlab.isa.model.isa import Isa

ABSOLUTE = "*ABS*"

# operator -> (bits to shift a number right, relocation)
_A64_MOVW = {
    **{f"abs_g{i}": (16 * i, f"R_AARCH64_MOVW_UABS_G{i}") for i in range(4)},
    **{f"abs_g{i}_nc": (16 * i, f"R_AARCH64_MOVW_UABS_G{i}_NC") for i in range(3)},
    **{f"abs_g{i}_s": (16 * i, f"R_AARCH64_MOVW_SABS_G{i}") for i in range(3)},
    **{f"prel_g{i}": (16 * i, f"R_AARCH64_MOVW_PREL_G{i}") for i in range(4)},
    **{f"prel_g{i}_nc": (16 * i, f"R_AARCH64_MOVW_PREL_G{i}_NC") for i in range(3)},
}
_A64_ADRP = {
    "": "R_AARCH64_ADR_PREL_PG_HI21",
    "pg_hi21": "R_AARCH64_ADR_PREL_PG_HI21",
    "pg_hi21_nc": "R_AARCH64_ADR_PREL_PG_HI21_NC",
    "got": "R_AARCH64_ADR_GOT_PAGE",
}
_TRANSFER_BITS = {"w": 32, "s": 32, "x": 64, "d": 64, "b": 8, "h": 16, "q": 128}
_CONDITIONS = "eq ne cs cc mi pl vs vc hi ls ge lt gt le al"
_CONDITION_CODES = {name: code for code, name in enumerate(_CONDITIONS.split())} | {"hs": 2, "lo": 3, "": 14}
_DATA = {
    Isa.A64: {2: "R_AARCH64_ABS16", 4: "R_AARCH64_ABS32", 8: "R_AARCH64_ABS64"},
    Isa.A32: {1: "R_ARM_ABS8", 2: "R_ARM_ABS16", 4: "R_ARM_ABS32"},
}
_RELATIVE_DATA = {
    Isa.A64: {2: "R_AARCH64_PREL16", 4: "R_AARCH64_PREL32", 8: "R_AARCH64_PREL64"},
    Isa.A32: {4: "R_ARM_REL32"},
}
# `.word symbol(got)`
_A32_OPERATORS = {
    "got": "R_ARM_GOT32",
    "gotoff": "R_ARM_GOTOFF32",
    "plt": "R_ARM_ABS32",
    "target1": "R_ARM_TARGET1",
    "target2": "R_ARM_TARGET2",
    "got_prel": "R_ARM_GOT_PREL",
    "sbrel": "R_ARM_SBREL32",
    "none": "R_ARM_NONE",
}


@dataclass(frozen=True, slots=True)
class Hole:
    """The text for the operand, as it is in the object file, and the relocation that completes it."""

    text: str
    relocation: Relocation | None = None


class FixupRules:
    """The rules of GNU as for one instruction set.

    A64 objects have addends in the relocation and zeros in the hole; A32 objects have addends in the hole.
    """

    def __init__(self, isa: Isa) -> None:
        self._isa = isa

    def data(
        self, address: int, section: str, size: int, value: Value, operator: str = ""
    ) -> tuple[int, Relocation | None]:
        """Return the bytes of a datum as a number, and its relocation; `operator` is as in `symbol(got)`."""
        mask = (1 << 8 * size) - 1
        if value.is_absolute:
            if not -(1 << 8 * size) < value.number <= mask:
                raise SyntaxFault(f"{value.number} does not fit {size} byte{'s' * (size > 1)}")
            return value.number & mask, None
        if value.plus is None:
            raise SyntaxFault("this is the negative of an address, which no relocation can express")
        addend, kinds = value.number, _DATA
        if value.minus is not None:
            addend += self._distance_to_here(address, section, value)
            kinds = _RELATIVE_DATA
        kind = kinds[self._isa].get(size)
        if kind is None:
            raise SyntaxFault(f"no relocation puts an address into {size} byte{'s' * (size > 1)}")
        if operator:
            return addend & mask, Relocation(section, address, _A32_OPERATORS[operator], value.plus.name, addend)
        name, addend = self._target(value.plus, addend)
        hole = addend & mask if self._isa is Isa.A32 else 0
        return hole, Relocation(section, address, kind, name, addend)

    def operand(self, address: int, section: str, known: Mnemonic, slot: Slot, value: Value, base: int) -> Hole:
        """Return the text of an operand of the instruction at `address`.

        `base` is added to addresses that the encoder reads.
        """
        if slot.operator:
            if self._isa is Isa.A32:
                return self._a32_operator(address, section, slot, value)
            return self._a64_operator(address, section, known, slot, value, base)
        if slot.place is Place.NONE:
            return Hole(str(_number(value, slot)))
        if slot.place is Place.ADRP:
            return self._a64_operator(address, section, known, slot, value, base)
        if value.minus is not None:
            raise SyntaxFault("the difference of addresses is not a place in the program", slot.token)
        if value.plus is None:
            # as takes a plain number for a distance from the instruction in A64, and for an address in A32
            if self._isa is Isa.A64:
                return Hole(str(base + address + value.number))
            return self._elsewhere(address, section, known, slot, ABSOLUTE, value.number, base)
        if self._is_settled(value.plus, section, slot):
            target = value.plus.address + value.number
            if self._isa is Isa.A32 and slot.place is Place.LOAD:
                return Hole(_displacement(target - address - 8, slot, known))
            return Hole(str(base + target))
        name, addend = self._target(value.plus, value.number)
        return self._elsewhere(address, section, known, slot, name, addend, base)

    def _is_settled(self, symbol: Symbol, section: str, slot: Slot) -> bool:
        """Return whether the distance to the symbol is final before linking."""
        if symbol.fragment is None or symbol.fragment.section.name != section:
            return False
        if self._isa is Isa.A32 and slot.place is not Place.BRANCH:
            if symbol.is_weak:
                raise SyntaxFault(f"the symbol `{symbol.name}` is weak and may be replaced", slot.token)
            return True
        return not (symbol.is_global or symbol.is_weak)

    def _elsewhere(
        self, address: int, section: str, known: Mnemonic, slot: Slot, name: str, addend: int, base: int
    ) -> Hole:
        if not known.relocation:
            raise SyntaxFault(f"`{slot.token}` must be defined in this section", slot.token)
        if self._isa is Isa.A64:
            return Hole(str(base + address), Relocation(section, address, known.relocation, name, addend))
        # The hole of an A32 branch holds addend - 8, the distance from the pipeline's program counter.
        return Hole(str(base + address + addend), Relocation(section, address, known.relocation, name, addend - 8))

    def _target(self, symbol: Symbol, addend: int) -> tuple[str, int]:
        """Return symbol and addend for the relocation; a local label is replaced by its section."""
        if symbol.fragment is None and "0" <= symbol.name[:1] <= "9":
            raise SyntaxFault(f"there is no label `{symbol.name[:-1]}:` after this", symbol.name)
        keeps_name = symbol.is_global or symbol.is_weak or symbol.fragment is None
        if not keeps_name and not (self._isa is Isa.A32 and symbol.is_function):
            assert symbol.fragment is not None
            return symbol.fragment.section.name, addend + symbol.address
        return symbol.name, addend

    def _distance_to_here(self, address: int, section: str, value: Value) -> int:
        minus = value.minus
        if minus is None or minus.fragment is None or minus.fragment.section.name != section:
            name = minus.name if minus is not None else ""
            raise SyntaxFault(f"`{name}` is subtracted, but is not in this section", name)
        return address - minus.address

    def _a32_operator(self, address: int, section: str, slot: Slot, value: Value) -> Hole:
        if slot.operator not in {"lower16", "upper16"}:
            raise SyntaxFault(f"the operator `:{slot.operator}:` is not supported", slot.token)
        upper = slot.operator == "upper16"
        if value.is_absolute:
            return Hole(str((value.number >> 16 if upper else value.number) & 0xFFFF))
        if value.plus is None:
            raise SyntaxFault("this is the negative of an address", slot.token)
        addend = value.number
        kind = "R_ARM_MOVT_ABS" if upper else "R_ARM_MOVW_ABS_NC"
        if value.minus is not None:
            addend += self._distance_to_here(address, section, value)
            kind = "R_ARM_MOVT_PREL" if upper else "R_ARM_MOVW_PREL_NC"
        # as keeps even local labels by name here: the hole is too small for their offset
        relocation = Relocation(section, address, kind, value.plus.name, addend)
        if not value.plus.name:
            assert value.plus.fragment is not None
            relocation = Relocation(section, address, kind, *self._target(value.plus, addend))
            addend = relocation.addend
        return Hole(str(addend & 0xFFFF), relocation)

    def _a64_operator(self, address: int, section: str, known: Mnemonic, slot: Slot, value: Value, base: int) -> Hole:
        if value.minus is not None:
            raise SyntaxFault("the difference of addresses cannot be relocated here", slot.token)
        operator = slot.operator
        if slot.place is Place.ADRP:
            kind = _A64_ADRP.get(operator, "")
            text = str((base + address) & ~0xFFF)
        elif operator in _A64_MOVW:
            shift, kind = _A64_MOVW[operator]
            move = f", lsl #{shift}" if shift else ""
            text = f"0{move}"
            if value.is_absolute:
                number = value.number >> shift
                if not operator.endswith("_nc") and not -0x10000 < number < 0x10000:
                    raise SyntaxFault(f"{value.number} does not fit `:{operator}:`", slot.token)
                return Hole(f"{number & 0xFFFF}{move}")
        elif operator == "lo12":
            kind, text = self._low_twelve(known, slot), "0"
        elif operator == "got_lo12":
            kind, text = "R_AARCH64_LD64_GOT_LO12_NC", "0"
        else:
            kind = ""
        if not kind:
            raise SyntaxFault(f"the operator `:{operator}:` is not supported here", slot.token)
        if value.plus is None:
            return Hole(text, Relocation(section, address, kind, ABSOLUTE, value.number))
        return Hole(text, Relocation(section, address, kind, *self._target(value.plus, value.number)))

    @staticmethod
    def _low_twelve(known: Mnemonic, slot: Slot) -> str:
        name = known.text
        if name in {"add", "adds"}:
            return "R_AARCH64_ADD_ABS_LO12_NC"
        if not name.startswith(("ldr", "str", "prfm")):
            return ""
        if name in {"ldrsw"}:
            bits = 32
        elif name.endswith("b"):
            bits = 8
        elif name.endswith("h"):
            bits = 16
        elif name == "prfm":
            bits = 64
        else:
            bits = _TRANSFER_BITS.get(slot.register[:1], 64)
        return f"R_AARCH64_LDST{bits}_ABS_LO12_NC"


def adrl_words(condition: str, register: int, distance: int, token: str) -> tuple[int, int]:
    """Return the two words of A32 `adrl`: add or subtract a part of `distance` to pc, then the other part.

    The second is `mov r0, r0` when one is enough.  Raises SyntaxFault where two are not.
    """
    opcode = 0x02800000 if distance >= 0 else 0x02400000
    base = _CONDITION_CODES[condition] << 28 | opcode | register << 12
    size = abs(distance)
    for turn in range(0, 32, 2):
        turned = (size << turn | size >> (32 - turn)) & 0xFFFFFFFF
        rest = turned & ~0xFF
        shift = next((shift for shift in (8, 16, 24) if not rest & ~(0xFF << shift)), None)
        if (turned & 0xFF or not size) and shift is not None:
            first = base | 15 << 16 | turn << 7 | turned & 0xFF
            if not rest:
                return first, 0xE1A00000
            return first, base | register << 16 | ((turn + 32 - shift) % 32) << 7 | rest >> shift
    raise SyntaxFault("the target is too far away for `adrl`", token)


def _number(value: Value, slot: Slot) -> int:
    if value.is_absolute:
        return value.number
    symbol = value.plus or value.minus
    assert symbol is not None
    if not symbol.is_defined and "0" <= symbol.name[:1] <= "9":
        raise SyntaxFault(f"there is no label `{symbol.name[:-1]}:` after this", symbol.name)
    if not symbol.is_defined:
        raise SyntaxFault(f"`{symbol.name}` is neither a register nor a defined symbol", symbol.name)
    raise SyntaxFault("an address cannot be an immediate", slot.token)


def _displacement(distance: int, slot: Slot, known: Mnemonic) -> str:
    # as subtracts a zero distance when it loads from a literal pool, except with VFP loads
    if distance == 0 and slot.is_pool and not known.text.startswith("v"):
        return "[pc, #-0]"
    return f"[pc, #{distance}]"
