"""Compute lane arithmetic of both instruction sets: register bytes in, register bytes out, and lanes that wrap.

    operation = lane_operation(instruction)
    after = execute(operation, before)         # bytes of register files, one row a case
    lost = wraps(operation, before)            # lanes that do not hold the true result

`lane_operation` parses an instruction's text once.  All else is numpy over a leading batch axis.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from neonlab.isa.a32.lanes import lane_operation_a32
from neonlab.isa.a64.lanes import lane_operation_a64
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_bits import BITS
from neonlab.isa.model.lane_families import ARITHMETIC, SELECTION, Array, Family, clamp
from neonlab.isa.model.lane_operation import LaneOperation, Lanes

__all__ = [
    "FAMILIES",
    "LaneOperation",
    "Lanes",
    "clamps",
    "execute",
    "lane_operation",
    "read_lanes",
    "stored_lanes",
    "true_lanes",
    "wraps",
]

Bytes = npt.NDArray[np.uint8]

_PAIRS: dict[str, Family] = {
    "pair_in": lambda _, low, high: np.concatenate([low, high], axis=-1),
    "pair_out": lambda _, both: (both[..., :1], both[..., 1:]),
}
FAMILIES = ARITHMETIC | SELECTION | BITS | _PAIRS


def lane_operation(instruction: Instruction) -> LaneOperation | None:
    """Return the operation of `instruction` on lanes; None when it is no integer work on vector registers."""
    return _from_text(instruction.isa, instruction.mnemonic, instruction.operands)


@lru_cache(maxsize=1 << 14)
def _from_text(isa: Isa, mnemonic: str, operands: str) -> LaneOperation | None:
    parse = lane_operation_a64 if isa is Isa.A64 else lane_operation_a32
    return parse(mnemonic, operands)


def read_lanes(state: Bytes, lanes: Lanes) -> Array:
    """Return the values of `lanes`, shape (..., count): int64, or Python integers for lanes of 64 bits.

    Lanes without a sign are read as signed.
    """
    part = np.ascontiguousarray(state[..., lanes.start : lanes.end])
    kind = "u" if lanes.signed is False else "i"
    values = part.view(np.dtype(f"<{kind}{lanes.bits // 8}"))
    return values.astype(object if lanes.bits == 64 else np.int64)


def _wide(operation: LaneOperation, values: Array) -> Array:
    needs_more = operation.destination.bits == 64 or (operation.family == "shift" and operation.destination.bits == 32)
    return values.astype(object) if needs_more else values


def true_lanes(operation: LaneOperation, state: Bytes) -> tuple[Array, ...]:
    """Return the result of each lane of each destination as if lanes had no width, before saturation."""
    sources = [_wide(operation, read_lanes(state, lanes)) for lanes in operation.sources]
    results = FAMILIES[operation.family](operation, *sources)
    results = results if isinstance(results, tuple) else (results,)
    shape = (*state.shape[:-1], operation.destination.count)
    return tuple(np.broadcast_to(_wide(operation, values), shape) for values in results)


def stored_lanes(operation: LaneOperation, true: Array) -> Array:
    """Return the number that a destination lane holds after it was given the true result."""
    lanes = operation.destination
    if operation.saturates:
        return clamp(true, lanes.bits, lanes.signed is not False)
    low = true & (1 << lanes.bits) - 1
    if lanes.signed is False:
        return low
    sign = 1 << lanes.bits - 1
    return (low ^ sign) - sign


def wraps(operation: LaneOperation, state: Bytes) -> npt.NDArray[np.bool_]:
    """Return which destination lanes wrap: hold another number than the true result.  Bool, shape (..., lanes).

    Saturating operations never wrap: they clamp by design.  Where signs are open, apply `operation.read_as(...)` first;
    otherwise lanes are read as signed.
    """
    if operation.saturates or operation.family not in ARITHMETIC:
        return np.zeros((*state.shape[:-1], operation.destination.count), bool)
    (true,) = true_lanes(operation, state)
    return np.asarray(true != stored_lanes(operation, true), bool)


def execute(operation: LaneOperation, state: Bytes) -> Bytes:
    """Return the register files, uint8, shape (..., bytes), after the operation."""
    after = state.copy()
    places = [operation.destination, *([operation.second] if operation.second is not None else [])]
    for lanes, true in zip(places, true_lanes(operation, state), strict=True):
        kept = stored_lanes(operation, true) & (1 << lanes.bits) - 1
        data = kept.astype(np.dtype(f"<u{lanes.bits // 8}"))
        after[..., lanes.start : lanes.end] = np.ascontiguousarray(data).view(np.uint8).reshape(*state.shape[:-1], -1)
    if operation.clear_end > operation.destination.end:
        after[..., operation.destination.end : operation.clear_end] = 0
    return after


def clamps(operation: LaneOperation, state: Bytes) -> npt.NDArray[np.bool_]:
    """Return which lanes of a saturating operation clamp, so that FPSR.QC is set.  Bool, shape (..., lanes)."""
    if not operation.saturates:
        return np.zeros((*state.shape[:-1], operation.destination.count), bool)
    (true,) = true_lanes(operation, state)
    found = np.asarray(true != stored_lanes(operation, true), bool)
    if operation.family in ("qdmlal", "qdmlsl"):  # the product may clamp before
        _, first, second = (_wide(operation, read_lanes(state, lanes)) for lanes in operation.sources)
        found |= np.asarray(2 * first * second >= 1 << operation.destination.bits - 1, bool)
    return found
