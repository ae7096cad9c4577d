"""Say which bytes an instruction copies: pairs of a place that is written and one that is read, -1 for a zero."""

from __future__ import annotations

import re

import numpy as np

from neonlab.isa.general_names import ZERO_REGISTER, general_named
from neonlab.isa.lanes import FAMILIES, LaneOperation
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import general_start

Copies = list[tuple[int, int]]
#: Families that move whole lanes.
PERMUTES = (
    *("ext", "rev", "zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2", "vzip", "vuzp", "vtrn", "vswp"),
    *("pair_in", "pair_out"),
)
_FIELD = re.compile(r"^(?:(\w+), )?(\w+), #(\w+), #(\w+)$")


def of_move(operation: LaneOperation) -> Copies:
    """Return the copies of a move between lanes of one size."""
    destination, source = operation.destination, operation.sources[0]
    found = []
    for byte in range(destination.size):
        at = byte % (source.bits // 8) if source.same else byte
        found.append((destination.start + byte, source.start + at))
    return found + _cleared(operation)


def moves_bytes(operation: LaneOperation) -> bool:
    """Tell whether a shift in lanes of 64 bits moves whole bytes: such lanes often hold several smaller ones."""
    if operation.family not in ("shl", "shr", "sli", "sri") or operation.saturates or operation.rounds:
        return False
    source = operation.sources[-1]
    if operation.destination.bits != 64 or source.bits != 64 or operation.immediate % 8:
        return False
    return operation.family != "shr" or source.signed is False


def of_byte_shift(operation: LaneOperation) -> Copies:
    """Return the copies of a shift by whole bytes: zeros come in, or what was there where it inserts."""
    destination, source = operation.destination, operation.sources[-1]
    inserts, left = operation.family in ("sli", "sri"), operation.family in ("shl", "sli")
    step = operation.immediate // 8
    found = []
    for lane in range(destination.count):
        at, of = destination.start + 8 * lane, source.start + 8 * (0 if source.same else lane)
        for byte in range(8):
            taken = byte - step if left else byte + step
            other = at + byte if inserts else -1
            found.append((at + byte, of + taken if 0 <= taken < 8 else other))
    return found + _cleared(operation)


def of_permutation(operation: LaneOperation) -> Copies:
    """Return the copies of a permutation: its rule, applied to the places of lanes, says where each one comes from."""
    places = [
        source.start + np.arange(source.count, dtype=np.int64) * (source.bits // 8) for source in operation.sources
    ]
    made = FAMILIES[operation.family](operation, *places)
    targets = (operation.destination, operation.second) if isinstance(made, tuple) else (operation.destination,)
    found = []
    for target, sources in zip(targets, made if isinstance(made, tuple) else (made,), strict=True):
        assert target is not None
        width = target.bits // 8
        for lane, source in enumerate(np.broadcast_to(sources, (target.count,)).tolist()):
            found += [(target.start + lane * width + byte, source + byte) for byte in range(width)]
    return found + _cleared(operation)


def of_inserted_bytes(instruction: Instruction) -> Copies:
    """Return the copies of `bfi`, `bfxil` or `bfc` of whole bytes; none for other fields and instructions.

    So bytes that are packed in a register stay lanes of their own, in 64 bits too.  On a condition it is a step, which
    chooses.
    """
    name = instruction.mnemonic
    found, isa = _FIELD.match(instruction.operands), instruction.isa
    if name not in ("bfi", "bfxil", "bfc") or found is None or (found[1] is None) != (name == "bfc"):
        return []
    at, width = int(found[3], 0), int(found[4], 0)
    to, source = general_named(isa, found[1] or found[2]), general_named(isa, found[2])
    if to is None or source is None or at % 8 or width % 8 or (isa is Isa.A64 and to[0] == ZERO_REGISTER):
        return []
    start, of = general_start(isa, to[0]), general_start(isa, source[0])
    zeros = name == "bfc" or (isa is Isa.A64 and source[0] == ZERO_REGISTER)
    into, taken = (0, at // 8) if name == "bfxil" else (at // 8, 0)
    copies = [(start + into + byte, -1 if zeros else of + taken + byte) for byte in range(width // 8)]
    return copies + [(place, -1) for place in range(start + to[1], start + isa.pointer_bytes)]


def _cleared(operation: LaneOperation) -> Copies:
    return [(place, -1) for place in range(operation.destination.end, operation.clear_end)]
