"""Add code where a branch cannot reach its target, or cannot switch to the target's state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.isa import Isa
from neonlab.objects.elf.module import ARM, DATA, THUMB
from neonlab.objects.link import addresses as ad
from neonlab.objects.link.fixes import Fixes
from neonlab.objects.link.relocation_rule import Branch

_SIZE, _ALIGNMENT = 16, 16
#: Bytes of a branch's reach held back for the distance between a place and the base of its relative value.
_SLACK = 16


class Veneers:
    """The veneers: one for each (section, target, its state, state of the branches) that needs one.

    They lie directly behind the section.
    """

    def __init__(self, isa: Isa, fixes: Fixes) -> None:
        self._isa, self._fixes = isa, fixes
        self._users: dict[tuple[int, int], dict[tuple[int, bool, bool], list[int]]] = {}
        self._at: dict[tuple[int, int], int] = {}
        for rows, rule in fixes.branches():
            rows = fixes.usable(rows)
            table = fixes.table[rows]
            distance = table["target"] - table["place"]
            lowest, highest = rule.limits or (0, 0)
            needed = (distance < lowest + _SLACK) | (distance > highest - _SLACK)
            if rule.branch is Branch.JUMP:  # a call changes the state by itself
                needed |= table["typed"] & (table["thumb"] != table["from_thumb"])
            needed &= table["status"] == ad.DEFINED
            for row in rows[needed].tolist():
                fix = fixes.table[row]
                thumb = bool(fix["thumb"] if fix["typed"] else fix["from_thumb"])
                section = int(fix["module"]), int(fix["section"])
                key = int(fix["target"]), thumb, bool(fix["from_thumb"])
                self._users.setdefault(section, {}).setdefault(key, []).append(row)

    @property
    def room(self) -> dict[tuple[int, int], int]:
        """The bytes that veneers take behind each section that needs some, by module and index."""
        return {section: _SIZE * len(users) + _ALIGNMENT for section, users in self._users.items()}

    def place(self, ends: Mapping[tuple[int, int], int]) -> None:
        """Point the branches at their veneers, which will be behind the `ends` of their sections."""
        table = self._fixes.table
        self._at = {section: -(-ends[section] // _ALIGNMENT) * _ALIGNMENT for section in self._users}
        for here, (_, _, from_thumb), rows in self._all():
            table["target"][rows], table["thumb"][rows], table["typed"][rows] = here, from_thumb, True

    def _all(self) -> Iterator[tuple[int, tuple[int, bool, bool], list[int]]]:
        for section, users in self._users.items():
            for number, (key, rows) in enumerate(users.items()):
                yield self._at[section] + _SIZE * number, key, rows

    @property
    def marks(self) -> list[tuple[int, int]]:
        """The (address, ARM | THUMB | DATA) where their code begins and ends."""
        found = []
        size = 12 if self._isa is Isa.A64 else 4
        for here, (_, _, from_thumb), _ in self._all():
            found += [(here, THUMB if from_thumb else ARM), (here + size, DATA)]
        return found

    @property
    def references(self) -> list[tuple[int, int]]:
        """The (veneer, target) pairs."""
        return [(here, target | thumb) for here, (target, thumb, _), _ in self._all()]

    def write(self, memory: npt.NDArray[np.uint8], base: int) -> None:
        """Write the veneers into memory."""
        for here, (target, thumb, from_thumb), _ in self._all():
            code = self._code(here, target | thumb, from_thumb)
            memory[here - base : here - base + len(code)] = np.frombuffer(code, np.uint8)

    def _code(self, here: int, target: int, from_thumb: bool) -> bytes:
        if self._isa is Isa.A64:  # adrp x16; add x16, x16, #offset; br x16: AAPCS64 leaves x16 to veneers
            pages = (target >> 12) - (here >> 12)
            words = [
                0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5,
                0x91000210 | (target & 0xFFF) << 10,
                0xD61F0200,
            ]
        else:  # ldr pc, the word that follows; ldr.w pc, [pc] has its halves in order
            words = [0xF000F8DF if from_thumb else 0xE51FF004, target & 0xFFFFFFFF]
        return b"".join(word.to_bytes(4, "little") for word in words)
