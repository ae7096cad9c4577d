"""Replay a trace with intervals for the data, to find the possible values of each lane for all inputs in range.

Control flow and addresses are those of the trace, since they depend on sizes alone.  Where one does depend on data, the
walk reports an obstacle and the result is undecided.  Data loaded from the kernel's buffers are expressions over their
elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from neonlab.contract.header import Contract
from neonlab.emulate.trace import Trace
from neonlab.isa.lanes import LaneOperation, Lanes, lane_operation
from neonlab.isa.model.dependence import FLAG_N
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Register
from neonlab.isa.model.lane_operation import VECTOR_BYTES, general_start, is_general
from neonlab.verify.cases.case import Case
from neonlab.verify.dataflow import Dataflow
from neonlab.verify.lanes.scalar_sums import is_arithmetic
from neonlab.verify.lanes.views import Checked, View
from neonlab.verify.ranges.arithmetic import true_nodes
from neonlab.verify.ranges.cells import NOTHING, PLAIN, Cell, RegisterCells, ends_of
from neonlab.verify.ranges.move import NOWHERE, Move
from neonlab.verify.ranges.nodes import LIMIT, Ids, InputElement, Nodes

_MOVES = {"mov", "ext", "rev", "zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2", "vzip", "vuzp", "vtrn", "vswp",
          "pair_in", "pair_out", "constant"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MayWrap:
    """A lane whose interval exceeds the lane's range: at the top if `highest`, else at the bottom."""

    step: int
    checked: Checked
    lane: int
    node: int
    highest: bool


