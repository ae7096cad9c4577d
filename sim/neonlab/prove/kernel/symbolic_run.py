"""Run a kernel on expressions: record one case, and replay its trace with nodes in place of the inputs' elements.

The path and the addresses of the recorded case are those of every input, because nothing that decides them may depend
on an input: where something does, the run is refused.
"""

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.hooks.callee_registers import returned_results
from neonlab.emulate.hooks.served import is_served, name_at
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.emulate.trace import Trace, TraceProbe, entry_value
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa, general, vector
from neonlab.isa.model.lane_operation import VECTOR_BYTES, file_bytes, general_start
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.kernel import replay
from neonlab.prove.kernel.cells import CELL, PLAIN
from neonlab.prove.kernel.conditions import FLAGS_DEPENDED, STATE_SIZE, STEP, SUSPECTS
from neonlab.prove.kernel.places import NUMBERS, STACK_POINTER
from neonlab.prove.kernel.plan import plans_of
from neonlab.prove.refusal import Refusal
from neonlab.verify.cases.case import Case
from neonlab.verify.check_case import RETURNED, run_case, written_elements

#: Bytes of stack below and above sp on entry that are followed.
_STACK_BELOW, _STACK_ABOVE = 1 << 16, 1 << 12
#: Sums that may leave their lane that are looked at.
_MOST_SUMS = 1 << 16
#: Rows that are made room for at a time, and most rows that are kept: nodes that nothing holds any more are dropped.
_ROWS, _MOST_ROWS = 1 << 20, 12_000_000
_FLAGS_SET = "flags that decide what is executed depend on the data"
#: The last calls that were recorded: of the reference and of the kernel.  Long ones take too much memory.
_KEPT: deque[tuple[Program, Contract, Case, tuple[Trace, Run]]] = deque(maxlen=2)
_MOST_KEPT_STEPS = 1 << 20
_SYSTEM_REGISTERS = {
    re.compile(r"v?msr\w* fps?c?r\b"): "sets how floats are rounded, which is not followed",
    # But flags, and the thread pointer, which moves.
    re.compile(r"mrs \w+, (?!nzcv|fp[cs]r|tpidr)\w+_el\d"): "reads what only this CPU says, another one may differ",
}
#: How the reason begins where data decide the path.
DECIDES_PATH = "this branch on the data decides the path"
#: The same where the recorded call failed.
NOT_COMPLETE = "the call did not complete"
_REASONS = {
    replay.ADDRESS: "an address or the target of a branch depends on the data",
    replay.NO_RULE: "the prover has no rule for this instruction",
    replay.TOO_LARGE: "a number in a lane of 64 bits may exceed 63 bits",
    replay.ELSEWHERE: "data are stored outside the buffers and the stack",
    replay.PATH: DECIDES_PATH,
    replay.CONDITION: "the data decide what this instruction does, and the prover has no rule for it on this condition",
}


@dataclass(frozen=True, slots=True)
class Sum:
    """The result of arithmetic in a lane of `bits`, with the place of the instruction and its text.

    `signed` says that the lane must hold it as a signed number.
    """

    node: int
    bits: int
    signed: bool
    where: str
    instruction: str


@dataclass(frozen=True, eq=False)
class KernelNodes:
    """Hold the nodes that a kernel writes: by output an array of the shape and meaning of what is expected of it.

    A returned value that is expected is the output RETURNED.  A float32 is the integer of its bits.  `written` has what
    the emulator wrote in the recorded case, in the same shape and meaning.  `steps` counts the instructions of the run.
    `sums` are those whose intervals, added up step by step, exceed their lane; `all_sums` says that none is missing
    there.
    """

    outputs: Mapping[str, Ids]
    written: Mapping[str, npt.NDArray[np.int64]]
    steps: int
    sums: tuple[Sum, ...]
    all_sums: bool


class Memory:
    """The places of a replay: the register file and what is beside it, then the regions of memory.

    Each has a cell and a value a byte.
    """

    def __init__(self, trace: Trace, numbers: npt.NDArray[np.uint8]) -> None:
        beside = file_bytes(trace.isa) + NUMBERS
        self.registers = beside + len(numbers)
        regions = [(item.address, item.end) for item in trace.buffers]
        stack = entry_value(trace.entry, general(31 if trace.isa is Isa.A64 else 13))
        regions.append((stack - _STACK_BELOW, stack + _STACK_ABOVE))
        self.starts = np.array([start for start, _ in regions], np.uint64)
        self.ends = np.array([end for _, end in regions], np.uint64)
        sizes = [end - start for start, end in regions]
        self.cells_at = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)[:-1] + self.registers
        self.cells = np.zeros(self.registers + sum(sizes), CELL)
        self.cells["node"], self.cells["width"] = PLAIN, 1
        self.values = np.zeros(len(self.cells), np.uint8)
        self.values[beside : self.registers] = numbers
        for item, at in zip(trace.buffers, self.cells_at.tolist(), strict=False):
            self.values[at : at + item.buffer.size] = item.buffer.contents()

    def put(self, at: int, nodes: Ids, width: int) -> None:
        """Let consecutive lanes of `width` bytes from cell `at` on hold nodes."""
        flat = nodes.reshape(-1)
        part = self.cells[at : at + flat.size * width].reshape(-1, width)
        part["node"], part["width"], part["position"] = flat[:, np.newaxis], width, np.arange(width)


