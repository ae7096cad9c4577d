"""Place arguments and results: AAPCS32 (soft and hard float) and AAPCS64, for fundamental types.

Sources: "Procedure Call Standard for the Arm Architecture" (IHI 0042), section 6.5 and 7.1.2; "Procedure Call Standard
for the Arm 64-bit Architecture" (IHI 0055), section 6.8.2, stages C.1 to C.17.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.isa.c.ctype import CType
from neonlab.isa.c.prototype import Signature
from neonlab.isa.model.isa import Isa


class FloatAbi(enum.Enum):
    """The ways in which A32 passes floating-point values; A64 has only HARD."""

    SOFT = "soft"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Location:
    """Registers (one, or a low/high pair in A32), or a byte offset from sp at entry; `size` is that of the value."""

    registers: tuple[str, ...]
    stack_offset: int | None
    size: int

    def __str__(self) -> str:
        """Return the location as contracts write it: `x0`, `r2:r3`, `stack+8`."""
        return ":".join(self.registers) if self.stack_offset is None else f"stack+{self.stack_offset}"


def place_arguments(isa: Isa, signature: Signature, float_abi: FloatAbi = FloatAbi.HARD) -> tuple[Location, ...]:
    """Return the location of each parameter at entry, in order."""
    types = [parameter.ctype for parameter in signature.parameters]
    return _place_a64(types) if isa is Isa.A64 else _place_a32(types, float_abi)


def stack_argument_bytes(locations: Sequence[Location]) -> int:
    """Return the bytes by which a caller lowers sp for stack arguments; sp stays aligned to 16."""
    end = max((place.stack_offset + 8 for place in locations if place.stack_offset is not None), default=0)
    return -(-end // 16) * 16


def place_result(isa: Isa, signature: Signature, float_abi: FloatAbi = FloatAbi.HARD) -> Location | None:
    """Return the location of the returned value, or None for void."""
    ctype = signature.returns
    if ctype is None:
        return None
    if isa is Isa.A64:
        return Location((_a64_register(ctype, 0),), None, ctype.size)
    if ctype.kind == "float" and float_abi is FloatAbi.HARD:
        return Location(("d0" if ctype.size == 8 else "s0",), None, ctype.size)
    return Location(("r0", "r1") if ctype.size == 8 else ("r0",), None, ctype.size)


def _a64_register(ctype: CType, number: int) -> str:
    if ctype.kind == "float":
        return f"{'d' if ctype.size == 8 else 's'}{number}"
    return f"{'x' if ctype.size == 8 else 'w'}{number}"


def _place_a64(types: list[CType]) -> tuple[Location, ...]:
    used = {True: 0, False: 0}  # keyed by "is floating point": NSRN and NGRN of the standard
    stack = 0
    places = []
    for ctype in types:
        floating = ctype.kind == "float"
        if used[floating] < 8:
            places.append(Location((_a64_register(ctype, used[floating]),), None, ctype.size))
            used[floating] += 1
        else:
            places.append(Location((), stack, ctype.size))
            stack += 8  # C.14 and C.16: each argument takes a multiple of 8 bytes
    return tuple(places)


def _place_a32(types: list[CType], float_abi: FloatAbi) -> tuple[Location, ...]:
    core, stack = 0, 0
    free_singles = list(range(16))  # s0-s15; back-filling as 7.1.2.1 (VFP co-processor candidates) asks
    vfp_closed = False
    places = []
    for ctype in types:
        wide = ctype.size == 8
        if ctype.kind == "float" and float_abi is FloatAbi.HARD:
            chosen = None
            if not vfp_closed:
                singles = [s for s in free_singles if not wide or (s % 2 == 0 and s + 1 in free_singles)]
                chosen = singles[0] if singles else None
            if chosen is not None:
                for single in (chosen, chosen + 1) if wide else (chosen,):
                    free_singles.remove(single)
                places.append(Location((f"d{chosen // 2}" if wide else f"s{chosen}",), None, ctype.size))
                continue
            vfp_closed = True
        else:
            core += core % 2 if wide and core < 4 else 0  # C.3: a doubleword starts at an even register
            if core + (2 if wide else 1) <= 4:
                registers = (f"r{core}", f"r{core + 1}") if wide else (f"r{core}",)
                places.append(Location(registers, None, ctype.size))
                core += 2 if wide else 1
                continue
            core = 4  # C.6: once an argument is on the stack, so are all later ones
        stack += stack % 8 if wide else 0
        places.append(Location((), stack, ctype.size))
        stack += 8 if wide else 4
    return tuple(places)