class RangeWalk:
    """One replay of a trace.

    `may_wrap` lists lanes in order of time, `obstacles` what could not be followed.  `results` holds the lanes that
    each step of vector arithmetic on data produced.  `scalar_sums` tells whether general registers made sums of data
    that were judged, `unjudged` whether they did arithmetic on data that was not.
    """

    def __init__(
        self, trace: Trace, contract: Contract, case: Case, checked: Iterable[Checked], live: Mapping[int, int]
    ) -> None:
        self._trace, self._isa, self._flow = trace, trace.isa, Dataflow(trace)
        self.nodes = Nodes()
        self.may_wrap: list[MayWrap] = []
        self.obstacles: list[str] = []
        self.results: dict[int, Ids] = {}
        self.scalar_sums = self.unjudged = False
        self._checked = {item.instruction.address: item for item in checked}
        self._live = live
        self._registers = RegisterCells(trace, self.nodes)
        self._moves: dict[int, Move] = {}
        self._memory: dict[int, Cell] = {}
        self._flags_depend = False
        self._elements: dict[tuple[str, int], int] = {}
        self._sources = _inputs(trace, contract, case)
        by_address = trace.program.by_address
        for step, address in enumerate(trace.pcs.tolist()):
            instruction = by_address.get(address)
            if instruction is not None:
                self._step(step, instruction)

    def _obstacle(self, step: int, what: str) -> None:
        line = self._trace.program.line_at(int(self._trace.pcs[step]))
        text = f"{line.path}:{line.line}: {what}" if line else what
        if text not in self.obstacles:
            self.obstacles.append(text)

    def _step(self, step: int, instruction: Instruction) -> None:
        if instruction.condition and self._flags_depend:
            self._obstacle(step, "the condition depends on data")
        if instruction.condition and not self._flow.is_effective(step):
            return
        if instruction.branch is not BranchKind.NONE:
            if any(self._depends(register) for register in instruction.reads if register != FLAGS):
                self._obstacle(step, "the branch depends on data")
            return
        for access in instruction.accesses:
            if any(register is not None and self._depends(register) for register in (access.base, access.index)):
                self._obstacle(step, "the address depends on data")
                return
        operation = lane_operation(instruction)
        checked = self._checked.get(instruction.address)
        if checked is not None:
            self._lanes(step, checked.operation)
        elif operation is not None and not _only_moves(operation):
            self._lanes(step, operation)
        else:
            self._move(step, instruction, permutes=operation is not None)

    def _depends(self, register: Register) -> bool:
        if register.file == "general":
            start = general_start(self._isa, register.index)
            return self._registers.depends(start, start + 8)
        return register == FLAGS and self._flags_depend

    # Vector arithmetic

    def _lanes(self, step: int, operation: LaneOperation) -> None:
        cells, destination = self._registers, operation.destination
        depends = any(cells.depends(lanes.start, lanes.end) for lanes in operation.sources)
        if not depends:
            results: Ids | None = None
        else:
            results = self._result(step, operation)
            self.scalar_sums |= is_general(self._isa, destination)
        if results is None:
            cells.forget(destination.start, destination.end)
        else:
            cells.write(destination, results)
            self.results[step] = results
        if operation.clear_end > destination.end:
            cells.forget(destination.end, operation.clear_end)

    def _result(self, step: int, operation: LaneOperation) -> Ids:
        checked = self._checked.get(int(self._trace.pcs[step]))
        lanes = operation.destination
        if operation.family == "tbl":
            return self._looked_up(step, operation)
        views = checked.views if checked is not None else (_plain_view(operation),)
        tried: list[tuple[Ids, int, int]] = []
        for view in views:
            sources = [
                self._registers.read(step, source, sign)
                for source, sign in zip(operation.sources, view.signs, strict=True)
            ]
            true = true_nodes(self.nodes, operation, sources)
            if true is None:
                return self.nodes.unknown(lanes.count, *ends_of(lanes.bits, False))
            low, high = _limits(lanes.bits, view)
            if self.nodes.all_within(true, low, high):
                return self._saturated(operation, true)
            tried.append((true, low, high))
        if operation.saturates:
            return self._saturated(operation, tried[0][0])
        if checked is None:
            return self.nodes.unknown(lanes.count, *ends_of(lanes.bits, False))
        true, low, high = tried[0]
        self._note_wraps(step, checked, lanes, tried)
        return self.nodes.within(true, low, high)

    def _note_wraps(self, step: int, checked: Checked, lanes: Lanes, tried: list[tuple[Ids, int, int]]) -> None:
        """Note the lanes that may wrap however they are read: `tried` has their values and limits in each reading."""
        beyond = [(true, self.nodes.low(true) < low, self.nodes.high(true) > high) for true, low, high in tried]
        lost = np.logical_and.reduce([below | above for _, below, above in beyond])
        for lane in np.flatnonzero(lost).tolist():
            if self._lane_is_live(step, lanes, lane):
                for values, below, above in beyond:
                    for outside, highest in ((above, True), (below, False)):
                        if outside[lane]:
                            self.may_wrap.append(MayWrap(step, checked, lane, int(values[lane]), highest))

    def _looked_up(self, step: int, operation: LaneOperation) -> Ids:
        """Return the possible entries of a table: any of them, or 0 for an index outside."""
        *tables, indices = operation.sources
        entries = np.concatenate([self._registers.read(step, table, True) for table in tables])
        chosen = self._registers.read(step, indices, False)
        low, high = int(self.nodes.low(entries).min()), int(self.nodes.high(entries).max())
        if (self.nodes.high(chosen) >= len(entries)).any():
            low, high = min(low, 0), max(high, 0)
        return self.nodes.unknown(operation.destination.count, low, high)

    def _saturated(self, operation: LaneOperation, true: Ids) -> Ids:
        if not operation.saturates:
            return true
        low, high = ends_of(operation.destination.bits, operation.destination.signed is not False)
        if self.nodes.all_within(true, low, high):
            return true
        return self.nodes.clamp(true, low, high)

    def _lane_is_live(self, step: int, lanes: Lanes, lane: int) -> bool:
        width, size = lanes.bits // 8, VECTOR_BYTES[self._isa]
        if step not in self._live:
            return True
        start = lanes.start + lane * width
        if is_general(self._isa, lanes):
            return bool(self._live[step] >> start - general_start(self._isa, 0) & (1 << width) - 1)
        index, byte = divmod(start, size)
        place = 256 + index * size + byte
        return bool(self._live[step] >> place & (1 << width) - 1)

    # Moves, loads, stores and what general registers do

    def _move(self, step: int, instruction: Instruction, permutes: bool) -> None:
        move = self._moves.get(instruction.address)
        if move is None:
            move = self._moves[instruction.address] = Move.of(instruction, self._isa)
        if not self._may_depend(move):
            self._nothing_depends(step, instruction, move)
            return
        fetched = self._fetched(step, move)
        # The base is an address, and addresses do not depend on data.
        self._registers.forget_at(move.base, move.base_granules)
        if all(cell.node == PLAIN for cell in fetched.values()):
            self._nothing_depends(step, instruction, move)
            return
        if (move.copies or permutes) and move.of_one and not move.extends:
            fetched[NOWHERE] = NOTHING
            if move.put_from:
                self._registers.put(move.put, move.put_granules, [fetched[place] for place in move.put_from])
            for place, source in move.moved:
                self._memory[self._flow.address(step, place)] = fetched[source]
            return
        self._general(step, instruction, fetched)

    def _may_depend(self, move: Move) -> bool:
        """Tell whether anything the instruction reads may depend on data, from a cheap test."""
        return (
            bool(move.reads_memory)
            or (self._flags_depend and move.depends_on_flags)
            or self._registers.any_depends(move.offsets_read)
        )

    def _nothing_depends(self, step: int, instruction: Instruction, move: Move) -> None:
        self._registers.forget_at(move.offsets_written, move.granules_written)
        for place in move.stored:
            self._memory[self._flow.address(step, place)] = NOTHING
        if FLAGS in instruction.writes:
            self._flags_depend = False

    def _fetched(self, step: int, move: Move) -> dict[int, Cell]:
        """Return the cell of each place that the instruction reads."""
        found = dict(zip(move.reads_registers, self._registers.some(move.offsets_read), strict=True))
        for place in move.reads_flags:
            found[place] = Cell(0, 1, 0) if self._flags_depend and place >= FLAG_N else NOTHING
        for number, bytes_ in move.reads_memory:
            first = self._flow.first_address(step, number)
            for byte, place in bytes_:
                address = first + byte & self._flow.mask
                found[place] = self._memory.get(address) or self._memory_cell(address)
        return found

    def _memory_cell(self, address: int) -> Cell:
        """Return the cell of a byte that nothing was stored to: one of an input, or plain."""
        for source in self._sources:
            if source.start <= address < source.end:
                index, position = divmod(address - source.start, source.width)
                key = (source.name, source.first + index)
                if key not in self._elements:
                    element = InputElement(source.name, source.first + index)
                    self._elements[key] = self.nodes.input(element, source.low, source.high)
                found = self._memory[address] = Cell(self._elements[key], source.width, position)
                return found
        return NOTHING

    def _general(self, step: int, instruction: Instruction, fetched: Mapping[int, Cell]) -> None:
        """Handle arithmetic on data in general registers: sign extensions are followed, other results are unknown."""
        self.unjudged |= is_arithmetic(instruction)
        extended = None
        move = self._moves[instruction.address]
        if move.extends:
            cells = {cell for cell in fetched.values() if cell.node != PLAIN}
            nodes = {cell.node for cell in cells}
            whole = len(nodes) == 1 and {cell.position for cell in cells} == set(range(next(iter(cells)).width))
            if whole:
                cell = next(iter(cells))
                extended = self._registers.as_number(np.array([cell.node]), 8 * cell.width, True)
        base = instruction.writeback.base if instruction.writeback is not None else None
        for register in instruction.writes:
            if register == base:
                continue
            if register.file == "general":
                size = self._isa.pointer_bytes
                lanes = Lanes(general_start(self._isa, register.index), 1, 8 * size)
                if extended is not None and instruction.operands.startswith("w"):  # the upper half becomes 0
                    self._registers.write(replace(lanes, bits=32), extended)
                    self._registers.forget(lanes.start + 4, lanes.end)
                elif extended is not None:
                    self._registers.write(lanes, extended)
                else:
                    half = Lanes(lanes.start, size // 4, 32)
                    self._registers.write(half, self.nodes.unknown(half.count, *ends_of(32, True)))
            elif register.file == "vector":
                size = VECTOR_BYTES[self._isa]
                bytes_of = Lanes(register.index * size, size, 8)
                self._registers.write(bytes_of, self.nodes.unknown(size, 0, 255))
            elif register == FLAGS:
                self._flags_depend = True
        for place in move.stored:
            self._memory[self._flow.address(step, place)] = Cell(int(self.nodes.unknown(1, 0, 255)[0]), 1, 0)


def _only_moves(operation: LaneOperation) -> bool:
    """Tell whether the operation only moves bytes; `orr` of a register with itself is a copy."""
    if operation.family == "orr":
        return operation.sources[0] == operation.sources[1]
    return operation.family in _MOVES


@dataclass(frozen=True, slots=True)
class _Input:
    name: str
    start: int
    end: int
    width: int
    low: int
    high: int
    first: int = 0  # number of its first element


def _inputs(trace: Trace, contract: Contract, case: Case) -> list[_Input]:
    """Return the addresses of the inputs' elements in memory, with their declared ranges."""
    found = []
    for item in trace.buffers:
        argument = contract.by_name.get(contract.filled_from(item.buffer.name))
        if argument is None or argument.read is None or argument.dtype.kind not in "iu":
            continue
        count = case.inputs[argument.name].nbytes if argument.name in case.inputs else 0
        limits = np.iinfo(argument.dtype)
        low, high = argument.value_range or (limits.min, limits.max)
        width = argument.dtype.itemsize
        ends, size = (int(low), int(high)), argument.read.size.evaluate(case.integers)
        if not argument.read.rows:
            found.append(_Input(argument.name, item.address, item.address + count, width, *ends))
        elif size % width == 0:
            for row, start in enumerate((argument.read.starts(case.integers) + item.pointer).tolist()):
                found.append(_Input(argument.name, start, start + size, width, *ends, row * size // width))
    return found


def _limits(bits: int, view: View) -> tuple[int, int]:
    """Return the range of a result; for 64 bits slightly less than the lane's, since intervals end at LIMIT."""
    low = ends_of(bits, True)[0] if view.fits_signed else 0
    return max(low, 1 - LIMIT), min(ends_of(bits, not view.fits_unsigned)[1], LIMIT - 1)


def _plain_view(operation: LaneOperation) -> View:
    """Return the view of an operation that cannot wrap: sources as the instruction reads them, else as signed."""
    signs = tuple(lanes.signed is not False for lanes in operation.sources)
    return View(signs, True, True)