def record(program: Program, contract: Contract, case: Case, limit: int) -> tuple[Trace, Run]:
    """Run a case and return its trace.  Raises Refusal if the call fails, or takes more than `limit` steps.

    One of the last calls is not run again: a proof follows a call once for each choice of inputs that it holds.
    """
    kept = recorded(program, contract, case)
    if kept is not None and len(kept[0]) <= limit:
        return kept
    recorder = TraceProbe(program, limit)
    with Machine(program, probes=(recorder,)) as machine:
        outcome = run_case(machine, contract, case)
        trace = recorder.collect(machine)
    if isinstance(outcome, Fault):
        raise Refusal(f"{NOT_COMPLETE}: {outcome.message}")
    if trace.overflow:
        raise Refusal(f"the call takes more than {limit} instructions: try a smaller shape")
    if len(trace) <= _MOST_KEPT_STEPS:
        _KEPT.append((program, contract, case, (trace, outcome)))
    return trace, outcome


def recorded(program: Program, contract: Contract, case: Case) -> tuple[Trace, Run] | None:
    """Return the whole trace of a call that `record` made not long ago, with its outcome; None where it is not kept."""
    for one, other, drawn, found in tuple(_KEPT):
        if one is program and other is contract and drawn is case:
            return found
    return None


def kernel_nodes(
    program: Program, contract: Contract, case: Case, table: ExpressionTable, elements: Mapping[str, Ids], limit: int
) -> KernelNodes:
    """Return what the kernel writes for all inputs that `elements` has nodes for, with the case's values for others.

    Raises Refusal where the run cannot be followed: where data decide its path or its addresses, at an instruction
    without a rule, or after more than `limit` steps.
    """
    trace, outcome = record(program, contract, case, limit)
    replay_of = Replay(trace, table)
    replay_of.begin(contract, case, elements)
    replay_of.follow(len(trace))
    memory, first, suspects = replay_of.memory, replay_of.first, replay_of.suspects
    outputs, written = {}, {}
    for name, expected in case.expected.items():
        outputs[name] = _output(memory, trace, contract, case, table, name, expected.array)
        written[name] = _written(contract, case, outcome, name)
    if case.returned is not None:
        outputs[RETURNED] = _returned(memory, contract, table)
        written[RETURNED] = np.array([outcome.returned], np.int64)
    numbers = table.drop(first, table.needed_of(suspects[:, 0], *outputs.values()))
    outputs, suspects[:, 0] = {name: numbers[ids] for name, ids in outputs.items()}, numbers[suspects[:, 0]]
    return KernelNodes(outputs, written, len(trace), _sums(suspects, trace), replay_of.sums <= len(suspects))


def _set_registers(memory: Memory, trace: Trace, table: ExpressionTable) -> None:
    """Set values on entry; vector registers hold unknown bytes, unless floats are passed in them."""
    isa, size = trace.isa, VECTOR_BYTES[trace.isa]
    for index in range(32):
        value = entry_value(trace.entry, vector(index))
        memory.values[size * index : size * (index + 1)] = np.frombuffer(value.to_bytes(size, "little"), np.uint8)
    for index in range(31 if isa is Isa.A64 else 15):
        value, start = entry_value(trace.entry, general(index)), general_start(isa, index)
        memory.values[start : start + 8] = np.frombuffer(value.to_bytes(8, "little"), np.uint8)
    if isa is Isa.A64:
        at, value = file_bytes(isa) + STACK_POINTER, entry_value(trace.entry, general(31))
        memory.values[at : at + 8] = np.frombuffer(value.to_bytes(8, "little"), np.uint8)


