"""Follow liveness over the trace of a call, backwards from what the caller sees, byte by byte.

A byte is live if it can reach a writable buffer, the returned value, an address or a branch.  The walk is compiled: a
trace has up to some million steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from neonlab.contract.header import Contract
from neonlab.emulate.native import compiled, native_call
from neonlab.emulate.trace import Trace
from neonlab.isa.dependence import dependence_of
from neonlab.isa.model.dependence import ACCESS_ROOM, MEMORY, places_of
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register, general, vector

_PAGE = 4096
Integers = npt.NDArray[np.int64]
Places = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Rule:
    """Say what an instruction does to liveness: the sources of each place that it writes, and what it always needs.

    Places are those of `neonlab.isa.model.dependence`, of registers and of memory.
    """

    sources: tuple[tuple[int, tuple[int, ...]], ...]
    always: tuple[int, ...]  # registers of addresses, branches and conditions


@lru_cache(maxsize=1 << 14)
def _rule(instruction: Instruction) -> _Rule:
    dependence = dependence_of(instruction)
    always = set(dependence.control)
    needed: set[Register] = set()
    for access in instruction.accesses:
        if access.kind is not AccessKind.PREFETCH:
            needed.update(register for register in (access.base, access.index) if register is not None)
    if instruction.branch is not BranchKind.NONE:
        needed.update(instruction.reads)
    for register in needed:
        always.update(places_of(register, instruction.isa))
    sources = tuple((place, tuple(sorted(found))) for place, found in dependence.sources.items())
    return _Rule(sources, tuple(sorted(always)))


def live_after(
    trace: Trace, contract: Contract, steps: set[int], *, everything_at_end: bool = False
) -> Mapping[int, int]:
    """Return, for each of `steps`, a mask of the register places live after it: those that reach what the caller sees.

    With `everything_at_end`, all registers and memory are live at the end; used for a trace that stops before the call
    does.
    """
    wanted = np.array(sorted(steps), np.int64)
    if not wanted.size:
        return {}
    executed = {pc: trace.program.by_address[pc] for pc in trace.executions if pc in trace.program.by_address}
    rule_at = np.full(len(trace), -1, np.int64)
    effective = np.zeros(len(trace), np.bool_)
    for number, pc in enumerate(executed):
        rule_at[trace.executions[pc]] = number
        effective[trace.effective(pc)] = True
    rules = [_rule(instruction) for instruction in executed.values()]
    first_access, addresses, memory = _memory(trace, executed)
    if everything_at_end:
        memory[:] = 1
    live = np.zeros(MEMORY, np.uint8)
    live[range(MEMORY) if everything_at_end else _returned(trace.isa, contract)] = 1
    found = np.zeros((len(wanted), MEMORY // 8), np.uint8)
    rows = [row for rule in rules for row in rule.sources]
    _walk_back(
        rule_at,
        effective,
        first_access,
        addresses,
        _first([len(rule.sources) for rule in rules]),
        np.array([place for place, _ in rows], np.int64),
        *_flat([sources for _, sources in rows]),
        *_flat([rule.always for rule in rules]),
        live,
        memory,
        everything_at_end,
        wanted,
        found,
    )
    return {step: int.from_bytes(row.tobytes(), "little") for step, row in zip(wanted.tolist(), found, strict=True)}


def _memory(trace: Trace, executed: Mapping[int, Instruction]) -> tuple[Integers, Integers, Places]:
    """Return where each step's accesses begin in a list of places in memory, that list, and which places are live.

    Memory that the trace touches is numbered without the gaps between its pages.
    """
    counts = np.zeros(len(trace), np.int64)
    for pc, instruction in executed.items():
        counts[trace.executions[pc]] = len(instruction.accesses)
    first = _first(counts)
    addresses = np.zeros(first[-1], np.uint64)
    taken = np.zeros(first[-1], np.bool_)
    for pc, instruction in executed.items():
        for number in range(len(instruction.accesses)):
            steps, at = trace.addresses(pc, number)
            addresses[first[steps] + number] = at
            taken[first[steps] + number] = True
    writable = [item for item in trace.buffers if item.buffer.writable]
    touched = addresses[taken]
    pages = np.unique(
        np.concatenate(
            [touched // _PAGE, (touched + np.uint64(ACCESS_ROOM)) // _PAGE]
            + [np.arange(item.address // _PAGE, item.end // _PAGE + 1, dtype=np.uint64) for item in writable]
        )
    )

    def numbered(at: npt.NDArray[np.uint64]) -> Integers:
        return np.searchsorted(pages, at // _PAGE) * _PAGE + (at % _PAGE).astype(np.int64)

    memory = np.zeros((len(pages) + 1) * _PAGE, np.uint8)
    for item in writable:
        start = int(numbered(np.array([item.address], np.uint64))[0])
        memory[start : start + item.end - item.address] = 1
    return first, np.where(taken, numbered(addresses), 0), memory


def _first(counts: npt.ArrayLike) -> Integers:
    """Return where each of several lists begins when they follow one another, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))])


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Integers, Integers]:
    """Return where each list begins, and all of them one after another."""
    return _first([len(one) for one in lists]), np.array([value for one in lists for value in one], np.int64)


def _returned(isa: Isa, contract: Contract) -> list[int]:
    if contract.signature.returns is None:
        return []
    registers = [general(0), general(1), vector(0), vector(1)]
    return [place for register in registers for place in places_of(register, isa)]


@compiled
def _place_in_memory(addresses: Integers, first: int, place: int) -> int:
    """Return where in the live memory the place of an access lies; the accesses of its step begin at `first`."""
    begins: int = addresses[first + (place - MEMORY) // ACCESS_ROOM]
    return begins + (place - MEMORY) % ACCESS_ROOM


@native_call
def _walk_back(
    rule_at: Integers,
    effective: npt.NDArray[np.bool_],
    first_access: Integers,
    addresses: Integers,
    first_row: Integers,
    places: Integers,
    first_source: Integers,
    sources: Integers,
    first_always: Integers,
    always: Integers,
    live: Places,
    memory: Places,
    everything: bool,
    wanted: Integers,
    found: Places,
) -> None:
    """Set the bits of `found`, uint8 (wanted, register places / 8), that are live after each of the steps `wanted`.

    `live` and `memory` say what is live at the end of the trace, and are changed.  Steps before the first of `wanted`
    cannot change its liveness.
    """
    reaches = np.zeros(len(places), np.bool_)
    left = len(wanted)
    for step in range(len(rule_at) - 1, wanted[0] - 1, -1):
        if wanted[left - 1] == step:
            left -= 1
            for place in range(len(live)):
                found[left, place >> 3] |= live[place] << (place & 7)
        rule = rule_at[step]
        if rule < 0:
            continue
        if effective[step]:
            first = first_access[step]
            for row in range(first_row[rule], first_row[rule + 1]):
                place = places[row]
                if place < MEMORY:
                    reaches[row] = live[place] != 0
                    live[place] = 0
                else:
                    at = _place_in_memory(addresses, first, place)
                    reaches[row] = everything or memory[at] != 0
                    memory[at] = 0
            for row in range(first_row[rule], first_row[rule + 1]):
                if reaches[row]:
                    for index in range(first_source[row], first_source[row + 1]):
                        if sources[index] < MEMORY:
                            live[sources[index]] = 1
                        else:
                            memory[_place_in_memory(addresses, first, sources[index])] = 1
        for index in range(first_always[rule], first_always[rule + 1]):
            live[always[index]] = 1
