"""Work out once what an instruction that computes nothing on lanes does to bytes each time that it executes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from neonlab.isa.dependence import dependence_of
from neonlab.isa.model.dependence import FLAG_N, MEMORY, access_of, places_of
from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.verify.ranges.cells import Offsets, granules_of, offset_of_place

#: The source of a byte that has none.
NOWHERE = -1
_SIGNED_LOADS = re.compile(r"^ldu?rs[bhw]|^smov|^sxt|^vmov\.s|^ldrs[bh]|^lds")


@dataclass(frozen=True, slots=True)
class Move:
    """The effect on bytes of an instruction, independent of the step.

    The sources are those of its dependence, without the `base` register that its addressing mode changes.  Places are
    those of `neonlab.isa.model.dependence`, offsets lie in the register file, and granules are those of
    `RegisterCells`.  All places in the sources are among `reads_registers`, whose offsets are `offsets_read`,
    `reads_flags`, and `reads_memory`: the bytes of each access by its number, with their places.  `offsets_written`
    includes the base.  `put` are the offsets of the bytes that change and `put_from` the source of each; `moved` are
    the same for places in memory.  `of_one` says that no byte has several sources.  `extends` says that the result has
    the sign of what was read.  `stored` are the places in memory that are stored to.
    """

    reads_registers: tuple[int, ...]
    reads_flags: tuple[int, ...]
    reads_memory: tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
    copies: bool
    of_one: bool
    extends: bool
    base: Offsets
    base_granules: tuple[int, ...]
    put: Offsets
    put_granules: tuple[int, ...]
    put_from: tuple[int, ...]
    moved: tuple[tuple[int, int], ...]
    offsets_read: Offsets
    offsets_written: Offsets
    granules_written: tuple[int, ...]
    depends_on_flags: bool
    stored: tuple[int, ...]

    @staticmethod
    def of(instruction: Instruction, isa: Isa) -> Move:
        """Return the effect of the instruction."""
        dependence = dependence_of(instruction)
        changed = instruction.writeback.base if instruction.writeback is not None else None
        base = places_of(changed, isa) if changed is not None else range(0)
        sources = {place: found for place, found in dependence.sources.items() if place not in base}
        reads = tuple(dict.fromkeys(place for found in sources.values() for place in found))
        one_each = {place: next(iter(found), NOWHERE) for place, found in sources.items()}

        def offset(place: int) -> int | None:
            return offset_of_place(isa, place) if place < MEMORY else None

        def offsets(places: Iterable[int]) -> Offsets:
            return np.array([found for place in places if (found := offset(place)) is not None], np.int64)

        registers = tuple(place for place in reads if offset(place) is not None)
        memory: dict[int, list[tuple[int, int]]] = {}
        for place in reads:
            if place >= MEMORY:
                number, byte = access_of(place)
                memory.setdefault(number, []).append((byte, place))
        base_at, put, written = offsets(base), offsets(sources), offsets([*base, *sources])
        return Move(
            registers,
            tuple(place for place in reads if place < MEMORY and place not in registers),
            tuple((number, tuple(found)) for number, found in memory.items()),
            dependence.moves,
            all(len(found) <= 1 for found in sources.values()),
            _SIGNED_LOADS.match(instruction.mnemonic) is not None,
            base_at,
            granules_of(base_at),
            put,
            granules_of(put),
            tuple(source for place, source in one_each.items() if offset(place) is not None),
            tuple((place, source) for place, source in one_each.items() if place >= MEMORY),
            offsets(registers),
            written,
            granules_of(written),
            depends_on_flags=any(FLAG_N <= place < MEMORY for place in reads),
            stored=tuple(
                place
                for place in sources
                if place >= MEMORY and instruction.accesses[access_of(place)[0]].kind is AccessKind.STORE
            ),
        )
