"""Show that a block of zeros, which gives a loop more passes, leaves all registers as they were without it.

Both begin where the loop begins, with registers that hold data as any value.  One makes the first passes of the loop on
any elements; the other makes more, on the same elements with a block of zeros inserted.  Every byte of the registers
that data are in must then be equal.  What follows is the same on both sides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from neonlab.contract.header import Contract
from neonlab.emulate.trace import Trace
from neonlab.isa.model.lane_operation import GENERAL_BYTES, general_start
from neonlab.prove.comparison.equality import compare
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.kernel import replay
from neonlab.prove.kernel.cells import PLAIN
from neonlab.prove.kernel.symbolic_run import Memory, Replay
from neonlab.prove.reference.inputs import symbolic_inputs
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.form import Unknown, Value
from neonlab.prove.trips.passes import Loop
from neonlab.prove.trips.places import Rows
from neonlab.verify.cases.case import Case

#: Widest lanes that are made any value as a whole.
_WIDEST = 4


def check_zeros(
    trace: Trace,
    contract: Contract,
    case: Case,
    held: frozenset[str],
    loops: Sequence[Loop],
    after: Sequence[Mapping[int, Value]],
    rows: Mapping[str, Rows],
    *,
    gap: int,
    window: int,
) -> None:
    """Refuse unless zeros in block `gap` of each row change nothing after `window` passes of each loop.

    `after` has what general registers hold after each loop; those that have a form are not compared.
    """
    table = ExpressionTable()
    _, elements = symbolic_inputs(table, contract, case, held)
    followed = {name: ids for name, ids in elements.items() if name not in held}
    if missing := set(rows) - set(followed):
        raise Refusal(f"`{min(missing)}` grows with the size, and is held at the values of a case")
    main = Replay(trace, table)
    main.begin(contract, case, followed)
    for loop, registers in zip(loops, after, strict=True):
        main.follow(loop.start)
        used, inputs = len(table), table.inputs
        short = main.copy()
        _make_any(short.memory, table, trace, case.inputs)
        long = short.copy()
        _insert(long.memory, trace, case, rows, gap)
        short.follow(loop.start + window * loop.length)
        long.follow(loop.start + (window + loop.growth) * loop.length)
        if short.compared_data or long.compared_data:  # flags are not among the registers that are compared
            raise Refusal("a pass of the loop compares data", place=_place(trace, loop))
        _compare(table, trace, short.memory, long.memory, registers, loop)
        table.size[0], table.inputs = used, inputs
        main.follow(loop.end - loop.length)
        before = _plain_data(main.memory, trace, registers)
        main.follow(loop.end)
        if before != _plain_data(main.memory, trace, registers):
            raise Refusal("passes of the loop change which registers data are in", place=_place(trace, loop))


def _plain_data(memory: Memory, trace: Trace, registers: Mapping[int, Value]) -> tuple[bytes, bytes]:
    """Return which bytes of registers depend on inputs, and the values of the others, but for those that have a form.

    Where a pass changes neither, no further one does: a byte depends on inputs, or has a value, by those alone that
    the pass began with.
    """
    looked_at = _looked_at(memory, trace, registers)
    plain = (memory.cells["node"][: memory.registers] == PLAIN) & looked_at
    return plain.tobytes(), memory.values[: memory.registers][plain].tobytes()


def _looked_at(memory: Memory, trace: Trace, registers: Mapping[int, Value]) -> npt.NDArray[np.bool_]:
    """Return which bytes of the register file data are in: all but general registers of which `walk` says more."""
    found = np.ones(memory.registers, np.bool_)
    first = general_start(trace.isa, 0)
    for index in range((memory.registers - first) // GENERAL_BYTES):
        if registers.get(index, Unknown.JUNK) is not Unknown.DATA:
            found[first + GENERAL_BYTES * index : first + GENERAL_BYTES * (index + 1)] = False
    return found


def _place(trace: Trace, loop: Loop) -> str:
    line = trace.program.line_at(int(trace.pcs[loop.start]))
    return f"{line.path}:{line.line}" if line else ""


def _make_any(memory: Memory, table: ExpressionTable, trace: Trace, inputs: Collection[str]) -> None:
    """Put a new element of any value into each lane that depends on inputs, but for the elements of inputs themselves.

    So nothing is assumed of what ran before, at whatever size.
    """
    depends = memory.cells["node"] != PLAIN
    for item, at in zip(trace.buffers, memory.cells_at.tolist(), strict=False):
        if item.buffer.name in inputs:
            depends[at : at + item.buffer.size] = False
    starts: dict[int, list[int]] = {}
    covered = -1
    for at in np.flatnonzero(depends).tolist():
        if at >= covered:
            width = _whole(memory, at)
            starts.setdefault(width, []).append(at)
            covered = at + width
    for width, found in sorted(starts.items()):
        half = 1 << 8 * width - 1
        for at, node in zip(found, table.elements(len(found), -half, half - 1).tolist(), strict=True):
            memory.put(at, np.array([node], np.int32), width)


def _whole(memory: Memory, at: int) -> int:
    """Return the width of the lane that begins at a byte; 1 where none does, or a wider one."""
    first = memory.cells[at]
    width = int(first["width"])
    if first["node"] == PLAIN or first["position"] or width > _WIDEST:
        return 1
    lane = memory.cells[at : at + width]
    same = (lane["node"] == first["node"]) & (lane["width"] == width) & (lane["position"] == np.arange(len(lane)))
    return width if len(lane) == width and bool(same.all()) else 1


def _insert(memory: Memory, trace: Trace, case: Case, rows: Mapping[str, Rows], gap: int) -> None:
    """Insert a block of zeros into each array that grows; its rows stay as long as they were."""
    for item, at in zip(trace.buffers, memory.cells_at.tolist(), strict=False):
        one = rows.get(item.buffer.name)
        if one is None:
            continue
        end = at + one.rows * one.length
        width = case.inputs[item.buffer.name].dtype.itemsize
        first, step = gap * one.step, one.step
        for array in (memory.cells, memory.values):
            parts = array[at:end].reshape(one.rows, one.length)
            parts[:, first + step :] = parts[:, first:-step].copy()
        cells = memory.cells[at:end].reshape(one.rows, one.length)[:, first : first + step]
        cells["node"], cells["width"] = 0, width  # node 0 is the number 0
        cells["position"] = np.arange(step) % width


def _compare(
    table: ExpressionTable, trace: Trace, short: Memory, long: Memory, registers: Mapping[int, Value], loop: Loop
) -> None:
    """Refuse where a register differs that data are in."""
    place, looked_at = _place(trace, loop), _looked_at(short, trace, registers)
    plain = (short.cells["node"][: short.registers] == PLAIN) & (long.cells["node"][: short.registers] == PLAIN)
    values = short.values[: short.registers] != long.values[: short.registers]
    if (plain & looked_at & values).any():
        raise Refusal("a register that data are in counts passes of the loop", place=place)
    starts: dict[int, list[int]] = {}
    covered = -1
    for at in np.flatnonzero(~plain & looked_at).tolist():
        if at >= covered:
            width = max(_whole(short, at), _whole(long, at))
            starts.setdefault(width, []).append(at)
            covered = at + width
    for width, found in sorted(starts.items()):
        ours, theirs = (_lanes(table, memory, found, width) for memory in (short, long))
        if not compare(table, ours, theirs, every=False).equal.all():
            raise Refusal("a block of zeros may change what a pass of the loop computes", place=place)


def _lanes(table: ExpressionTable, memory: Memory, starts: Sequence[int], width: int) -> Ids:
    places: npt.NDArray[np.int64] = np.array(starts, np.int64)
    found = np.zeros(len(places), np.int32)
    table.reserve(64 * len(places))
    replay.read_all(table.nodes, table.size, memory.cells, memory.values, places, 8 * width, True, found)
    return found
