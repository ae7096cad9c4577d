"""Find which bytes that an instruction reads may influence which bytes that it writes.

The rules are sound: they leave no byte out, which tests check on an emulated CPU.  They are as fine as lanes. `add
v0.4s, v1.4s, v2.4s` joins the four bytes of a lane with the same four of both operands, `smlal2` takes the upper
halves, `ins` keeps the bytes that it does not set.  An instruction without a rule lets all that it reads into all that
it writes.

The registers of an address are not sources of what is loaded or stored there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from neonlab.isa.a32.dependence import flow_a32
from neonlab.isa.a64.dependence import flow_a64
from neonlab.isa.decode import decode_word
from neonlab.isa.model.dependence import (
    STATUS_PLACE,
    Dependence,
    Flow,
    condition_places,
    everything,
    places_of,
)
from neonlab.isa.model.instruction import NO_A32_WORD, Instruction, Writeback
from neonlab.isa.model.isa import FLAGS, STATUS, Isa


@lru_cache(maxsize=1 << 14)
def dependence_of(instruction: Instruction) -> Dependence:
    """Return the rule for `instruction`, given that it executes: in A32 its condition holds."""
    isa, control = instruction.isa, condition_places("")
    if isa is Isa.A32 and instruction.condition:
        control = condition_places(instruction.condition)
        instruction = _unconditional(instruction)
    always = everything(instruction)
    flow = flow_a64(instruction) if isa is Isa.A64 else flow_a32(instruction)
    if flow is None:
        flow = always
    if instruction.writeback is not None:
        _write_back(flow, instruction.writeback, isa)
    for place, found in always.sources.items():
        flow.sources.setdefault(place, found)
    if STATUS in instruction.reads and not flow.moves:  # the rounding mode
        for found in flow.sources.values():
            found.update({STATUS_PLACE} if found else ())
    if isa is Isa.A32:  # most instructions that set flags keep some of them
        for place in places_of(FLAGS, isa):
            if place in flow.sources:
                flow.sources[place].add(place)
    if STATUS_PLACE in flow.sources:  # cumulative bits stay
        flow.sources[STATUS_PLACE].add(STATUS_PLACE)
    return flow.finished(control)


def _unconditional(instruction: Instruction) -> Instruction:
    if instruction.word == NO_A32_WORD or instruction.word >> 28 == 15:  # in an IT block; the rest is as it was
        return replace(instruction, condition="")
    return decode_word(instruction.isa, instruction.word & 0x0FFFFFFF | 0xE0000000, instruction.address)


def _write_back(flow: Flow, writeback: Writeback, isa: Isa) -> None:
    sources = [*places_of(writeback.base, isa)]
    if writeback.register is not None:
        sources += places_of(writeback.register, isa)
    if writeback.extend.endswith("rrx"):
        sources += places_of(FLAGS, isa)
    for place in places_of(writeback.base, isa):
        flow.sources[place] = set(sources)
