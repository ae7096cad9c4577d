"""Find what must stay in order in a loop, within an iteration and from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.isa.model.isa import Register
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.provenance import ANYWHERE

_COUNTED = ("general", "vector", "flags")  # cumulative status bits may be set in any order

NO_VALUES: Mapping[tuple[int, Register, bool], int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Edge:
    """Instruction `later` of an iteration comes after `earlier` of the iteration `distance` before it, 0 or 1."""

    earlier: int
    later: int
    distance: int


@dataclass(frozen=True, slots=True)
class _Effects:
    """Hold what an instruction reads and writes, as bit sets of registers' values, and the buffers it may access."""

    reads: int
    writes: int
    loads: bool
    stores: bool
    buffers: frozenset[str]


def edges_of(
    code: Sequence[Instruction], buffers: Mapping[int, frozenset[str]],
    values: Mapping[tuple[int, Register, bool], int] = NO_VALUES,
) -> list[Edge]:  # fmt: skip
    """Return the edges between the instructions of a loop's body, which are given without the branch back.

    `buffers` has what each instruction may access, by its place in the body.  `values` tells the values of one register
    apart, by place, register, and whether it is written: different ones are as if in different registers.
    """
    bits: dict[tuple[Register, int], int] = {}

    def of(at: int, registers: Iterable[Register], written: bool) -> int:
        found = 0
        for one in registers:
            if one.file in _COUNTED:
                found |= bits.setdefault((one, values.get((at, one, written), -1)), 1 << len(bits))
        return found

    effects = []
    for at, one in enumerate(code):
        kinds = {access.kind for access in one.accesses}
        loads, stores = AccessKind.LOAD in kinds, AccessKind.STORE in kinds
        known = buffers.get(at, frozenset({ANYWHERE}))
        effects.append(_Effects(of(at, one.reads, False), of(at, one.writes, True), loads, stores, known))
    found = []
    for first, earlier in enumerate(effects):
        reads, writes = earlier.reads, earlier.writes
        for second, later in enumerate(effects):
            if writes & (later.reads | later.writes) or reads & later.writes or _in_memory(earlier, later):
                if first < second:
                    found.append(Edge(first, second, 0))
                found.append(Edge(first, second, 1))
    return found


def _in_memory(one: _Effects, other: _Effects) -> bool:
    """Tell whether both may access the same bytes, and one of them writes there."""
    if (one.stores and (other.loads or other.stores)) or (one.loads and other.stores):
        return bool(one.buffers & other.buffers) or ANYWHERE in one.buffers | other.buffers
    return False


def places_of(code: LoopCode) -> dict[int, frozenset[str]]:
    """Return the buffers that each access of a body may go to, by its place."""
    found: dict[int, frozenset[str]] = {}
    for at, step in enumerate(code.body):
        for access in step.instruction.accesses:
            names = code.buffers.get(access.base) if access.base is not None else None
            found[at] = found.get(at, frozenset()) | (names or frozenset({ANYWHERE}))
    return found