def _set_buffers(
    memory: Memory, trace: Trace, contract: Contract, case: Case, table: ExpressionTable, elements: Mapping[str, Ids]
) -> None:
    placed = set()
    for item, at in zip(trace.buffers, memory.cells_at.tolist(), strict=False):
        name = item.buffer.name
        argument = contract.by_name.get(name)
        if argument is None:
            continue
        if argument.write is not None:  # what is not written must not pass for a result
            memory.put(at, table.elements(item.buffer.size, 0, 255), 1)
        name = contract.filled_from(name)
        if name not in elements or argument.read is None:
            continue
        width, nodes = argument.dtype.itemsize, elements[name].reshape(-1)
        numbers = np.ascontiguousarray(case.inputs[name]).view(np.uint8).reshape(-1)
        starts, size = [0], nodes.size * width
        if argument.read.rows:
            size = argument.read.size.evaluate(case.integers)
            starts = [item.buffer.origin + start for start in argument.read.starts(case.integers).tolist()]
        lanes = size // width
        for row, start in enumerate(starts):
            part = memory.values[at + start : at + start + lanes * width]
            if not np.array_equal(part, numbers[row * lanes * width : (row + 1) * lanes * width]):
                raise Refusal(f"the input `{name}` does not lie where its contract says", (name,))
            memory.put(at + start, nodes[row * lanes : (row + 1) * lanes], width)
        placed.add(name)
    for name in sorted(elements.keys() - placed):
        raise Refusal(f"the input `{name}` is no array that an argument points to", (name,))


def _sums(suspects: npt.NDArray[np.int64], trace: Trace) -> tuple[Sum, ...]:
    found = []
    for node, bits, step in suspects.tolist():
        where, text = place_of(trace, step)
        found.append(Sum(node, abs(bits), bits < 0, where, text))
    return tuple(found)


def place_of(trace: Trace, step: int) -> tuple[str, str]:
    """Return file:line and text of the instruction of a step; both are empty outside the program's text."""
    address = int(trace.pcs[step])
    line = trace.program.line_at(address)
    instruction = trace.instruction(step)
    return f"{line.path}:{line.line}" if line else "", instruction.text if instruction is not None else ""


