"""Word the fault of a lane that wrapped: the instruction, the lane, and the operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.lanes import Bytes, LaneOperation, Lanes, read_lanes, true_lanes
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_families import Array, bounds
from neonlab.isa.model.lane_operation import GENERAL_BYTES, general_start, is_general
from neonlab.verify.lanes.views import Checked, View


def wrap_fault(program: Program, contract: Contract, checked: Checked, state: Bytes, lane: int, seed: int = 0) -> Fault:
    """Return the fault of one lane, given the register file before the instruction."""
    view, instruction = checked.views[0], checked.instruction
    operation = read_by(checked.operation, view)
    (true,) = true_lanes(operation, state)
    values = [read_lanes(state, lanes) for lanes in operation.sources]
    bits = operation.destination.bits
    kinds = [f"int{bits}"] * view.fits_signed + [f"uint{bits}"] * view.fits_unsigned
    if len(checked.views) > 1:
        kinds = [f"int{bits}", f"uint{bits}"]
    fits = f"does not fit {kinds[0]}" if len(kinds) == 1 else f"fits neither {' nor '.join(kinds)}"
    shown = _expression(operation, values, lane)
    result = int(true[lane])
    worked_out = shown if shown == str(result) else f"{shown} = {result}"
    where = "" if is_general(program.isa, operation.destination) else f"lane {lane}: "
    message = f"{instruction.text}: {where}{worked_out} {fits}"
    return Fault(
        FaultKind.LANE_WRAP,
        message,
        instruction.address,
        program.line_at(instruction.address),
        instruction.text,
        seed=seed,
        register=_register_name(program.isa, operation.destination),
        clause=value_clause(contract),
    )


def lost_lanes(checked: Checked, states: Bytes) -> npt.NDArray[np.bool_]:
    """Return a mask of the lanes whose true result fits no view; bool of shape (..., lanes).

    `states` holds the register files before the instruction, shape (..., bytes).
    """
    bits = checked.operation.destination.bits
    lost = np.ones((*states.shape[:-1], checked.operation.destination.count), bool)
    for view in checked.views:
        (true,) = true_lanes(read_by(checked.operation, view), states)
        lowest = bounds(bits, True)[0] if view.fits_signed else 0
        highest = bounds(bits, not view.fits_unsigned)[1]
        lost &= np.asarray((true < lowest) | (true > highest), bool)
    return lost


def read_by(operation: LaneOperation, view: View) -> LaneOperation:
    """Return the operation with its sources read as `view` says."""
    sources = (replace(lanes, signed=sign) for lanes, sign in zip(operation.sources, view.signs, strict=True))
    return replace(operation, sources=tuple(sources))


def _expression(operation: LaneOperation, values: Sequence[Array], lane: int) -> str:
    """Return the lane's arithmetic with its operands written out."""

    def pick(number: int, at: int = lane) -> int:
        row = values[number]
        return int(row[at % len(row)])

    def term(number: int) -> str:
        value = pick(number)
        return f"({value})" if value < 0 else str(value)

    def products(pairs: Iterable[tuple[int, int]]) -> str:
        return " + ".join(f"{pick(1, i)} * {pick(2, j)}" for i, j in pairs)

    shift, bits = operation.immediate, operation.destination.bits
    half = f" + {1 << shift - 1}" if operation.rounds and shift else ""
    match operation.family:
        case "add" | "sub":
            return f"{pick(0)} {'+' if operation.family == 'add' else '-'} {term(1)}"
        case "addhn" | "subhn":
            sign, half = "+" if operation.family == "addhn" else "-", f" + {1 << bits - 1}" if operation.rounds else ""
            return f"({pick(0)} {sign} {term(1)}{half}) >> {bits}"
        case "mul":
            return f"{pick(0)} * {pick(1)}"
        case "mla" | "mls":
            return f"{pick(0)} {'+' if operation.family == 'mla' else '-'} {term(1)} * {term(2)}"
        case "shr":
            value = f"({pick(0)}{half})" if half else str(pick(0))
            return f"{value} >> {shift}" if shift else value
        case "sra":
            return f"{pick(0)} + (({pick(1)}{half}) >> {shift})"
        case "shl":
            return f"{pick(0)} << {shift}"
        case "shift":
            return f"{pick(0)} << {(pick(1) + 128 & 255) - 128}"
        case "aba":
            return f"{pick(0)} + |{pick(1)} - {term(2)}|"
        case "abs":
            return f"|{pick(0)}|"
        case "neg":
            return f"-({pick(0)})"
        case "addp":
            joined = [int(value) for row in values for value in row]
            return f"{joined[2 * lane]} + {joined[2 * lane + 1]}"
        case "adalp":
            return f"{pick(0)} + {pick(1, 2 * lane)} + {pick(1, 2 * lane + 1)}"
        case "addv":
            return " + ".join(str(int(value)) for value in values[0])
        case "dot":
            return f"{pick(0)} + " + products((4 * lane + k, 4 * lane + k) for k in range(4))
        case _:
            return f"{pick(0)} + " + products((8 * (lane >> 1) + k, 8 * (lane & 1) + k) for k in range(8))


def _register_name(isa: Isa, lanes: Lanes) -> str:
    if is_general(isa, lanes):
        return f"{'w' if isa is Isa.A64 else 'r'}{(lanes.start - general_start(isa, 0)) // GENERAL_BYTES}"
    if isa is Isa.A64:
        return f"v{lanes.start // 16}"
    return f"q{lanes.start // 16}" if lanes.size > 8 else f"d{lanes.start // 8}"


def value_clause(contract: Contract) -> str:
    """Return the value ranges of the inputs for which the contract says the kernel is exact."""
    said = []
    for argument in contract.by_name.values():
        if (
            contract.filled_from(argument.name) == argument.name
            and argument.is_pointer
            and not argument.fields
            and argument.rows is None
            and argument.read is not None
            and argument.dtype.kind in "iu"
        ):
            if argument.value_range is None:
                said.append(f"{argument.name}: any {argument.dtype}")
            else:
                low, high = argument.value_range
                said.append(f"{argument.name}: range = [{low:g}, {high:g}]")
    return "exact for " + ", ".join(said) if said else ""