class Replay:
    """A replay of a trace that may pause.  Nodes from `first` on that nothing holds any more are dropped at need.

    `memory` has the cells and values of the moment.
    """

    def __init__(self, trace: Trace, table: ExpressionTable) -> None:
        self.trace, self.table, self.first = trace, table, len(table)
        self.memory = Memory(trace, plans_of(trace.program).numbers)
        self._state, self._suspects = np.zeros(STATE_SIZE, np.int64), np.zeros((_MOST_SUMS, 3), np.int64)
        self._flags = np.array([entry_value(trace.entry, FLAGS)], np.uint64)
        self._numbers = _rows_of(trace)
        self._alone = True
        refuse_system_registers(trace)

    def begin(self, contract: Contract, case: Case, elements: Mapping[str, Ids]) -> None:
        """Set what the call begins with: values, and the nodes of elements."""
        _set_registers(self.memory, self.trace, self.table)
        _set_buffers(self.memory, self.trace, contract, case, self.table, elements)

    def copy(self) -> Replay:
        """Return a replay at the same step, which goes on by itself; nodes that it adds are in the same table."""
        found = copy.copy(self)
        found.memory = copy.copy(self.memory)
        found.memory.cells, found.memory.values = self.memory.cells.copy(), self.memory.values.copy()
        found._state, found._suspects = self._state.copy(), self._suspects.copy()
        found._flags, found._alone = self._flags.copy(), False
        return found

    @property
    def suspects(self) -> npt.NDArray[np.int64]:
        """Node, bits and step of the first sums that may leave their lane; bits are negative of a signed one."""
        return self._suspects[: self.sums]

    @property
    def sums(self) -> int:
        """The number of sums that may leave their lane."""
        return int(self._state[SUSPECTS])

    @property
    def compared_data(self) -> bool:
        """Tell whether flags depended on inputs at some step."""
        return bool(self._state[FLAGS_DEPENDED])

    def follow(self, end: int) -> None:
        """Follow the steps before `end`.  Raises Refusal where one cannot be followed."""
        trace, table, memory, plans = self.trace, self.table, self.memory, plans_of(self.trace.program)
        while True:
            # The table may have far more room than should be filled.
            room = len(table) + max(_ROWS, len(table) // 2)
            table.reserve(room - len(table))
            ended = replay.replay(
                table.nodes[:room], table.size, memory.cells, memory.values, self._state, self._suspects, self._flags,
                self._numbers[:end], trace.first_writes, trace.values, plans.plan, plans.lanes, plans.sources,
                plans.copies, plans.accesses, plans.addresses, plans.reads, plans.clears, plans.writes, memory.starts,
                memory.ends, memory.cells_at, trace.isa.pointer_bytes, file_bytes(trace.isa),
            )  # fmt: skip
            if ended == replay.DONE:
                return
            if ended == replay.FULL and not self._alone:  # another replay may hold what would be dropped
                raise Refusal("the expressions take too much memory: try a smaller shape")
            if ended == replay.FULL:
                _make_room(memory, table, self.first, self.suspects)
                continue
            step = int(self._state[STEP])
            where, text = place_of(trace, step)
            instruction = trace.program.by_address[int(trace.pcs[step])]
            reason = f"{_reason(ended, instruction)}: {text}"
            if is_served(trace.program, instruction.address):
                where, _ = place_of(trace, trace.call_before(step))
                reason = f"calls `{name_at(trace.program, instruction.address)}`, where {reason}"
            raise Refusal(reason, place=where)


def _rows_of(trace: Trace) -> npt.NDArray[np.int32]:
    """Return the row of the plans of each step.  Raises Refusal at a word that is no instruction of the program."""
    instructions = trace.program.instructions  # in the order of addresses
    addresses = np.array([instruction.address for instruction in instructions], np.uint64)
    found = np.zeros(len(trace), np.int32)
    for begin in range(0, len(trace), _ROWS):  # in parts: some numbers a step of a long trace are as long as itself
        pcs = trace.pcs[begin : begin + _ROWS]
        returned, rows = returned_results(pcs), np.minimum(np.searchsorted(addresses, pcs), len(addresses) - 1)
        unknown = pcs[(addresses[rows] != pcs) & (returned < 0)]
        if unknown.size:
            raise Refusal(f"executes a word at {int(unknown[0]):#x} that is not an instruction of the program")
        found[begin : begin + _ROWS] = np.where(returned < 0, rows, len(addresses) + returned)
    return found


def refuse_system_registers(trace: Trace) -> None:
    """Raise Refusal where a step sets the mode of floats, as rules are of the default one, or reads what the CPU is."""
    for instruction in trace.program.instructions:
        for pattern, told in _SYSTEM_REGISTERS.items():
            if pattern.match(instruction.text) and instruction.address in trace.executions:
                where, text = place_of(trace, int(trace.executions[instruction.address][0]))
                raise Refusal(f"this instruction {told}: {text}", place=where)


def _reason(ended: int, instruction: Instruction) -> str:
    """Return why a replay ended at an instruction."""
    if ended == replay.NO_RULE and FLAGS in instruction.writes:
        return _FLAGS_SET
    return DECIDES_PATH if ended == replay.ADDRESS and instruction.branch is BranchKind.CONDITIONAL else _REASONS[ended]


def _make_room(memory: Memory, table: ExpressionTable, first: int, suspects: npt.NDArray[np.int64]) -> None:
    """Drop the nodes from `first` on that neither a byte nor a suspect sum holds, and see to room for further ones."""
    nodes = memory.cells["node"]
    holding = np.flatnonzero(nodes != PLAIN)
    numbers = table.drop(first, table.needed_of(nodes[holding], suspects[:, 0]))
    nodes[holding] = numbers[nodes[holding]]
    suspects[:, 0] = numbers[suspects[:, 0]]
    if len(table) > _MOST_ROWS:
        raise Refusal("the expressions take too much memory: try a smaller shape")


def _output(
    memory: Memory, trace: Trace, contract: Contract, case: Case, table: ExpressionTable, name: str, expected: Any
) -> Ids:
    """Return the nodes of an output's elements, without the gaps between rows."""
    which = next(at for at, item in enumerate(trace.buffers) if item.buffer.name == name)
    first = int(memory.cells_at[which])
    written: npt.NDArray[np.int64] = np.arange(trace.buffers[which].buffer.size)[
        contract.argument(name).block(case.integers).written
    ]
    width = expected.dtype.itemsize
    places = first + written[: expected.nbytes : width]
    found = np.zeros(len(places), np.int32)
    table.reserve(32 * len(places))
    signed = expected.dtype.kind == "i"
    replay.read_all(table.nodes, table.size, memory.cells, memory.values, places, 8 * width, signed, found)
    return found.reshape(expected.shape)


def _returned(memory: Memory, contract: Contract, table: ExpressionTable) -> Ids:
    """Return the node of the returned value, in an array of one.  Raises Refusal unless one register holds it."""
    returns, isa = contract.signature.returns, contract.isa
    if returns is None or returns.kind != "integer" or returns.size > isa.pointer_bytes:
        raise Refusal(f"the returned value is {returns.name if returns else 'void'}, which is not followed")
    found = np.zeros(1, np.int32)
    table.reserve(32)
    place = np.array([general_start(isa, 0)])
    replay.read_all(
        table.nodes, table.size, memory.cells, memory.values, place, 8 * returns.size, returns.signed, found
    )
    return found


def _written(contract: Contract, case: Case, run: Run, name: str) -> npt.NDArray[np.int64]:
    """Return what the kernel wrote to an output; floats as the integers of their bits."""
    got = written_elements(contract, case, run, name)
    numbers = got.view(np.uint32) if got.dtype.kind == "f" else got
    return numbers.astype(np.int64).reshape(case.expected[name].array.shape)
